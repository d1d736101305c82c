package imaging_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
)

// otherPosition is a position of no game that the painters know.
type otherPosition struct{ engine.Position }

// otherGame is a game that nothing draws.
type otherGame struct{ trails.Game }

func (otherGame) Key() string { return "hopscotch" }

func TestTwoPaintersOfAGameAreRefused(t *testing.T) {
	if _, err := imaging.New(imaging.Trails(), imaging.Trails()); err == nil || !strings.Contains(err.Error(), "trails") {
		t.Errorf("the error is %v", err)
	}
}

func TestAMistakenSceneIsAnErrorThatSaysWhy(t *testing.T) {
	r := newRenderer(t)
	good := trailsScene(t, "size=5", "")
	for _, c := range []struct {
		why   string
		scene imaging.Scene
		theme string
		want  []string
	}{
		{"no position", imaging.Scene{Game: good.Game}, "", []string{"no position"}},
		{"no game", imaging.Scene{Position: good.Position}, "", []string{"no game"}},
		{"an unknown theme", good, "sepia", []string{"sepia", "dark", "light", "contrast"}},
		{"an unknown game", imaging.Scene{Game: otherGame{}, Position: good.Position}, "", []string{"hopscotch", "trails"}},
		{"another game's position", imaging.Scene{Game: good.Game, Position: otherPosition{}}, "", []string{"trails", "otherPosition"}},
	} {
		_, err := r.Board(context.Background(), c.scene, c.theme)
		if err == nil {
			t.Errorf("%s: no error", c.why)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", c.why, err, part)
			}
		}
	}
}

func TestAPictureNobodyWaitsForIsNotDrawn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := newRenderer(t).Board(ctx, trailsScene(t, "size=5", ""), imaging.Dark)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// playout is the scene after that many random turns, or at the end.
func playout(t testing.TB, options string, turns int, seed uint64) imaging.Scene {
	t.Helper()
	s := trailsScene(t, options, "")
	random := rand.New(rand.NewPCG(seed, 1))
	for range turns {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		a := legal[random.IntN(len(legal))]
		next, err := s.Position.Apply(a)
		if err != nil {
			t.Fatal(err)
		}
		s.Turn = imaging.Turn{Number: next.Turns(), Seat: s.Position.Seat(), Before: s.Position, Actions: []engine.Action{a}}
		s.Position = next
	}
	return s
}

// Boards of every size, with few and many towers, at the start, in the middle
// and at the end: 1200 by 900, in the palette of the theme, at most 60 KB, and
// with nothing that runs over the edge.
func TestPicturesOfAllSizesAreInTheirPaletteAndBounds(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	largest := 0
	for size := 5; size <= 21; size += 2 {
		for _, towers := range []int{1, 3, 9} {
			options := fmt.Sprintf("size=%d towers=%d distance=0", size, towers)
			if towers > size || sampled && (size+towers)%4 != 0 {
				continue
			}
			for i, turns := range []int{0, 1, 3 * size, 1000} {
				theme := imaging.Themes()[(i+size+towers)%3]
				file, err := r.Board(context.Background(), playout(t, options, turns, uint64(size+towers)), theme)
				if err != nil {
					t.Fatalf("%s, %s, %d turns: %v", options, theme, turns, err)
				}
				largest = max(largest, len(file))
				if len(file) > 60<<10 {
					t.Errorf("%s, %s, %d turns: %d bytes", options, theme, turns, len(file))
				}
				checkPicture(t, file, theme)
			}
		}
	}
	t.Logf("the largest picture has %d bytes", largest)
}

