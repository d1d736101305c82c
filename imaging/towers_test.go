package imaging_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/imaging"
)

// Boards of every size at the start, in the middle, with turns open and at the
// end, whatever is picked: 1200 by 900, in the palette of the theme, at most 60
// KB, and with nothing that runs over the edge.
func TestPicturesOfTowersAreInTheirPaletteAndBounds(t *testing.T) {
	t.Parallel()
	r := newTowersRenderer(t)
	largest := 0
	for size := 5; size <= 10; size++ {
		if sampled && size%5 != 0 {
			continue
		}
		for i, actions := range []int{0, 1, 12 * size, 13 * size, 3000} {
			options := fmt.Sprintf("size=%d rules=%s", size, []string{"none", "tower-out", "lock-after-move"}[i%3])
			s := towersPlayout(t, options, actions, uint64(size+i))
			theme := imaging.Themes()[(i+size)%3]
			picks := [][]string{nil, {"nothing"}, {"+"}}
			for _, a := range s.Position.Legal() {
				if steps := a.Steps(); len(picks) < 8 {
					picks = append(picks, steps[:1], steps)
				}
			}
			for _, s.Picked = range picks {
				file, err := r.Board(context.Background(), s, theme)
				if err != nil {
					t.Fatalf("%s, %s, %d actions: %v", options, theme, actions, err)
				}
				largest = max(largest, len(file))
				if len(file) > 60<<10 {
					t.Errorf("%s, %s, %d actions: %d bytes", options, theme, actions, len(file))
				}
				checkTowersPicture(t, file, theme)
			}
		}
	}
	t.Logf("the largest picture has %d bytes", largest)
}

// checkTowersPicture checks what holds for every picture of Towers.
func checkTowersPicture(t *testing.T, file []byte, theme string) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	img, ok := picture.(*image.Paletted)
	if !ok || img.Bounds() != image.Rect(0, 0, 1200, 900) {
		t.Fatalf("the picture is a %T of %v", picture, picture.Bounds())
	}
	colours, err := imaging.PaletteOf(imaging.Towers(), theme)
	if err != nil {
		t.Fatal(err)
	}
	if len(img.Palette) != len(colours) || len(colours) > 256 {
		t.Errorf("the picture has %d colours, the palette %d", len(img.Palette), len(colours))
	}
	for i, index := range img.Pix {
		x, y := i%img.Stride, i/img.Stride
		edge := x < 2 || y < 2 || x >= 1198 || y >= 898
		if int(index) >= len(colours) || edge && index != img.Pix[899*img.Stride] {
			t.Fatalf("colour %d of %d at (%d, %d)", index, len(colours), x, y)
		}
	}
}

func TestAPositionOfAnotherGameIsNoTowers(t *testing.T) {
	s := towersScene(t, "", "")
	s.Position = otherPosition{}
	_, err := newTowersRenderer(t).Board(context.Background(), s, "")
	if err == nil || !strings.Contains(err.Error(), "towers") || !strings.Contains(err.Error(), "otherPosition") {
		t.Errorf("the error is %v", err)
	}
}

// What a scene of Towers says can be seen: pictures of scenes that differ in
// one thing only differ, and a scene always gives the same picture.
func TestWhatASceneOfTowersSaysIsSeen(t *testing.T) {
	t.Parallel()
	r := newTowersRenderer(t)
	draw := func(change func(*imaging.Scene)) string {
		s := towersScene(t, "size=8 rules=tower-out", towersOpen)
		change(&s)
		file, err := r.Board(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		return string(file)
	}
	pick := func(steps ...string) func(*imaging.Scene) {
		return func(s *imaging.Scene) { s.Picked = steps }
	}
	seen := map[string]string{}
	for _, c := range []struct {
		what   string
		change func(*imaging.Scene)
	}{
		{"as it is", func(*imaging.Scene) {}},
		{"without legal signs", func(s *imaging.Scene) { s.Legal = false }},
		{"without a turn", func(s *imaging.Scene) { s.Turn = imaging.Turn{} }},
		{"an action less", func(s *imaging.Scene) { s.Turn.Actions = s.Turn.Actions[1:] }},
		{"another name", func(s *imaging.Scene) { s.Names = []string{"a", "b"} }},
		{"won by Blue", func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} }},
		{"won by Red", func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}} }},
		{"drawn", func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} }},
		{"a tower picked", pick("d3")},
		{"where it goes", pick("d3", "d4")},
		{"a pawn out of it", pick("d3", "/")},
		{"a tower picked that only gives pawns", pick("a1")},
		{"the master picked", pick("c1")},
		{"a pawn out of the master's tower", pick("c1", "/")},
		{"an import picked", pick("+")},
		{"an action played", func(s *imaging.Scene) { playTowers(t, s, "h2-h1") }},
		{"the turn ended", func(s *imaging.Scene) { playTowers(t, s, "end") }},
	} {
		file := draw(c.change)
		if other, same := seen[file]; same {
			t.Errorf("%s looks like %s", c.what, other)
		}
		seen[file] = c.what
		if again := draw(c.change); again != file {
			t.Errorf("%s looks different the second time", c.what)
		}
	}
}

// After the end no target is shown, whatever the scene asks for.
func TestNoTargetsOfTowersAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newTowersRenderer(t)
	for _, actions := range []string{towersTaken, "a2-a3 end"} {
		var files [2][]byte
		for i, legal := range []bool{true, false} {
			s := towersScene(t, "size=6", actions)
			s.Legal, s.Picked = legal, []string{"a5"}
			s.Outcome = &imaging.Outcome{}
			file, err := r.Board(context.Background(), s, "")
			if err != nil {
				t.Fatal(err)
			}
			files[i] = file
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Error("targets are shown after the end")
		}
	}
}

// A turn of more actions than there are lines is written in two columns, and a
// still longer one loses its first.
func TestLongTurnsOfTowersHaveRoom(t *testing.T) {
	t.Parallel()
	r := newTowersRenderer(t)
	var before []byte
	for _, n := range []int{4, 5, 6, 9, 10, 11, 30} {
		s := towersScene(t, "size=10", towersOut)
		a, err := s.Position.Parse("j10-j9")
		if err != nil {
			t.Fatal(err)
		}
		s.Turn.Actions = nil
		for range n {
			s.Turn.Actions = append(s.Turn.Actions, a)
		}
		s.Turn.Seat = 2 // so that no bracket depends on the number
		file, err := r.Board(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		checkTowersPicture(t, file, "")
		if bytes.Equal(file, before) && n != 30 {
			t.Errorf("%d actions look like fewer", n)
		}
		before = file
	}
}
