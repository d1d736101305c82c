package modeltest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// steps lists what can happen, with weights.
var steps = []struct {
	weight int
	does   func(*world)
}{
	{3, (*world).challenge},
	{6, (*world).answer},
	{50, (*world).play},
	{4, (*world).playWrong},
	{5, (*world).confirm},
	{7, (*world).undo},
	{9, (*world).offer},
	{9, (*world).answerOffer},
	{2, (*world).giveTime},
	{10, (*world).prepare},
	{1, (*world).resign},
	{4, (*world).claim},
	{3, (*world).rematch},
	{5, (*world).repeat},
	{5, (*world).deliver},
	{2, (*world).lose},
	{2, (*world).leaveGuild},
	{1, (*world).repost},
	{2, (*world).prefer},
	{2, (*world).block},
	{1, (*world).ban},
	{4, (*world).adjudicate},
	{2, (*world).void},
	{4, (*world).revert},
	{1, (*world).startFor},
	{1, (*world).withdraw},
	{1, (*world).freeze},
	{5, (*world).vacation},
	{1, (*world).forget},
	{4, (*world).tick},
	{5, (*world).wait},
	{3, (*world).outage},
	{2, (*world).jump},
	{2, (*world).playLate},
	{1, (*world).restartAndCompare},
	{1, (*world).checkAll},
}

func (w *world) step() {
	n := 0
	for _, s := range steps {
		n += s.weight
	}
	n = w.r.IntN(n)
	for _, s := range steps {
		if n -= s.weight; n < 0 {
			s.does(w)
			return
		}
	}
}

// pick returns a match, mostly a running one; ok is false if there is none.
func (w *world) pick() (g *game, ok bool) {
	all := w.matches(running)
	if len(all) == 0 || w.chance(20) {
		all = w.matches(func(*game) bool { return true })
	}
	if len(all) == 0 {
		w.answer()
		return nil, false
	}
	return one(w, all...), true
}

// seq returns a sequence number that an interaction can name: that of the match,
// or none.
func (w *world) seq(g *game) int {
	if w.chance(3) {
		return host.AnySeq
	}
	return g.entries - w.r.IntN(g.gifts+1)
}

func randomTurn(r *rand.Rand, p engine.Position) (tokens []string) {
	for turns := p.Turns(); p.Turns() == turns; {
		legal := p.Legal()
		if len(legal) == 0 {
			break
		}
		a := legal[r.IntN(len(legal))]
		if a.String() == engine.Pass && len(legal) > 1 {
			continue // so that matches progress
		}
		tokens = append(tokens, a.String())
		p = must(p.Apply(a))
	}
	return tokens
}

// timeUp reports whether the time of the player to move is up, after contact with
// Discord.
func (w *world) timeUp(g *game) bool {
	at := g.timeoutAt()
	return !at.IsZero() && !w.now.Before(at)
}

// request has the model and the host carry out a request of a person about a
// match, and compares them.
func (w *world) request(g *game, by storage.Person, stale bool, what string, model func(*game, engine.Seat) error, does func(host.Actor) (*host.View, error)) {
	w.Helper()
	before, contact, outages := g.entries, w.contact, w.outages
	late := w.timeUp(g)
	if late { // an outage may just have ended
		w.meet()
	}
	seat, want := g.seatOf(by), error(nil)
	switch {
	case seat == engine.Nobody:
		want = host.ErrNotSeated
	case stale:
		want = host.ErrStale
	case w.timeUp(g):
		want = host.ErrTimeUp
	default:
		want = g.change(func(after *game) error { return model(after, seat) })
	}
	if want != nil {
		w.contact, w.outages = contact, outages
	}
	w.Logf("match %d after %d: %s (seat %d): %s, expecting %v", g.id, before, by.Name, seat, what, want)
	a := w.by(by)
	v, err := does(a)
	w.expect(err, want)
	if want != nil {
		w.check(g, w.view(g))
		return
	}
	if v.Repeated {
		w.Fatal("a new interaction counts as repeated")
	}
	w.check(g, v)
	w.done = append(w.done, deed{by.ID, what, func() (*host.View, error) { return does(a) }})
}

// isStale reports whether something has happened since entry seq, apart from time
// that was given.
func isStale(g *game, seq int) bool {
	return seq != host.AnySeq && (seq < 0 || seq > g.entries || seq < g.entries-g.gifts)
}

