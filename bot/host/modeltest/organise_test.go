package modeltest

import (
	"slices"
	"strconv"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// decided is a decision of an organiser that can be taken back.
type decided struct {
	at    time.Time
	ended bool // it ended the match
	prior state
}

// organiser returns the person as somebody who organises matches in the guild.
func (w *world) organiser(p storage.Person) host.Actor {
	a := w.by(p)
	a.Place = here
	return a
}

// decide has the model and the host carry out a decision of an organiser about a match,
// and compares them.
func (w *world) decide(g *game, by storage.Person, what string, want error, model func(*game), does func(host.Actor) (*host.View, error)) {
	w.Helper()
	if g.seatOf(by) != engine.Nobody {
		want = host.ErrOwnMatch
	}
	w.Logf("match %d after %d: the organiser %s: %s, expecting %v", g.id, g.entries, by.Name, what, want)
	if want == nil {
		w.figures["organisers: "+what]++
		w.must(g.change(func(after *game) error {
			after.entries++
			after.before = nil
			model(after)
			return nil
		}))
	}
	a := w.organiser(by)
	v, err := does(a)
	w.expect(err, want)
	if want != nil {
		w.check(g, w.view(g))
		return
	}
	if id := v.OrganiserOf(v.Match.Seq()); id != by.ID {
		w.Fatalf("match %d: the last entry is by %q", g.id, id)
	}
	w.check(g, v)
	w.done = append(w.done, deed{by.ID, what, func() (*host.View, error) { return does(a) }})
}

// adjudicate has an organiser end a match.
func (w *world) adjudicate() {
	g, ok := w.pick()
	if !ok {
		return
	}
	by, verdict := one(w, everyone...), match.VerdictNone
	out := match.Outcome{Ending: match.ByAbort, At: w.now}
	contact, outages := w.contact, w.outages
	if g.end == nil && w.timeUp(g) { // an outage may just have ended
		w.meet()
	}
	var want error
	winner := engine.Seat(1 + w.r.IntN(len(g.players)))
	switch w.r.IntN(3) {
	case 0:
		verdict = match.VerdictDraw
		out.Ending, out.Result = match.ByAdjudication, engine.Result{Ranks: []int{1, 1}}
		if len(g.players) > 2 {
			want = match.ErrTwoSeats
		}
	case 1:
		verdict = match.VerdictWin(winner)
		ranks := slices.Repeat([]int{2}, len(g.players))
		ranks[winner-1] = 1
		for i, l := range g.left {
			ranks[l.seat-1] = len(g.players) - i
		}
		out.Ending, out.Result = match.ByAdjudication, engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks}
		if g.hasLeft(winner) {
			want = match.ErrNotPlaying
		}
	}
	switch {
	case g.end != nil:
		want = match.ErrOver
	case w.timeUp(g):
		want = host.ErrTimeUp
	}
	if want != nil || g.seatOf(by) != engine.Nobody {
		w.contact, w.outages = contact, outages
	}
	w.decide(g, by, "adjudicated", want, func(after *game) {
		after.decided = &decided{w.now, true, g.state}
		after.finish(out)
	}, func(a host.Actor) (*host.View, error) { return w.host.Adjudicate(w.ctx(), a, g.id, verdict) })
}

// void has an organiser take a result out of the ratings.
func (w *world) void() {
	all := w.matches(func(g *game) bool { return g.end != nil || w.chance(20) })
	if len(all) == 0 {
		return
	}
	g, by := one(w, all...), one(w, everyone...)
	var want error
	switch {
	case g.end == nil || g.voided:
		want = match.ErrNoVoid
	case !g.rated || len(g.end.Result.Ranks) == 0 || len(g.turns) < g.usual/4:
		want = host.ErrNotRated
	case w.now.Sub(g.end.At) > host.VoidWithin:
		want = host.ErrVoidLate
	}
	w.decide(g, by, "void", want, func(after *game) {
		after.decided, after.voided, after.public = &decided{at: w.now}, true, after.entries
	}, func(a host.Actor) (*host.View, error) { return w.host.Void(w.ctx(), a, g.id) })
}

// revert has an organiser take back the last decision about a match.
func (w *world) revert() {
	all := w.matches(func(g *game) bool { return g.decided != nil || w.chance(20) })
	if len(all) == 0 {
		return
	}
	g, by := one(w, all...), one(w, everyone...)
	seq, last := g.entries-w.r.IntN(6)/5, g.decided
	var want error
	switch {
	case last == nil || seq != g.entries:
		want = match.ErrNoRevert
	case w.now.Sub(last.at) > host.RevertWithin:
		want = host.ErrRevertLate
	}
	if want == nil && last.ended && g.timed() && g.seatOf(by) == engine.Nobody {
		w.meet()
	}
	what := "taken back"
	if last != nil && last.ended {
		what = "reopened"
	}
	w.decide(g, by, what, want, func(after *game) {
		if after.decided = nil; !last.ended {
			after.voided, after.public = false, after.entries
			return
		}
		after.state = last.prior
		after.public = after.entries
		if w.now.After(last.at) {
			after.idle = append(slices.Clip(after.idle), match.Span{From: last.at, To: w.now})
		}
	}, func(a host.Actor) (*host.View, error) { return w.host.Revert(w.ctx(), a, g.id, seq) })
}

