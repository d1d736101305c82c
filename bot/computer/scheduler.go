package computer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

const (
	// maxPosting is the number of chosen turns that may be waiting for their
	// boards to be posted, so that a slow channel delays no computer. At the
	// limit no further turn is computed, so that work does not pile up while
	// Discord is slow.
	maxPosting = 16
	// staleDelay is how long a match is left alone that has changed since it was
	// found waiting.
	staleDelay = time.Second
	// maxHints is the number of people who may wait for a hint.
	maxHints = 8

	// maxWaiting is the number of waiting matches from which the next one is
	// chosen, the longest waiting first. It bounds the query of each choice.
	maxWaiting = 1000
	// fullQueue is the number of waiting matches for each slot from which on
	// computers search fewer nodes, in inverse proportion to the number.
	fullQueue = 4
	// leastShare is the smallest share of a level's nodes that a search gets. A
	// tenth of the nodes plays little weaker and serves ten times as many people.
	leastShare = 0.1
	// maxPeople is the size at which the maps owners and served are emptied. Only
	// the order of turns depends on them.
	maxPeople = 10_000
)

// ErrBusy reports that too many people wait for a hint.
var ErrBusy = errors.New("too many people wait for a hint")

// Publisher shows matches in their channels; *publish.Publisher does.
type Publisher interface {
	Show(ctx context.Context, v *host.View) (*host.View, error)
	StoreWritable() bool
	PauseOnStoreError(error)
}

// Config holds the settings and parts of a Scheduler. Observe may be nil.
type Config struct {
	Host      *host.Host
	Publisher Publisher
	Logger    *slog.Logger
	// Slots is how many turns and hints are computed at a time; if 0, one less
	// than there are processors, which leaves one for answering people, and at
	// least one.
	Slots int
	// OnlyHints leaves the computers' turns to other processes.
	OnlyHints bool
	// PostTimeout bounds playing and showing a turn once it is chosen.
	PostTimeout time.Duration
	// Observe is told of every computation that has ended.
	Observe func(Computation)
	// QuickTurn is the longest wait of Await for a computer's turn.
	QuickTurn time.Duration
	// Leases share the turns with other processes on the same database, and Holder is
	// the name of this one there. If Leases is nil, there are no others.
	Leases storage.Leaser
	Holder string
}

// Computation is a turn or a hint that has been computed.
type Computation struct {
	Hint     bool
	Duration time.Duration
	Failed   bool
}

// Scheduler has computers play. Computers' turns and hints share the slots, and
// alternate when both wait. People take turns: a slot goes to a match of the
// person who has waited longest since a slot went to one of their matches.
// Somebody with many matches so delays their own matches only. Use New.
type Scheduler struct {
	config Config
	host   *host.Host
	log    *slog.Logger
	wake   chan struct{}

	mu       sync.Mutex
	busy     int                               // slots in use
	matches  map[storage.MatchID]string        // matches whose turn is being computed or posted, with their owners
	owners   map[storage.MatchID]string        // the first person seated in each match
	served   map[string]int                    // the value of turns when an owner last got a slot
	turns    int                               // computers' turns that have got a slot
	waiting  int                               // matches that waited when a slot was last assigned
	others   int                               // turns that other processes then computed
	mean     time.Duration                     // moving average of the time to compute a turn
	failed   map[storage.MatchID]failure       // matches whose turn failed and is tried again
	hints    []chan struct{}                   // waiting hints in order of arrival; closed when they get a slot
	lastHint bool                              // the last slot went to a hint
	awaited  map[storage.MatchID]*answer       // matches whose boards wait for the computer's turn
	expected map[storage.MatchID]chan struct{} // see Expect; closed when the wait is over
	running  bool
	stopped  bool
}

// answer is a computer's turn for which a board waits.
type answer struct {
	committing bool          // the turn is about to be played, for certain without that board
	done       chan struct{} // closed when the turn has been played or could not be
}

