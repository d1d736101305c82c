package rings_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// differences says in which respects a position is not what the plain rules
// have.
func differences(p *rings.Position, want *plain) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	differ("points", len(p.Points()), len(want.point))
	for _, at := range p.Points() {
		s := spot{at.Column, at.Row}
		differ(at.String(), int(p.Owner(at)), want.stone[s])
		differ("safety of "+at.String(), p.Safe(at), want.safe(s))
	}
	differ("circles", len(p.Circles()), len(want.circles))
	for n := range want.circles {
		differ(fmt.Sprint("ring ", n), int(p.Ring(n)), want.ringOf(n))
		differ(fmt.Sprint("majority ", n), int(p.Majority(n)), want.majority(n))
		for player := 1; player <= want.seats; player++ {
			differ(fmt.Sprint("influence of ", player, " on ", n), p.Influence(n, engine.Seat(player)), want.influence(player, n))
		}
	}
	for player := 1; player <= want.seats; player++ {
		seat := engine.Seat(player)
		differ(fmt.Sprint("score of ", player), p.Score(seat), want.score(player))
		differ(fmt.Sprint("passed ", player), p.Passed(seat), want.passed[player] && !want.gone(player))
		differ(fmt.Sprint("retired ", player), p.Retired(seat), want.gone(player))
	}
	differ("empty points", p.EmptyCount(), len(want.point)-len(want.stone))
	differ("converting", p.Converting(), want.placed)
	differ("turns", p.Turns(), want.turns)
	return append(out, differentLegal(p, want)...)
}

// differentLegal compares what can be done and how it ended.
func differentLegal(p *rings.Position, want *plain) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	legal := legalTokens(p)
	slices.Sort(legal)
	differ("legal", fmt.Sprint(legal), fmt.Sprint(want.legal()))
	result, over := p.Result()
	differ("over", over, want.over)
	if over && want.over {
		differ("winners", fmt.Sprint(result.Winners), want.winners())
		differ("ranks", fmt.Sprint(result.Ranks), fmt.Sprint(want.ranks()))
		differ("reason", result.Reason, want.reason)
		differ("seat", p.Seat(), engine.Nobody)
		for i, s := range result.Scores {
			differ(fmt.Sprint("score of ", i+1), s, want.score(i+1))
		}
	} else {
		differ("seat", int(p.Seat()), want.turn)
	}
	return out
}

// choose is a legal action; conversions come often, ends and passes seldom, so
// that boards fill and rings close.
func choose(p *rings.Position, random *xorshift) rings.Action {
	legal := p.Legal()
	n := len(legal)
	if last := legal[n-1].(rings.Action); n > 1 && (last.Kind == rings.Pass || random.IntN(8) > 0) && random.IntN(64) > 0 {
		n--
	}
	return legal[random.IntN(n)].(rings.Action)
}

// Random games on every board with every number of seats, some of which
// retire: the position, the state inside it and the plain rules agree on
// everything, and taking all moves back leads to the start.
func TestFastAndPlainRulesAgree(t *testing.T) {
	random, seen := xorshift(20), map[string]int{}
	for side := 3; side <= 6; side++ {
		for seats := 2; seats <= 6; seats++ {
			games := []int{3: 12, 4: 5, 5: 2, 6: 1}[side]
			if testing.Short() || enginetest.RaceEnabled {
				games = 1
			}
			for range games {
				compareGame(t, side, seats, &random, seen)
			}
		}
	}
	for _, what := range []string{"conversions", "rings", "rings by conversion", "two rings at once", "passes", "alone", "ended by a retirement"} {
		if seen[what] == 0 {
			t.Errorf("no %s in any game: the comparison says nothing of it", what)
		}
	}
	t.Logf("%v", seen)
}

