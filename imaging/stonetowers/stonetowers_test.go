package stonetowers

import (
	"flag"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// Turns and what their pictures show. A square with a castle is fortified.
const (
	// Castles of every level; the last turn takes squares of Blue and of nobody
	// and destroys a castle.
	middle = "b7 d8 d1 d6 e3 d7 a2 a4 g3 h7 c4 f1 g6 d8 d1 f5 a6 f7 a3 a8 c4 f7 g6 d7 h1 d6 b2 d8 b7 g8 h4 a8 b4"
	// Two castles stand in balance, and one brings down the other.
	domino = "a4 d4 b4 c4 d6 h1 d6 h1 d5 h1 d5 g1 b4 g1 b4"
	// Blue wins with the last turn.
	end = "f3 e5 f4 c4 b3 d1 b6 g2 f4 a1 f4 e6 e3 d1 g5 c5 g5 a1 g5 g1 e3 e1 b2 c3 a5 d4 b6 g2"
	// Red has nothing left to do and passes.
	pass = "a1 b3 a4 c3 a4 c3 a3 d3 d1 b2 a4 b2 a1 b2 a3 c2 a1 b1 a3 b3 d1 d3 d1 c2 a2 b3 b4 c3 b4 b1 a2 d4 a2 b1 b4 c2 pass"
	// The smallest board.
	four = "b2 d4 a4 d1 a2 d2 b2 d1 b2 c3 a2 d4 b3 d2 c2 c4 a2 c4 a1 c4"
	// A wide and a high board, and the largest, whose cells have no room for
	// walls.
	wide  = "c4 o3 e2 h1 l2 j3 b3 p1 h4 c1 l4 n1 g3 j1 b3 f4 b3 i1 b2 c1 l2 o3 g3 k3 d4 k3 l4 k3 m4"
	high  = "b5 b3 d6 b7 c1 e4 e8 d2 a4 a9 c9 a9 d7 a2 c9 a2 c1 b3 d7 a8 d6 b2 a6 b7 c9 a3 e1 b2 e8 a3"
	large = "a1 j5 f12 b5 b15 n2 j2 g6 l15 h15 b10 j9 m7 e6 h7 d9 n5 f8 o13 o10 e15 o7 j16 c2 f2 o16 m12 h3 f12 d11 " +
		"f4 k11 a13 h11 e16 c5 c14 j6 m10 p3 l4 g8 j14 o7 a8 h10 c12 k8 n9 h13 o13 j6 e2 d8 b7 m2 a15 c3 p9 o16 " +
		"e10 p16 a4 k9 b10 n1 j13 p1 p12 o4 m9 o15 i12 o7 h1 h10 g16 h4 d13 l1 c14 o4 f11 b2 g16 n14 f14 i8 b16 " +
		"p5 i12 c1 p13 p5 j14 d4 k3 o8 g4 n7 i12 n11 l5 i8 f14 m2 a8 j5 a8 g13 h12 k12 f4 i7 h1 d8 f11 h3 l10 c5 " +
		"n5 c1 a1 p6 f14 j11 e15 o4 l12 p3 h1 n16 a4 h8"
)

func start(t testing.TB, options string) imaging.Scene {
	t.Helper()
	return imagingtest.Start(t, stonetowers.Game{}, options, 2)
}

func scene(t testing.TB, options, turns string) imaging.Scene {
	t.Helper()
	return imagingtest.Play(t, start(t, options), turns)
}

func cases(t testing.TB) []imagingtest.Case {
	t.Helper()
	pick := imagingtest.Pick
	drawn := scene(t, "width=4 height=4", four)
	drawn.Outcome = &imaging.Outcome{}
	largest := scene(t, "width=16 height=16 turns=100", large)
	return []imagingtest.Case{
		{Name: "start", Theme: draw.Dark, Scene: start(t, "")},
		{Name: "middle", Theme: draw.Dark, Scene: scene(t, "", middle)},
		{Name: "light", Theme: draw.Light, Scene: scene(t, "", middle)},
		{Name: "domino", Theme: draw.Contrast, Scene: scene(t, "", domino)},
		{Name: "file", Theme: draw.Dark, Scene: pick(scene(t, "", domino), "h")},
		{Name: "square", Theme: draw.Light, Scene: pick(scene(t, "", domino), "g", "1+")},
		{Name: "end", Theme: draw.Dark, Scene: scene(t, "width=7 height=6 turns=14", end)},
		{Name: "pass", Theme: draw.Light, Scene: scene(t, "width=4 height=4 turns=40", pass)},
		{Name: "drawn", Theme: draw.Contrast, Scene: drawn},
		{Name: "wide", Theme: draw.Light, Scene: scene(t, "width=16 height=4", wide)},
		{Name: "high", Theme: draw.Contrast, Scene: scene(t, "width=5 height=9", high)},
		{Name: "clock", Theme: draw.Dark, Scene: imagingtest.Change(scene(t, "", domino), func(s *imaging.Scene) { s.TimeLeft = 45 * time.Minute })},
		{Name: "large", Theme: draw.Dark, Scene: largest},
		{Name: "large-file", Theme: draw.Light, Scene: pick(largest, "e")},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	imagingtest.Golden(t, imagingtest.Renderer(t, Painter()), cases(t), *update)
}

// Boards of every width and height, at the start, in the middle with something
// picked, and at the end.
func TestAllSizes(t *testing.T) {
	t.Parallel()
	for width := 4; width <= 16; width++ {
		for _, height := range []int{4, 4 + (width+2)%13, width, 16} {
			if !imagingtest.Full() && (width%4 != 0 || height != 4 && height != 16) {
				continue
			}
			theme := draw.Themes()[(width+height)%4]
			bottom := draw.NewGrid(width, height, theme == draw.Contrast).Framed().Max.Y + 191
			limits := imagingtest.Limits{Size: image.Pt(draw.Width, bottom), Inside: image.Rect(0, 0, draw.Width, bottom-3), Bytes: 70 << 10}
			r := imagingtest.Renderer(t, Painter()) // it keeps the sprites of every size
			options := fmt.Sprintf("width=%d height=%d turns=%d", width, height, 5+width*height/3)
			for i, turns := range []int{0, 1, width * height / 3, 1000} {
				s := imagingtest.Random(t, start(t, options), turns, uint64(width+height))
				if i == 2 {
					s.Picked = []string{"b"}
				}
				imagingtest.Check(t, Painter(), imagingtest.File(t, r, s, theme), theme, limits)
			}
		}
	}
}

// Scenes that differ in one thing have different pictures.
func TestDistinctScenes(t *testing.T) {
	t.Parallel()
	s := scene(t, "", middle)
	change := func(f func(*imaging.Scene)) imaging.Scene { return imagingtest.Change(s, f) }
	imagingtest.Distinct(t, Painter(), map[string]imaging.Scene{
		"unchanged":             s,
		"more turns to play":    scene(t, "turns=40", middle),
		"a turn earlier":        scene(t, "", strings.TrimSuffix(middle, " b4")),
		"without legal squares": change(func(s *imaging.Scene) { s.Legal = false }),
		"without a last turn":   change(func(s *imaging.Scene) { s.Turn = imaging.Turn{} }),
		"without its start":     change(func(s *imaging.Scene) { s.Turn.Before = nil }),
		"without names":         change(func(s *imaging.Scene) { s.Names = nil }),
		"file d picked":         imagingtest.Pick(s, "d"),
		"file e picked":         imagingtest.Pick(s, "e"),
		"e5 picked":             imagingtest.Pick(s, "e", "5"),
		"e6 picked":             imagingtest.Pick(s, "e", "6"),
		"won by Red":            change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} }),
		"won by Blue":           change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}} }),
		"drawn":                 change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} }),
	})
}

