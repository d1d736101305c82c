// Package imagingtest tests painters, also those of other modules. A test draws
// scenes, which [Start] and [Play] make from notation, and compares the pictures
// with golden ones or with each other.
package imagingtest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Full reports whether tests should draw every kind of picture instead of a
// sample: it is set by CASTELLAN_PICTURES=all.
func Full() bool { return os.Getenv("CASTELLAN_PICTURES") == "all" }

// Start returns the scene at the start of a match, with legal actions shown.
func Start(t testing.TB, game engine.Game, options string, seats int) imaging.Scene {
	t.Helper()
	p := enginetest.Start[engine.Position](t, game, options, seats)
	names := []string{"Margarethe", "tobias_k", "Óla", "Κατ", "Дми", "bot"}
	return imaging.Scene{Game: game, Position: p, Names: names[:seats], Legal: true}
}

// Play returns the scene after actions, which are separated by spaces.
func Play(t testing.TB, s imaging.Scene, actions string) imaging.Scene {
	t.Helper()
	for _, token := range strings.Fields(actions) {
		a, err := s.Position.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		s = Apply(t, s, a)
	}
	return s
}

// Apply returns the scene after an action. Its turn is marked.
func Apply(t testing.TB, s imaging.Scene, a engine.Action) imaging.Scene {
	t.Helper()
	p := s.Position
	next, err := p.Apply(a)
	if err != nil {
		t.Fatalf("after %d turns, %s: %v", p.Turns(), a, err)
	}
	if !s.Turn.Open {
		s.Earlier = s.Marked()
		s.Turn = imaging.Turn{Number: p.Turns() + 1, Seat: p.Seat(), Before: p}
	}
	s.Turn.Actions = append(s.Turn.Actions[:len(s.Turn.Actions):len(s.Turn.Actions)], a)
	s.Turn.Open = next.Turns() == p.Turns()
	s.Position = next
	if !s.Turn.Open { // leave the turns after the next player's
		for i, t := range slices.Backward(s.Earlier) {
			if t.Seat == next.Seat() || next.Seat() == engine.Nobody {
				s.Earlier = s.Earlier[i+1:]
				break
			}
		}
	}
	return s
}

// Random returns the scene after random actions, or at the end of the match.
func Random(t testing.TB, s imaging.Scene, actions int, seed uint64) imaging.Scene {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	for range actions {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		s = Apply(t, s, legal[random.IntN(len(legal))])
	}
	return s
}

// Change returns a copy of the scene with a change.
func Change(s imaging.Scene, change func(*imaging.Scene)) imaging.Scene {
	change(&s)
	return s
}

// Pick returns the scene with steps of an action picked.
func Pick(s imaging.Scene, steps ...string) imaging.Scene {
	s.Picked = steps
	return s
}

// Renderer returns a renderer with one painter.
func Renderer(t testing.TB, p imaging.Painter) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// File draws a scene and returns the PNG file.
func File(t testing.TB, r *imaging.Renderer, s imaging.Scene, theme string) []byte {
	t.Helper()
	file, err := r.Board(context.Background(), s, theme)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Picture draws a scene and returns the picture, decoded from its file.
func Picture(t testing.TB, r *imaging.Renderer, s imaging.Scene, theme string) *image.Paletted {
	t.Helper()
	return Decode(t, File(t, r, s, theme))
}

// Decode decodes a file. The picture must be paletted.
func Decode(t testing.TB, file []byte) *image.Paletted {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := img.(*image.Paletted)
	if !ok {
		t.Fatalf("the picture is a %T", img)
	}
	return p
}

// A Case is a picture with a name.
type Case struct {
	Name, Theme string
	Scene       imaging.Scene
}

// Golden compares the pictures of cases with testdata/golden, or rewrites that
// folder's files.
func Golden(t *testing.T, r *imaging.Renderer, cases []Case, update bool) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			GoldenPicture(t, c.Name, Picture(t, r, c.Scene, c.Theme), update)
		})
	}
}

// GoldenPicture compares a picture with a file of testdata/golden, or rewrites
// the file. A channel may differ by 2 of 255: other hardware rounds differently.
func GoldenPicture(t *testing.T, name string, got image.Image, update bool) {
	t.Helper()
	const tolerance = 2
	path := filepath.Join("testdata", "golden", name+".png")
	if update {
		save(t, path, got)
		return
	}
	if d := Compare(t, got, ReadPicture(t, path)); d.Worst > tolerance {
		t.Errorf("%s differs by %d of 255 in the worst pixel", path, d.Worst)
		Save(t, "got.png", got)
		Save(t, "difference.png", d.Picture)
	}
}