// act has somebody play a text.
func (w *world) act(g *game, by storage.Person, seq int, text string) {
	w.Helper()
	w.request(g, by, isStale(g, seq), text, func(after *game, seat engine.Seat) error { return after.act(seat, text, w.now) },
		func(a host.Actor) (*host.View, error) { return w.host.Act(w.ctx(), a, g.id, seq, text) })
}

// play has the player to move play a turn or a part of it.
func (w *world) play() {
	g, ok := w.pick()
	if !ok || g.end != nil {
		return
	}
	tokens := randomTurn(w.r, g.position)
	if g.computerToMove() {
		w.think(g, strings.Join(tokens, " "))
		return
	}
	if w.chance(3) {
		tokens = tokens[:1+w.r.IntN(len(tokens))]
	}
	for _, seat := range g.playing() { // somebody may have prepared for a turn
		if line := g.ahead(seat); len(line) > 1 && line[0] != "*" && len(g.actions) == 0 && !w.chance(3) {
			tokens = []string{line[0]}
		}
	}
	w.act(g, g.player(g.seat()), w.seq(g), strings.Join(tokens, " "))
}

// think has a computer play a turn.
func (w *world) think(g *game, text string) {
	t := host.ComputerTurn{Match: g.id, Seq: g.entries, Seat: g.seat(), Text: text}
	if w.chance(10) {
		t.Seq--
		_, err := w.host.PlayComputerTurn(w.ctx(), t)
		w.expect(err, host.ErrStale)
		w.check(g, w.view(g))
		return
	}
	w.Logf("match %d: the computer in seat %d plays %s", g.id, t.Seat, text)
	w.must(g.change(func(after *game) error { return after.act(t.Seat, text, w.now) }))
	v, err := w.host.PlayComputerTurn(w.ctx(), t)
	w.must(err)
	w.check(g, v)
	_, err = w.host.PlayComputerTurn(w.ctx(), t)
	w.expect(err, host.ErrStale)
}

// playWrong has somebody play who may not, or what they may not.
func (w *world) playWrong() {
	g, ok := w.pick()
	if !ok {
		return
	}
	text := "a1"
	if g.end == nil {
		text = strings.Join(randomTurn(w.r, g.position), " ")
	}
	_, people := computersOf(g.players)
	by := one(w, append(people, stranger)...)
	switch w.r.IntN(3) {
	case 0:
		w.act(g, by, w.seq(g), text)
	case 1:
		w.act(g, by, g.entries-1-w.r.IntN(3)*2+1, text)
	default:
		w.act(g, by, w.seq(g), "nonsense")
	}
}

// prepare has a player who waits prepare turns, or withdraw them.
func (w *world) prepare() {
	g, ok := w.pick()
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by := one(w, append(people, stranger)...)
	seat, seq, p := g.seatOf(by), g.public-w.r.IntN(8)/7, host.Plan{Tree: prepared.Tree{Turns: len(g.turns)}}
	seq = max(seq, 0)
	if g.end == nil && seat == g.seat() {
		return // what the person considers first is of no effect
	}
	var line []string
	if at := g.start; g.end == nil && seat != engine.Nobody && !w.chance(4) {
		for range 1 + w.r.IntN(3) {
			if at.Seat() == engine.Nobody {
				break
			}
			tokens := randomTurn(w.r, at)
			at = play(at, tokens)
			condition := canonical(tokens)
			if w.chance(3) || len(g.players) > 2 {
				condition = "*"
			}
			for i := 0; at.Seat() != seat && at.Seat() != engine.Nobody && i < 6; i++ {
				at = play(at, randomTurn(w.r, at))
			}
			if at.Seat() == engine.Nobody {
				break
			}
			reply := randomTurn(w.r, at)
			at = play(at, reply)
			line = append(line, condition, canonical(reply))
		}
		if len(line) > 0 {
			p.Tree = must(p.Tree.With(line, false))
		}
	}
	var want error
	switch {
	case seat == engine.Nobody:
		want = host.ErrNotSeated
	case g.checkPlaying(seat) != nil:
		want = g.checkPlaying(seat)
	case seq != g.public:
		want = host.ErrStale
	}
	w.Logf("match %d: %s (seat %d) prepares %q, expecting %v", g.id, by.Name, seat, line, want)
	a := w.by(by)
	does := func() (*host.View, error) { return w.host.Prepare(w.ctx(), a, g.id, seq, host.AnySeq, p) }
	v, err := does()
	w.expect(err, want)
	if want != nil {
		return
	}
	if g.plans = maps.Clone(g.plans); len(line) > 0 {
		g.plans[seat] = plan{line, len(g.turns)}
	} else {
		delete(g.plans, seat)
		w.figures["plans withdrawn"]++
	}
	w.check(g, v)
	w.done = append(w.done, deed{by.ID, "the plan", does})
}

