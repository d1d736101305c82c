package modeltest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// game is the model of a match. It knows the rules of the game and how people
// take turns, and keeps no log: only how many entries there are.
type game struct {
	m       *model
	id      storage.MatchID
	rules   engine.Game
	players []storage.Person // by seat
	clock   match.Clock
	created time.Time
	rated   bool
	usual   int // turns
	state
	entries int       // of the log
	gifts   int       // of time, after all other entries
	offers  []offer   // since the last turn
	silent  bool      // the new board notifies nobody
	before  []request // the requests that can be taken back, the last one last
	plans   map[engine.Seat]plan
	voided  bool         // the result is out of the ratings
	decided *decided     // the last entry, if it is a decision of an organiser
	idle    []match.Span // in which the match was over
	// What reminds and what the channel shows.
	look     time.Time // when the host looks at the match by itself
	paused   time.Time // since when the player to move cannot be reached; zero if they can
	pauses   []match.Span
	reminded bool
	due      bool // the newest board is not in the channel yet
	notify   bool // the newest board notifies
	asks     int  // the offer that the newest board asks about, from 1
	shows    int  // the entry that the newest board shows
	boards   int
}

// state is what a takeback restores.
type state struct {
	position engine.Position // with the actions of the open turn
	start    engine.Position // of the open turn
	actions  []engine.Action // of the open turn
	began    time.Time       // the open turn
	given    time.Duration   // for the open turn
	follows  bool            // the open turn began when another ended
	turns    []turn          // completed
	left     []leaver        // in order
	public   int             // the entry after which everybody sees the match
	end      *match.Outcome
}

type turn struct {
	seat         engine.Seat
	before       engine.Position
	actions      []engine.Action
	follows      bool
	prepared     bool
	began, ended time.Time
	given        time.Duration
	left         int // seats before its last action
}

// plan is what a seat has prepared: in turn a turn of the seat before and its own
// reply, "*" for any turn.
type plan struct {
	line  []string
	turns int // completed when it was made
}

// leaver is a seat that retired, perhaps because it missed its deadline.
type leaver struct {
	seat engine.Seat
	late bool
}

// request is an interaction that has played something.
type request struct {
	by    engine.Seat // of its first action
	ended bool        // it has ended a turn
	prior state
}

func (g *game) seat() engine.Seat {
	if g.end != nil {
		return engine.Nobody
	}
	return g.position.Seat()
}

func (g *game) seatOf(p storage.Person) engine.Seat {
	return engine.Seat(1 + slices.IndexFunc(g.players, func(q storage.Person) bool { return q.ID == p.ID }))
}

func (g *game) player(seat engine.Seat) storage.Person { return g.players[seat-1] }

func (g *game) hasLeft(seat engine.Seat) bool {
	return slices.ContainsFunc(g.left, func(l leaver) bool { return l.seat == seat })
}

// playing returns the seats that play on; none when the match is over.
func (g *game) playing() (seats []engine.Seat) {
	for i := range g.players {
		if seat := engine.Seat(i + 1); g.end == nil && !g.hasLeft(seat) {
			seats = append(seats, seat)
		}
	}
	return seats
}

func (g *game) playingPeople() (n int) {
	for _, seat := range g.playing() {
		if !host.IsComputer(g.player(seat)) {
			n++
		}
	}
	return n
}

func (g *game) computerToMove() bool {
	return g.seat() != engine.Nobody && host.IsComputer(g.player(g.seat()))
}

// wouldAbort reports whether a departure ends the match without a result: two
// play, and not both have completed a turn.
func (g *game) wouldAbort() bool {
	in := g.playing()
	return len(in) == 2 && slices.ContainsFunc(in, func(seat engine.Seat) bool {
		return !slices.ContainsFunc(g.turns, func(t turn) bool { return t.seat == seat })
	})
}

// checkPlaying returns why a seat cannot decide anything.
func (g *game) checkPlaying(seat engine.Seat) error {
	switch {
	case g.end != nil:
		return match.ErrOver
	case g.hasLeft(seat):
		return match.ErrNotPlaying
	}
	return nil
}

