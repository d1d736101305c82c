package imaging_test

import (
	"bytes"
	"image"
	"image/gif"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
)

// history plays a random match on and returns the scene with all positions before.
func history(t testing.TB, s imaging.Scene, actions int) imaging.Scene {
	t.Helper()
	var all []engine.Position
	for i := range actions {
		turns := s.Position.Turns()
		before := s.Position
		s = imagingtest.Random(t, s, 1, uint64(i))
		if s.Position.Turns() > turns {
			all = append(all, before)
		}
	}
	s.History = all
	return s
}

// won ends the match of a scene.
func won(s imaging.Scene, winners ...engine.Seat) imaging.Scene {
	s.Outcome = &imaging.Outcome{Winners: winners}
	return s
}

// told gives a scene a footer.
func told(s imaging.Scene, title, date, reason string) imaging.Scene {
	s.Footer = imaging.Footer{Title: title, Date: date, Reason: reason}
	return s
}

func TestEndGolden(t *testing.T) {
	t.Parallel()
	stones := history(t, imagingtest.Start(t, stonetowers.Game{}, "", 2), 30)
	circles := history(t, imagingtest.Start(t, rings.Game{}, "side=3", 3), 60)
	discs := history(t, imagingtest.Start(t, towers.Game{}, "size=5", 2), 20)
	for name, c := range map[string]struct {
		p     imaging.Painter
		s     imaging.Scene
		theme string
	}{
		"end-score":    {stonetowerspainter.Painter(), told(won(stones, 2), "Stone Towers", "3 May 2026", "● tobias_k wins: ◆ Margarethe von und zu Hohenschwangau ran out of time."), draw.Wood},
		"end-drawn":    {stonetowerspainter.Painter(), won(stones), draw.Dark},
		"end-three":    {ringspainter.Painter(), told(won(circles, 1), "リング", "2026年5月3日", "全員がパスしました。"), draw.Light},
		"end-together": {ringspainter.Painter(), won(circles, 1, 3), draw.Dark},
		"end-master":   {towerspainter.Painter(), told(won(discs, 1), "Towers", "", ""), draw.Contrast},
		"thumbnail":    {stonetowerspainter.Painter(), imagingtest.Change(stones, func(s *imaging.Scene) { s.Thumbnail = true }), draw.Dark},
	} {
		t.Run(name, func(t *testing.T) {
			imagingtest.GoldenPicture(t, name, imagingtest.Picture(t, imagingtest.Renderer(t, c.p), c.s, c.theme), *update)
		})
	}
}

// The picture of a match that is over is that of its board with a card below; one
// that goes on, was aborted or has no history has none.
func TestEndCard(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, stonetowerspainter.Painter())
	s := history(t, imagingtest.Start(t, stonetowers.Game{}, "", 2), 12)
	ended := won(s, 1)
	without := imagingtest.Change(ended, func(s *imaging.Scene) { s.History = nil })
	board, whole := imagingtest.Picture(t, r, without, ""), imagingtest.Picture(t, r, ended, "")
	if whole.Rect.Dy() != board.Rect.Dy()+draw.FinishHeight || !bytes.Equal(whole.Pix[:len(board.Pix)], board.Pix) {
		t.Errorf("the picture of the end is %v, that of the board %v, or they differ", whole.Rect, board.Rect)
	}
	said := imagingtest.Picture(t, r, told(ended, "Stone Towers", "3 May 2026", "All turns have been played."), "")
	if said.Rect.Dy() <= whole.Rect.Dy() || !bytes.Equal(said.Pix[:len(whole.Pix)], whole.Pix) {
		t.Errorf("the picture with a footer is %v, that without %v, or they differ above it", said.Rect, whole.Rect)
	}
	if !written(said, image.Rect(0, whole.Rect.Dy(), 400, said.Rect.Dy())) {
		t.Error("the footer is empty")
	}
	void := imagingtest.Change(s, func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Void: true} })
	for what, s := range map[string]imaging.Scene{"goes on": s, "was aborted": void} {
		if got := imagingtest.Picture(t, r, s, "").Rect; got != board.Rect {
			t.Errorf("a match that %s has a picture of %v", what, got)
		}
	}
}

// written reports whether an area has more than one colour.
func written(p image.Image, area image.Rectangle) bool {
	first := p.At(area.Min.X, area.Min.Y)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if p.At(x, y) != first {
				return true
			}
		}
	}
	return false
}

// Every frame of a replay has the game and the date below, the last one also the
// reason of the end.
func TestReplayFooter(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, stonetowerspainter.Painter())
	first := imagingtest.Start(t, stonetowers.Game{}, "", 2)
	last := won(imagingtest.Random(t, first, 1, 1), 1)
	frames := func(reason string) []*image.Paletted {
		data, err := r.Replay(t.Context(), imaging.Replay{
			Scenes:   []imaging.Scene{told(first, "Stone Towers", "3 May 2026", reason), told(last, "Stone Towers", "3 May 2026", reason)},
			Captions: []string{"", "a1"},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		file, err := gif.DecodeAll(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return file.Image
	}
	without, with := frames(""), frames("All turns have been played.")
	low, high, end := without[0].Rect.Dy(), with[0].Rect.Dy(), with[len(with)-1]
	if high <= low {
		t.Fatalf("the reason has no room: %d and %d pixels", low, high)
	}
	const margin = 5 // above which there is the line of the title, below its letters
	if reason := image.Rect(0, low-margin, 200, high); written(with[0], reason) || !end.Rect.Overlaps(reason) || !written(end, reason.Intersect(end.Rect)) {
		t.Error("the reason is shown before the end, or not at the end")
	}
}

// The last frame of a replay has the card of the end in the place of plates and caption,
// after a frame that still has these. No other frame is higher than without a card.
func TestReplayFinish(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, stonetowerspainter.Painter())
	first := imagingtest.Start(t, stonetowers.Game{}, "", 2)
	last := history(t, first, 12)
	drawn := func(last imaging.Scene) []*image.RGBA {
		all, _ := frames(t, drawReplay(t, r, imaging.Replay{Scenes: []imaging.Scene{first, last}, Captions: []string{"", "a1"}}), 1)
		return all
	}
	goesOn, ended := drawn(last), drawn(won(last, 2))
	n := len(ended)
	if n != len(goesOn)+1 || ended[0].Rect != goesOn[0].Rect {
		t.Fatalf("%d frames of %v with a card, %d of %v without", n, ended[0].Rect, len(goesOn), goesOn[0].Rect)
	}
	high := ended[0].Rect.Dy()
	card := image.Rect(200, high-draw.FinishHeight/2, 540, high)
	ground := goesOn[0].RGBAAt(1, high-2)
	if got := ended[n-1].RGBAAt(card.Min.X, card.Min.Y+8); got == ground || got != ended[n-1].RGBAAt(20, high-16) {
		t.Error("the last frame has no card below the board")
	}
	for i, frame := range ended[:n-1] {
		if !written(frame, image.Rect(0, high-30, 200, high)) {
			t.Errorf("frame %d has no caption", i)
		}
	}
}

// A thumbnail is square, whatever the board.
func TestThumbnail(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"", "width=16 height=4", "width=4 height=9"} {
		s := imagingtest.Start(t, stonetowers.Game{}, options, 2)
		s.Thumbnail = true
		got := imagingtest.Picture(t, imagingtest.Renderer(t, stonetowerspainter.Painter()), s, "").Rect
		if got.Dx() != got.Dy() || got.Dx() < 500 || got.Dx() > 560 {
			t.Errorf("%q: the thumbnail is %v", options, got)
		}
	}
}
