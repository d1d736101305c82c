package interaction

import "time"

// Served describes an interaction after it has been answered or dropped.
type Served struct {
	Kind    Kind
	Outcome Outcome
	// Acknowledged is the time from arrival until Discord confirmed the first
	// response. It is meaningless unless Confirmed is true.
	Acknowledged time.Duration
	// Confirmed reports that Discord has confirmed a first response.
	Confirmed bool
}

// Outcome is the outcome of an interaction.
type Outcome string

// The outcomes of interactions.
const (
	Answered Outcome = "answered" // as requested
	Refused  Outcome = "refused"  // with the reason: a mistake of the person, or a full disk
	Failed   Outcome = "failed"   // with an apology, or not at all: a fault of the bot
	Repeated Outcome = "repeated" // by another delivery of the same interaction
	Lost     Outcome = "lost"     // the response did not arrive
	Busy     Outcome = "busy"     // with a message that the bot is overloaded or stops
	Dropped  Outcome = "dropped"  // not at all, because the bot was overloaded
	Foreign  Outcome = "unknown"  // not at all, because the bot does not know such interactions
)

// Outcomes returns every outcome.
func Outcomes() []Outcome {
	return []Outcome{Answered, Refused, Failed, Repeated, Lost, Busy, Dropped, Foreign}
}

// trace collects the report of one interaction. Only one goroutine uses it.
type trace struct {
	arrived time.Time
	served  Served
}

// newTrace starts the trace of an interaction. The outcome is Failed until it is
// set.
func (s *Server) newTrace(k Kind) *trace {
	return &trace{arrived: time.Now(), served: Served{Kind: k, Outcome: Failed}}
}

func (s *Server) report(t *trace) {
	if s.config.Observe != nil {
		s.config.Observe(t.served)
	}
}

// confirm notes that Discord has confirmed a response. The first one counts.
func (t *trace) confirm(now time.Time) {
	if !t.served.Confirmed {
		t.served.Confirmed, t.served.Acknowledged = true, now.Sub(t.arrived)
	}
}
