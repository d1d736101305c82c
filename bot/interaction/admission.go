package interaction

import (
	"context"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// How many interactions are carried out at a time. Each takes two goroutines
// and at most the memory of a picture, some megabytes while it is drawn. Above
// maxServed, people are told that the bot is overloaded; above maxBusy as
// well, interactions are dropped and logged, and Discord tells the person that
// there was no response.
const (
	maxServed = 256
	maxBusy   = 256

	// busyTimeout bounds telling a person that the bot is overloaded: after
	// three seconds Discord accepts no response.
	busyTimeout = 3 * time.Second
	// logEvery is the number of rejected interactions per line in the log.
	logEvery = 100
)

// slot is the room that an interaction was given.
type slot int

const (
	noSlot   slot = iota
	busySlot      // only to tell the person that the bot is overloaded
	fullSlot
)

// admission counts the interactions in progress. The zero value is ready.
type admission struct {
	mu       sync.Mutex
	served   int
	busy     int
	rejected int // told that the bot is overloaded, since it last was half empty
	dropped  int // since it last was half empty
	stopped  bool
	idle     chan struct{} // closed when nothing is in progress; nil while nobody waits for that
}

// acquire takes a slot for an interaction; release returns it. For anything
// but a full slot, count says how many interactions have been treated alike
// since the bot was last half empty. There are no slots after stop.
func (a *admission) acquire() (s slot, count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.stopped:
	case a.served < maxServed:
		a.served++
		return fullSlot, 0
	case a.busy < maxBusy:
		a.busy++
		a.rejected++
		return busySlot, a.rejected
	}
	a.dropped++
	return noSlot, a.dropped
}

// release returns a slot.
func (a *admission) release(s slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch s {
	case fullSlot:
		a.served--
	case busySlot:
		a.busy--
	}
	if a.served < maxServed/2 {
		a.rejected, a.dropped = 0, 0
	}
	a.signalIdle()
}

// stop admits nothing more. The channel is closed when nothing is in progress.
func (a *admission) stop() (idle <-chan struct{}) {
	a.mu.Lock()
	a.stopped = true
	a.mu.Unlock()
	return a.whenIdle()
}

// whenIdle returns a channel that is closed as soon as nothing is in progress,
// if only for a moment.
func (a *admission) whenIdle() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	idle := a.idle
	a.signalIdle()
	return idle
}

// inProgress returns the number of interactions in progress.
func (a *admission) inProgress() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.served + a.busy
}

// signalIdle wakes whoever waits for whenIdle. The caller holds the lock.
func (a *admission) signalIdle() {
	if a.idle != nil && a.served == 0 && a.busy == 0 {
		close(a.idle)
		a.idle = nil
	}
}

// Accept serves an interaction in the background if there is room for it. The
// context is that of the whole work and outlives this call.
func (s *Server) Accept(ctx context.Context, i *discordgo.Interaction) {
	slot, count := s.admission.acquire()
	if slot == noSlot {
		t := s.newTrace()
		t.served.Kind, t.served.Outcome = kindOf(i), Dropped
		s.report(t)
		if count%logEvery == 1 {
			s.log.Warn("interaction dropped", "interaction", i.ID, "in_progress", s.InProgress(), "dropped", count)
		}
		return
	}
	if slot == busySlot && count%logEvery == 1 {
		s.log.Warn("too many interactions at a time", "interaction", i.ID, "in_progress", s.InProgress(), "rejected", count)
	}
	go func() {
		defer s.admission.release(slot)
		if slot == busySlot {
			s.replyBusy(ctx, i)
			return
		}
		s.Serve(ctx, i)
	}()
}

// Stop accepts nothing more. The channel is closed when everything in progress
// has been answered.
func (s *Server) Stop() (idle <-chan struct{}) { return s.admission.stop() }

// Idle returns a channel that is closed when no interaction is in progress.
func (s *Server) Idle() <-chan struct{} { return s.admission.whenIdle() }

// InProgress returns the number of interactions in progress.
func (s *Server) InProgress() int { return s.admission.inProgress() }

// replyBusy tells a person that the bot is overloaded. It never panics.
func (s *Server) replyBusy(ctx context.Context, i *discordgo.Interaction) {
	log := s.log.With("interaction", i.ID)
	t := s.newTrace()
	defer s.report(t)
	defer recoverPanic(log, "panic while answering")
	r, err := s.parse(i)
	if err != nil {
		log.Warn("interaction not understood", "type", int(i.Type), "error", err)
		t.served.Outcome = Foreign
		return
	}
	t.served.Kind = r.Kind
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	response := PrivateText(r.Say.T("error.busy"))
	if r.Kind == Autocomplete {
		response = Suggest(nil)
	}
	s.send(ctx, r, response.withOutcome(Busy), notDeferred, t, log)
}
