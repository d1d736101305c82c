package trails_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// differences lists how a position differs from the reference.
func differences(p *trails.Position, want *reference) []string {
	var d enginetest.Differences
	for rank := range want.size {
		for file := range want.size {
			s := trails.Square{X: file, Y: rank}
			if got, want := letter(p, s), referenceLetter(want.square[rank][file]); got != want {
				d.Equal(s.String(), got, want)
			}
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		w := want.player[seat]
		d.Equal(fmt.Sprint("head of ", seat), p.Head(seat), trails.Square{X: w.head.file, Y: w.head.rank})
		d.Equal(fmt.Sprint("boost of ", seat), p.Boost(seat), w.boost)
		d.Equal(fmt.Sprint("taken by ", seat), p.Taken(seat), w.taken)
		last, moved := p.LastDirection(seat)
		d.Equal(fmt.Sprint("moved of ", seat), moved, w.moved)
		if moved && w.moved {
			d.Equal(fmt.Sprint("last of ", seat), last.String(), w.last)
		}
	}
	if got, want := enginetest.LegalTokens(p), want.legal(); !slices.Equal(got, want) {
		d.Equal("legal", fmt.Sprint(got), fmt.Sprint(want))
	}
	for _, way := range directions {
		if target, ok := p.Target(way); ok {
			at, _, _ := want.try(want.to, way.String())
			d.Equal("target "+way.String(), target, trails.Square{X: at.file, Y: at.rank})
		}
	}

	result, over := p.Result()
	d.Equal("over", over, want.over)
	if over && want.over {
		d.Equal("winners", fmt.Sprint(result.Winners), fmt.Sprint([]int{want.winner}))
		d.Equal("reason", result.Reason, want.reason)
		d.Equal("seat", p.Seat(), engine.Nobody)
	} else {
		d.Equal("seat", p.Seat(), engine.Seat(want.to))
	}
	return d
}

// letter returns what stands on a square, by the methods of Position alone.
func letter(p *trails.Position, s trails.Square) string {
	if o := p.Owner(s); o != engine.Nobody {
		return string(rune('0' + o))
	}
	if s.X == s.Y { // the diagonal with the towers
		for _, t := range p.Towers() {
			if t.Square == s {
				return "T"
			}
		}
	}
	return "."
}

func referenceLetter(b byte) string {
	switch b {
	case referenceFree:
		return "."
	case referenceTower:
		return "T"
	}
	return string(rune('0' + b))
}

// boards returns every combination of options whose towers fit.
func boards() (out []board) {
	for size := 5; size <= 21; size += 2 {
		for towers := 1; towers <= 9; towers++ {
			for distance := 0; distance <= 3; distance++ {
				fit := true
				for _, s := range referenceTowers(size, towers, distance) {
					fit = fit && (&reference{size: size}).onBoard(s)
				}
				if fit {
					out = append(out, board{size, towers, distance})
				}
			}
		}
	}
	return out
}

type board struct{ size, towers, distance int }

func (b board) String() string {
	return fmt.Sprintf("size=%d towers=%d distance=%d", b.size, b.towers, b.distance)
}

// In random games on every board, the position and the reference implementation
// agree on everything, and a state that plays the same moves stays that of the
// position, and different positions have different hashes.
func TestAgreesWithReference(t *testing.T) {
	games := enginetest.Sample(1, 12)
	r, endings, seen := enginetest.Random(20), map[string]int{}, enginetest.HashSet{}
	for _, b := range boards() {
		start := position(t, b.String())
		for range games {
			p, want := start, newReference(b.size, b.towers, b.distance)
			state := p.State()
			for !want.over {
				if d := differences(p, want); d != nil {
					t.Fatalf("%s after %d moves: %v\n%s", b, p.Turns(), d, p.Text())
				}
				seen.Add(t, p, draw(p))
				a := random(p, &r)
				// A third of the moves go straight on, so that boosts grow.
				if last, ok := p.LastDirection(p.Seat()); ok && r.IntN(3) == 0 {
					if _, can := p.Target(last); can {
						a = last
					}
				}
				state.Play(a)
				p = enginetest.Apply(t, p, a)
				want.play(a.String())
				if state != p.State() {
					t.Fatalf("%s: the state after %v is not that of the position", b, a)
				}
			}
			if d := differences(p, want); d != nil {
				t.Fatalf("%s at the end: %v\n%s", b, d, p.Text())
			}
			endings[want.reason]++
		}
	}
	for _, reason := range []string{"towers", "opponent-stuck", "self-stuck"} {
		if endings[reason] == 0 {
			t.Errorf("no game ended by %s", reason)
		}
	}
}
