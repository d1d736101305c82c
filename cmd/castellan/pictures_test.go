package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/cmd/internal/games"
	"castellan/imaging/imagingtest"
)

// The pictures of the documentation, their list, and the page that shows them.
const (
	docsPictures = "../../docs/pictures"
	docsList     = docsPictures + "/games.txt"
	docsPage     = "../../docs/play/pictures.md"
)

// docsPicture is a picture of the documentation and the flags that draw it.
type docsPicture struct {
	file  string
	flags []string
}

// readDocsList reads games.txt as draw.sh does. It returns the pictures and the
// keys of their games.
func readDocsList(t *testing.T) (all []docsPicture, games []string) {
	t.Helper()
	list, err := os.ReadFile(docsList)
	must(t, err)
	add := func(game, flags, kind, theme, turns string) {
		args := append([]string{"--game", game, "--theme", theme, "--turns", turns}, strings.Fields(flags)...)
		name := game + "-" + kind
		all = append(all, docsPicture{name + ".png", args}, docsPicture{name + "-400.png", append(slices.Clone(args), "--width", "400")})
	}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 6 {
			t.Fatalf("a line of %d fields, not 6: %s", len(f), line)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if f[0] == "+" { // another kind of the game above
			add(f[1], f[2], f[3], "dark", f[4])
			continue
		}
		game, flags, middle, open, rest := f[0], f[2], f[3], f[4], f[5]
		games = append(games, game)
		add(game, flags, "start", "dark", "")
		add(game, flags, "middle", "dark", middle)
		if open != "" {
			add(game, flags, "open", "dark", middle+" "+open)
		}
		add(game, flags, "end", "dark", middle+" "+rest)
		add(game, flags, "light", "light", middle)
		add(game, flags, "wood", "wood", middle)
		add(game, flags, "contrast", "contrast", middle)
	}
	return all, games
}

// The pictures of the documentation are what the painters draw: every game has
// some, pictures.md shows them all, and no others are in the folder. Of the
// small ones, only those of the middle of a match are drawn again, unless
// CASTELLAN_PICTURES=all.
func TestDocsPictures(t *testing.T) {
	t.Parallel()
	all, listed := readDocsList(t)
	for _, key := range games.Keys() {
		if !slices.Contains(listed, key) {
			t.Errorf("%s has no line for %s", docsList, key)
		}
	}
	page, err := os.ReadFile(docsPage)
	must(t, err)
	names := []string{"draw.sh", "games.txt"}
	folder := t.TempDir()
	for _, d := range all {
		names = append(names, d.file)
		if !strings.Contains(string(page), "(../pictures/"+d.file+")") {
			t.Errorf("%s does not show %s", docsPage, d.file)
		}
		if strings.HasSuffix(d.file, "-400.png") && !strings.HasSuffix(d.file, "-middle-400.png") && !imagingtest.Full() {
			continue
		}
		drawn := filepath.Join(folder, d.file)
		if got := castellan(t, append([]string{"render", "--out", drawn}, d.flags...)...); got.Code != 0 {
			t.Errorf("%s: %s", d.file, got.Errs)
		} else if differ(t, drawn, filepath.Join(docsPictures, d.file)) {
			t.Errorf("%s is not what the painter draws: run make pictures, and look", d.file)
		}
	}
	slices.Sort(names)
	if in := files(t, docsPictures); !slices.Equal(in, names) {
		t.Errorf("%s contains %q, not %q", docsPictures, in, names)
	}
}

// differ reports whether a channel of two pictures differs by more than 2 of
// 255: other hardware rounds differently.
func differ(t *testing.T, a, b string) bool {
	t.Helper()
	return imagingtest.Compare(t, imagingtest.ReadPicture(t, a), imagingtest.ReadPicture(t, b)).Worst > 2
}
