package rings_test

import (
	"fmt"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"

	"pgregory.net/rapid"
)

// The invariants of the rules page hold in random games.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(3, 4).Draw(t, "side")
		seats := rapid.IntRange(2, 6).Draw(t, "seats")
		eager := rapid.Bool().Draw(t, "eager")
		p := start(t, side, seats)
		gone := map[engine.Seat]bool{}
		for range 400 {
			checkPosition(t, p)
			if p.Seat() == engine.Nobody {
				break
			}
			if !p.Converting() && len(gone) < seats-2 && rapid.IntRange(0, 60).Draw(t, "retires") == 60 {
				seat := engine.Seat(rapid.IntRange(1, seats).Draw(t, "who"))
				if !gone[seat] {
					gone[seat] = true
					next := retire(t, p, seat)
					checkRetirement(t, p, seat, next)
					p = next
					continue
				}
			}
			legal := p.Legal()
			n := len(legal)
			if eager && n > 1 {
				n-- // neither pass nor end while there is something else to do
			}
			a := rapid.SampledFrom(legal[:n]).Draw(t, "action").(rings.Action)
			next, err := p.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			q := next.(*rings.Position)
			checkAction(t, p, a, q)
			p = q
		}
		if r, over := p.Result(); over {
			checkResult(t, p, r)
		}
	})
}

// checkPosition checks that at most one player has a majority on each circle,
// that scores count majorities, and that stones are safe exactly in rings.
func checkPosition(t *rapid.T, p *rings.Position) {
	scores := map[engine.Seat]int{}
	inRing := map[rings.Point]bool{}
	for _, c := range p.Circles() {
		var majorities []engine.Seat
		total, empty := 0, 0 // influence of all seats, empty points
		for _, at := range c.Points() {
			if p.Owner(at) == engine.Nobody {
				empty++
			}
		}
		for seat := engine.Seat(1); int(seat) <= p.Seats(); seat++ {
			total += p.Influence(c.Number, seat)
		}
		for seat := engine.Seat(1); int(seat) <= p.Seats(); seat++ {
			if own := p.Influence(c.Number, seat); own > total-own+empty {
				majorities = append(majorities, seat)
			}
		}
		holder := p.Majority(c.Number)
		if len(majorities) > 1 || (len(majorities) == 1) != (holder != engine.Nobody) || holder != engine.Nobody && majorities[0] != holder {
			t.Fatalf("circle %d: majorities %v, said to be %d's\n%s", c.Number, majorities, holder, draw(p))
		}
		if holder != engine.Nobody {
			scores[holder]++
			if p.Influence(c.Number, holder) < 4 {
				t.Fatalf("circle %d is held with an influence below four", c.Number)
			}
		}
		if ring := p.Ring(c.Number); ring != engine.Nobody {
			if holder != ring {
				t.Fatalf("the ring %d is seat %d's, the majority there seat %d's", c.Number, ring, holder)
			}
			for _, at := range c.Points() {
				inRing[at] = true
			}
		}
	}
	for _, at := range p.Points() {
		if p.Safe(at) != inRing[at] {
			t.Fatalf("%v is safe: %t, in a ring: %t", at, p.Safe(at), inRing[at])
		}
	}
	for seat := engine.Seat(1); int(seat) <= p.Seats(); seat++ {
		if p.Score(seat) != scores[seat] {
			t.Fatalf("seat %d has score %d and %d majorities", seat, p.Score(seat), scores[seat])
		}
	}
	if len(p.Convertible()) > 0 && !p.Converting() {
		t.Fatal("circles can be converted before a placement or pass")
	}
}