// play returns the position after legal tokens.
func play(p engine.Position, tokens []string) engine.Position {
	for _, token := range tokens {
		p = must(p.Apply(must(p.Parse(token))))
	}
	return p
}

// canonical returns a turn without the end that follows from the rest.
func canonical(tokens []string) string {
	if n := len(tokens); n > 1 && tokens[n-1] == engine.End {
		tokens = tokens[:n-1]
	}
	return strings.Join(tokens, " ")
}

// confirm has the player to move play a turn that may have to be confirmed first.
func (w *world) confirm() {
	g, ok := w.pick()
	if !ok || g.end != nil || g.computerToMove() || w.timeUp(g) {
		return
	}
	by, text := g.player(g.seat()), strings.Join(randomTurn(w.r, g.position), " ")
	v, draft, err := w.host.ActOrConfirm(w.ctx(), w.by(by), g.id, g.entries, text)
	w.must(err)
	if draft == nil {
		w.Logf("match %d: %s plays %s at once", g.id, by.Name, text)
		w.must(g.change(func(after *game) error { return after.act(g.seat(), text, w.now) }))
	} else {
		w.Logf("match %d: %s has to confirm %s", g.id, by.Name, text)
	}
	w.check(g, v)
	if draft != nil && !w.chance(3) {
		w.act(g, by, g.entries, draft.Turn)
	}
}

// undo has a player take something back.
func (w *world) undo() {
	g, ok := w.pick()
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by := one(w, append(people, stranger)...)
	if n := len(g.before); n > 0 && !w.chance(3) && !host.IsComputer(g.player(g.before[n-1].by)) {
		by = g.player(g.before[n-1].by)
	}
	seq := w.seq(g)
	if _, ok := g.takenBack(g.seatOf(by)); ok {
		w.figures["takebacks"]++
	}
	w.request(g, by, isStale(g, seq), "undo", func(after *game, seat engine.Seat) error { return after.undo(seat) },
		func(a host.Actor) (*host.View, error) { return w.host.Undo(w.ctx(), a, g.id, seq) })
}

func (w *world) resign() {
	g, ok := w.pick()
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by, seq := one(w, append(people, stranger)...), w.seq(g)
	w.request(g, by, isStale(g, seq), "resign", func(after *game, seat engine.Seat) error {
		if err := after.checkPlaying(seat); err != nil {
			return err
		}
		after.leave(seat, seat, match.ByResignation, w.now)
		return nil
	}, func(a host.Actor) (*host.View, error) { return w.host.Resign(w.ctx(), a, g.id, seq) })
}

// claim has a player claim a match, sometimes a second or a moment before or after
// the time from which they can.
func (w *world) claim() {
	g, ok := w.pick()
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by, seen := one(w, append(people, stranger)...), max(g.public-w.r.IntN(2), 0)
	early := w.matches(func(g *game) bool { return g.claimableAt().After(w.now) })
	if late := w.matches(func(g *game) bool { return !g.claimableAt().IsZero() && !w.now.Before(g.claimableAt()) }); len(late) > 0 {
		g = one(w, late...)
	} else if len(early) > 0 && w.chance(2) {
		g = one(w, early...)
		w.waitUntil(g.claimableAt().Add(one(w, -time.Second, -1, 0, time.Second)))
	}
	mayClaim := slices.DeleteFunc(people, func(p storage.Person) bool {
		seat := g.seatOf(p)
		return seat == g.seat() || g.checkPlaying(seat) != nil
	})
	if len(mayClaim) > 0 && !w.chance(5) {
		by, seen = one(w, mayClaim...), g.public
	}
	w.request(g, by, false, "claim", func(after *game, seat engine.Seat) error {
		err := after.checkPlaying(seat)
		switch at := after.claimableAt(); {
		case g.public > seen:
			return host.ErrStale
		case err != nil:
			return err
		case g.timed():
			return host.ErrTimed
		case seat == g.seat():
			return match.ErrOwnTurn
		case g.computerToMove():
			return host.ErrComputerTurn
		case w.now.Before(at):
			return &host.EarlyError{At: at}
		}
		after.leave(g.seat(), seat, match.ByClaim, w.now)
		return nil
	}, func(a host.Actor) (*host.View, error) { return w.host.Claim(w.ctx(), a, g.id, seen) })
}

