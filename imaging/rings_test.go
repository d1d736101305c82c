package imaging_test

import (
	"bytes"
	"context"
	"image"
	"math"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
)

// A picture from sprites is the picture that gg draws plainly, but for the
// steps of its anti-aliasing: five instead of 256, and blends of three colours
// that are looked up among those of two.
func TestRingsSpritesDrawWhatPlainShapesDraw(t *testing.T) {
	t.Parallel()
	r, plain := newRingsRenderer(t), newPlainRings(t)
	for _, g := range ringsPictures() {
		t.Run(g.name, func(t *testing.T) {
			scene := g.scene(t)
			got, _ := ringsImage(t, r, scene, g.theme)
			theme, err := imaging.ThemeByName(g.theme)
			if err != nil {
				t.Fatal(err)
			}
			want := plain.picture(scene, theme).Image()
			if got.Bounds() != want.Bounds() {
				t.Fatalf("the picture is %v, not %v", got.Bounds(), want.Bounds())
			}
			var squares float64
			far := 0
			for y := range want.Bounds().Dy() {
				for x := range want.Bounds().Dx() {
					d := distance(got.At(x, y), want.At(x, y))
					squares += float64(d * d)
					if d > 100 {
						far++
					}
				}
			}
			rms := math.Sqrt(squares / float64(want.Bounds().Dx()*want.Bounds().Dy()))
			t.Logf("rms %.2f, %d pixels off by more than 100 of 255", rms, far)
			if rms > 5 || far > 10 {
				t.Errorf("the pictures differ: rms %.2f, %d pixels are far off", rms, far)
				save(t, "sprites.png", got)
				save(t, "plain.png", want)
			}
		})
	}
}

// Boards of every side and number of seats, in every kind of picture and theme:
// 1100 by 900, in the palette of the theme, at most 150 KB, nothing beside the
// picture's edge but the guide and a part of the board.
func TestRingsPicturesOfAllKindsAreInTheirPalette(t *testing.T) {
	t.Parallel()
	r := newRingsRenderer(t)
	largest, kinds := 0, 0
	for side := 3; side <= 6; side++ {
		for _, seats := range []int{2, 4, 6} {
			if sampled && side != seats {
				continue
			}
			for i, s := range ringsStages(t, side, seats) {
				s.Legal = i != 1
				letter := "A"
				if !s.Position.(*rings.Position).Converting() && s.Position.Seat() != engine.Nobody {
					letter = ringsStep(s.Position)
				}
				for j, scene := range []imaging.Scene{s, ringsPicked(s, letter), ringsZoomed(s, 1+(side+seats/2+i)%4)} {
					theme := imaging.Themes()[(i+j+side+seats)%3]
					img, file := ringsImage(t, r, scene, theme)
					kinds++
					largest = max(largest, len(file))
					if len(file) > 150<<10 {
						t.Errorf("side %d, %d seats, stage %d, kind %d: %d bytes", side, seats, i, j, len(file))
					}
					checkRingsPicture(t, img, theme, j == 0)
				}
			}
		}
	}
	t.Logf("the largest of %d pictures has %d bytes", kinds, largest)
}

// ringsStages is a match at its start, when a quarter and three quarters of the
// points are taken, and at its end.
func ringsStages(t *testing.T, side, seats int) (all []imaging.Scene) {
	t.Helper()
	points := 6 * side * side
	left := []int{points, points * 3 / 4, points / 4}
	end := ringsUntil(t, side, seats, func(s imaging.Scene) bool {
		if len(left) > 0 && s.Position.(*rings.Position).EmptyCount() <= left[0] {
			all = append(all, s)
			left = left[1:]
		}
		return len(left) == 0
	})
	for end.Position.Seat() != engine.Nobody {
		if end.Position.(*rings.Position).Converting() {
			end = ringsPlay(t, end, "end")
		} else {
			end = ringsPlay(t, end, "pass")
		}
	}
	return append(all, end)
}

func checkRingsPicture(t *testing.T, img image.Image, theme string, whole bool) {
	t.Helper()
	p, ok := img.(*image.Paletted)
	if !ok || p.Bounds() != image.Rect(0, 0, 1100, 900) {
		t.Fatalf("the picture is a %T of %v", img, img.Bounds())
	}
	colours, err := imaging.PaletteOf(imaging.Rings(), theme)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Palette) != len(colours) || len(colours) > 256 {
		t.Errorf("the picture has %d colours, the palette %d", len(p.Palette), len(colours))
	}
	for i, index := range p.Pix {
		if int(index) >= len(colours) {
			t.Fatalf("a pixel has colour %d of %d", index, len(colours))
		}
		x, y := i%p.Stride, i/p.Stride
		edge := x >= 1098 || whole && (y < 2 || y >= 898)
		if edge && index != p.Pix[1099] {
			t.Fatalf("something runs over the edge at (%d, %d)", x, y)
		}
	}
}

