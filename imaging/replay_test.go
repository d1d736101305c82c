package imaging_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	"image/gif"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/record"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
	palette "castellan/imaging/draw"
	"castellan/imaging/imagingtest"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
)

// replayed are the games whose replays are tested, with the largest mean size of
// a frame of the longest recorded game in bytes.
var replayed = []struct {
	game    engine.Game
	painter func() imaging.Painter
	bytes   int
}{
	{stonetowers.Game{}, stonetowerspainter.Painter, 5100},
	{towers.Game{}, towerspainter.Painter, 10700},
	{rings.Game{}, ringspainter.Painter, 3900},
	{trails.Game{}, trailspainter.Painter, 3450},
}

func longest(t testing.TB, g engine.Game) (p imaging.Replay) {
	t.Helper()
	games, err := engine.NewRegistry(g)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/longest-" + g.Key() + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := record.Read(file, games)
	if err != nil {
		t.Fatal(err)
	}
	s := imaging.Scene{Game: g, Names: []string{"Margarethe", "tobias_k", "Óla", "Κατ", "Дми", "bot"}[:r.Match.Settings().Seats]}
	caption := ""
	add := func(before engine.Position) {
		s.Position = before
		p.Scenes, p.Captions = append(p.Scenes, s), append(p.Captions, caption)
	}
	for _, turn := range r.Match.Turns() {
		add(turn.Before)
		s.Turn = imaging.Turn{Number: turn.Number, Seat: turn.Seat, Before: turn.Before, Actions: turn.Actions}
		caption = turn.String()
	}
	add(r.Match.Position())
	return p
}