// The clock covers nothing on boards of any size.
func TestClock(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"width=4 height=4", "", "width=16 height=4", "width=16 height=16"} {
		imagingtest.Clock(t, Painter(), imagingtest.Random(t, start(t, options), 15, 3))
	}
}

// Unowned squares, land and castles of each level and seat look different, on
// large and on small cells.
func TestDistinctSquares(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for _, size := range []int{8, 16} {
		// Red's castles stand on a1, c1 and e1, Blue's on a4, c4 and e4, of
		// levels 1, 2 and 3; between them lies land, and b8 is unowned.
		s := scene(t, fmt.Sprintf("width=%d height=%d", size, size), "a1 a4 c1 c4 c1 c4 e1 e4 e1 e4 e1 e4")
		s.Turn, s.Legal = imaging.Turn{}, false
		grid := draw.NewGrid(size, size, false)
		for _, theme := range draw.Themes() {
			img := imagingtest.Picture(t, r, s, theme)
			seen := map[string]string{}
			for _, name := range []string{"b1", "a1", "c1", "e1", "b4", "a4", "c4", "e4", "b8"} {
				box := grid.Square(int(name[0]-'a'), int(name[1]-'1'))
				var pixels []byte
				for y := box.Min.Y; y < box.Max.Y; y++ {
					pixels = append(pixels, img.Pix[img.PixOffset(box.Min.X, y):img.PixOffset(box.Max.X, y)]...)
				}
				if other, same := seen[string(pixels)]; same {
					t.Errorf("%s, %d squares a side: %s looks like %s", theme, size, name, other)
				}
				seen[string(pixels)] = name
			}
		}
	}
}

// After the end, and if only a pass is legal, nothing is offered or picked.
func TestNothingIsOfferedAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	drawn := scene(t, "", middle)
	drawn.Outcome = &imaging.Outcome{}
	for _, s := range []imaging.Scene{
		scene(t, "width=7 height=6 turns=14", end), drawn,
		scene(t, "width=4 height=4 turns=40", strings.TrimSuffix(pass, " pass")),
	} {
		scenes := map[string]imaging.Scene{}
		for _, steps := range [][]string{nil, {"a"}, {"pass"}, {"d", "1"}, {"d", "1", "?"}} {
			scenes[fmt.Sprintf("%q", steps)] = imagingtest.Pick(s, steps...)
		}
		s.Legal = false
		imagingtest.Same(t, r, s, scenes)
	}
}

// Steps that lead nowhere and a turn that does not belong to the position are
// drawn without failing.
func TestInvalidScenes(t *testing.T) {
	r := imagingtest.Renderer(t, Painter())
	good := scene(t, "", middle)
	other := imagingtest.Play(t, imagingtest.Start(t, trails.Game{}, "size=5", 2), "right left")
	for _, change := range []func(*imaging.Scene){
		func(s *imaging.Scene) { s.Turn.Before = start(t, "width=5").Position },
		func(s *imaging.Scene) { s.Turn.Before = other.Position },
		func(s *imaging.Scene) { s.Turn.Actions = other.Turn.Actions },
		func(s *imaging.Scene) { s.Turn.Seat = 0 },
		func(s *imaging.Scene) { s.Turn.Seat = 3 },
		func(s *imaging.Scene) { s.Picked = []string{"z"} },
		func(s *imaging.Scene) { s.Picked = []string{"a", "1"} },
	} {
		imagingtest.File(t, r, imagingtest.Change(good, change), "")
	}
}

func BenchmarkBoard(b *testing.B) { imagingtest.Benchmark(b, Painter(), scene(b, "", middle)) }
