package trails

import (
	"flag"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// Turns, by their first letters, and what their pictures show.
const (
	// A jump over the opponent's trail with a boost; both seats have a tower.
	middle = "rururlrddddldlllluuuulrludldurlulrlrlududrrdrruuluulludrdu"
	// A tower can be taken by a jump.
	taking = "dlrlrlulrurururrddddlrlrldlludrlruruurrrdrdrdurldulldllludl"
	// The third of five towers decides.
	towersWin = "rurudududurlrdudrddddllulululuulrlulududrrdrdudldurrrrudrlrduduru"
	// Blue blocks Red.
	blocked = "dlrlulrldududrdrlruuuuurlrudrrrdrdrlululldlldurududrrurluuururrrrddlll" +
		"ddrrdrdrd"
	// The smallest board, a head on a tower.
	small = "durlrldudulrlr"
	// The largest board with the most towers, one of which can be taken.
	large = "rurururlrldllllllllddddrrrrrrrrddddldllluluulrlrlululudrdudrrdududrrur" +
		"lrududrrruruuluurrrrrrruruululludllllldududrdrrdurudrdrlululllludrrudu" +
		"drdrdudrrru"
)

var limits = imagingtest.Limits{Size: image.Pt(draw.Width, 1271), Inside: image.Rect(0, 0, draw.Width, 1268), Bytes: 70 << 10}

func start(t testing.TB, options string) imaging.Scene {
	t.Helper()
	return imagingtest.Start(t, trails.Game{}, options, 2)
}

// scene returns the scene after turns, which are given by their first letters.
func scene(t testing.TB, options, turns string) imaging.Scene {
	t.Helper()
	return imagingtest.Play(t, start(t, options), strings.Join(strings.Split(turns, ""), " "))
}

// ended sets how the match of a scene ended.
func ended(s imaging.Scene, winners ...engine.Seat) imaging.Scene {
	s.Outcome = &imaging.Outcome{Winners: winners}
	return s
}

func cases(t testing.TB) []imagingtest.Case {
	t.Helper()
	return []imagingtest.Case{
		{Name: "start", Theme: draw.Dark, Scene: scene(t, "size=11", "")},
		{Name: "middle", Theme: draw.Dark, Scene: scene(t, "size=11", middle)},
		{Name: "taking", Theme: draw.Dark, Scene: scene(t, "size=11", taking)},
		{Name: "towers-win", Theme: draw.Dark, Scene: scene(t, "size=13 towers=5", towersWin)},
		{Name: "closed-in", Theme: draw.Light, Scene: scene(t, "size=15 towers=3", blocked)},
		{Name: "small", Theme: draw.Dark, Scene: scene(t, "size=5", small)},
		{Name: "large", Theme: draw.Dark, Scene: scene(t, "size=21 towers=9", large)},
		{Name: "light", Theme: draw.Light, Scene: scene(t, "size=11", middle)},
		{Name: "contrast", Theme: draw.Contrast, Scene: scene(t, "size=11", taking)},
		{Name: "drawn", Theme: draw.Contrast, Scene: ended(scene(t, "size=7 towers=2", "rlrl"))},
		{Name: "resigned", Theme: draw.Light, Scene: ended(scene(t, "size=9 towers=1", "rlrl"), 2)},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	timed := imagingtest.Change(scene(t, "size=11", middle), func(s *imaging.Scene) { s.TimeLeft = 23*time.Hour + 59*time.Minute })
	imagingtest.Golden(t, imagingtest.Renderer(t, Painter()), append(cases(t), imagingtest.Case{Name: "clock", Theme: draw.Contrast, Scene: timed}), *update)
}

// Boards of every size, with few and many towers, at the start, in the middle
// and at the end.
func TestAllSizes(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for edge := 5; edge <= 21; edge += 2 {
		for _, towers := range []int{1, 3, 9} {
			if towers > edge || !imagingtest.Full() && (edge+towers)%8 != 0 {
				continue
			}
			options := fmt.Sprintf("size=%d towers=%d distance=0", edge, towers)
			for i, turns := range []int{0, 1, 3 * edge, 1000} {
				theme := draw.Themes()[(i+edge+towers)%4]
				s := imagingtest.Random(t, start(t, options), turns, uint64(edge+towers))
				imagingtest.Check(t, Painter(), imagingtest.File(t, r, s, theme), theme, limits)
			}
		}
	}
}

// Scenes that differ in one thing have different pictures.
func TestDistinctScenes(t *testing.T) {
	t.Parallel()
	s := scene(t, "size=11", middle)
	change := func(f func(*imaging.Scene)) imaging.Scene { return imagingtest.Change(s, f) }
	imagingtest.Distinct(t, Painter(), map[string]imaging.Scene{
		"unchanged":             s,
		"without legal targets": change(func(s *imaging.Scene) { s.Legal = false }),
		"without a last turn":   change(func(s *imaging.Scene) { s.Turn = imaging.Turn{} }),
		"without names":         change(func(s *imaging.Scene) { s.Names = nil }),
		"other names":           change(func(s *imaging.Scene) { s.Names = []string{"a", "b"} }),
		"won by Blue":           ended(s, 1),
		"won by Red":            ended(s, 2),
		"drawn":                 ended(s),
	})
}

// The clock covers nothing on boards of any size.
func TestClock(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"size=5 towers=1", "size=11", "size=21 towers=9"} {
		imagingtest.Clock(t, Painter(), imagingtest.Random(t, start(t, options), 5, 3))
	}
}

func TestNoTargetsAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, Painter())
	for _, s := range []imaging.Scene{scene(t, "size=13 towers=5", towersWin), ended(scene(t, "size=11", middle))} {
		without := imagingtest.Change(s, func(s *imaging.Scene) { s.Legal = false })
		imagingtest.Same(t, r, without, map[string]imaging.Scene{"a target": s})
	}
}

func BenchmarkBoard(b *testing.B) { imagingtest.Benchmark(b, Painter(), scene(b, "size=11", middle)) }
