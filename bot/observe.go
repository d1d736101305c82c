package bot

import (
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// Observer is told what the bot does, for figures of it. Its functions are
// called from many goroutines and must not wait; nil ones are not called.
type Observer struct {
	// Interaction is told of every interaction when it is done with.
	Interaction func(Served)
	// Request is told of every request to Discord.
	Request func(discord.RequestResult)
	// Thought is told of every thought of a computer when it has ended.
	Thought func(Thought)
}

// Thought is a turn that was thought about.
type Thought struct {
	Hint   bool // for a person, and not for a computer's turn
	Took   time.Duration
	Failed bool
}

// Served is an interaction and what became of it.
type Served struct {
	// Kind is "command", "click", "suggest", or "unknown" where the bot does
	// not answer such.
	Kind    string
	Outcome Outcome
	// Acknowledged is how long after its arrival Discord confirmed the first
	// answer; it means nothing where Confirmed is false.
	Acknowledged time.Duration
	// Confirmed says that Discord has confirmed a first answer.
	Confirmed bool
}

// Outcome is what became of an interaction.
type Outcome string

// What becomes of interactions.
const (
	Answered Outcome = "answered" // with what was asked for
	Refused  Outcome = "refused"  // with why not: the person's doing, or a full disk
	Failed   Outcome = "failed"   // with an excuse, or not at all: a fault of the bot
	Repeated Outcome = "repeated" // by another delivery of the same
	Lost     Outcome = "lost"     // the answer did not arrive
	Busy     Outcome = "busy"     // with a word that too much is going on
	Dropped  Outcome = "dropped"  // not at all, since too much was going on
	Foreign  Outcome = "unknown"  // not at all, since the bot does not know such
)

// Outcomes is everything that may become of an interaction.
func Outcomes() []Outcome {
	return []Outcome{Answered, Refused, Failed, Repeated, Lost, Busy, Dropped, Foreign}
}

// unknownKind is the kind of an interaction that the bot does not answer.
const unknownKind = "unknown"

// Kinds is every kind of interaction in Served.
func Kinds() []string {
	return []string{string(onCommand), string(onClick), string(onSuggest), unknownKind}
}

// visit is what is noted of an interaction while it is served. It belongs to
// one goroutine.
type visit struct {
	arrived time.Time
	served  Served
}

// visited begins the visit of an interaction. Until it is known better, it has
// failed.
func (b *Bot) visited() *visit {
	return &visit{arrived: b.clock(), served: Served{Kind: unknownKind, Outcome: Failed}}
}

// tell tells of an interaction that is done with.
func (b *Bot) tell(v *visit) {
	if tell := b.config.Observer.Interaction; tell != nil {
		tell(v.served)
	}
}

// acknowledge notes that Discord has confirmed an answer, of which the first
// counts.
func (v *visit) acknowledge(now time.Time) {
	if !v.served.Confirmed {
		v.served.Confirmed, v.served.Acknowledged = true, now.Sub(v.arrived)
	}
}

// kindOf is the kind of an interaction that is not read any further.
func kindOf(i *discordgo.Interaction) string {
	switch i.Type {
	case discordgo.InteractionApplicationCommand:
		return string(onCommand)
	case discordgo.InteractionApplicationCommandAutocomplete:
		return string(onSuggest)
	case discordgo.InteractionMessageComponent:
		return string(onClick)
	}
	return unknownKind
}

// UnderWay is how many interactions are being served.
func (b *Bot) UnderWay() int { return b.intake.underWay() }

// Pulse is how long ago the reconciler last finished a look, or began its
// first; ok is false before that. A look begins no work after lookWithin, and
// none of it takes longer than workWithin.
func (b *Bot) Pulse() (since time.Duration, ok bool) {
	at := b.looked.Load()
	if at == nil {
		return 0, false
	}
	return b.clock().Sub(*at), true
}

// beat notes that the reconciler is alive.
func (b *Bot) beat() {
	now := b.clock()
	b.looked.Store(&now)
}
