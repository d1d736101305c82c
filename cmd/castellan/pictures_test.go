package main

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folder of the pictures that the documentation shows, and its list.
const (
	shown     = "../../docs/pictures"
	shownList = shown + "/games.txt"
	shownPage = "../../docs/pictures.md"
)

// drawn is a picture of the documentation and how it is drawn.
type drawn struct {
	file string
	args []string
}

// listed reads games.txt as draw.sh does: every picture of every game.
func listed(t *testing.T) (all []drawn, games []string) {
	t.Helper()
	list, err := os.ReadFile(shownList)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 6 {
			t.Fatalf("a line of %d fields, not 6: %s", len(f), line)
		}
		key, middle, open, rest := strings.TrimSpace(f[0]), f[3], f[4], f[5]
		if key == "+" { // one more kind of the game before
			key, kind := strings.TrimSpace(f[1]), strings.TrimSpace(middle)
			args := append([]string{"--game", key, "--theme", "dark", "--turns", open}, strings.Fields(f[2])...)
			all = append(all,
				drawn{key + "-" + kind + ".png", args},
				drawn{key + "-" + kind + "-400.png", append(slices.Clone(args), "--width", "400")})
			continue
		}
		games = append(games, key)
		for _, kind := range []struct{ name, theme, turns string }{
			{"start", "dark", ""},
			{"middle", "dark", middle},
			{"open", "dark", middle + " " + open},
			{"end", "dark", middle + " " + rest},
			{"light", "light", middle},
			{"contrast", "contrast", middle},
		} {
			if kind.name == "open" && strings.TrimSpace(open) == "" {
				continue
			}
			args := append([]string{"--game", key, "--theme", kind.theme, "--turns", kind.turns}, strings.Fields(f[2])...)
			all = append(all,
				drawn{key + "-" + kind.name + ".png", args},
				drawn{key + "-" + kind.name + "-400.png", append(slices.Clone(args), "--width", "400")})
		}
	}
	return all, games
}

// The pictures in the documentation are what the painters draw: every game has
// them, pictures.md shows them all, and none is left over. `make pictures` draws them.
func TestPicturesOfTheDocumentationAreGolden(t *testing.T) {
	t.Parallel()
	all, known := listed(t)
	for _, key := range keys() {
		if !slices.Contains(known, key) {
			t.Errorf("%s has no line for %s", shownList, key)
		}
	}
	page, err := os.ReadFile(shownPage)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"draw.sh", "games.txt"}
	for _, d := range all {
		names = append(names, d.file)
		if !strings.Contains(string(page), "(pictures/"+d.file+")") {
			t.Errorf("%s does not show %s", shownPage, d.file)
		}
		fresh := filepath.Join(t.TempDir(), d.file)
		if got := castellan(t, append([]string{"render", "--out", fresh}, d.args...)...); got.code != 0 {
			t.Errorf("%s: %s", d.file, got.errs)
			continue
		}
		if n := different(t, fresh, filepath.Join(shown, d.file)); n != 0 {
			t.Errorf("%d pixels of %s are not as the painter draws them: make pictures, and look", n, d.file)
		}
	}
	slices.Sort(names)
	if in := files(t, shown); !slices.Equal(in, names) {
		t.Errorf("in %s is %q, and it should be %q", shown, in, names)
	}
}

// different counts the pixels in which two pictures differ by more than a
// trace, which other hardware may leave.
func different(t *testing.T, a, b string) (n int) {
	t.Helper()
	const trace = 2 << 8
	x, y := pngFile(t, a), pngFile(t, b)
	if x.Bounds() != y.Bounds() {
		return x.Bounds().Dx() * x.Bounds().Dy()
	}
	far := func(p, q uint32) bool { return max(p, q)-min(p, q) > trace }
	for j := range x.Bounds().Dy() {
		for i := range x.Bounds().Dx() {
			r1, g1, b1, _ := x.At(i, j).RGBA()
			r2, g2, b2, _ := y.At(i, j).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				n++
			}
		}
	}
	return n
}

func pngFile(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}