// ReadPicture reads a PNG file.
func ReadPicture(t testing.TB, path string) image.Image {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

// Difference says how much two pictures differ.
type Difference struct {
	Worst   int     // channel, of 255
	RMS     float64 // root mean square over the worst channels of all pixels
	Picture *image.Gray
}

// Compare compares two pictures of the same size.
func Compare(t testing.TB, got, want image.Image) Difference {
	t.Helper()
	b := want.Bounds()
	if got.Bounds() != b {
		t.Fatalf("the picture is %v, not %v", got.Bounds(), b)
	}
	d := Difference{Picture: image.NewGray(b)}
	squares := 0
	gotAt, wantAt := pixels(got), pixels(want)
	for y := range b.Dy() {
		for x := range b.Dx() {
			by := Distance(gotAt(x, y), wantAt(x, y))
			if by == 0 {
				continue
			}
			squares += by * by
			d.Worst = max(d.Worst, by)
			d.Picture.SetGray(x, y, color.Gray{Y: uint8(min(255, 64+by))})
		}
	}
	d.RMS = math.Sqrt(float64(squares) / float64(b.Dx()*b.Dy()))
	return d
}

// pixels returns a fast accessor of a picture's colours.
func pixels(img image.Image) func(x, y int) color.RGBA {
	switch img := img.(type) {
	case *image.Paletted:
		colours := make([]color.RGBA, len(img.Palette))
		for i, c := range img.Palette {
			colours[i] = color.RGBAModel.Convert(c).(color.RGBA)
		}
		return func(x, y int) color.RGBA { return colours[img.ColorIndexAt(x, y)] }
	case *image.RGBA:
		return img.RGBAAt
	}
	return func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
}

// Distance returns the largest difference of two colours in a channel, of 255.
func Distance(a, b color.RGBA) int {
	abs := func(p, q uint8) int { return max(int(p)-int(q), int(q)-int(p)) }
	return max(abs(a.R, b.R), abs(a.G, b.G), abs(a.B, b.B))
}

// Limits are what a picture must keep to.
type Limits struct {
	Size   image.Point
	Inside image.Rectangle // the rest has the colour of the lower right pixel
	Bytes  int
}

// Check checks that a file keeps to the limits and that its colours are the
// palette of a painter and a theme.
func Check(t testing.TB, p imaging.Painter, file []byte, theme string, limits Limits) {
	t.Helper()
	img := Decode(t, file)
	if len(file) > limits.Bytes {
		t.Errorf("the picture has %d bytes, more than %d", len(file), limits.Bytes)
	}
	if img.Rect.Size() != limits.Size {
		t.Fatalf("the picture is %v", img.Rect)
	}
	ground := img.ColorIndexAt(limits.Size.X-1, limits.Size.Y-1)
	for y := range limits.Size.Y {
		for x := range limits.Size.X {
			if !image.Pt(x, y).In(limits.Inside) && img.ColorIndexAt(x, y) != ground {
				t.Fatalf("something runs over the edge at (%d, %d)", x, y)
			}
		}
	}
	th, err := draw.ThemeByName(theme)
	if err != nil {
		t.Fatal(err)
	}
	palette, err := draw.NewPalette(th, p.Design())
	if err != nil {
		t.Fatal(err)
	}
	if len(img.Palette) != len(palette.Colours) {
		t.Errorf("the picture has %d colours, the palette %d", len(img.Palette), len(palette.Colours))
		return
	}
	for i, c := range img.Palette {
		if c != palette.Colours[i] {
			t.Errorf("colour %d is %v, not %v", i, c, palette.Colours[i])
		}
	}
}

// Distinct checks that all scenes have different pictures, and that a second
// renderer draws the same files.
func Distinct(t *testing.T, p imaging.Painter, scenes map[string]imaging.Scene) {
	t.Helper()
	r, again := Renderer(t, p), Renderer(t, p)
	seen := map[string]string{}
	for what, s := range scenes {
		file := File(t, r, s, "")
		if other, same := seen[string(file)]; same {
			t.Errorf("%s looks like %s", what, other)
		}
		seen[string(file)] = what
		if !bytes.Equal(File(t, again, s, ""), file) {
			t.Errorf("%s: a second renderer draws another file", what)
		}
	}
}

// Same checks that scenes have the same picture as another scene.
func Same(t *testing.T, r *imaging.Renderer, want imaging.Scene, scenes map[string]imaging.Scene) {
	t.Helper()
	file := File(t, r, want, "")
	for what, s := range scenes {
		if !bytes.Equal(File(t, r, s, ""), file) {
			t.Errorf("%s is visible", what)
		}
	}
}

// Save keeps a picture of a failure in the artifact directory of a test, see
// go test -artifacts.
func Save(t *testing.T, name string, img image.Image) {
	t.Helper()
	path := filepath.Join(t.ArtifactDir(), name)
	save(t, path, img)
	t.Logf("see %s (with -artifacts)", path)
}

func save(t *testing.T, path string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Clock checks that the picture of a scene shows the longest time of the seat to
// move, below the board, and no time once the match is over.
func Clock(t *testing.T, p imaging.Painter, s imaging.Scene) {
	t.Helper()
	r := Renderer(t, p)
	for _, theme := range draw.Themes() {
		before := Picture(t, r, s, theme)
		timed := Change(s, func(s *imaging.Scene) { s.TimeLeft = 24*time.Hour - time.Second })
		after := Picture(t, r, timed, theme)
		var changed image.Rectangle
		for y := range after.Rect.Dy() {
			for x := range after.Rect.Dx() {
				if after.ColorIndexAt(x, y) != before.ColorIndexAt(x, y) {
					changed = changed.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if size := after.Rect.Max; changed.Dx() < 150 || changed.Max.X > size.X-10 || changed.Min.Y < size.Y/2 || changed.Max.Y > size.Y-5 {
			t.Errorf("%s: the clock is at %v of %v", theme, changed, size)
		}
	}
	timed := Change(s, func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Void: true} })
	Same(t, r, timed, map[string]imaging.Scene{"the time of an ended match": Change(timed, func(s *imaging.Scene) { s.TimeLeft = time.Hour })})
}