// repeat delivers one of the last interactions again, which changes nothing.
func (w *world) repeat() {
	if len(w.done) == 0 {
		return
	}
	d := w.done[len(w.done)-1-w.r.IntN(min(len(w.done), 10))]
	w.Logf("again: %s", d.what)
	w.figures["repeated interactions"]++
	v, err := d.again()
	w.must(err)
	if v != nil {
		if !v.Repeated {
			w.Fatalf("%s counts again", d.what)
		}
		w.check(w.games[v.Record.ID], v)
	}
	w.checkAll()
}

// deliver posts the boards that are due.
func (w *world) deliver() {
	posts, err := w.host.PendingWork(w.ctx(), 1000)
	w.must(err)
	for _, b := range posts.Boards {
		g := w.games[b.Match]
		if b.State != storage.BoardDue || w.chance(4) {
			continue
		}
		if w.chance(8) {
			w.Logf("board %d of match %d cannot be posted", b.Seq, g.id)
			_, err := w.host.BoardFailed(w.ctx(), storage.DeliveryLease{}, b, host.Failure{Blocked: true})
			w.must(err)
			g.pause()
			w.check(g, w.view(g))
			continue
		}
		w.posts++
		message := fmt.Sprint(w.posts)
		if w.chance(20) { // it is given up
			message = ""
		}
		v, err := w.host.BoardPosted(w.ctx(), w.view(g), b.ID, message)
		w.must(err)
		w.Logf("board %d of match %d is posted as %q", b.Seq, g.id, message)
		if g.due = false; message != "" {
			g.resume()
		}
		w.check(g, v)
	}
}

// lose has the bot find that it can reach nobody in the channel of a match.
func (w *world) lose() {
	g, ok := w.pick()
	if !ok {
		return
	}
	notify := w.chance(2)
	w.Logf("the players of match %d cannot be reached, notifies %t", g.id, notify)
	w.must(w.host.Unreachable(w.ctx(), g.id, notify))
	if g.paused.IsZero() {
		if g.pause(); !g.paused.IsZero() && !g.due {
			g.show(notify && g.someoneToNotify())
		}
		if !g.paused.IsZero() {
			w.figures["pauses"]++
		}
	}
	w.check(g, w.view(g))
	if w.chance(2) {
		w.waitUntil(w.now.Add(one(w, time.Hour, 26*time.Hour, 70*24*time.Hour)))
		w.tick()
	}
}

// leaveGuild has the bot notice that somebody has left the guild, or is back.
func (w *world) leaveGuild() {
	p, member := one(w, everyone...), w.chance(2)
	_, left := w.left[p.ID]
	w.Logf("%s is a member: %t", p.Name, member)
	news, err := w.host.NoteMember(w.ctx(), here.Guild, p.ID, member)
	w.must(err)
	if news != (left == member) {
		w.Fatalf("it is news: %t", news)
	}
	if news {
		if delete(w.left, p.ID); !member {
			w.left[p.ID] = w.now
		}
		w.figures["people who left the guild or came back"]++
		for _, g := range w.matches(running) {
			if g.player(g.seat()).ID == p.ID && g.playingPeople() > 1 {
				g.show(!member)
				g.look = g.next()
			}
		}
	}
	w.checkAll()
}

// repost has somebody ask for the board.
func (w *world) repost() {
	g, ok := w.pick()
	if !ok {
		return
	}
	w.Logf("the board of match %d is wanted again", g.id)
	v, err := w.host.RepostBoard(w.ctx(), w.by(stranger), g.id)
	w.must(err)
	if !g.due {
		g.show(false)
	}
	w.check(g, v)
}

// prefer has somebody change their preferences.
func (w *world) prefer() {
	p := storage.Preferences{Person: one(w, everyone...).ID, ManualEndTurn: w.chance(3), ConfirmTurn: w.chance(4)}
	p.Reminders = one(w, storage.RemindInChannel, storage.RemindInChannel, storage.RemindDirectly, storage.RemindNever)
	w.Logf("prefers %+v", p)
	w.must(w.store.Update(w.ctx(), func(tx storage.Tx) error { return tx.SetPreferences(p) }))
	w.preferences[p.Person] = p
}

