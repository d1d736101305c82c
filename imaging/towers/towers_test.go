package towers

import (
	"flag"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// Actions and what their pictures show.
const (
	// The master's tower captures, and Red takes the master of Blue.
	taken = "a2-b2 d2-d3 end d5-d3 end d1-c1 e1-e2 end c5-c4 +1 end b1-a1 f1-e1 f2-e2 end d3-c3 c3-d3 end +2 e1-e2 end " +
		"c6-d6 c4-b4 end c1-f1 end a5-a2 end f1-f4 end b6-a6 f5-f4"
	// A turn of four actions is open. Some squares are locked, and a pawn can
	// leave the master's tower.
	open = "d2-d5 d5-d4 end e7-e3 end g2-h2 b2-b4 a2-a1 end f7-d7 h8-h7 g8-h8 end e2-e3 g1-h1 c1-c2 d1-e1 end d7/d6 h7/h4 end " +
		"e1-f1 b4-b1 h1/g1 end b7-b6 c7-d7 c8-d8 h4-h3 end g1-f1 e3-c3 c2/e2 c2-c1 end h8-f8 b8-b6 e8-e7 end b1/a1 f1-c1 h2/h1 d4-d3 f2-f3 end " +
		"d7-c7 d6-d8 f8/g8 end e2-g2 f3-f6 f6-f3 end e7-e2 g8-h8 end h1/e1 c3-d3 +3 h1-g1 end a8-b8 b6/b5 h8-f8 b6-b7 e2-f2 end b1-b4 g1-e1 +1"
	// The largest board, the last turn a long one.
	large = "c2-c6 g2-g1 i2-j2 end +6 end c6-c7 c7-f7 d2-c2 c1-d1 end i9-i7 i7-i10 g9-g10 end j2-j4 c2-e2 end c9-c8 b9-b7 b10-b8 a10-a9 end " +
		"a2-a4 b1-c1 g1-g2 h2-g2 end e9-e3 end j1-j2 f7-f4 b2-c2 f2-f1 end i10-i8 d9-d8 j10-j9 end g2-g1 h1-h5 end b8-b10 g10-g8 end " +
		"g1-g3 h5-h6 end c8-a8 c10-c7 d8-c8 end f4-f9 c1-b1 a4-b4 end d10-d8 a8-b8 c7-f7 end"
	// As many actions as move points, two pawns out of the master's tower.
	out = "a2-b2 end a9-b9 end +2 f1/f2 f1/e1 a1-a2 d2-d3"
)

var limits = imagingtest.Limits{Size: image.Pt(draw.Width, 1271), Inside: image.Rect(0, 0, draw.Width, 1268), Bytes: 64 << 10}

func start(t testing.TB, options string) imaging.Scene {
	t.Helper()
	return imagingtest.Start(t, towers.Game{}, options, 2)
}

func scene(t testing.TB, options, actions string) imaging.Scene {
	t.Helper()
	return imagingtest.Play(t, start(t, options), actions)
}

func cases(t testing.TB) []imagingtest.Case {
	t.Helper()
	opened := scene(t, "size=8 rules=tower-out", open)
	resigned := scene(t, "size=9", "b2-b5 end")
	resigned.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}}
	return []imagingtest.Case{
		{Name: "start", Theme: draw.Light, Scene: start(t, "")},
		{Name: "open", Theme: draw.Dark, Scene: opened},
		{Name: "picked", Theme: draw.Dark, Scene: imagingtest.Pick(scene(t, "size=10", large), "g3")},
		{Name: "turned", Theme: draw.Dark, Scene: imagingtest.Change(imagingtest.Pick(opened, "c1"), func(s *imaging.Scene) { s.Side = 2 })},
		{Name: "pawn-out", Theme: draw.Contrast, Scene: imagingtest.Pick(opened, "c1", "/")},
		{Name: "out", Theme: draw.Light, Scene: scene(t, "size=10", out)},
		{Name: "taken", Theme: draw.Light, Scene: scene(t, "size=6", taken)},
		{Name: "passes", Theme: draw.Contrast, Scene: scene(t, "size=7 rules=master-at-corner", "a2-a4 end end end")},
		{Name: "clock", Theme: draw.Light, Scene: imagingtest.Change(opened, func(s *imaging.Scene) { s.TimeLeft = 3*time.Hour + 20*time.Minute })},
		{Name: "resigned", Theme: draw.Dark, Scene: resigned},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	imagingtest.Golden(t, imagingtest.Renderer(t, Painter()), cases(t), *update)
}

// Boards of every size at the start, in the middle, with turns open and at the
// end, whatever is picked.
func TestAllSizes(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for edge := 5; edge <= 10; edge++ {
		if !imagingtest.Full() && edge%5 != 0 {
			continue
		}
		for i, actions := range []int{0, 1, 12 * edge, 13 * edge, 3000} {
			options := fmt.Sprintf("size=%d rules=%s", edge, []string{"none", "tower-out", "lock-after-move"}[i%3])
			s := random(t, start(t, options), actions, uint64(edge+i))
			theme := draw.Themes()[(i+edge)%4]
			picks := [][]string{nil, {"nothing"}, {"+"}}
			for _, a := range s.Position.Legal() {
				if steps := a.Steps(); len(picks) < 8 {
					picks = append(picks, steps[:1], steps)
				}
			}
			if !imagingtest.Full() {
				picks = picks[len(picks)-2:]
			}
			for _, s.Picked = range picks {
				imagingtest.Check(t, Painter(), imagingtest.File(t, r, s, theme), theme, limits)
			}
		}
	}
}