// play adds an action to the open turn, as an entry of its own or of another one.
func (g *game) play(a engine.Action, at time.Time) bool {
	next, err := g.position.Apply(a)
	if err != nil {
		return false
	}
	_, over := next.Result()
	ended := over || next.Turns() > g.position.Turns()
	seat := g.position.Seat()
	g.position, g.actions = next, append(slices.Clip(g.actions), a)
	if ended {
		g.turns = append(slices.Clip(g.turns), turn{
			seat: seat, before: g.start, actions: g.actions, follows: g.follows, began: g.began, ended: at, given: g.given, left: len(g.left),
		})
		g.begin(next, at)
		g.follows = true
	}
	return true
}

// begin opens the turn at a position.
func (g *game) begin(p engine.Position, at time.Time) {
	g.position, g.start, g.actions, g.began, g.given, g.follows, g.public = p, p, nil, at, 0, false, g.entries
	if result, ok := p.Result(); ok {
		g.end = &match.Outcome{Ending: match.ByRules, Result: result, At: at}
	}
}

// finish ends the match; the actions of the open turn do not count.
func (g *game) finish(o match.Outcome) {
	g.end, g.position, g.actions, g.public = &o, g.start, nil, g.entries
}

// forcedActions plays what the players need not choose, up to a seat.
func (g *game) forcedActions(until engine.Seat, at time.Time) {
	for g.end == nil && g.seat() != until {
		p := g.m.preferences[g.player(g.seat()).ID]
		a, ok := engine.ForcedAction(g.position)
		if !ok || p.ManualEndTurn || p.ConfirmTurn {
			return
		}
		g.entries++
		g.play(a, at)
	}
}

// act plays tokens of the open turn, and the forced actions that follow. A game that
// it fails on is of no further use.
func (g *game) act(seat engine.Seat, text string, at time.Time) error {
	if err := g.checkPlaying(seat); err != nil {
		return err
	}
	prior, entries, by := g.state, g.entries, g.seat()
	if g.forcedActions(seat, at); g.seat() != seat {
		return &match.TurnError{Seat: by}
	}
	for _, token := range strings.Fields(text) {
		a, err := g.position.Parse(token)
		if g.entries++; err != nil || !g.play(a, at) {
			return errIllegal
		}
	}
	g.forcedActions(engine.Nobody, at)
	g.before = append(slices.Clip(g.before), request{by, g.public > entries, prior})
	return nil
}

// takenBack returns the game after a seat has taken back its last turn, after the
// answers of computers if the match is not rated.
func (g *game) takenBack(seat engine.Seat) (after *game, ok bool) {
	c := *g
	if g.checkPlaying(seat) != nil {
		return nil, false
	}
	for {
		if len(c.before) == 0 {
			return nil, false
		}
		last := c.before[len(c.before)-1]
		computer := !g.rated && host.IsComputer(g.player(last.by))
		if len(c.actions) > 0 || !last.ended || last.by != seat && !computer {
			return nil, false
		}
		c.state, c.before = last.prior, c.before[:len(c.before)-1]
		c.entries++
		if last.by == seat {
			break
		}
	}
	c.public, c.before, c.silent = c.entries, nil, true
	if at := c.timeoutAt(); !at.IsZero() && !g.m.now.Before(at) {
		return nil, false
	}
	return &c, true
}

// undo takes back the last turn, or the last action of the open one.
func (g *game) undo(seat engine.Seat) error {
	if after, ok := g.takenBack(seat); ok {
		*g = *after
		return nil
	}
	if err := g.checkPlaying(seat); err != nil {
		return err
	}
	switch {
	case seat != g.seat():
		return &match.TurnError{Seat: g.seat()}
	case len(g.actions) == 0:
		return match.ErrNothingToUndo
	}
	kept := g.actions[:len(g.actions)-1]
	g.position, g.actions, g.before = g.start, nil, nil
	for _, a := range kept {
		g.position, _ = g.position.Apply(a)
		g.actions = append(g.actions, a)
	}
	g.entries++
	return nil
}

