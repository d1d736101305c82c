package imaging_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"castellan/engine"
	"castellan/imaging"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// Turns, by their first letters, that lead to what the pictures are to show.
const (
	// A jump over the opponent's trail with a boost, and both with a tower.
	middle = "rururlrddddldlllluuuulrludldurlulrlrlududrrdrruuluulludrdu"
	// A tower can be taken by a jump.
	taking = "dlrlrlulrurururrddddlrlrldlludrlruruurrrdrdrdurldulldllludl"
	// The third of five towers decides.
	towersWin = "rurudududurlrdudrddddllulululuulrlulududrrdrdudldurrrrudrlrduduru"
	// Blue closes Red in.
	closedIn = "dlrlulrldududrdrlruuuuurlrudrrrdrdrlululldlldurududrrurluuururrrrddlll" +
		"ddrrdrdrd"
	// The smallest board, a head on a tower.
	small = "durlrldudulrlr"
	// The largest board with the most towers, one of which can be taken.
	large = "rurururlrldllllllllddddrrrrrrrrddddldllluluulrlrlululudrdudrrdududrrur" +
		"lrududrrruruuluurrrrrrruruululludllllldududrdrrdurudrdrlululllludrrudu" +
		"drdrdudrrru"
)

// golden is a picture that is kept.
type golden struct {
	name, theme    string
	options, turns string
	change         func(*imaging.Scene)
}

func goldens() []golden {
	return []golden{
		{name: "start", theme: imaging.Dark, options: "size=11"},
		{name: "middle", theme: imaging.Dark, options: "size=11", turns: middle},
		{name: "taking", theme: imaging.Dark, options: "size=11", turns: taking},
		{name: "towers-win", theme: imaging.Dark, options: "size=13 towers=5", turns: towersWin},
		{name: "closed-in", theme: imaging.Light, options: "size=15 towers=3", turns: closedIn},
		{name: "small", theme: imaging.Dark, options: "size=5", turns: small},
		{name: "large", theme: imaging.Dark, options: "size=21 towers=9", turns: large},
		{name: "light", theme: imaging.Light, options: "size=11", turns: middle},
		{name: "contrast", theme: imaging.Contrast, options: "size=11", turns: taking},
		{name: "drawn", theme: imaging.Contrast, options: "size=7 towers=2", turns: "rlrl", change: func(s *imaging.Scene) {
			s.Outcome = &imaging.Outcome{}
		}},
		{name: "resigned", theme: imaging.Light, options: "size=9 towers=1", turns: "rlrl", change: func(s *imaging.Scene) {
			s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}}
		}},
	}
}

func (g golden) scene(t testing.TB) imaging.Scene {
	t.Helper()
	s := trailsScene(t, g.options, g.turns)
	if g.change != nil {
		g.change(&s)
	}
	return s
}

func TestPicturesAreTheGoldenOnes(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			file, err := r.Board(context.Background(), g.scene(t), g.theme)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			isGolden(t, g.name, got)
		})
	}
}

// tolerance is how far a channel may be off, of 255: other hardware rounds
// differently.
const tolerance = 2

// isGolden compares a picture with the one that is kept under a name, or keeps
// it with -update.
func isGolden(t *testing.T, name string, got image.Image) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".png")
	if *update {
		write(t, path, got)
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./imaging -run Golden -update makes it", err)
	}
	want, err := png.Decode(bytes.NewReader(kept))
	if err != nil {
		t.Fatal(err)
	}
	if d := compare(t, got, want); d.worst > tolerance {
		t.Errorf("%d pixels differ from %s", d.beyond(tolerance), path)
		save(t, "is.png", got)
		save(t, "difference.png", d.picture)
	}
}

// distance is the largest difference of two colours in a channel, of 255.
func distance(a, b color.Color) int {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	abs := func(p, q uint8) int { return max(int(p)-int(q), int(q)-int(p)) }
	return max(abs(x.R, y.R), abs(x.G, y.G), abs(x.B, y.B))
}

// save keeps a picture of a failure in testdata/failed, out of git's sight.
func save(t *testing.T, name string, img image.Image) {
	t.Helper()
	path := filepath.Join("testdata", "failed", filepath.Base(t.Name())+"-"+name)
	write(t, path, img)
	t.Logf("see imaging/%s", filepath.ToSlash(path))
}

func write(t *testing.T, path string, img image.Image) {
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
