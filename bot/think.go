package bot

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// A match that waits for a computer is found in the database: at the start, at
// every look of the reconciler, and when an interaction has been answered.
// Nothing is remembered but what is under way and what has failed.

const (
	// posting is how many computers' turns may be on their way to their channels
	// besides those that are thought about: a slow channel holds up no thought,
	// and a slow Discord does not pile up work.
	posting = 16
	// mostHints is how many people may wait for a hint.
	mostHints = 8
)

// errManyHints says that too many people wait for a hint.
var errManyHints = errors.New("too many people wait for a hint")

// thinking is what is thought about. Computers and hints have the same places:
// in turn, where both wait.
type thinking struct {
	places int
	wake   chan struct{} // tells think to look

	mu       sync.Mutex
	busy     int                         // of the places
	matches  map[storage.MatchID]bool    // whose turn is thought about, or on its way
	failed   map[storage.MatchID]setback // that are to be tried again
	hints    []chan struct{}             // that wait, the first first; closed when there is a place
	lastHint bool                        // the last place went to a hint
	stopped  bool
}

// setback is how often a computer's turn has failed, and when it is tried again.
type setback struct {
	tries int
	next  time.Time
}

// newThinking has places for so many thoughts; where that is 0, for as many as
// there are processors but one, which is left for answering people.
func newThinking(places int) *thinking {
	if places <= 0 {
		places = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return &thinking{
		places: places, wake: make(chan struct{}, 1),
		matches: map[storage.MatchID]bool{}, failed: map[storage.MatchID]setback{},
	}
}

// nudge has think look for matches that wait for a computer. It does not wait.
func (t *thinking) nudge() {
	select {
	case t.wake <- struct{}{}:
	default: // it has been told already
	}
}

// think has computers play until the context is done, and waits for what it has
// begun. Thoughts that are under way then are given up: the next start finds
// them again.
func (b *Bot) think(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	defer b.thinking.stop()
	for {
		b.handOut(ctx, &all)
		select {
		case <-ctx.Done():
			return
		case <-b.thinking.wake:
		}
	}
}

// handOut gives the free places away, to hints and matches in turn.
func (b *Bot) handOut(ctx context.Context, all *sync.WaitGroup) {
	t := b.thinking
	for t.free() && ctx.Err() == nil {
		if t.admitHint(false) {
			continue
		}
		id, tries, ok := b.nextThought(ctx)
		if ok {
			all.Go(func() { b.reply(ctx, id, tries) })
			continue
		}
		if !t.admitHint(true) {
			return
		}
	}
}

// free reports whether there is a place.
func (t *thinking) free() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy < t.places
}

// admitHint gives a place to the hint that has waited longest; unless it is the
// turn of matches, where they are not to be passed over.
func (t *thinking) admitHint(pass bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.hints) == 0 || t.lastHint && !pass {
		return false
	}
	close(t.hints[0])
	t.hints = t.hints[1:]
	t.busy++
	t.lastHint = true
	return true
}

// nextThought takes a place for the match that has waited longest for a
// computer, of those that can be tried.
func (b *Bot) nextThought(ctx context.Context) (id storage.MatchID, tries int, ok bool) {
	now := b.host.Now()
	if !b.poster.disk.over(now) {
		return 0, 0, false // what cannot be recorded is not worth a thought
	}
	t := b.thinking
	t.mu.Lock()
	known := len(t.matches) + len(t.failed)
	full := len(t.matches) >= t.places+posting
	t.mu.Unlock()
	if full {
		return 0, 0, false
	}
	waiting, err := b.host.ComputerTurns(ctx, known+1)
	if err != nil {
		if ctx.Err() == nil {
			b.log.Error("looking for matches that wait for a computer", "error", err)
		}
		return 0, 0, false
	}
	return t.take(waiting, now)
}

