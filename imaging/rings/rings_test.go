package rings

import (
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// limitsOf returns what pictures of a number of seats keep to. Bands go from one
// edge to the other.
func limitsOf(t testing.TB, seats int) imagingtest.Limits {
	bottom := draw.NewPlates(testStyle(t), seats, height).Bottom
	return imagingtest.Limits{Size: image.Pt(width, bottom), Inside: image.Rect(0, 0, width, bottom-2), Bytes: 118 << 10}
}

func start(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := imagingtest.Start(t, rings.Game{}, fmt.Sprint("side=", side), seats)
	s.Names = []string{"Anna", "tobi", "Óla", "Κατ", "Дми", "bot"}
	return s
}

func retire(t testing.TB, s imaging.Scene, seat engine.Seat) imaging.Scene {
	t.Helper()
	p, err := s.Position.(engine.Retirer).Retire(seat)
	if err != nil {
		t.Fatal(err)
	}
	s.Position = p
	return s
}

// finish passes until the match is over.
func finish(t testing.TB, s imaging.Scene) imaging.Scene {
	t.Helper()
	for s.Position.Seat() != engine.Nobody {
		if s.Position.(*rings.Position).Converting() {
			s = imagingtest.Play(t, s, "end")
		} else {
			s = imagingtest.Play(t, s, "pass")
		}
	}
	return s
}

// until plays a match in which seats spread from homes around the board and
// convert all circles that they can. It returns the first scene for which stop
// returns true, or the last scene.
func until(t testing.TB, side, seats int, stop func(imaging.Scene, *rings.Position) bool) imaging.Scene {
	t.Helper()
	s := start(t, side, seats)
	random := rand.New(rand.NewPCG(3, 7))
	for !stop(s, s.Position.(*rings.Position)) {
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
		s = imagingtest.Apply(t, s, best)
	}
	return s
}

// converting returns a scene in the middle of a turn: two circles are converted
// and one more can be, on a half full board.
func converting(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := until(t, side, seats, func(s imaging.Scene, p *rings.Position) bool {
		return p.EmptyCount() < 4*side*side && s.Turn.Open && len(s.Turn.Actions) >= 3 && len(p.Convertible()) > 0
	})
	if !s.Turn.Open {
		t.Fatal("no turn has three conversions")
	}
	return s
}

// placing returns a scene at the start of a turn after one with a conversion.
func placing(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := until(t, side, seats, func(s imaging.Scene, p *rings.Position) bool {
		return p.EmptyCount() < 4*side*side && !s.Turn.Open && len(s.Turn.Actions) >= 3
	})
	if s.Turn.Open || s.Position.Seat() == engine.Nobody {
		t.Fatal("no turn has a conversion")
	}
	return s
}

// ended returns the end of a match in which seat 2 has retired.
func ended(t testing.TB, side, seats int) imaging.Scene {
	t.Helper()
	s := until(t, side, seats, func(s imaging.Scene, p *rings.Position) bool {
		return p.EmptyCount() < 2*side*side && !s.Turn.Open
	})
	return finish(t, retire(t, s, 2))
}

// zoom returns the scene with a part of the board enlarged.
func zoom(s imaging.Scene, quarter int) imaging.Scene {
	s.Zoom = quarter
	return s
}

// step returns the first step of a legal action.
func step(s imaging.Scene) string { return s.Position.Legal()[0].Steps()[0] }

func TestGolden(t *testing.T) {
	t.Parallel()
	actions := 30
	small := until(t, 3, 3, func(imaging.Scene, *rings.Position) bool {
		actions--
		return actions < 0
	})
	circle := converting(t, 4, 4)
	circle.Picked = []string{fmt.Sprint(circle.Position.(*rings.Position).Convertible()[0])}
	// A full panel: six long names, and more turns than there is room for.
	crowded := imagingtest.Change(placing(t, 6, 6), func(s *imaging.Scene) {
		s.TimeLeft, s.Names = 11*time.Hour+59*time.Minute, slices.Repeat([]string{"Bartholomäus Weltenwanderer"}, 6)
		s.Turn.Actions = slices.Repeat(s.Turn.Actions, 9)
	})
	imagingtest.Golden(t, imagingtest.Renderer(t, Painter()), []imagingtest.Case{
		{Name: "start", Theme: draw.Dark, Scene: start(t, 6, 2)},
		{Name: "chain", Theme: draw.Dark, Scene: converting(t, 6, 6)},
		{Name: "column", Theme: draw.Light, Scene: imagingtest.Pick(placing(t, 6, 6), "M")},
		{Name: "picked", Theme: draw.Contrast, Scene: imagingtest.Pick(placing(t, 5, 3), "J", "9")},
		{Name: "circle", Theme: draw.Light, Scene: circle},
		{Name: "zoom", Theme: draw.Dark, Scene: zoom(converting(t, 6, 6), 2)},
		{Name: "small", Theme: draw.Dark, Scene: imagingtest.Play(t, small, "pass end")},
		{Name: "end", Theme: draw.Light, Scene: ended(t, 5, 4)},
		{Name: "clock", Theme: draw.Light, Scene: crowded},
	}, *update)
}

// Boards of every side and number of seats, at the start, when a quarter and
// three quarters of the points are taken, and at the end, in every kind of
// picture.
func TestAllKinds(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for side := 3; side <= 6; side++ {
		for _, seats := range []int{2, 4, 6} {
			if !imagingtest.Full() && side != seats {
				continue
			}
			var scenes []imaging.Scene
			points := 6 * side * side
			left := []int{points, points * 3 / 4, points / 4}
			last := until(t, side, seats, func(s imaging.Scene, p *rings.Position) bool {
				if len(left) > 0 && p.EmptyCount() <= left[0] {
					scenes, left = append(scenes, s), left[1:]
				}
				return len(left) == 0
			})
			for i, s := range append(scenes, finish(t, last)) {
				s.Legal = i != 1
				letter := "A"
				if !s.Position.(*rings.Position).Converting() && s.Position.Seat() != engine.Nobody {
					letter = step(s)
				}
				for j, s := range []imaging.Scene{s, imagingtest.Pick(s, letter), zoom(s, 1+(side+seats/2+i)%4)} {
					theme := draw.Themes()[(i+j+side+seats)%4]
					file := imagingtest.File(t, r, s, theme)
					limits := limitsOf(t, seats)
					if j > 0 { // the guide extends to the edge
						limits.Inside = image.Rectangle{Max: limits.Size}
					}
					imagingtest.Check(t, Painter(), file, theme, limits)
				}
			}
		}
	}
}

// The clock covers nothing, beside the whole board and beside a part of it.
func TestClock(t *testing.T) {
	t.Parallel()
	s := placing(t, 6, 6)
	for _, s := range []imaging.Scene{start(t, 3, 2), start(t, 6, 6), s, imagingtest.Pick(s, "M"), zoom(start(t, 6, 6), 4)} {
		imagingtest.Clock(t, Painter(), s)
	}
}

// Scenes that differ in one thing have different pictures.
func TestDistinctScenes(t *testing.T) {
	t.Parallel()
	s, before := converting(t, 6, 6), placing(t, 6, 6)
	change := func(f func(*imaging.Scene)) imaging.Scene { return imagingtest.Change(s, f) }
	end := func(winners ...engine.Seat) imaging.Scene {
		return change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: winners} })
	}
	imagingtest.Distinct(t, Painter(), map[string]imaging.Scene{
		"converting":            s,
		"without legal circles": change(func(s *imaging.Scene) { s.Legal = false }),
		"without a turn":        change(func(s *imaging.Scene) { s.Turn = imaging.Turn{} }),
		"a conversion less":     change(func(s *imaging.Scene) { s.Turn.Actions = s.Turn.Actions[:len(s.Turn.Actions)-1] }),
		"without its start":     change(func(s *imaging.Scene) { s.Turn.Before = nil }),
		"without names":         change(func(s *imaging.Scene) { s.Names = nil }),
		"a long name":           change(func(s *imaging.Scene) { s.Names = []string{"Bartholomew the Elder"} }),
		"won by seat 1":         end(1),
		"won by all":            end(1, 2, 3, 4, 5, 6),
		"drawn":                 end(),
		"a circle picked":       imagingtest.Pick(s, step(s)),
		"quarter 1":             zoom(s, 1),
		"quarter 2":             zoom(s, 2),
		"quarter 3":             zoom(s, 3),
		"quarter 4":             zoom(s, 4),
		"placing":               before,
		"without earlier turns": imagingtest.Change(before, func(s *imaging.Scene) { s.Earlier = nil }),
		"an earlier turn less":  imagingtest.Change(before, func(s *imaging.Scene) { s.Earlier = s.Earlier[1:] }),
		"a letter picked":       imagingtest.Pick(before, "M"),
		"another letter picked": imagingtest.Pick(before, "L"),
		"a point picked":        imagingtest.Pick(before, "M", "9"),
		"a letter in a quarter": zoom(imagingtest.Pick(before, "M"), 3),
		"a seat passed":         imagingtest.Play(t, before, "pass"),
		"a seat retired":        retire(t, before, 3),
	})
}