func compareGame(t *testing.T, side, seats int, random *xorshift, seen map[string]int) {
	t.Helper()
	p, want := start(t, side, seats), newPlain(side, seats)
	state := p.State()
	var before []rings.State
	var undo []rings.Undo
	for step := 0; !want.over; step++ {
		// Everything on the small boards, every tenth position of the others.
		found := differentLegal(p, want)
		if side == 3 || step%10 == 0 {
			found = differences(p, want)
		}
		if found != nil {
			t.Fatalf("side %d, %d seats: %v\n%s", side, seats, found, draw(p))
		}
		// On a full board one may leave as well, instead of passing.
		leaves := random.IntN(150) == 0 || p.EmptyCount() == 0 && random.IntN(3) == 0
		if leaves && !p.Converting() && len(p.RetiredInOrder()) < seats-1 && seats > 2 {
			if seat := engine.Seat(1 + random.IntN(seats)); !p.Retired(seat) {
				p = retire(t, p, seat)
				want.retire(int(seat))
				state, before, undo = p.State(), nil, nil // a retirement is not taken back
				if want.over && want.reason == "passes" {
					seen["ended by a retirement"]++
				}
				continue
			}
		}
		a := choose(p, random)
		m, ok := p.Move(a)
		if !ok || !state.Legal(m) || p.Action(m) != a {
			t.Fatalf("%v is move %d, which is %v", a, m, p.Action(m))
		}
		before = append(before, state)
		undo = append(undo, state.Make(m))
		next := play(t, p, a.String())
		if state != next.State() {
			t.Fatalf("the state after %v is not that of the position", a)
		}
		count(seen, p, next, a)
		p = next
		want.play(a.String())
	}
	seen[want.reason]++
	if found := differences(p, want); found != nil {
		t.Fatalf("side %d, %d seats, at the end: %v\n%s", side, seats, found, draw(p))
	}
	for i := len(undo) - 1; i >= 0; i-- {
		state.Unmake(undo[i])
		if state != before[i] {
			t.Fatalf("side %d: taking back move %d does not restore the state", side, i)
		}
	}
}

// count notes what has happened, so that a comparison of nothing is found out.
func count(seen map[string]int, p, next *rings.Position, a rings.Action) {
	closed := 0
	for _, c := range p.Circles() {
		if p.Ring(c.Number) == engine.Nobody && next.Ring(c.Number) != engine.Nobody {
			closed++
		}
	}
	switch {
	case a.Kind == rings.Convert && closed > 0:
		seen["rings by conversion"] += closed
	case closed > 0:
		seen["rings"] += closed
	}
	if closed > 1 {
		seen["two rings at once"]++
	}
	if a.Kind == rings.Convert {
		seen["conversions"]++
	}
}

// Playouts of the benchmark are genuine: the moves of the State are the legal
// actions in their order, and both implementations, given the same choices,
// play the same game.
func TestPlayoutsAgree(t *testing.T) {
	random := xorshift(3)
	for range 3 {
		p, want := start(t, 4, 2), newPlain(4, 2)
		s := p.State()
		for s.LegalCount() > 0 {
			legal := p.Legal()
			if s.LegalCount() != len(legal) {
				t.Fatalf("%d legal moves, not %d", s.LegalCount(), len(legal))
			}
			for k, a := range legal {
				if p.Action(s.NthLegal(k)) != a {
					t.Fatalf("move %d is %v, not %v", k, p.Action(s.NthLegal(k)), a)
				}
			}
			k := random.IntN(s.LegalCount())
			token := legal[k].String()
			if !slices.Contains(want.legal(), token) {
				t.Fatalf("%v is not among %v", token, want.legal())
			}
			s.Make(s.NthLegal(k))
			p = play(t, p, token)
			want.play(token)
		}
		if !want.over || s.Ending().String() != want.reason || s.Score(1) != want.score(1) || s.Score(2) != want.score(2) {
			t.Fatalf("%v with %d and %d", s.Ending(), s.Score(1), s.Score(2))
		}
	}
}
