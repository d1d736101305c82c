package imaging_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
)

// ringsNames is short enough for a card with every sign, in three scripts.
var ringsNames = []string{"Anna", "tobi", "Óla", "Κατ", "Дми", "bot"}

// ringsStart is the scene at the start of a match.
func ringsStart(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	g := rings.Game{}
	o, err := g.Options().Parse(fmt.Sprint("side=", side))
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o, seats)
	if err != nil {
		t.Fatal(err)
	}
	return imaging.Scene{Game: g, Position: p, Names: ringsNames, Legal: true}
}

// ringsPlay plays tokens on: "retire2" is the retirement of seat 2.
func ringsPlay(t testing.TB, s imaging.Scene, tokens string) imaging.Scene {
	t.Helper()
	for _, token := range strings.Fields(tokens) {
		if seat, ok := strings.CutPrefix(token, "retire"); ok {
			p, err := s.Position.(engine.Retirer).Retire(engine.Seat(seat[0] - '0'))
			if err != nil {
				t.Fatal(err)
			}
			s.Position = p
			continue
		}
		a, err := s.Position.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		s = ringsApply(t, s, a)
	}
	return s
}

// ringsApply plays one action and marks its turn.
func ringsApply(t testing.TB, s imaging.Scene, a engine.Action) imaging.Scene {
	t.Helper()
	next, err := s.Position.Apply(a)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Turn.Open {
		s.Turn = imaging.Turn{Number: s.Position.Turns() + 1, Seat: s.Position.Seat(), Before: s.Position}
	}
	s.Turn.Actions = append(s.Turn.Actions[:len(s.Turn.Actions):len(s.Turn.Actions)], a)
	s.Turn.Open = next.Turns() == s.Position.Turns()
	s.Position = next
	return s
}

// ringsGrown is the scene after that many actions.
func ringsGrown(t testing.TB, side, seats, actions int) imaging.Scene {
	t.Helper()
	return ringsUntil(t, side, seats, func(imaging.Scene) bool {
		actions--
		return actions < 0
	})
}

// ringsUntil is the first scene for which stop says so, or that is the last,
// where seats spread from homes around the board and convert whatever they can.
func ringsUntil(t testing.TB, side, seats int, stop func(imaging.Scene) bool) imaging.Scene {
	t.Helper()
	s := ringsStart(t, side, seats)
	random := rand.New(rand.NewPCG(3, 7))
	for !stop(s) {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		best, most := legal[0], math.Inf(-1)
		sin, cos := math.Sincos(2 * math.Pi * float64(s.Position.Seat()) / float64(seats))
		x, y := 2*float64(side)-0.5+1.3*float64(side)*cos, 2*float64(side)+1.2*float64(side)*sin
		for _, action := range legal {
			a := action.(rings.Action)
			value := 3 * random.Float64()
			switch a.Kind {
			case rings.Place:
				value -= math.Hypot(0.9*(float64(a.Point.Column)-x), float64(a.Point.Row)-y)
			case rings.Pass:
				value -= 1000
			case rings.Convert:
				value += 10
			}
			if value > most {
				best, most = action, value
			}
		}
		s = ringsApply(t, s, best)
	}
	return s
}

// ringsChain is a scene in the middle of a turn: two circles are converted, one
// more can be, on a board that is half full.
func ringsChain(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := ringsUntil(t, side, seats, func(s imaging.Scene) bool {
		p := s.Position.(*rings.Position)
		return p.EmptyCount() < 4*side*side && s.Turn.Open && len(s.Turn.Actions) >= 3 && len(p.Convertible()) > 0
	})
	if !s.Turn.Open {
		t.Fatal("no turn has a chain of conversions")
	}
	return s
}

// ringsPlacing is a scene at the start of a turn after one with a conversion.
func ringsPlacing(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := ringsUntil(t, side, seats, func(s imaging.Scene) bool {
		p := s.Position.(*rings.Position)
		return p.EmptyCount() < 4*side*side && !s.Turn.Open && len(s.Turn.Actions) >= 3
	})
	if s.Turn.Open || s.Position.Seat() == engine.Nobody {
		t.Fatal("no turn has a conversion")
	}
	return s
}

// ringsEnd is the end of a match that one seat has left.
func ringsEnd(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := ringsUntil(t, side, seats, func(s imaging.Scene) bool {
		return s.Position.(*rings.Position).EmptyCount() < 2*side*side && !s.Turn.Open
	})
	s = ringsPlay(t, s, "retire2")
	for s.Position.Seat() != engine.Nobody {
		if s.Position.(*rings.Position).Converting() {
			s = ringsPlay(t, s, "end")
		} else {
			s = ringsPlay(t, s, "pass")
		}
	}
	return s
}

// ringsPicked is a scene with steps picked.
func ringsPicked(s imaging.Scene, steps ...string) imaging.Scene {
	s.Picked = steps
	return s
}

// ringsZoomed is a scene of a part of the board.
func ringsZoomed(s imaging.Scene, part int) imaging.Scene {
	s.Zoom = part
	return s
}

// ringsPicture is a picture that is kept and compared.
type ringsPicture struct {
	name, theme string
	scene       func(testing.TB) imaging.Scene
}

// ringsPictures is pictures of every kind, in all themes.
func ringsPictures() []ringsPicture {
	return []ringsPicture{
		{"rings-start", imaging.Dark, func(t testing.TB) imaging.Scene { return ringsStart(t, 6, 2) }},
		{"rings-chain", imaging.Dark, func(t testing.TB) imaging.Scene { return ringsChain(t, 6, 6) }},
		{"rings-column", imaging.Light, func(t testing.TB) imaging.Scene { return ringsPicked(ringsPlacing(t, 6, 6), "M") }},
		{"rings-picked", imaging.Contrast, func(t testing.TB) imaging.Scene { return ringsPicked(ringsPlacing(t, 5, 3), "J", "9") }},
		{"rings-circle", imaging.Light, func(t testing.TB) imaging.Scene {
			s := ringsChain(t, 4, 4)
			return ringsPicked(s, fmt.Sprint(s.Position.(*rings.Position).Convertible()[0]))
		}},
		{"rings-zoom", imaging.Dark, func(t testing.TB) imaging.Scene { return ringsZoomed(ringsChain(t, 6, 6), 2) }},
		{"rings-small", imaging.Dark, func(t testing.TB) imaging.Scene {
			return ringsPlay(t, ringsGrown(t, 3, 3, 30), "pass end")
		}},
		{"rings-end", imaging.Light, func(t testing.TB) imaging.Scene { return ringsEnd(t, 5, 4) }},
	}
}