// leave has a seat leave for a reason: the match ends if two play, and goes on
// without the seat if more do. by is who caused it.
func (g *game) leave(seat, by engine.Seat, why match.Ending, at time.Time) {
	g.entries++
	g.before = nil
	out := match.Outcome{Ending: why, By: by, At: at}
	if why == match.ByClaim || why == match.ByTimeout {
		out.TimedOut = seat
	}
	if g.wouldAbort() {
		out.Ending = match.ByAbort
		if why == match.ByClaim {
			out.TimedOut = engine.Nobody // the claimant calls the match off
		}
		g.finish(out)
		return
	}
	in := g.playing()
	if len(in) == 2 {
		winner := in[0] + in[1] - seat
		out.Result = engine.Result{Winners: []engine.Seat{winner}, Ranks: make([]int, len(g.players))}
		out.Result.Ranks[winner-1], out.Result.Ranks[seat-1] = 1, 2
		for i, l := range slices.Backward(g.left) {
			out.Result.Ranks[l.seat-1] = 2 + len(g.left) - i
		}
		g.finish(out)
		return
	}
	g.left = append(slices.Clip(g.left), leaver{seat, why != match.ByResignation})
	actions, mover, number, began, given, follows := g.actions, g.seat(), len(g.turns), g.began, g.given, g.follows
	without, err := g.start.(engine.Retirer).Retire(seat)
	if err != nil {
		panic(err)
	}
	g.begin(without, at)
	same := func() bool { return g.seat() == mover && len(g.turns) == number }
	if seat != mover && same() {
		g.began, g.given, g.follows = began, given, follows
		for _, a := range actions {
			if !same() || !g.play(a, at) {
				break
			}
		}
		if len(g.turns) > number {
			g.turns[number].left--
		}
	}
	g.forcedActions(engine.Nobody, at)
}

// computersLeave has computers resign when no person plays on, the weakest first.
func (g *game) computersLeave(at time.Time) {
	for g.end == nil && g.playingPeople() == 0 {
		in := g.playing()
		slices.Reverse(in)
		strength := func(seat engine.Seat) int { return slices.Index(search.LevelKeys, g.player(seat).Level) }
		weakest := slices.MinFunc(in, func(a, b engine.Seat) int { return strength(a) - strength(b) })
		g.leave(weakest, weakest, match.ByResignation, at)
	}
}

// Prepared turns.

// ahead returns what is left of the plan of a seat after the turns since. If the
// seat is to move, it begins with the reply.
func (g *game) ahead(seat engine.Seat) []string {
	p, ok := g.plans[seat]
	if !ok || g.checkPlaying(seat) != nil || len(g.turns) < p.turns {
		return nil
	}
	line := p.line
	meets := func(i int, follows bool) bool {
		return len(line) > 0 && (line[0] == "*" || follows && g.turns[i-1].is(line[0]))
	}
	for i := p.turns; i < len(g.turns); i++ {
		t := g.turns[i]
		switch {
		case t.seat != seat:
		case !meets(i, t.follows) || !t.is(line[1]):
			return nil
		default:
			line = line[2:]
		}
	}
	if g.seat() == seat {
		if !meets(len(g.turns), g.follows) {
			return nil
		}
		return line[1:]
	}
	return line
}

// is reports whether a turn is written like this, or leads to the same position.
func (t turn) is(text string) bool {
	p := t.before
	for _, token := range strings.Fields(text) {
		if p.Turns() > t.before.Turns() || p.Seat() == engine.Nobody {
			return false
		}
		a, err := p.Parse(token)
		if err != nil {
			return false
		}
		if p, err = p.Apply(a); err != nil {
			return false
		}
	}
	q := t.before
	for _, a := range t.actions {
		q = must(q.Apply(a))
	}
	if p.Turns() == t.before.Turns() && p.Seat() != engine.Nobody { // without its end
		a, err := p.Parse(engine.End)
		if err != nil {
			return false
		}
		if p, err = p.Apply(a); err != nil {
			return false
		}
	}
	return p.Hash() == q.Hash() && p.Turns() == q.Turns() && p.Seat() == q.Seat()
}