// failure counts the failed attempts at a computer's turn.
type failure struct {
	attempts int
	next     time.Time
}

// New returns a scheduler.
func New(c Config) *Scheduler {
	if c.Slots <= 0 {
		c.Slots = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return &Scheduler{
		config: c, host: c.Host, log: c.Logger, wake: make(chan struct{}, 1),
		matches: map[storage.MatchID]string{}, failed: map[storage.MatchID]failure{},
		owners: map[storage.MatchID]string{}, served: map[string]int{}, awaited: map[storage.MatchID]*answer{}, expected: map[storage.MatchID]chan struct{}{},
	}
}

// Wake makes the scheduler look for matches that wait for a computer. It does
// not block.
func (s *Scheduler) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // woken already
	}
}

// Invalidate looks for turns that another process has left to the computers.
func (s *Scheduler) Invalidate(n storage.Signal) {
	if n.Kind == storage.ComputerToMove || n.Kind == storage.SignalsLost {
		s.Wake()
	}
}

// Run has computers play until the context is done. Then it abandons the
// searches in progress, whose matches the next start finds again, and returns
// when all its goroutines have ended.
func (s *Scheduler) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	defer s.stop()
	s.mu.Lock()
	s.running = true
	s.mu.Unlock()
	var ticks <-chan time.Time
	if s.config.Leases != nil && !s.config.OnlyHints {
		t := time.NewTicker(lookEvery)
		defer t.Stop()
		ticks = t.C
	}
	for {
		s.assignSlots(ctx, &all)
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-ticks:
		}
	}
}

// assignSlots gives the free slots to hints and matches alternately.
func (s *Scheduler) assignSlots(ctx context.Context, all *sync.WaitGroup) {
	for s.hasSlot() && ctx.Err() == nil {
		if s.startHint(false) {
			continue
		}
		if j, ok := s.nextMatch(ctx); ok {
			all.Go(func() { s.play(ctx, j) })
			continue
		}
		if !s.startHint(true) {
			return
		}
	}
}

func (s *Scheduler) hasSlot() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy < s.config.Slots
}

// startHint gives a slot to the hint that has waited longest, and reports
// whether it did. It does not if the last slot went to a hint, unless again is
// set.
func (s *Scheduler) startHint(again bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hints) == 0 || s.lastHint && !again {
		return false
	}
	close(s.hints[0])
	s.hints = s.hints[1:]
	s.busy++
	s.lastHint = true
	return true
}

// job is a computer's turn that has a slot.
type job struct {
	match    storage.MatchID
	attempts int     // failed attempts so far
	share    float64 // share of the level's nodes that the search may visit
	lease    *lease  // nil if there are no other processes
}

// nextMatch takes a slot for a match that waits for a computer and can be tried
// now.
func (s *Scheduler) nextMatch(ctx context.Context) (j job, ok bool) {
	if s.config.OnlyHints || !s.config.Publisher.StoreWritable() {
		return j, false
	}
	s.mu.Lock()
	full := len(s.matches) >= s.config.Slots+maxPosting
	s.mu.Unlock()
	if full {
		return j, false
	}
	waiting, elsewhere, err := s.look(ctx)
	if err == nil && len(waiting) > 1 {
		err = s.findOwners(ctx, waiting)
	}
	for err == nil {
		id, found := s.choose(waiting, elsewhere, s.host.Now())
		if !found {
			return j, false
		}
		var l *lease
		if l, err = s.acquire(ctx, id, elsewhere); err == nil {
			return s.assign(id, l), true
		}
		if errors.Is(err, storage.ErrHeld) { // since the leases were read
			elsewhere[id], err = turn{taken: true, active: true}, nil
		}
	}
	if ctx.Err() == nil {
		s.log.Error("looking for matches that wait for a computer", "error", err)
	}
	return j, false
}

