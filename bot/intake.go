package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// How many interactions are carried out at a time. Each takes two goroutines
// and at most the memory of a picture, some megabytes while it is drawn; a
// person waits three seconds for one. Beyond the first number people are told
// that too much is going on; beyond the second as well, an interaction is
// dropped and logged, and Discord tells the person that there was no answer.
const (
	maxServed = 256
	maxBusy   = 256

	// busyWithin bounds telling somebody that too much is going on: later,
	// Discord would not take it.
	busyWithin = 3 * time.Second
	// logEvery is how many interactions that there was no room for make another
	// line in the log.
	logEvery = 100
)

// room is what there is for an interaction.
type room int

const (
	noRoom  room = iota
	forBusy      // only to say so
	forAll
)

// intake counts the interactions under way. The zero value takes them on.
type intake struct {
	mu       sync.Mutex
	served   int
	busy     int
	turned   int // away, since it last was half empty
	dropped  int // likewise
	stopping bool
	idle     chan struct{} // closed when nothing is under way; nil while nobody waits for that
}

// take makes room for an interaction, which release gives back. Where there is
// none to serve it in, it says how many have fared like it since there last was
// plenty. It finds no room once stop was called.
func (in *intake) take() (r room, alike int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.stopping:
	case in.served < maxServed:
		in.served++
		return forAll, 0
	case in.busy < maxBusy:
		in.busy++
		in.turned++
		return forBusy, in.turned
	}
	in.dropped++
	return noRoom, in.dropped
}

// release gives room back.
func (in *intake) release(r room) {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch r {
	case forAll:
		in.served--
	case forBusy:
		in.busy--
	}
	if in.served < maxServed/2 {
		in.turned, in.dropped = 0, 0
	}
	in.settle()
}

// stop takes nothing on any more. The channel is closed when nothing is under
// way.
func (in *intake) stop() (idle <-chan struct{}) {
	in.mu.Lock()
	in.stopping = true
	in.mu.Unlock()
	return in.quiet()
}

// quiet is closed when nothing is under way, be it for a moment.
func (in *intake) quiet() <-chan struct{} {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.idle == nil {
		in.idle = make(chan struct{})
	}
	idle := in.idle
	in.settle()
	return idle
}

// underWay is how many interactions are.
func (in *intake) underWay() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.served + in.busy
}

// settle is called with the lock held.
func (in *intake) settle() {
	if in.idle != nil && in.served == 0 && in.busy == 0 {
		close(in.idle)
		in.idle = nil
	}
}

// takeOn has an interaction served if there is room. It does not wait.
func (b *Bot) takeOn(i *discordgo.Interaction) {
	room, alike := b.intake.take()
	if room == noRoom {
		visit := b.visited()
		visit.served.Kind, visit.served.Outcome = kindOf(i), Dropped
		b.tell(visit)
		if alike%logEvery == 1 {
			b.log.Warn("interaction dropped", "interaction", i.ID, "under_way", b.intake.underWay(), "dropped", alike)
		}
		return
	}
	if room == forBusy && alike%logEvery == 1 {
		b.log.Warn("too many interactions at a time", "interaction", i.ID, "under_way", b.intake.underWay(), "turned_away", alike)
	}
	go func() {
		defer b.intake.release(room)
		if room == forBusy {
			b.sayBusy(b.work, i)
			return
		}
		b.serve(b.work, i)
	}()
}

// sayBusy answers an interaction for which there is no time. It never panics.
func (b *Bot) sayBusy(ctx context.Context, i *discordgo.Interaction) {
	log := b.log.With("interaction", i.ID)
	visit := b.visited()
	defer b.tell(visit)
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic while answering", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	r, err := b.read(i)
	if err != nil {
		log.Warn("interaction not understood", "type", int(i.Type), "error", err)
		visit.served.Outcome = Foreign
		return
	}
	visit.served.Kind = string(r.kind)
	ctx, cancel := context.WithTimeout(ctx, busyWithin)
	defer cancel()
	response := PrivateText(r.Say.T("error.busy"))
	if r.kind == onSuggest {
		response = Suggest(nil)
	}
	b.answer(ctx, r, response.as(Busy), inTime, visit, log)
}
