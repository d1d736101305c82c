package modeltest

import (
	"fmt"
	"slices"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// offer is an offer since the last turn.
type offer struct {
	kind   offers.Kind
	seat   engine.Seat
	state  offers.State
	agreed []engine.Seat
}

// standing names an offer that was made, perhaps long ago.
type standing struct {
	g           *game
	seq, number int
}

func (g *game) asked(o offer) (seats []engine.Seat) {
	for _, seat := range g.playing() {
		if seat != o.seat && !slices.Contains(o.agreed, seat) && !host.IsComputer(g.player(seat)) {
			seats = append(seats, seat)
		}
	}
	return seats
}

// openOffer returns the number of the offer that stands, 0 if none does.
func (g *game) openOffer() int {
	return 1 + slices.IndexFunc(g.offers, func(o offer) bool { return o.state == offers.Open })
}

// chosen returns which turn a seat has chosen last. A retirement since cannot be
// taken back.
func (g *game) chosen(seat engine.Seat) (n int, ok bool) {
	for n, t := range slices.Backward(g.turns) {
		if t.seat == seat && !t.forced() {
			return n, t.left == len(g.left)
		}
	}
	return 0, false
}

// unasked reports whether a seat needs nobody for what it offers.
func (g *game) unasked(seat engine.Seat, kind offers.Kind) bool {
	_, own := g.takenBack(seat)
	return kind == offers.Takeback && own || kind == offers.Abort && g.wouldAbort()
}

// joins reports whether a seat accepts the open offer by making it as well.
func (g *game) joins(seat engine.Seat, kind offers.Kind) bool {
	n := g.openOffer()
	return n > 0 && g.offers[n-1].kind == kind && g.offers[n-1].seat != seat && kind != offers.Takeback
}

// checkOffer returns why a seat cannot make an offer.
func (g *game) checkOffer(seat engine.Seat, kind offers.Kind) error {
	if err := g.checkPlaying(seat); err != nil {
		return err
	}
	if g.unasked(seat, kind) {
		return nil
	}
	computers, _ := computersOf(g.players)
	_, chosen := g.chosen(seat)
	switch {
	case kind == offers.Draw && len(g.players) > 2:
		return match.ErrTwoSeats
	case kind == offers.Takeback && !chosen:
		return offers.ErrNoTurn
	case kind == offers.Abort && !slices.ContainsFunc(g.playing(), func(s engine.Seat) bool { return g.completed(s) < 3 }):
		return match.ErrTooLate
	case kind == offers.Time && !g.timed():
		return match.ErrNoClock
	case kind == offers.Time && g.seat() != seat:
		return &match.TurnError{Seat: g.seat()}
	case kind != offers.Draw && kind != offers.Time && g.rated && len(computers) > 0:
		return offers.ErrRated
	case g.joins(seat, kind):
		return nil
	case slices.ContainsFunc(g.offers, func(o offer) bool { return o.seat == seat && o.kind == kind }):
		return offers.ErrRepeated
	case g.openOffer() > 0:
		return offers.ErrOpen
	}
	return nil
}

// completed counts the turns of a seat.
func (g *game) completed(seat engine.Seat) (n int) {
	for _, t := range g.turns {
		if t.seat == seat {
			n++
		}
	}
	return n
}

// offer makes an offer, or does what needs no answer.
func (g *game) offer(seat engine.Seat, kind offers.Kind) error {
	err := g.checkOffer(seat, kind)
	switch {
	case err != nil:
		return err
	case g.unasked(seat, kind) && kind == offers.Takeback:
		return g.undo(seat)
	case g.unasked(seat, kind):
		g.leave(seat, seat, match.ByResignation, g.m.now)
		return nil
	case g.joins(seat, kind):
		return g.answer(seat, g.openOffer(), offers.Accept)
	}
	o := offer{kind: kind, seat: seat, state: offers.Open}
	switch {
	case len(g.asked(o)) > 0:
		g.offers = append(slices.Clip(g.offers), o)
		g.show(false)
		g.asks = len(g.offers)
		g.m.offersMade++
		return nil
	case kind == offers.Draw:
		return host.ErrComputerAsked
	}
	g.agree(o, seat)
	return nil
}

func (g *game) answer(seat engine.Seat, number int, answer offers.Answer) error {
	if number == 0 || number != g.openOffer() {
		return offers.ErrLapsed
	}
	o := g.offers[number-1]
	switch own := seat == o.seat; {
	case !own && answer == offers.Withdraw:
		return offers.ErrOthers
	case own && answer != offers.Withdraw:
		return offers.ErrOwn
	case g.hasLeft(seat):
		return match.ErrNotPlaying
	case answer == offers.Accept:
		o.agreed = append(slices.Clip(o.agreed), seat)
		if len(g.asked(o)) == 0 {
			g.agree(o, seat)
			return nil
		}
	case answer == offers.Decline:
		o.state = offers.Declined
	default:
		o.state = offers.Withdrawn
	}
	g.offers = slices.Clone(g.offers)
	g.offers[number-1] = o
	g.show(false)
	return nil
}

// agree has an offer take effect, which a seat was the last to agree to.
func (g *game) agree(o offer, last engine.Seat) {
	g.m.agreements[o.kind]++
	if o.kind == offers.Time {
		g.giveTime()
		return
	}
	g.entries++
	g.before = nil
	switch o.kind {
	case offers.Draw:
		g.finish(match.Outcome{Ending: match.ByAgreement, Result: engine.Result{Ranks: []int{1, 1}}, By: last, At: g.m.now})
	case offers.Abort:
		g.finish(match.Outcome{Ending: match.ByAbort, By: last, At: g.m.now})
	default:
		n, _ := g.chosen(o.seat)
		t := g.turns[n]
		g.turns = g.turns[:n:n]
		g.begin(t.before, g.m.now)
		g.given, g.follows, g.silent = t.given, t.follows, last == o.seat
	}
}

// giveTime gives the player to move a day, or the bank if that is less.
func (g *game) giveTime() {
	g.entries++
	g.gifts++
	g.given += min(24*time.Hour, g.clock.Bank)
	if n := g.openOffer(); n > 0 && g.offers[n-1].kind == offers.Time {
		g.offers = slices.Clone(g.offers)
		g.offers[n-1].state = offers.Accepted
	}
	g.show(false)
}

// checkGift returns why a seat cannot give the player to move time.
func (g *game) checkGift(seat engine.Seat) error {
	switch err := g.checkPlaying(seat); {
	case err != nil:
		return err
	case g.computerToMove():
		return offers.ErrComputersTime
	case len(g.playing()) > 2:
		return match.ErrTwoSeats
	case !g.timed():
		return match.ErrNoClock
	case g.seat() == seat:
		return match.ErrOwnTurn
	}
	return nil
}

// publicSeq returns a public sequence number that an interaction can name.
func (w *world) publicSeq(g *game) int {
	return one(w, host.AnySeq, g.public, g.public, g.public, g.public+1)
}

func isOld(g *game, seq int) bool { return seq != host.AnySeq && seq != g.public }

// offer has somebody make an offer, or ask a computer for a draw.
func (w *world) offer() {
	g, ok := w.pick()
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by, kind, seq := one(w, append(people, stranger)...), one(w, offers.Kinds()...), w.publicSeq(g)
	if kind == offers.Time && g.seat() != engine.Nobody && !g.computerToMove() && !w.chance(4) {
		by = g.player(g.seat())
	}
	seat := g.seatOf(by)
	can := slices.DeleteFunc(offers.Kinds(), func(k offers.Kind) bool { return g.checkOffer(seat, k) != nil })
	if seat != engine.Nobody && len(can) > 0 && !w.chance(4) {
		kind = one(w, can...)
	}
	if computers, _ := computersOf(g.players); kind == offers.Draw && len(computers) == 1 && len(g.players) == 2 && w.chance(2) {
		w.drawWithComputer(g, by)
		return
	}
	before := g.entries
	w.request(g, by, isOld(g, seq), fmt.Sprint("offers ", kind), func(after *game, seat engine.Seat) error { return after.offer(seat, kind) },
		func(a host.Actor) (*host.View, error) { return w.host.MakeOffer(w.ctx(), a, g.id, seq, kind) })
	if n := len(g.offers); n > 0 && g.entries == before && g.offers[n-1].seat == seat {
		w.offered = append(w.offered, standing{g, g.public, n})
		for range w.r.IntN(4) {
			w.answerOffer()
		}
	}
}

// drawWithComputer asks a computer for a draw, which it declines after few turns.
func (w *world) drawWithComputer(g *game, by storage.Person) {
	seat, want := g.seatOf(by), error(nil)
	if seat == engine.Nobody {
		want = host.ErrNotSeated
	} else if want = g.checkOffer(seat, offers.Draw); want == nil {
		if g.completed(seat) >= 8 || w.timeUp(g) {
			return // it thinks about it
		}
		want = offers.ErrPlaysOn
		g.offers = append(slices.Clip(g.offers), offer{kind: offers.Draw, seat: seat, state: offers.Declined})
	}
	w.Logf("match %d: %s asks the computer for a draw, expecting %v", g.id, by.Name, want)
	a := w.by(by)
	for range 2 {
		_, err := w.host.DrawWithComputer(w.ctx(), a, w.view(g))
		if w.expect(err, want); want == error(offers.ErrPlaysOn) {
			want = offers.ErrRepeated
		}
		w.check(g, w.view(g))
	}
}

// answerOffer has somebody answer an offer, perhaps one that no longer stands.
func (w *world) answerOffer() {
	open := slices.DeleteFunc(slices.Clone(w.offered), func(s standing) bool {
		return s.seq != s.g.public || s.number != s.g.openOffer()
	})
	if len(open) == 0 || w.chance(6) {
		open = w.offered[max(len(w.offered)-10, 0):]
	}
	if len(open) == 0 {
		w.offer()
		return
	}
	s := one(w, open...)
	_, people := computersOf(s.g.players)
	by := one(w, append(people, stranger)...)
	if n := s.g.openOffer(); n > 0 && !w.chance(4) {
		by = s.g.player(one(w, s.g.asked(s.g.offers[n-1])...))
	}
	answer := one(w, offers.Accept, offers.Accept, offers.Accept, offers.Decline, offers.Withdraw)
	if w.chance(10) {
		s.number += one(w, -1, 1)
	}
	stands := s.seq == s.g.public && s.number > 0
	w.request(s.g, by, false, fmt.Sprintf("%s offer %d after %d", answer, s.number, s.seq), func(after *game, seat engine.Seat) error {
		if !stands {
			return offers.ErrLapsed
		}
		err := after.answer(seat, s.number, answer)
		if err == nil {
			w.figures["offers: "+string(answer)]++
		}
		return err
	}, func(a host.Actor) (*host.View, error) {
		return w.host.AnswerOffer(w.ctx(), a, s.g.id, s.seq, s.number, answer)
	})
}

// giveTime has a player give another time.
func (w *world) giveTime() {
	g, ok := w.pick()
	if timed := w.matches(func(g *game) bool { return g.timed() && g.end == nil }); ok && len(timed) > 0 && !w.chance(5) {
		g = one(w, timed...)
	}
	if !ok {
		return
	}
	_, people := computersOf(g.players)
	by, seq := one(w, append(people, stranger)...), w.publicSeq(g)
	w.request(g, by, isOld(g, seq), "gives time", func(after *game, seat engine.Seat) error {
		if err := after.checkGift(seat); err != nil {
			return err
		}
		after.agree(offer{kind: offers.Time}, seat)
		return nil
	}, func(a host.Actor) (*host.View, error) { return w.host.GiveTime(w.ctx(), a, g.id, seq) })
}