// Steps that are not legal, quarters that do not exist, and everything to do
// after the end are not drawn.
func TestInvalidScenes(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	s, chain, end := placing(t, 5, 3), converting(t, 5, 3), ended(t, 3, 3)
	scenes := map[string]imaging.Scene{}
	for _, steps := range [][]string{{"Z"}, {"99"}, {"0"}, {"pass"}, {""}, {"ab"}, {"-1"}} {
		scenes[strings.Join(steps, " ")] = imagingtest.Pick(s, steps...)
	}
	for _, quarter := range []int{-1, 6, 100} {
		scenes[fmt.Sprint("quarter ", quarter)] = zoom(s, quarter)
	}
	imagingtest.Same(t, r, s, scenes)
	for _, c := range []struct {
		what  string
		want  imaging.Scene
		scene imaging.Scene
	}{
		{"a row that does not exist", imagingtest.Pick(s, "J"), imagingtest.Pick(s, "J", "2")},
		{"a letter during conversions", chain, imagingtest.Pick(chain, "J")},
		{"a letter after the end", end, imagingtest.Pick(end, "A")},
	} {
		imagingtest.Same(t, r, c.want, map[string]imaging.Scene{c.what: c.scene})
	}
	resigned := imagingtest.Change(chain, func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} })
	imagingtest.Same(t, r, resigned, map[string]imaging.Scene{
		"a legal circle after the end": imagingtest.Change(resigned, func(s *imaging.Scene) { s.Legal = false }),
		"a pick after the end":         imagingtest.Pick(resigned, step(chain)),
	})
	s.Turn = imaging.Turn{Seat: 9, Actions: s.Turn.Actions}
	imagingtest.File(t, r, s, "")
}

// A turn longer than the panel is cut.
func TestLongTurns(t *testing.T) {
	t.Parallel()
	s := placing(t, 6, 6)
	long := []engine.Action{s.Turn.Actions[0]}
	for range 200 {
		long = append(long, s.Turn.Actions[1])
	}
	s.Turn.Actions = long
	file := imagingtest.File(t, imagingtest.Renderer(t, Painter()), s, "")
	imagingtest.Check(t, Painter(), file, "", limitsOf(t, 6))
}

// BenchmarkBoard draws a half full board of six seats: the whole board, a picked
// column and a quarter; and it prepares a set.
func BenchmarkBoard(b *testing.B) {
	s := converting(b, 6, 6)
	b.Run("whole", func(b *testing.B) { imagingtest.Benchmark(b, Painter(), s) })
	b.Run("column", func(b *testing.B) { imagingtest.Benchmark(b, Painter(), imagingtest.Pick(placing(b, 6, 6), "M")) })
	b.Run("zoom", func(b *testing.B) { imagingtest.Benchmark(b, Painter(), zoom(s, 1)) })
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			imagingtest.File(b, imagingtest.Renderer(b, Painter()), s, "")
		}
	})
}