// findOwners adds the owners of matches to s.owners. The owner is the first
// person seated, or "" if only computers play.
func (s *Scheduler) findOwners(ctx context.Context, matches []storage.MatchID) error {
	for _, id := range matches {
		s.mu.Lock()
		_, known := s.owners[id]
		s.mu.Unlock()
		if known {
			continue
		}
		v, err := s.host.Match(ctx, id)
		if err != nil && !errors.Is(err, host.ErrCannotReplay) {
			return err
		}
		owner := ""
		for seat := 0; v != nil && seat < len(v.Record.Seats) && owner == ""; seat++ {
			if p := v.Record.Seats[seat]; !host.IsComputer(p) {
				owner = p.ID
			}
		}
		s.mu.Lock()
		if len(s.owners) >= maxPeople {
			clear(s.owners)
		}
		s.owners[id] = owner
		s.mu.Unlock()
	}
	return nil
}

// choose returns one of the waiting matches that can be tried now: of the owner with
// the fewest turns in progress, in all processes. If several have as few, it chooses
// the one whose last slot was assigned earliest, in this process. Of that owner's
// matches it takes the one that has waited longest.
func (s *Scheduler) choose(waiting []storage.MatchID, elsewhere others, now time.Time) (best storage.MatchID, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(waiting) <= len(s.failed) { // fewer than maxWaiting, so the list is complete
		maps.DeleteFunc(s.failed, func(id storage.MatchID, _ failure) bool { return !slices.Contains(waiting, id) })
	}
	active := map[string]int{}
	for _, owner := range s.matches {
		active[owner]++
	}
	s.waiting, s.others = 0, 0
	for _, id := range waiting {
		if _, own := s.matches[id]; !own && elsewhere[id].active {
			active[s.owners[id]]++
			s.others++
		}
	}
	for _, id := range waiting {
		if _, own := s.matches[id]; own || elsewhere[id].taken || s.failed[id].next.After(now) {
			continue
		}
		s.waiting++
		a, b := s.owners[id], s.owners[best]
		if !ok || cmp.Or(cmp.Compare(active[a], active[b]), cmp.Compare(s.served[a], s.served[b])) < 0 {
			best, ok = id, true
		}
	}
	return best, ok
}

// assign gives a slot to a match that was chosen.
func (s *Scheduler) assign(id storage.MatchID, l *lease) job {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := s.owners[id]
	s.matches[id] = owner
	if len(s.served) >= maxPeople {
		clear(s.served)
	}
	s.turns++
	s.served[owner] = s.turns
	s.busy++
	s.lastHint = false
	attempts := s.failed[id].attempts
	if l != nil {
		attempts = l.attempts
	}
	share := float64(fullQueue*s.slots()) / float64(s.waiting)
	return job{id, attempts, min(max(share, leastShare), 1), l}
}

// slots returns the number of slots of this process and of those that others use.
func (s *Scheduler) slots() int { return s.config.Slots + s.others }

// Wait estimates how long a match that begins to wait now waits for its turn.
func (s *Scheduler) Wait() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mean * time.Duration(s.waiting) / time.Duration(s.slots())
}

func (s *Scheduler) releaseSlot() {
	s.mu.Lock()
	s.busy--
	s.mu.Unlock()
	s.Wake()
}

// finish records that the turn of a match has been played or is no longer
// needed, or, if f is not nil, that it has failed.
func (s *Scheduler) finish(id storage.MatchID, f *failure) {
	s.mu.Lock()
	delete(s.matches, id)
	delete(s.failed, id)
	if f != nil {
		s.failed[id] = *f
	}
	s.mu.Unlock()
	s.Wake()
}

