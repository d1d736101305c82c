package imaging_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
	"castellan/imaging/imagingtest"
	"castellan/imaging/rings"
	"castellan/imaging/stonetowers"
	"castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

func ExampleRenderer_Board() {
	renderer, err := imaging.New(trailspainter.Painter())
	if err != nil {
		fmt.Println(err)
		return
	}
	game := trails.Game{}
	position, err := game.New(game.Options().Defaults(), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := renderer.Board(context.Background(), imaging.Scene{
		Game:     game,
		Position: position,
		Names:    []string{"Ann", "Ben"},
		Legal:    true,
	}, draw.Light)
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, err := png.DecodeConfig(bytes.NewReader(file))
	fmt.Println(picture.Width, picture.Height, err)
	// Output: 1080 1271 <nil>
}

// otherPosition is a position that no painter knows.
type otherPosition struct{ engine.Position }

// otherGame is a game without a painter.
type otherGame struct{ trails.Game }

func (otherGame) Key() string { return "hopscotch" }

func TestNewDuplicatePainter(t *testing.T) {
	if _, err := imaging.New(trailspainter.Painter(), trailspainter.Painter()); err == nil || !strings.Contains(err.Error(), "trails") {
		t.Errorf("the error is %v", err)
	}
}

func TestBoardErrors(t *testing.T) {
	painters := []imaging.Painter{trailspainter.Painter(), towers.Painter(), stonetowers.Painter(), rings.Painter()}
	r, err := imaging.New(painters...)
	if err != nil {
		t.Fatal(err)
	}
	good := imagingtest.Start(t, trails.Game{}, "size=5", 2)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	ctx := context.Background()
	type mistake struct {
		ctx   context.Context
		scene imaging.Scene
		theme string
		says  []string
	}
	mistakes := []mistake{
		{ctx, imaging.Scene{Game: good.Game}, "", []string{"no position"}},
		{ctx, imaging.Scene{Position: good.Position}, "", []string{"no game"}},
		{ctx, good, "sepia", []string{"sepia", "dark", "light", "contrast"}},
		{ctx, imaging.Scene{Game: otherGame{}, Position: good.Position}, "", []string{"hopscotch", "trails, towers, stone-towers, rings"}},
		{cancelled, good, "", []string{context.Canceled.Error()}},
	}
	for _, p := range painters {
		other := imaging.Scene{Game: keyed{key: p.Key()}, Position: otherPosition{}}
		mistakes = append(mistakes, mistake{ctx, other, "", []string{p.Key(), "otherPosition"}})
	}
	for _, m := range mistakes {
		_, err := r.Board(m.ctx, m.scene, m.theme)
		for _, part := range m.says {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error is not about %s: %v", part, err)
			}
		}
		if m.ctx == cancelled && !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	}
}

// keyed is a game with a key.
type keyed struct {
	trails.Game
	key string
}

func (k keyed) Key() string { return k.key }

// One renderer draws for several goroutines, and their pictures do not mix.
func TestBoardConcurrently(t *testing.T) {
	t.Parallel()
	type job struct {
		scene imaging.Scene
		theme string
		want  []byte
	}
	painters := []imaging.Painter{trailspainter.Painter(), imaging.Plain("sample", 400, 300, cards)}
	both := func() *imaging.Renderer {
		r, err := imaging.New(painters...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var jobs []job
	alone := both()
	for i, options := range []string{"size=5", "size=11", "size=7 towers=4"} {
		for j, theme := range draw.Themes() {
			s := imagingtest.Random(t, imagingtest.Start(t, trails.Game{}, options, 2), 5+i*j, uint64(i))
			s.Names = []string{strings.Repeat("n", i+1), fmt.Sprintf("Ünïcödé %d", j)}
			jobs = append(jobs, job{s, theme, imagingtest.File(t, alone, s, theme)})
		}
	}
	for _, turns := range []string{"", "a2 end", "a2 end b1 end"} {
		s := counters(t, 3, turns)
		jobs = append(jobs, job{s, "", imagingtest.File(t, alone, s, "")})
	}
	shared := both()
	var wait sync.WaitGroup
	for i := range 3 * len(jobs) {
		wait.Go(func() {
			j := jobs[i%len(jobs)]
			got, err := shared.Board(context.Background(), j.scene, j.theme)
			if err != nil || !bytes.Equal(got, j.want) {
				t.Errorf("job %d: another picture, or %v", i%len(jobs), err)
			}
		})
	}
	wait.Wait()
}

// Pictures of all shapes are encoded without loss: repeated rows, a single row,
// and one colour.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {1, 300}, {300, 1}, {257, 100}, {1200, 900}} {
		for _, repeat := range []int{1, 3, 1000} {
			img := image.NewPaletted(image.Rectangle{Max: size}, nil)
			p := imaging.Plain("sample", size.X, size.Y, func(d *imaging.Drawing, _ *sample.Position) {
				for y := range size.Y {
					for x := range size.X {
						d.SetRGB255(x*y/repeat%7*30, y/repeat*13%5*50, x%3*80)
						d.SetPixel(x, y)
					}
				}
				img = draw.Quantize(d.Image().(*image.RGBA))
			})
			got := imagingtest.Picture(t, imagingtest.Renderer(t, p), counters(t, 2, ""), "")
			if !bytes.Equal(got.Pix, img.Pix) || len(got.Palette) != len(img.Palette) {
				t.Errorf("a picture of %v with %d equal rows changes", size, repeat)
			}
			for i, c := range got.Palette {
				if c != img.Palette[i] {
					t.Errorf("colour %d is %v, not %v", i, c, img.Palette[i])
				}
			}
		}
	}
}

// TestWord: a word that does not fit or that the font cannot write is in English.
func TestWord(t *testing.T) {
	font, err := draw.ParseFonts(fonts.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	face := font.Face(20)
	phrase := engine.Phrase{ID: "x", Text: engine.Text{One: "square", Other: "squares"}, Args: engine.Args{"Count": 1}}
	for translation, want := range map[string]string{"Feld": "Feld", "suite\u00a0:": "suite :", "マス": "マス", "ช่อง": "square", "ein sehr langes Feld": "square"} {
		s := imaging.Scene{Say: func(engine.Phrase) string { return translation }}
		if got := s.Word(phrase, face, face.Width("square")); got != want {
			t.Errorf("%s: %s, want %s", translation, got, want)
		}
	}
	if got := (imaging.Scene{}).Word(phrase, face, 0); got != "square" {
		t.Error(got)
	}
}