// checkAction checks that rings stay, that a conversion takes every stone but the
// safe ones, that a placement adds one stone, and that nothing else changes.
func checkAction(t *rapid.T, p *rings.Position, a rings.Action, q *rings.Position) {
	mover := p.Seat()
	onCircle := map[rings.Point]bool{} // the points of a converted circle
	if a.Kind == rings.Convert {
		if p.Majority(a.Circle) != mover {
			t.Fatalf("%v is converted without the majority", a)
		}
		for _, at := range p.Circles()[a.Circle-1].Points() {
			onCircle[at] = true
		}
	}
	changed := 0
	for _, at := range p.Points() {
		before, after := p.Owner(at), q.Owner(at)
		if p.Safe(at) && (after != before || !q.Safe(at)) {
			t.Fatalf("%v changes the safe stone on %v\n%s%s", a, at, draw(p), draw(q))
		}
		want := before
		switch {
		case a.Kind == rings.Place && at == a.Point:
			want = mover
		case onCircle[at] && before != engine.Nobody && !p.Safe(at):
			want = mover
		}
		if after != want {
			t.Fatalf("after %v the stone on %v is seat %d's, not seat %d's", a, at, after, want)
		}
		if before != after {
			changed++
		}
	}
	if stones := a.Kind == rings.Place || a.Kind == rings.Convert; stones != (changed > 0) {
		t.Fatalf("%v changes %d stones", a, changed)
	}
	for _, c := range p.Circles() {
		if before := p.Ring(c.Number); before != engine.Nobody && q.Ring(c.Number) != before {
			t.Fatalf("%v breaks the ring %d", a, c.Number)
		}
	}
	switch a.Kind {
	case rings.End:
		if q.Turns() != p.Turns()+1 || q.Converting() || q.Seat() == mover || p.Retired(q.Seat()) {
			t.Fatalf("after the end of seat %d's turn seat %d acts", mover, q.Seat())
		}
	default:
		if q.Turns() != p.Turns() || !q.Converting() || q.Seat() != mover {
			t.Fatalf("%v ends the turn", a)
		}
	}
	for seat := engine.Seat(1); int(seat) <= p.Seats(); seat++ {
		want := p.Passed(seat) && a.Kind != rings.Place || seat == mover && a.Kind == rings.Pass
		if q.Passed(seat) != want {
			t.Fatalf("after %v seat %d has passed: %t", a, seat, !want)
		}
	}
}

// checkRetirement checks that the stones stay and count as before.
func checkRetirement(t *rapid.T, p *rings.Position, seat engine.Seat, q *rings.Position) {
	if q.Text() != p.Text() || !q.Retired(seat) || q.Seat() == seat || q.Turns() != p.Turns() {
		t.Fatalf("the retirement of seat %d changes\n%sinto\n%s", seat, draw(p), draw(q))
	}
	for other := engine.Seat(1); int(other) <= p.Seats(); other++ {
		if q.Score(other) != p.Score(other) || other != seat && q.Passed(other) != p.Passed(other) {
			t.Fatalf("the retirement of seat %d changes the score or passes of seat %d", seat, other)
		}
	}
	if p.Seat() != seat && q.Seat() != p.Seat() && q.Seat() != engine.Nobody {
		t.Fatalf("the retirement of seat %d gives the turn of seat %d to seat %d", seat, p.Seat(), q.Seat())
	}
}

// checkResult checks that the winners have the highest score of those still
// playing.
func checkResult(t *rapid.T, p *rings.Position, r engine.Result) {
	best := -1
	for i, s := range r.Scores {
		if !p.Retired(engine.Seat(i + 1)) {
			best = max(best, s)
		}
	}
	for i, s := range r.Scores {
		seat := engine.Seat(i + 1)
		wins := !p.Retired(seat) && s == best
		if wins != strings.Contains(fmt.Sprint(r.Winners), fmt.Sprint(int(seat))) || wins != (r.Ranks[i] == 1) {
			t.Fatalf("seat %d of %+v wins: %t", seat, r, wins)
		}
	}
}

// Different positions have different hashes.
func TestHash(t *testing.T) {
	seen, random := enginetest.HashSet{}, enginetest.Random(5)
	for side := 3; side <= 6; side++ {
		for seats := 2; seats <= 6; seats++ {
			p := start(t, side, seats)
			for ; p.Seat() != engine.Nobody; p = play(t, p, choose(p, &random).String()) {
				seen.Add(t, p, draw(p))
			}
			seen.Add(t, p, draw(p))
		}
	}
	if len(seen) < 4000 {
		t.Errorf("only %d positions were compared", len(seen))
	}
}

// The hash covers the phase, the passes and the order of retirements, but not
// the number of turns.
func TestHashCovers(t *testing.T) {
	seen := enginetest.HashSet{}
	for _, head := range []string{
		"seats=4 move=blue", "seats=4 move=red", "seats=4 move=blue convert", "seats=4 move=blue passed=red",
		"seats=4 move=blue passed=gold", "seats=4 move=blue retired=red+gold", "seats=4 move=blue retired=gold+red", "seats=3 move=blue",
		"seats=4 move=blue retired=gold",
	} {
		seen.Add(t, read(t, head+" "+small), head)
	}
	a := play(t, start(t, 3, 2), "A4 end L4 end A6 end L6 end")
	if c := play(t, start(t, 3, 2), "A6 end L6 end A4 end L4 end"); c.Hash() != a.Hash() {
		t.Error("the order of the turns changes the hash")
	}
}