// play chooses the computer's turn in a match, plays it, and shows the board.
func (s *Scheduler) play(ctx context.Context, j job) {
	id, attempts := j.match, j.attempts
	working, cancel := j.lease.within(ctx)
	defer cancel()
	began := time.Now()
	turn, err := s.host.ChooseTurn(working, id, attempts, j.share)
	s.noteDuration(time.Since(began))
	s.releaseSlot()
	if errors.Is(err, host.ErrStale) { // the match has changed; the delay prevents a busy loop
		s.release(ctx, j, nil)
		s.finish(id, &failure{attempts: attempts, next: s.host.Now().Add(staleDelay)})
		return
	}
	s.observe(Computation{Duration: time.Since(began), Failed: err != nil})
	s.awaitBoard(ctx, id)
	posting, cancel := context.WithTimeout(ctx, s.config.PostTimeout)
	defer cancel()
	var v *host.View
	defer s.answered(id)
	if err == nil {
		turn.Lease = j.lease.record()
		turn.WithoutBoard = s.beginAnswer(id)
		playing, cancel := j.lease.within(posting)
		v, err = s.host.PlayComputerTurn(playing, turn)
		cancel()
	}
	var refusal *host.Refusal
	switch {
	case err == nil:
		s.answered(id)
		s.release(ctx, j, nil) // others may compute the next turn of the match
		if _, err := s.config.Publisher.Show(posting, v); err != nil {
			s.log.Debug("the board after a computer's turn is not posted yet", "match", id, "error", err)
		}
		s.finish(id, nil)
	case errors.Is(err, storage.ErrFenced): // another process does it
		s.log.Warn("a computer's turn came too late and is computed by another process", "match", id)
		s.finish(id, nil)
	case errors.As(err, &refusal), posting.Err() != nil: // not the computer's turn any more, or the bot stops
		s.end(ctx, j, nil)
	default:
		s.log.Error("the computer could not play", "match", id, "attempts", attempts+1, "error", err)
		s.config.Publisher.PauseOnStoreError(err)
		s.end(ctx, j, &failure{attempts: attempts + 1, next: s.host.Now().Add(host.Backoff(attempts))})
	}
}

// Await waits for the computer's turn in a match whose board is due after a person's
// turn, so that one board shows both. The caller makes sure that meanwhile nobody posts
// that board. Await gives up after Config.QuickTurn. It does not wait if other
// processes may play the turn, or if many matches wait for theirs.
func (s *Scheduler) Await(ctx context.Context, id storage.MatchID) {
	long := s.Wait() > s.config.QuickTurn
	s.mu.Lock()
	wait := !long && s.running && !s.stopped && s.quick() && s.awaited[id] == nil
	a := &answer{done: make(chan struct{})}
	if wait {
		s.awaited[id] = a
	}
	s.endExpectation(id)
	s.mu.Unlock()
	if !wait {
		return
	}
	s.Wake()
	quick := time.NewTimer(s.config.QuickTurn)
	defer quick.Stop()
	select {
	case <-a.done:
		return
	case <-quick.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	committing := a.committing
	if !committing && s.awaited[id] == a {
		delete(s.awaited, id)
	}
	s.mu.Unlock()
	if committing {
		<-a.done
	}
}

// quick reports whether boards wait for the computer's turns.
func (s *Scheduler) quick() bool {
	return s.config.QuickTurn > 0 && !s.config.OnlyHints && s.config.Leases == nil
}

// Expect says that a person's turn is about to be committed, after which a computer is to
// move, and that Await will be called. Until then, and for at most Config.QuickTurn, the
// computer's turn is not played, though it may be chosen.
func (s *Scheduler) Expect(id storage.MatchID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quick() && s.expected[id] == nil {
		met := make(chan struct{})
		s.expected[id] = met
		time.AfterFunc(s.config.QuickTurn, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.expected[id] == met {
				s.endExpectation(id)
			}
		})
	}
}

// endExpectation lets a computer's turn be played for which awaitBoard waits. The caller
// holds s.mu.
func (s *Scheduler) endExpectation(id storage.MatchID) {
	if met := s.expected[id]; met != nil {
		delete(s.expected, id)
		close(met)
	}
}