// block has somebody block another person, or withdraw that.
func (w *world) block() {
	p, q, s := one(w, everyone...), one(w, everyone...), account.New(w.host)
	if p.ID == q.ID {
		return
	}
	key := [2]string{p.ID, q.ID}
	if w.blocks[key] || w.chance(2) {
		w.Logf("%s does not block %s", p.Name, q.Name)
		w.must(s.Unblock(w.ctx(), p.ID, q.ID))
		delete(w.blocks, key)
		return
	}
	w.Logf("%s blocks %s", p.Name, q.Name)
	w.must(s.Block(w.ctx(), p.ID, q))
	w.blocks[key] = true
}

// ban has an operator ban somebody, or withdraw that, and checks who is banned.
func (w *world) ban() {
	p, s, kind := one(w, everyone...), account.New(w.host), one(w, storage.ActBan, storage.ActUnban)
	w.Logf("%s: %s", p.Name, kind)
	w.acts++
	w.must(s.Act(w.ctx(), host.Actor{Person: storage.Person{ID: "operator"}, Interaction: fmt.Sprint("act-", w.acts)}, storage.Act{Kind: kind, Target: p.ID}))
	for _, ch := range w.challenges {
		if kind == storage.ActBan && !w.banned[p.ID] && ch.State == storage.ChallengeOpen {
			w.abandon(ch, p)
		}
	}
	w.banned[p.ID] = kind == storage.ActBan
	for _, q := range everyone {
		if err := s.CheckBan(w.ctx(), q.ID, ""); errors.Is(err, account.ErrBannedPerson) != w.banned[q.ID] {
			w.Errorf("%s: %v, banned %v", q.Name, err, w.banned[q.ID])
		}
	}
}

// abandon withdraws an open challenge of a person, or takes them from it.
func (w *world) abandon(ch *storage.Challenge, p storage.Person) {
	switch {
	case ch.Challenger.ID == p.ID:
		ch.State = storage.ChallengeCancelled
	case isIn(ch.Invited, p) && ch.Seats == 2:
		ch.State = storage.ChallengeDeclined
	default:
		ch.Joined, ch.Invited = without(ch.Joined, p), without(ch.Invited, p)
	}
}

// forget deletes the data of a person, who leaves all matches and challenges. What
// remains belongs to a former player.
func (w *world) forget() {
	p := one(w, everyone...)
	mine := w.matches(func(g *game) bool { return g.seatOf(p) != engine.Nobody })
	if slices.ContainsFunc(mine, w.timeUp) {
		return // whose time is up loses first
	}
	w.Logf("%s is forgotten", p.Name)
	w.figures["people forgotten"]++
	a := w.by(p)
	for range 2 {
		w.must(account.New(w.host).Forget(w.ctx(), a))
	}
	for _, g := range mine {
		if seat := g.seatOf(p); g.checkPlaying(seat) == nil {
			w.must(g.change(func(after *game) error {
				after.leave(seat, seat, match.ByResignation, w.now)
				return nil
			}))
		}
		former := w.view(g).Person(g.seatOf(p))
		if !former.IsFormer() || former.Name == p.Name {
			w.Fatalf("match %d has %+v", g.id, former)
		}
		g.players = slices.Clone(g.players)
		g.players[g.seatOf(p)-1] = former
		w.check(g, w.view(g))
	}
	for id, ch := range w.challenges {
		if ch.State == storage.ChallengeOpen {
			w.abandon(ch, p)
		}
		got, err := w.host.FindChallenge(w.ctx(), id)
		w.must(err)
		if isIn(slices.Concat(got.Joined, got.Invited, []storage.Person{got.Challenger}), p) {
			w.Fatalf("challenge %d has %+v", id, got)
		}
		rename := func(people []storage.Person, now []storage.Person) {
			for i := range people {
				if people[i].ID == p.ID && i < len(now) && now[i].IsFormer() {
					people[i] = now[i]
				}
			}
		}
		ch.Joined, ch.Invited = slices.Clone(ch.Joined), slices.Clone(ch.Invited)
		rename(ch.Joined, got.Joined)
		rename(ch.Invited, got.Invited)
		if ch.Challenger.ID == p.ID {
			ch.Challenger = got.Challenger
		}
	}
	delete(w.preferences, p.ID)
	delete(w.vacations, p.ID)
	delete(w.left, p.ID)
	maps.DeleteFunc(w.blocks, func(key [2]string, _ bool) bool { return key[0] == p.ID || key[1] == p.ID })
	w.done = slices.DeleteFunc(w.done, func(d deed) bool { return d.by == p.ID })
	w.checkAll()
}