// take takes a place for the first of the matches that can be tried.
func (t *thinking) take(waiting []storage.MatchID, now time.Time) (id storage.MatchID, tries int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(waiting) <= len(t.failed) { // so these are all that wait
		maps.DeleteFunc(t.failed, func(id storage.MatchID, _ setback) bool { return !slices.Contains(waiting, id) })
	}
	for _, id := range waiting {
		failed := t.failed[id]
		if t.matches[id] || failed.next.After(now) {
			continue
		}
		t.matches[id] = true
		t.busy++
		t.lastHint = false
		return id, failed.tries, true
	}
	return 0, 0, false
}

// leave gives a place back.
func (t *thinking) leave() {
	t.mu.Lock()
	t.busy--
	t.mu.Unlock()
	t.nudge()
}

// done says that the turn of a match is played, or that it is to be tried again
// later, or that it is not wanted any more.
func (t *thinking) done(id storage.MatchID, again *setback) {
	t.mu.Lock()
	delete(t.matches, id)
	delete(t.failed, id)
	if again != nil {
		t.failed[id] = *again
	}
	t.mu.Unlock()
	t.nudge()
}

// reply has the computer think in a match, plays its turn, and brings the
// channel up to date.
func (b *Bot) reply(ctx context.Context, id storage.MatchID, tries int) {
	began := b.clock()
	thought, err := b.host.ChooseTurn(ctx, id, tries)
	b.thinking.leave()
	if errors.Is(err, host.ErrStale) { // looked for a moment too late; a look at once might find it again
		b.thinking.done(id, &setback{tries: tries, next: b.host.Now().Add(host.Backoff(0))})
		return
	}
	b.thought(Thought{Took: b.clock().Sub(began), Failed: err != nil})
	ctx, cancel := context.WithTimeout(ctx, workWithin)
	defer cancel()
	if err == nil {
		b.settle(ctx, id)
		_, err = b.host.PlayComputerTurn(ctx, thought)
	}
	var refusal *host.Refusal
	switch {
	case err == nil:
		if _, err := b.poster.show(ctx, id, pace{}); err != nil {
			b.log.Debug("the computer's board is behind", "match", id, "error", err)
		}
		b.thinking.done(id, nil)
	case errors.As(err, &refusal), ctx.Err() != nil: // it is not to move any more, or another time
		b.thinking.done(id, nil)
	default:
		now := b.host.Now()
		b.log.Error("the computer could not play", "match", id, "tries", tries+1, "error", err)
		b.poster.disk.note(err, now)
		b.thinking.done(id, &setback{tries: tries + 1, next: now.Add(host.Backoff(tries))})
	}
}

// enter waits for a place to think about a hint, which leave gives back.
func (t *thinking) enter(ctx context.Context) (leave func(), err error) {
	turn := make(chan struct{})
	t.mu.Lock()
	if t.stopped || len(t.hints) >= mostHints {
		t.mu.Unlock()
		return nil, errManyHints
	}
	t.hints = append(t.hints, turn)
	t.mu.Unlock()
	t.nudge()
	select {
	case <-turn:
	case <-ctx.Done():
		if t.withdraw(turn) {
			return nil, ctx.Err()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil, errManyHints
	}
	return t.leave, nil
}

// withdraw takes a hint out of those that wait; it reports whether it did.
func (t *thinking) withdraw(turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, h := range t.hints {
		if h == turn {
			t.hints = append(t.hints[:i:i], t.hints[i+1:]...)
			return true
		}
	}
	return false
}

// stop lets nobody wait any longer.
func (t *thinking) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	for _, h := range t.hints {
		close(h)
	}
	t.hints = nil
}

// Thinking is how many turns of computers and hints are thought about, and how
// many hints wait for that.
func (b *Bot) Thinking() (underWay, waiting int) {
	b.thinking.mu.Lock()
	defer b.thinking.mu.Unlock()
	return b.thinking.busy, len(b.thinking.hints)
}

// thought tells of a thought that has ended.
func (b *Bot) thought(t Thought) {
	if tell := b.config.Observer.Thought; tell != nil {
		tell(t)
	}
}