func drawReplay(t testing.TB, r *imaging.Renderer, p imaging.Replay) []byte {
	t.Helper()
	file, err := r.Replay(context.Background(), p, "")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// frames returns the pictures that a GIF shows one after another, every step-th
// and the last. The others are nil.
func frames(t testing.TB, file []byte, step int) (all []*image.RGBA, g *gif.GIF) {
	t.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	shown := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	all = make([]*image.RGBA, len(g.Image))
	for i, f := range g.Image {
		draw.Draw(shown, f.Rect, f, f.Rect.Min, draw.Over)
		if i%step == 0 || i == len(all)-1 {
			all[i] = &image.RGBA{Pix: bytes.Clone(shown.Pix), Stride: shown.Stride, Rect: shown.Rect}
		}
	}
	return all, g
}

// A replay of the longest recorded game is less than 8 MB. It has the same
// pictures as if each frame were drawn alone and whole, the last one stays, and a bound
// leaves out how pieces move, and then turns but never the last.
func TestReplay(t *testing.T) {
	for _, c := range replayed {
		t.Run(c.game.Key(), func(t *testing.T) {
			p := longest(t, c.game)
			r := imagingtest.Renderer(t, c.painter())
			file := drawReplay(t, r, p)
			got, g := frames(t, file, 31)
			ends, n, still := map[int]int{}, 0, settled(g) // frames that show the end of a turn, with its scene
			for i, s := range p.Scenes {
				if n += stepsOf(s); n < len(still) {
					ends[still[n]] = i
				}
				n++
			}
			if len(still) != n || len(got) > n+3*len(p.Scenes) || g.LoopCount != 0 || g.Delay[0] < 25 || len(file) > 8_000_000 || g.Delay[len(g.Delay)-1] != 800 {
				t.Fatalf("%d frames of %d scenes, shown for %v, loops %d", len(got), len(p.Scenes), g.Delay, g.LoopCount)
			}
			for at, frame := range got {
				i, ok := ends[at]
				if frame == nil || !ok {
					continue
				}
				// The last scene gives the number of turns.
				last := len(p.Scenes) - 1
				one := imaging.Replay{Scenes: p.Scenes[last:], Captions: p.Captions[last:]}
				if i < last {
					one = imaging.Replay{Scenes: append(p.Scenes[i:i+1:i+1], one.Scenes...), Captions: append(p.Captions[i:i+1:i+1], one.Captions...)}
				}
				alone, g := frames(t, drawReplay(t, r, one), 1)
				if !bytes.Equal(frame.Pix, alone[settled(g)[stepsOf(p.Scenes[i])]].Pix) {
					t.Errorf("frame %d differs from the same frame drawn alone", at)
				}
			}
			if each := len(file) / len(p.Scenes); each > c.bytes {
				t.Errorf("a turn has %d bytes, more than %d", each, c.bytes)
			}
			p.MaxBytes = len(file) - 1
			if without, g := frames(t, drawReplay(t, r, p), 1000); len(without) != n || len(settled(g)) != n {
				t.Errorf("%d frames without what moves, not %d", len(without), n)
			}
			p.MaxBytes = len(file) / 2
			short := drawReplay(t, r, p)
			few, _ := frames(t, short, 1000)
			if len(short) > p.MaxBytes || len(few) < 2 || len(few) > len(got)/2+1 || !bytes.Equal(few[len(few)-1].Pix, got[len(got)-1].Pix) {
				t.Errorf("%d of %d bytes, %d of %d frames", len(short), p.MaxBytes, len(few), len(got))
			}
		})
	}
}

// settled returns the frames of a replay in which nothing moves.
func settled(g *gif.GIF) (all []int) {
	const moving = 4 // hundredths of a second
	for i, delay := range g.Delay {
		if delay != moving {
			all = append(all, i)
		}
	}
	return all
}

// Between two turns something moves: each frame differs from the one before, and the
// last is the same as without.
func TestReplayMoves(t *testing.T) {
	for _, c := range replayed {
		t.Run(c.game.Key(), func(t *testing.T) {
			p := longest(t, c.game)
			p.Scenes, p.Captions = p.Scenes[4:6], make([]string, 2)
			all, g := frames(t, drawReplay(t, imagingtest.Renderer(t, c.painter()), p), 1)
			if moves := len(all) - len(settled(g)); moves < 2 || moves > 3*len(p.Scenes) {
				t.Fatalf("%d frames in which something moves, shown for %v", moves, g.Delay)
			}
			for i := 1; i < len(all); i++ {
				if bytes.Equal(boardOf(all[i]).Pix, boardOf(all[i-1]).Pix) {
					t.Errorf("nothing moves in frame %d", i)
				}
			}
			p.MaxBytes = len(drawReplay(t, imagingtest.Renderer(t, c.painter()), p)) - 1
			if without, _ := frames(t, drawReplay(t, imagingtest.Renderer(t, c.painter()), p), 1); !bytes.Equal(without[len(without)-1].Pix, all[len(all)-1].Pix) {
				t.Error("the turn ends otherwise after something has moved")
			}
		})
	}
}

// stepsOf returns the number of frames that show a turn before its end.
func stepsOf(s imaging.Scene) int {
	n := len(s.Turn.Actions)
	if n > 0 && s.Turn.Actions[n-1].String() == engine.End {
		n--
	}
	return min(3, max(0, n-1))
}

// A turn of several actions is shown action by action.
func TestReplaySteps(t *testing.T) {
	start := imagingtest.Start(t, towers.Game{}, "size=8", 2)
	first := imagingtest.Play(t, start, "b1-b2")
	all := imagingtest.Play(t, first, "f2-e2 end")
	r := imagingtest.Renderer(t, towerspainter.Painter())
	drawn := func(scenes ...imaging.Scene) (still []*image.RGBA) {
		all, g := frames(t, drawReplay(t, r, imaging.Replay{Scenes: scenes, Captions: make([]string, len(scenes))}), 1)
		for _, i := range settled(g) {
			still = append(still, all[i])
		}
		return still
	}
	got, want := drawn(start, all), drawn(start, imagingtest.Change(first, func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Void: true} }))
	if len(got) != 3 {
		t.Fatalf("%d frames", len(got))
	}
	from := func(i int) float64 { return imagingtest.Compare(t, boardOf(got[i]), boardOf(want[1])).RMS }
	if before, first, all := from(0), from(1), from(2); first > 4 || before < 8 || all < 8 {
		t.Errorf("the frames differ by %.1f, %.1f and %.1f from the position after the first action", before, first, all)
	}
}