// checkPicture checks what holds for every picture of Trails.
func checkPicture(t *testing.T, file []byte, theme string) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	img, ok := decoded.(*image.Paletted)
	if !ok {
		t.Fatalf("the picture is a %T", decoded)
	}
	if img.Bounds() != image.Rect(0, 0, 1200, 900) {
		t.Errorf("the picture is %v", img.Bounds())
	}
	colours, err := imaging.PaletteOf(imaging.Trails(), theme)
	if err != nil {
		t.Fatal(err)
	}
	if len(img.Palette) != len(colours) || len(colours) > 256 {
		t.Errorf("the picture has %d colours, the palette %d", len(img.Palette), len(colours))
	}
	for i, c := range img.Palette {
		if distance(c, colours[i]) != 0 {
			t.Errorf("colour %d is %v, not %v", i, c, colours[i])
		}
	}
	for i, index := range img.Pix {
		if int(index) >= len(colours) {
			t.Fatalf("a pixel has colour %d of %d", index, len(colours))
		}
		x, y := i%img.Stride, i/img.Stride
		edge := x < 2 || y < 2 || x >= 1198 || y >= 898
		if edge && distance(img.At(x, y), img.At(0, 899)) != 0 {
			t.Fatalf("something runs over the edge at (%d, %d)", x, y)
		}
	}
}

func TestTheSameSceneGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	scene := trailsScene(t, "size=11", middle)
	var first []byte
	for range 3 {
		r := newRenderer(t)
		for range 3 {
			file, err := r.Board(context.Background(), scene, imaging.Light)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = file
			}
			if !bytes.Equal(first, file) {
				t.Fatal("two pictures of a scene differ")
			}
		}
	}
}

// One renderer draws for many at once, and nobody gets a bit of another's
// picture.
func TestManyDrawAtOnce(t *testing.T) {
	t.Parallel()
	type job struct {
		scene imaging.Scene
		theme string
		want  []byte
	}
	var jobs []job
	alone := newRenderer(t)
	for i, options := range []string{"size=5", "size=11", "size=7 towers=4"} {
		for j, theme := range imaging.Themes() {
			s := playout(t, options, 5+i*j, uint64(i))
			s.Names = []string{strings.Repeat("n", i+1), fmt.Sprintf("Ünïcödé %d", j)}
			want, err := alone.Board(context.Background(), s, theme)
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, job{s, theme, want})
		}
	}
	shared := newRenderer(t)
	var wait sync.WaitGroup
	for i := range 4 * len(jobs) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			j := jobs[i%len(jobs)]
			got, err := shared.Board(context.Background(), j.scene, j.theme)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, j.want) {
				t.Errorf("job %d gives another picture among others", i%len(jobs))
			}
		}()
	}
	wait.Wait()
}

// What a scene says can be seen: pictures of scenes that differ in one thing
// only differ.
func TestWhatASceneSaysIsSeen(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	draw := func(change func(*imaging.Scene)) string {
		s := trailsScene(t, "size=11", middle)
		change(&s)
		file, err := r.Board(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		return string(file)
	}
	seen := map[string]string{draw(func(*imaging.Scene) {}): "as it is"}
	for what, change := range map[string]func(*imaging.Scene){
		"without legal targets": func(s *imaging.Scene) { s.Legal = false },
		"without a last turn":   func(s *imaging.Scene) { s.Turn = imaging.Turn{} },
		"without names":         func(s *imaging.Scene) { s.Names = nil },
		"another name":          func(s *imaging.Scene) { s.Names = []string{"a", "b"} },
		"won by Blue":           func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} },
		"won by Red":            func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}} },
		"drawn":                 func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} },
	} {
		file := draw(change)
		if other, same := seen[file]; same {
			t.Errorf("%s looks like %s", what, other)
		}
		seen[file] = what
	}
}

// After the end no target is shown, whatever the scene asks for.
func TestNoTargetsAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, change := range []func(*imaging.Scene){
		func(*imaging.Scene) {},
		func(s *imaging.Scene) { *s = trailsScene(t, "size=11", middle); s.Outcome = &imaging.Outcome{} },
	} {
		var files [2][]byte
		for i, legal := range []bool{true, false} {
			s := trailsScene(t, "size=13 towers=5", towersWin)
			change(&s)
			s.Legal = legal
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