// startFor has an organiser start a match for others.
func (w *world) startFor() {
	if len(w.matches(running)) > 4 {
		return
	}
	by, players := one(w, everyone...), slices.Clone(everyone[:6])
	w.r.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
	p := host.Proposal{Place: here, Game: one(w, "trails", "towers", "rings"), Clock: one(w, clocks...), Opponents: players[:2]}
	if p.Game == "rings" && w.chance(2) {
		p.Opponents = players[:3]
	}
	p.Options = options[p.Game][0]
	var want error
	switch blocked := false; {
	case isIn(p.Opponents, by):
		want = host.ErrOwnMatch
	case w.blocked(by, p.Opponents):
		want = host.ErrCannotChallenge
	default:
		for i, q := range p.Opponents {
			blocked = blocked || w.blocked(q, p.Opponents[i+1:])
		}
		if blocked {
			want = host.ErrCannotJoin
		}
	}
	w.Logf("the organiser %s starts %+v, expecting %v", by.Name, p, want)
	a := w.organiser(by)
	ch, err := w.host.StartFor(w.ctx(), a, p)
	if w.expect(err, want); want != nil {
		return
	}
	w.figures["organisers: started"]++
	p.Seats = len(p.Opponents)
	w.made(ch, by, p)
	if !host.StartedForOthers(ch) {
		w.Fatalf("challenge %d is not for others: %+v", ch.ID, ch)
	}
	w.done = append(w.done, deed{by.ID, "the start", func() (*host.View, error) {
		_, err := w.host.StartFor(w.ctx(), a, p)
		return nil, err
	}})
}

// withdraw has an organiser withdraw a challenge of others.
func (w *world) withdraw() {
	for id, ch := range w.challenges {
		if ch.State != storage.ChallengeOpen && !w.chance(20) {
			continue
		}
		var want error
		switch {
		case ch.State == storage.ChallengeExpired || ch.State == storage.ChallengeOpen && !w.now.Before(ch.ExpiresAt):
			want = host.ErrExpired
		case ch.State != storage.ChallengeOpen:
			want = host.ErrAnswered
		}
		w.Logf("an organiser withdraws challenge %d, expecting %v", id, want)
		got, err := w.host.WithdrawChallenge(w.ctx(), w.organiser(stranger), id)
		if w.expect(err, want); want == nil {
			ch.State = storage.ChallengeCancelled
			w.checkChallenge(ch, got)
			if by, err := w.host.WithdrawnBy(w.ctx(), id); by != stranger.ID || err != nil {
				w.Fatalf("challenge %d was withdrawn by %q (%v)", id, by, err)
			}
		}
		return
	}
}

// freeze has an organiser stop all clocks, or set them going.
func (w *world) freeze() {
	by, hours := one(w, everyone...), one(w, 0, 1, 12, 48)
	frozen := time.Time{}
	for _, s := range w.freezes {
		if !w.now.Before(s.From) && w.now.Before(s.To) {
			frozen = s.To
		}
	}
	if !frozen.IsZero() && !w.chance(4) {
		hours = 0
	}
	var want error
	switch {
	case hours > 0 && !frozen.IsZero():
		want = host.ErrFrozen
	case hours == 0 && frozen.IsZero():
		want = host.ErrNotFrozen
	}
	w.Logf("the organiser %s freezes for %d hours, expecting %v", by.Name, hours, want)
	a := w.organiser(by)
	n, err := w.host.SetFrozen(w.ctx(), a, hours)
	if w.expect(err, want); want != nil {
		return
	}
	w.figures["organisers: freezes or their ends"]++
	if hours > 0 {
		w.freezes = append(slices.Clone(w.freezes), match.Span{From: w.now, To: w.now.Add(time.Duration(hours) * time.Hour)})
	} else {
		w.freezes = slices.Clone(w.freezes)
		for i := range w.freezes {
			if w.now.Before(w.freezes[i].To) {
				w.freezes[i].To = w.now
			}
		}
		w.freezes = slices.DeleteFunc(w.freezes, func(s match.Span) bool { return !s.From.Before(s.To) })
	}
	timed := w.matches(func(g *game) bool { return g.end == nil && g.timed() })
	if n != len(timed) {
		w.Fatalf("%d matches have clocks, want %d", n, len(timed))
	}
	for _, g := range timed {
		g.show(false)
		g.look = g.next()
	}
	until := time.Time{}
	if hours > 0 {
		until = w.now.Add(time.Duration(hours) * time.Hour)
	}
	if f := must(w.host.Frozen(w.ctx(), here.Guild)); !f.Until.Equal(until) || (f.By == by.ID) != (hours > 0) {
		w.Fatalf("clocks stand still until %s by %q, want %s", clock(f.Until), f.By, clock(until))
	}
	w.checkAll()
	w.done = append(w.done, deed{by.ID, "a freeze of " + strconv.Itoa(hours) + " hours", func() (*host.View, error) {
		_, err := w.host.SetFrozen(w.ctx(), a, hours)
		return nil, err
	}})
}