// random returns the scene after random actions, mostly the end of the turn,
// which is the last legal action.
func random(t testing.TB, s imaging.Scene, actions int, seed uint64) imaging.Scene {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for range actions {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		n := uint64(len(legal))
		if n > 1 && r.Uint64()%8 > 0 {
			n--
		}
		s = imagingtest.Apply(t, s, legal[r.Uint64()%n])
	}
	return s
}

// The clock covers nothing on boards of any size, whoever is to move.
func TestClock(t *testing.T) {
	t.Parallel()
	opened := scene(t, "size=8 rules=tower-out", open)
	for _, s := range []imaging.Scene{
		start(t, "size=5"), start(t, "size=10"), opened, scene(t, "size=10", out), scene(t, "size=10", large),
		imagingtest.Change(opened, func(s *imaging.Scene) { s.Side = 2 }),
	} {
		imagingtest.Clock(t, Painter(), s)
	}
}

// Scenes that differ in one thing have different pictures.
func TestDistinctScenes(t *testing.T) {
	t.Parallel()
	s := scene(t, "size=8 rules=tower-out", open)
	change := func(f func(*imaging.Scene)) imaging.Scene { return imagingtest.Change(s, f) }
	pick := func(steps ...string) imaging.Scene { return imagingtest.Pick(s, steps...) }
	imagingtest.Distinct(t, Painter(), map[string]imaging.Scene{
		"unchanged":                     s,
		"without legal signs":           change(func(s *imaging.Scene) { s.Legal = false }),
		"without a turn":                change(func(s *imaging.Scene) { s.Turn = imaging.Turn{} }),
		"an action less":                change(func(s *imaging.Scene) { s.Turn.Actions = s.Turn.Actions[1:] }),
		"other names":                   change(func(s *imaging.Scene) { s.Names = []string{"a", "b"} }),
		"won by Blue":                   change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} }),
		"won by Red":                    change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}} }),
		"drawn":                         change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} }),
		"a tower picked":                pick("d3"),
		"a tower's target picked":       pick("d3", "d4"),
		"a pawn out of a tower":         pick("d3", "/"),
		"a tower that only gives pawns": pick("a1"),
		"the master picked":             pick("c1"),
		"a pawn out of the master's":    pick("c1", "/"),
		"an import picked":              pick("+"),
		"another action":                imagingtest.Play(t, s, "h2-h1"),
		"the turn ended":                imagingtest.Play(t, s, "end"),
	})
}

func TestNoTargetsAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for _, actions := range []string{taken, "a2-a3 end"} {
		s := imagingtest.Pick(scene(t, "size=6", actions), "a5")
		s.Outcome = &imaging.Outcome{}
		without := imagingtest.Change(s, func(s *imaging.Scene) { s.Legal = false })
		imagingtest.Same(t, r, without, map[string]imaging.Scene{"a target": s})
	}
}

// Locks mean nothing after the end, least of all under a captured master.
func TestNoLocksAfterTheEnd(t *testing.T) {
	t.Parallel()
	k := testSet(t, 6)
	end := scene(t, "size=6", taken)
	p := end.Position.(*towers.Position)
	locked := false
	for y := range p.Size() {
		for x := range p.Size() {
			locked = locked || p.Locked(towers.Square{X: x, Y: y})
		}
	}
	c := draw.NewCanvas(k.Palette, draw.Width, k.Size().Y)
	k.Paint(c, end, p)
	for y := range p.Size() {
		for x := range p.Size() {
			// The lower left of a cell shows the hatch alone.
			at := k.Grid.Square(x, y)
			corner := image.Rect(at.Min.X+1, at.Max.Y-at.Dy()/8, at.Min.X+at.Dx()/8, at.Max.Y-1)
			for py := corner.Min.Y; py < corner.Max.Y; py++ {
				for px := corner.Min.X; px < corner.Max.X; px++ {
					if c.ColorIndexAt(px, py) == k.Index(draw.Line) {
						t.Fatalf("the square at %d, %d is hatched", x, y)
					}
				}
			}
		}
	}
	if !locked {
		t.Error("the position has no lock")
	}
}

// A turn of more actions than there is room for loses its first actions.
func TestLongTurns(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	s := scene(t, "size=10", out)
	a, err := s.Position.Parse("j10-j9")
	if err != nil {
		t.Fatal(err)
	}
	s.Turn.Seat = 2 // so that no bracket depends on the number of actions
	seen := map[string]int{}
	for _, n := range []int{1, 2, 4, 5, 30} {
		s.Turn.Actions = nil
		for range n {
			s.Turn.Actions = append(s.Turn.Actions, a)
		}
		file := imagingtest.File(t, r, s, "")
		imagingtest.Check(t, Painter(), file, "", limits)
		if other, same := seen[string(file)]; same && n != 30 {
			t.Errorf("%d actions look like %d", n, other)
		}
		seen[string(file)] = n
	}
}

func BenchmarkBoard(b *testing.B) {
	imagingtest.Benchmark(b, Painter(), imagingtest.Pick(scene(b, "size=10", large), "g3"))
}