// tick is a run of the reconciler of a bot in contact with Discord.
func (w *world) tick() {
	if d := w.now.Sub(w.met); (w.met.IsZero() || d < 0 || d >= 10*time.Second) && w.hasClocks() {
		w.meet()
		w.met = w.now
	}
	w.Logf("a run at %s", clock(w.now))
	w.must(w.host.Contact(w.ctx()))
	overdue, err := w.host.Overdue(w.ctx(), 1000)
	w.must(err)
	expired := 0
	for id, ch := range w.challenges {
		if ch.State == storage.ChallengeOpen && !w.now.Before(ch.ExpiresAt) {
			expired++
			ch.State = storage.ChallengeExpired
			w.must(w.host.Expire(w.ctx(), id))
		}
	}
	want := w.matches(func(g *game) bool { return !g.look.IsZero() && !w.now.Before(g.look) })
	if len(overdue.Challenges) != expired || len(overdue.Matches) != len(want) {
		w.Fatalf("overdue are %+v, want %d challenges and %d matches", overdue, expired, len(want))
	}
	for _, g := range want {
		w.remind(g)
	}
}

// remind has the host look at a match whose time to do so has come.
func (w *world) remind(g *game) {
	w.Helper()
	if !slices.Contains(must(w.host.Overdue(w.ctx(), 1000)).Matches, g.id) {
		w.Fatalf("match %d is not overdue", g.id)
	}
	w.Logf("the host looks at match %d", g.id)
	direct, err := w.host.ProcessDeadline(w.ctx(), g.id)
	w.must(err)
	way, wantDirect, back := storage.RemindInChannel, false, time.Time{}
	if g.seat() != engine.Nobody {
		way, back = w.preferences[g.player(g.seat()).ID].Reminders, g.awayUntil(g.seat())
	}
	at := g.timeoutAt()
	switch abandoned, claim, expires := g.abandonedAt(), g.claimableAt(), g.expireAt(); {
	case !expires.IsZero() && !w.now.Before(expires):
		w.must(g.change(func(after *game) error {
			after.entries++
			after.before = nil
			after.finish(match.Outcome{Ending: match.ByAbort, TimedOut: g.seat(), At: w.now})
			return nil
		}))
		w.figures["matches that nobody played"]++
	case !g.paused.IsZero():
		g.look = expires
	case g.timed() && at.IsZero():
		g.look = at
	case g.timed() && w.now.Sub(w.contact) > 20*time.Second: // nobody can know whether people could play
	case w.timeUp(g):
		w.checkTimeout(g)
		w.must(g.change(func(after *game) error {
			after.leave(g.seat(), engine.Nobody, match.ByTimeout, w.now)
			return nil
		}))
	case g.timed() && !g.reminded && w.now.Before(g.reminderAt()):
		g.look = g.reminderAt()
	case g.timed() && !g.reminded && way != storage.RemindNever && !back.IsZero():
		if g.look = at; back.Before(at) {
			g.look = back
		}
		w.figures["reminders that a vacation put off"]++
	case g.timed() && !g.reminded && way == storage.RemindDirectly:
		wantDirect = true
	case g.timed():
		if g.reminded {
			g.show(false) // it says until when there is time now
		} else if way == storage.RemindInChannel {
			w.notice(g)
			g.show(true)
		}
		g.look, g.reminded = at, true
	case !abandoned.IsZero() && !w.now.Before(abandoned):
		w.must(g.change(func(after *game) error {
			after.leave(g.seat(), g.seat(), match.ByResignation, w.now)
			return nil
		}))
	case g.reminded || claim.IsZero() || w.now.Before(claim):
		g.look = g.next()
	case !back.IsZero():
		g.look = back
	default:
		w.notice(g)
		g.show(true)
		g.look, g.reminded = expires, true
	}
	if (direct != nil) != wantDirect {
		w.Fatalf("match %d: a direct reminder is %t, want %t", g.id, direct != nil, wantDirect)
	}
	if direct != nil && !w.chance(4) { // else the bot died, and tries again
		_, needed, err := w.host.BeginReminder(w.ctx(), direct)
		w.must(err)
		if !needed {
			w.Fatalf("match %d needs no reminder", g.id)
		}
		reached := !w.chance(3)
		for range 1 + w.r.IntN(2) {
			w.must(w.host.Reminded(w.ctx(), direct, reached))
		}
		w.notice(g)
		if !reached {
			g.show(true)
		}
		g.look, g.reminded = at, true
	}
	if g.look.IsZero() || w.now.Before(g.look) { // another process has read the same list
		again, err := w.host.ProcessDeadline(w.ctx(), g.id)
		if w.must(err); again != nil {
			w.Fatalf("match %d: another direct reminder", g.id)
		}
	}
	w.check(g, w.view(g))
}