// awaitBoard waits, after Expect, until the board of the person's turn is about to be
// shown.
func (s *Scheduler) awaitBoard(ctx context.Context, id storage.MatchID) {
	s.mu.Lock()
	met := s.expected[id]
	s.mu.Unlock()
	if met == nil {
		return
	}
	select {
	case <-met:
	case <-ctx.Done():
	}
}

// beginAnswer reports whether a board waits for a computer's turn that is about to be
// played. If so, it waits until answered is called.
func (s *Scheduler) beginAnswer(id storage.MatchID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.awaited[id]
	if a != nil {
		a.committing = true
	}
	return a != nil
}

// answered lets the board go on that waits for a computer's turn.
func (s *Scheduler) answered(id storage.MatchID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.awaited[id]; a != nil {
		delete(s.awaited, id)
		close(a.done)
	}
}

// end does the same as finish, for all processes.
func (s *Scheduler) end(ctx context.Context, j job, f *failure) {
	s.release(ctx, j, f)
	if j.lease != nil {
		f = nil // it is in the lease
	}
	s.finish(j.match, f)
}

// noteDuration updates the moving average over about ten computed turns.
func (s *Scheduler) noteDuration(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mean += (d - s.mean) / 10
}

// Hint computes a turn for a person, once there is a slot. It fails with
// ErrBusy if too many people wait.
func (s *Scheduler) Hint(ctx context.Context, v *host.View, person string) (turn string, err error) {
	err = s.inSlot(ctx, func() error {
		turn, err = s.host.Hint(ctx, v, person)
		return err
	})
	return turn, err
}

// Draw has a computer decide on a draw that a person offers, like Hint. See
// host.DrawWithComputer.
func (s *Scheduler) Draw(ctx context.Context, a host.Actor, v *host.View) (after *host.View, err error) {
	err = s.inSlot(ctx, func() error {
		after, err = s.host.DrawWithComputer(ctx, a, v)
		return err
	})
	return after, err
}

// inSlot has a person wait for a slot, and computes something for them.
func (s *Scheduler) inSlot(ctx context.Context, compute func() error) error {
	release, err := s.waitForSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	began := time.Now()
	err = compute()
	var refusal *host.Refusal
	s.observe(Computation{Hint: true, Duration: time.Since(began), Failed: err != nil && !errors.As(err, &refusal)})
	return err
}

func (s *Scheduler) waitForSlot(ctx context.Context) (release func(), err error) {
	turn := make(chan struct{})
	s.mu.Lock()
	if s.stopped || len(s.hints) >= maxHints {
		s.mu.Unlock()
		return nil, ErrBusy
	}
	s.hints = append(s.hints, turn)
	s.mu.Unlock()
	s.Wake()
	select {
	case <-turn:
	case <-ctx.Done():
		if s.withdraw(turn) {
			return nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, ErrBusy
	}
	return s.releaseSlot, nil
}

// withdraw removes a waiting hint. It reports whether the hint was waiting.
func (s *Scheduler) withdraw(turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.hints, turn)
	if i >= 0 {
		s.hints = slices.Delete(s.hints, i, i+1)
	}
	return i >= 0
}

// stop ends all waiting.
func (s *Scheduler) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for _, h := range s.hints {
		close(h)
	}
	s.hints = nil
	for id, a := range s.awaited {
		delete(s.awaited, id)
		close(a.done)
	}
}

// Load returns the number of slots in use and of hints that wait for one.
func (s *Scheduler) Load() (busy, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy, len(s.hints)
}

// Idle reports whether no turn is being computed or posted, and no match waits
// for one except after a failure.
func (s *Scheduler) Idle(ctx context.Context) (bool, error) {
	if s.config.OnlyHints {
		return true, nil
	}
	s.mu.Lock()
	active, failed := len(s.matches), len(s.failed)
	s.mu.Unlock()
	waiting, err := s.host.ComputerTurns(ctx, failed+1)
	return active == 0 && len(waiting) <= failed, err
}

func (s *Scheduler) observe(c Computation) {
	if s.config.Observe != nil {
		s.config.Observe(c)
	}
}