// playPlans plays the prepared turns that follow a turn.
func (g *game) playPlans(at time.Time) {
	for g.end == nil && len(g.actions) == 0 {
		seat, turns := g.seat(), len(g.turns)
		line := g.ahead(seat)
		if len(line) == 0 {
			return
		}
		played := false
		for _, text := range []string{line[0], line[0] + " " + engine.End} {
			after := *g
			if err := after.act(seat, text, at); err != nil {
				break
			}
			if len(after.turns) > turns {
				*g, played = after, true
				break
			}
		}
		if !played {
			return // the person is asked
		}
		g.turns = slices.Clone(g.turns)
		for i := turns; i < len(g.turns); i++ {
			g.turns[i].prepared = !g.turns[i].forced()
		}
		g.m.prepared++
	}
}

// forced reports whether a turn was made of forced actions.
func (t turn) forced() bool {
	p := t.before
	for _, a := range t.actions {
		if forced, ok := engine.ForcedAction(p); !ok || forced != a {
			return false
		}
		p = must(p.Apply(a))
	}
	return true
}

// The clock.

func (g *game) timed() bool { return g.clock != match.Clock{} }

// live reports whether the clock is for people who are there at the same time: then
// vacations do not count, and free is how much of a turn of a seat after n others of it costs
// nothing.
func (g *game) live() bool { return g.timed() && g.clock.Bank < time.Hour }

func (g *game) free(n int) time.Duration {
	switch {
	case !g.live():
		return 0
	case n == 0:
		return 3 * time.Minute
	}
	return 3 * time.Second
}

// turnsOf returns how many turns a seat has completed.
func (g *game) turnsOf(seat engine.Seat) (n int) {
	for _, t := range g.turns {
		if t.seat == seat {
			n++
		}
	}
	return n
}

// awake returns how much time has passed for a seat up to t, from any fixed time on:
// without outages, if the match has a clock, and without the player's vacations.
// What ended before the match began does not count.
func (g *game) awake(seat engine.Seat, t time.Time) time.Duration {
	t = t.Truncate(time.Second)
	d, counted := t.Sub(time.Unix(0, 0)), time.Unix(0, 0)
	for _, s := range g.stood(seat) {
		from, to := later(s.From.Truncate(time.Second), counted), s.To.Truncate(time.Second)
		if to.After(t) {
			to = t
		}
		if to.After(from) {
			d, counted = d-to.Sub(from), to
		}
	}
	return d
}

// stood returns the times in which the clock of a seat stood still, the first to
// begin first. They may overlap.
func (g *game) stood(seat engine.Seat) []match.Span {
	all := g.m.vacations[g.player(seat).ID]
	if g.live() {
		all = nil
	}
	if g.timed() {
		all = slices.Concat(all, g.m.outages, g.m.freezes)
	}
	all = slices.Concat(all, g.pauses, g.idle)
	if !g.paused.IsZero() && g.paused.Before(g.m.now) { // the clock of the system may have gone back
		all = append(all, match.Span{From: g.paused, To: g.m.now})
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s match.Span) bool { return !s.To.After(g.created) })
	slices.SortFunc(all, func(a, b match.Span) int { return a.From.Compare(b.From) })
	return all
}

// elapsed returns the time of a turn in which the clock of its seat ran, in whole
// seconds.
func (g *game) elapsed(seat engine.Seat, from, to time.Time) time.Duration {
	return max(g.awake(seat, to)-g.awake(seat, from), 0)
}