// notice counts a reminder.
func (w *world) notice(g *game) {
	w.noticed[notice{g.id, len(g.turns), g.seat(), g.began, w.setBack}]++
}

// wait lets time pass while the bot is in contact with Discord.
func (w *world) wait() {
	w.tick()
	until := w.now.Add(one(w, time.Second, time.Minute, 10*time.Minute, time.Hour, 20*time.Hour, 8*24*time.Hour, 8*24*time.Hour))
	w.waitUntil(until.Add(time.Duration(w.r.Int64N(int64(time.Minute)))))
	w.tick()
}

// waitUntil lets time pass up to a moment, with runs at every deadline, and up to
// ten seconds late. There is none at the end.
func (w *world) waitUntil(until time.Time) {
	w.tick()
	for {
		next := until
		for _, g := range w.matches(running) {
			if late := g.look.Add(10 * time.Second); g.look.After(w.now) && late.Before(next) {
				next = g.look.Add(time.Duration(w.r.Int64N(int64(10 * time.Second))))
			}
		}
		w.now = later(w.now, next)
		if w.hasClocks() { // all the time
			w.contact = w.now
			w.must(w.store.Update(w.ctx(), func(tx storage.Tx) error { return tx.RecordContact(w.now) }))
		}
		if next.Equal(until) {
			return
		}
		w.tick()
	}
}

// playLate has somebody play at the last moment, or a moment later.
func (w *world) playLate() {
	ends := w.matches(func(g *game) bool { return g.timeoutAt().After(w.now) })
	if len(ends) == 0 {
		return
	}
	g := one(w, ends...)
	w.waitUntil(g.timeoutAt().Add(one(w, -time.Second, -1, 0, 1, 5*time.Second)))
	if w.chance(3) {
		w.tick()
	}
	if g.end == nil && !g.computerToMove() {
		w.act(g, g.player(g.seat()), w.seq(g), strings.Join(randomTurn(w.r, g.position), " "))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// outage lets time pass without contact, perhaps after the clock was set back.
func (w *world) outage() {
	if w.chance(6) {
		w.jump()
	}
	w.now = w.now.Add(one(w, 20*time.Second, 21*time.Second, time.Minute, time.Hour, 26*time.Hour, 80*time.Hour))
	w.Logf("an outage until %s", clock(w.now))
	if w.chance(2) {
		w.tick()
	}
}

// jump sets the clock back or ahead.
func (w *world) jump() {
	d := one(w, -time.Hour, -time.Hour, 24*time.Hour)
	if w.now = w.now.Add(d); d < 0 {
		w.setBack++
	}
	w.Logf("the clock jumps to %s", clock(w.now))
	if w.chance(2) {
		w.tick()
	}
}

// restartAndCompare starts a new host and compares what both say of all matches.
func (w *world) restartAndCompare() {
	w.Log("a restart")
	w.figures["restarts"]++
	before := map[storage.MatchID]string{}
	for id, g := range w.games {
		before[id] = whole(w.view(g))
	}
	w.restart()
	for id, g := range w.games {
		if after := whole(w.view(g)); after != before[id] {
			w.Fatalf("after a restart match %d is\n%s\nand it was\n%s", id, after, before[id])
		}
	}
}

// whole returns everything about a view, except interactions: those of people whose
// data was deleted stay in memory.
func whole(v *host.View) string {
	log := v.Match.Log()
	for i := range log {
		log[i].Interaction = ""
	}
	return fmt.Sprintf("%+v\n%+v\n%+v\n%+v\n%+v", v.Record, v.Boards, v.RatingChanges, log, v.Match.Open())
}