// boardOf returns the part of a frame that is a board.
func boardOf(frame *image.RGBA) *image.RGBA {
	part := image.NewRGBA(image.Rect(0, 0, 540, 540))
	draw.Draw(part, part.Rect, frame, image.Point{}, draw.Src)
	return part
}

// The panel has the notation of a turn only if it does not fit below the board.
func TestReplayNotation(t *testing.T) {
	s := imagingtest.Play(t, imagingtest.Start(t, towers.Game{}, "", 2), "end")
	r := imagingtest.Renderer(t, towerspainter.Painter())
	between := func(caption string) []byte { // board and plates
		all, _ := frames(t, drawReplay(t, r, imaging.Replay{Scenes: []imaging.Scene{s}, Captions: []string{caption}}), 1)
		part := image.NewRGBA(image.Rect(20, 542, 520, 565))
		draw.Draw(part, part.Rect, all[0], part.Rect.Min, draw.Src)
		return part.Pix
	}
	short, long := between("end"), between(strings.Repeat("c2-d2 ", 20)+"end")
	if !bytes.Equal(short, bytes.Repeat(short[:4], len(short)/4)) || bytes.Equal(short, long) {
		t.Error("the panel has the notation of a short turn, or lacks that of a long one")
	}
}

// A note stands behind a caption, however long that is, in English if the font
// lacks letters of the translation.
func TestReplayNotes(t *testing.T) {
	s := imagingtest.Play(t, imagingtest.Start(t, towers.Game{}, "", 2), "end")
	r := imagingtest.Renderer(t, towerspainter.Painter())
	line := func(caption, word string, notes map[int]engine.Phrase) *image.RGBA {
		s.Say = func(engine.Phrase) string { return word }
		all, _ := frames(t, drawReplay(t, r, imaging.Replay{Scenes: []imaging.Scene{s}, Captions: []string{caption}, Notes: notes}), 1)
		part := image.NewRGBA(image.Rect(0, 636, 540, all[0].Rect.Max.Y))
		draw.Draw(part, part.Rect, all[0], part.Rect.Min, draw.Src)
		return part
	}
	note := map[int]engine.Phrase{0: {ID: "x", Text: engine.Text{Other: "(prepared)"}}}
	for _, caption := range []string{"end", strings.Repeat("c2-d2 ", 20) + "end"} {
		none, english := line(caption, "(prepared)", nil), line(caption, "(prepared)", note)
		if bytes.Equal(none.Pix, english.Pix) {
			t.Errorf("%q has no note", caption)
		}
		if got := line(caption, "(เตรียม)", note); !bytes.Equal(got.Pix, english.Pix) {
			t.Errorf("%q has another note than in English", caption)
		}
		for _, translation := range []string{"(préparé)", "（条件付き）"} {
			if got := line(caption, translation, note); bytes.Equal(got.Pix, english.Pix) {
				t.Errorf("%q has its note in English instead of %s", caption, translation)
			}
		}
	}
}