// bank returns the time that a seat had when the open turn began, with what it was
// given for it.
func (g *game) bank(seat engine.Seat) time.Duration {
	left, n := g.clock.Bank, 0
	for _, t := range g.turns {
		if t.seat == seat {
			cost := max(g.elapsed(seat, t.began, t.ended)-g.free(n), 0)
			left = min(max(left+t.given-cost, 0)+g.clock.Increment, g.clock.Cap)
			n++
		}
	}
	if g.seat() == seat {
		left += g.given
	}
	return left
}

// timeoutAt returns the first second at which the person to move has used up
// their time; zero if that never happens.
func (g *game) timeoutAt() time.Time {
	if !g.timed() || g.seat() == engine.Nobody || g.computerToMove() {
		return time.Time{}
	}
	return g.usedUpAt(g.bank(g.seat()) + g.free(g.turnsOf(g.seat())))
}

// usedUpAt returns the first second at which the player to move has used up a time
// in the open turn.
func (g *game) usedUpAt(left time.Duration) time.Time { return g.usedUpFrom(g.began, left) }

// usedUpFrom does the same from a time on.
func (g *game) usedUpFrom(began time.Time, left time.Duration) time.Time {
	began = began.Truncate(time.Second)
	var stood time.Duration
	for _, s := range g.stood(g.seat()) {
		stood += s.To.Sub(s.From) + time.Second
	}
	low, high := 0, int((left+stood)/time.Second) // used up after high seconds
	for low < high {
		middle := (low + high) / 2
		if g.elapsed(g.seat(), began, began.Add(time.Duration(middle)*time.Second)) >= left {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return began.Add(time.Duration(low) * time.Second)
}

// reminderAt returns when a quarter of the time is left, or when others can claim the
// match; zero if nobody is reminded.
func (g *game) reminderAt() time.Time {
	if !g.timed() {
		return g.claimableAt()
	}
	if g.timeoutAt().IsZero() {
		return time.Time{}
	}
	warning := (g.bank(g.seat()) / 4).Truncate(time.Second)
	if g.live() {
		warning = max(warning, 20*time.Second)
	}
	return g.timeoutAt().Add(-warning)
}

// claimableAt returns when others can claim a match without a clock, zero if they
// cannot.
func (g *game) claimableAt() time.Time {
	if g.timed() || g.seat() == engine.Nobody || g.computerToMove() || g.playingPeople() < 2 {
		return time.Time{}
	}
	at := g.usedUpAt(host.ClaimAfter)
	if left, ok := g.m.left[g.player(g.seat()).ID]; ok {
		if early := g.usedUpFrom(later(g.began, left), host.LeaveGrace); early.Before(at) {
			return early
		}
	}
	return at
}

// abandonedAt returns when a person who plays against computers only has been away
// for too long, zero if that does not count.
func (g *game) abandonedAt() time.Time {
	if g.timed() || g.seat() == engine.Nobody || g.computerToMove() || g.playingPeople() != 1 {
		return time.Time{}
	}
	return g.usedUpAt(host.AbandonAfter)
}

// expireAt returns when nobody has played for so long that the match ends without a
// result, zero if that does not count.
func (g *game) expireAt() time.Time {
	switch {
	case g.seat() == engine.Nobody || g.computerToMove():
		return time.Time{}
	case !g.paused.IsZero():
		return g.paused.Truncate(time.Second).Add(host.ExpireAfter)
	case g.claimableAt().IsZero():
		return time.Time{}
	}
	return g.usedUpAt(host.ExpireAfter)
}

// deadline returns when the open turn has lasted too long.
func (g *game) deadline() time.Time {
	for _, at := range []time.Time{g.abandonedAt(), g.claimableAt()} {
		if !at.IsZero() {
			return at
		}
	}
	return g.timeoutAt()
}

// schedule sets when the host looks at a new turn. It is too late for a reminder if
// its time has passed.
func (g *game) schedule() {
	at := g.reminderAt()
	g.reminded = !at.IsZero() && !g.m.now.Before(at)
	g.look = g.next()
}

// next returns when there is something to do if nobody plays.
func (g *game) next() time.Time {
	remind := g.reminderAt()
	switch {
	case !g.paused.IsZero():
		return g.expireAt()
	case !g.reminded && !remind.IsZero():
		if look := g.began.Truncate(time.Second).Add(24 * time.Hour); g.playingPeople() > 1 && g.m.now.Before(look) && look.Before(remind) {
			return look // whether they are still there
		}
		return remind
	case !g.timed() && !remind.IsZero():
		return g.expireAt()
	}
	return g.deadline()
}

// pause has the clock stand still because the player to move cannot be reached: from
// the beginning of their turn if they do not know of it.
func (g *game) pause() {
	if g.seat() == engine.Nobody || g.computerToMove() || !g.paused.IsZero() {
		return
	}
	began := g.began
	if at := g.timeoutAt(); (!g.due || !g.notify) && (at.IsZero() || g.m.now.Before(at)) {
		began = g.m.now
	}
	g.paused = began
	g.look = g.next()
}

// resume ends a pause.
func (g *game) resume() {
	if !g.paused.IsZero() {
		if g.paused.Before(g.m.now) {
			g.pauses = append(slices.Clip(g.pauses), match.Span{From: g.paused, To: g.m.now})
		}
		g.paused = time.Time{}
		g.look = g.next()
	}
}

// The board.

// show makes a new board due. A notification that has not reached the channel is
// not lost.
func (g *game) show(notify bool) {
	g.notify = notify || g.due && g.notify && g.shows == g.public
	if !g.due || g.shows != g.public {
		g.asks = 0
	}
	g.shows, g.due = g.public, true
	g.boards++
}

// someoneToNotify reports whether a new board has somebody to notify.
func (g *game) someoneToNotify() bool {
	if g.end == nil {
		people := slices.DeleteFunc(slices.Clone(g.players), host.IsComputer)
		begins := len(g.players) > 2 && len(people) > 1 && g.public == 0 && !g.reminded
		return begins || !g.computerToMove()
	}
	by := g.end.By
	if n := len(g.turns); g.end.Ending == match.ByRules && n > 0 && !g.turns[n-1].prepared {
		by = g.turns[n-1].seat
	}
	for i, p := range g.players {
		if engine.Seat(i+1) != by && !host.IsComputer(p) {
			return true
		}
	}
	return false
}

// change carries out a change of the game and what follows from it: boards,
// deadlines, and the departure of computers when no person is left.
func (g *game) change(do func(*game) error) error {
	after := *g
	after.silent = false
	if err := do(&after); err != nil {
		return err
	}
	if after.public != g.public {
		after.offers = nil
	}
	if after.gifts == g.gifts && after.entries != g.entries {
		after.gifts = 0
	}
	tookBack := len(after.turns) < len(g.turns)
	isNew := func() bool {
		return after.seat() != g.seat() || len(after.turns) != len(g.turns) || (after.end == nil) != (g.end == nil)
	}
	if isNew() && !tookBack {
		after.playPlans(g.m.now)
	}
	after.computersLeave(g.m.now)
	for seat, p := range g.plans {
		again := tookBack && slices.ContainsFunc(g.turns[len(after.turns):], func(t turn) bool { return t.prepared && t.seat == seat })
		if after.end != nil || after.hasLeft(seat) || p.turns > len(after.turns) || again {
			after.plans = maps.Clone(after.plans)
			delete(after.plans, seat)
		}
	}
	newTurn, paused := isNew(), !g.paused.IsZero() && after.public > g.public
	if paused { // somebody has reached them
		after.resume()
	}
	switch {
	case after.end != nil:
		after.look, after.reminded = time.Time{}, false
	case newTurn, !after.deadline().Equal(g.deadline()) && !g.reminded:
		after.schedule()
	case !after.deadline().Equal(g.deadline()), paused:
		after.look = after.next()
	}
	if after.public > g.public {
		after.show((newTurn || g.due && g.notify) && after.someoneToNotify() && !after.silent)
	}
	*g = after
	return nil
}