// What a scene says can be seen: pictures of scenes that differ in one thing
// only differ.
func TestWhatARingsSceneSaysIsSeen(t *testing.T) {
	t.Parallel()
	r := newRingsRenderer(t)
	seen := map[string]string{}
	see := func(what string, s imaging.Scene) {
		t.Helper()
		file, err := r.Board(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		if other, same := seen[string(file)]; same {
			t.Errorf("%s looks like %s", what, other)
		}
		seen[string(file)] = what
	}
	chain := ringsChain(t, 6, 6)
	see("a chain", chain)
	for what, change := range map[string]func(*imaging.Scene){
		"without what can be converted": func(s *imaging.Scene) { s.Legal = false },
		"without a turn":                func(s *imaging.Scene) { s.Turn = imaging.Turn{} },
		"one conversion less marked":    func(s *imaging.Scene) { s.Turn.Actions = s.Turn.Actions[:len(s.Turn.Actions)-1] },
		"nothing of what was before":    func(s *imaging.Scene) { s.Turn.Before = nil },
		"without names":                 func(s *imaging.Scene) { s.Names = nil },
		"a long name":                   func(s *imaging.Scene) { s.Names = []string{"Bartholomew the Elder"} },
		"won by seat 1":                 func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} },
		"shared by all": func(s *imaging.Scene) {
			s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1, 2, 3, 4, 5, 6}}
		},
		"drawn": func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} },
		"a circle picked": func(s *imaging.Scene) {
			*s = ringsPicked(*s, ringsStep(s.Position))
		},
		"part 1": func(s *imaging.Scene) { s.Zoom = 1 },
		"part 2": func(s *imaging.Scene) { s.Zoom = 2 },
		"part 3": func(s *imaging.Scene) { s.Zoom = 3 },
		"part 4": func(s *imaging.Scene) { s.Zoom = 4 },
	} {
		s := chain
		change(&s)
		see(what, s)
	}
	placing := ringsPlacing(t, 6, 6)
	see("placing", placing)
	see("a letter picked", ringsPicked(placing, "M"))
	see("another letter picked", ringsPicked(placing, "L"))
	see("a point picked", ringsPicked(placing, "M", "9"))
	see("a seat passed", ringsPlay(t, placing, "pass"))
	see("a seat retired", ringsPlay(t, placing, "retire3"))
	see("a letter in a part", ringsZoomed(ringsPicked(placing, "M"), 3))
}

func ringsStep(p engine.Position) string { return p.Legal()[0].Steps()[0] }

// What makes no sense is not shown: steps of nothing legal, a part that there
// is not, and anything to do after the end.
func TestRingsPicturesLeaveOutWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	r := newRingsRenderer(t)
	file := func(s imaging.Scene) []byte {
		t.Helper()
		b, err := r.Board(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	same := func(what string, a, b imaging.Scene) {
		t.Helper()
		if !bytes.Equal(file(a), file(b)) {
			t.Errorf("%s can be seen", what)
		}
	}
	s := ringsPlacing(t, 5, 3)
	for _, steps := range [][]string{{"Z"}, {"99"}, {"0"}, {"pass"}, {""}, {"ab"}, {"-1"}} {
		same(strings.Join(steps, " "), ringsPicked(s, steps...), s)
	}
	same("a row that there is not", ringsPicked(s, "J", "2"), ringsPicked(s, "J"))
	chain := ringsChain(t, 5, 3)
	same("a letter during conversions", ringsPicked(chain, "J"), chain)
	for _, part := range []int{-1, 5, 100} {
		same("a part that there is not", ringsZoomed(s, part), s)
	}
	end := ringsEnd(t, 3, 3)
	same("a letter after the end", ringsPicked(end, "A"), end)
	resigned := chain
	resigned.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}}
	without := resigned
	without.Legal = false
	same("what could be converted after the end", resigned, without)
	same("a pick after the end", ringsPicked(resigned, ringsStep(chain.Position)), resigned)
	// Actions of another game, as a stranger might put them there.
	odd := s
	odd.Turn = imaging.Turn{Seat: 9, Actions: s.Turn.Actions}
	file(odd)
}

// A turn longer than the panel is cut, and says so.
func TestALongRingsTurnIsCut(t *testing.T) {
	t.Parallel()
	r := newRingsRenderer(t)
	s := ringsPlacing(t, 6, 6)
	convert := s.Turn.Actions[1]
	long := s
	long.Turn.Actions = []engine.Action{s.Turn.Actions[0]}
	for range 200 {
		long.Turn.Actions = append(long.Turn.Actions, convert)
	}
	img, _ := ringsImage(t, r, long, "")
	for y := 898; y < 900; y++ {
		for x := 834; x < 1100; x++ {
			if distance(img.At(x, y), img.At(1099, 0)) != 0 {
				t.Fatalf("the turn runs to (%d, %d)", x, y)
			}
		}
	}
}

func TestTheSameRingsSceneGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, s := range []imaging.Scene{ringsChain(t, 6, 6), ringsPicked(ringsPlacing(t, 6, 6), "M"), ringsZoomed(ringsChain(t, 6, 6), 3)} {
		var first []byte
		for range 2 {
			r := newRingsRenderer(t)
			for range 2 {
				_, file := ringsImage(t, r, s, imaging.Light)
				if first == nil {
					first = file
				}
				if !bytes.Equal(first, file) {
					t.Fatal("two pictures of a scene differ")
				}
			}
		}
	}
}

// Anybody's part of the board holds every point, with its whole name.
func TestRingsPartsCoverTheBoard(t *testing.T) {
	for side := 3; side <= 6; side++ {
		if missing := imaging.RingsUncovered(side); len(missing) > 0 {
			t.Errorf("side %d: %v are in no part", side, missing)
		}
	}
}

// Writing and lines stand out on bands and on the guide as on cells: 4.5:1 and
// 3:1, as WCAG 2.2 asks (1.4.3, 1.4.11).
func TestContrastOnBands(t *testing.T) {
	for _, theme := range themes(t) {
		for what, ground := range imaging.RingsGrounds(theme) {
			if got := contrast(linear(theme.Dim), linear(ground)); got < 4.5 {
				t.Errorf("%s: coordinates on the %s have contrast %.2f", theme.Name, what, got)
			}
			if got := contrast(linear(theme.Line), linear(ground)); what != "guide" && got < 3 {
				t.Errorf("%s: lines on the %s have contrast %.2f", theme.Name, what, got)
			}
		}
	}
}