// One replay is drawn at a time and a few wait, beside other pictures. A replay
// of a painter without a palette has the colours of each picture.
func TestReplaysWait(t *testing.T) {
	s := imagingtest.Start(t, sample.Game{}, "", 2)
	end := imagingtest.Random(t, s, 99, 1)
	p := imaging.Replay{Scenes: []imaging.Scene{s, end}, Captions: []string{"", "a1"}}
	synctest.Test(t, func(t *testing.T) {
		drawing, drawn := make(chan bool), 0
		r := imagingtest.Renderer(t, imaging.Plain(sample.Key, 101, 81, func(d *imaging.Drawing, _ *sample.Position) {
			if len(d.Scene.Turn.Actions) > 0 && len(d.Scene.Names) > 0 { // of a replay
				<-drawing
				drawn++
			}
			d.SetColor(d.Theme.Seats[d.Scene.Turn.Number%2])
			d.DrawRectangle(10, 10, 50, 50)
			d.Fill()
		}))
		results := make(chan error, 5)
		ctx, cancel := context.WithCancel(t.Context())
		files := make(chan []byte, 5)
		for range 5 {
			go func() {
				file, err := r.Replay(ctx, p, "")
				files <- file
				results <- err
			}()
		}
		synctest.Wait()
		if err := <-results; !errors.Is(err, imaging.ErrBusy) {
			t.Fatalf("the fifth replay: %v", err)
		}
		<-files
		if _, err := r.Board(t.Context(), s, ""); err != nil {
			t.Errorf("a board during a replay: %v", err)
		}
		drawing <- true // for the colours
		drawing <- true
		synctest.Wait()
		if err := <-results; err != nil || drawn != 2 {
			t.Errorf("the first replay: %v, %d pictures", err, drawn)
		}
		all, _ := frames(t, <-files, 1)
		theme, _ := palette.ThemeByName("")
		if got, want := all[1].RGBAAt(10, 10), theme.Seats[end.Turn.Number%2]; len(all) != 2 || got != want {
			t.Errorf("%d frames, the last in %v, not %v", len(all), got, want)
		}
		cancel()
		close(drawing)
		for range 3 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled replay: %v", err)
			}
		}
	})
	r := imagingtest.Renderer(t, imaging.Plain(sample.Key, 1, 9, func(*imaging.Drawing, *sample.Position) {}))
	for _, wrong := range []imaging.Replay{{}, {Scenes: p.Scenes}, {Scenes: p.Scenes, Captions: p.Captions}} {
		if _, err := r.Replay(t.Context(), wrong, ""); err == nil {
			t.Errorf("%d scenes with %d captions in pictures one pixel wide are drawn", len(wrong.Scenes), len(wrong.Captions))
		}
	}
}

// BenchmarkReplay reports the milliseconds and bytes of a frame of the longest
// recorded game, and how many times as many bytes the same frames have if each is whole.
func BenchmarkReplay(b *testing.B) {
	for _, c := range replayed {
		b.Run(c.game.Key(), func(b *testing.B) {
			p := longest(b, c.game)
			r := imagingtest.Renderer(b, c.painter())
			file := drawReplay(b, r, p)
			for b.Loop() {
				drawReplay(b, r, p)
			}
			n := float64(len(p.Scenes))
			b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N))/1e6/n, "ms/frame")
			b.ReportMetric(float64(len(file))/n, "bytes/frame")
			b.ReportMetric(n, "frames")
			b.StopTimer()
			b.ReportMetric(float64(len(wholeFrames(b, file)))/float64(len(file)), "x-whole-bytes")
		})
	}
}

// wholeFrames returns a GIF of the same pictures, each frame whole.
func wholeFrames(t testing.TB, file []byte) []byte {
	t.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	shown := image.NewPaletted(image.Rect(0, 0, g.Config.Width, g.Config.Height), g.Image[0].Palette)
	for i, f := range g.Image {
		for y := f.Rect.Min.Y; y < f.Rect.Max.Y; y++ {
			for x := f.Rect.Min.X; x < f.Rect.Max.X; x++ {
				if _, _, _, alpha := f.At(x, y).RGBA(); alpha != 0 {
					shown.SetColorIndex(x, y, f.ColorIndexAt(x, y))
				}
			}
		}
		g.Image[i] = &image.Paletted{Pix: bytes.Clone(shown.Pix), Stride: shown.Stride, Rect: shown.Rect, Palette: shown.Palette}
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, g); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
