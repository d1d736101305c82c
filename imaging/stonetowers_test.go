package imaging_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
)

// Bytes that a picture may have: of the default board, and of any. Boards of
// ten squares a side and more have more edges than the rest.
const (
	stoneBytes     = 60 << 10
	stoneMostBytes = 68 << 10
)

// stonePlayout is the scene after that many random turns, or at the end.
func stonePlayout(t testing.TB, options string, turns int, seed uint64) imaging.Scene {
	t.Helper()
	s := stoneScene(t, options, "")
	random := rand.New(rand.NewPCG(seed, 1))
	for range turns {
		legal := s.Position.Legal()
		if len(legal) == 0 {
			break
		}
		s = after(t, s, legal[random.IntN(len(legal))])
	}
	return s
}

func stoneBoard(t testing.TB, r *imaging.Renderer, s imaging.Scene, theme string) []byte {
	t.Helper()
	file, err := r.Board(context.Background(), s, theme)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Boards of every width and height, at the start, in the middle and at the end,
// with and without something picked: 1200 by 900, in the palette of the theme,
// and with nothing that runs over the edge.
func TestStonePicturesOfAllSizesAreInTheirPaletteAndBounds(t *testing.T) {
	t.Parallel()
	largest := 0
	for width := 4; width <= 16; width++ {
		for _, height := range []int{4, 4 + (width+2)%13, width, 16} {
			if sampled && width%4 != 0 {
				continue
			}
			r := newStoneRenderer(t) // or hundreds of kits would be kept
			options := fmt.Sprintf("width=%d height=%d turns=%d", width, height, 5+width*height/3)
			for i, turns := range []int{0, 1, width * height / 3, 1000} {
				theme := imaging.Themes()[(i+width+height)%3]
				s := stonePlayout(t, options, turns, uint64(width+height))
				if i == 2 {
					s.Picked = []string{"b"}
				}
				file := stoneBoard(t, r, s, theme)
				largest = max(largest, len(file))
				if len(file) > stoneMostBytes || width <= 8 && height <= 8 && len(file) > stoneBytes {
					t.Errorf("%s, %s, %d turns: %d bytes", options, theme, turns, len(file))
				}
				checkStonePicture(t, file, theme)
			}
		}
	}
	t.Logf("the largest picture has %d bytes", largest)
}

// checkStonePicture checks what holds for every picture of Stone Towers.
func checkStonePicture(t *testing.T, file []byte, theme string) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	img, ok := decoded.(*image.Paletted)
	if !ok || img.Bounds() != image.Rect(0, 0, 1200, 900) {
		t.Fatalf("the picture is a %T of %v", decoded, decoded.Bounds())
	}
	colours, err := imaging.PaletteOf(imaging.StoneTowers(), theme)
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
		x, y := i%img.Stride, i/img.Stride
		edge := x < 2 || y < 2 || x >= 1198 || y >= 898
		if edge && index != img.Pix[899*img.Stride] {
			t.Fatalf("something runs over the edge at (%d, %d)", x, y)
		}
	}
}

// What a scene says can be seen: pictures of scenes that differ in one thing
// only differ.
func TestWhatASceneOfStoneTowersSaysIsSeen(t *testing.T) {
	t.Parallel()
	r := newStoneRenderer(t)
	seen := map[string]string{}
	look := func(what string, s imaging.Scene) {
		file := string(stoneBoard(t, r, s, ""))
		if other, same := seen[file]; same {
			t.Errorf("%s looks like %s", what, other)
		}
		seen[file] = what
	}
	look("as it is", stoneScene(t, "", stoneMiddle))
	look("longer", stoneScene(t, "turns=40", stoneMiddle))
	look("a turn before", stoneScene(t, "", strings.TrimSuffix(stoneMiddle, " b4")))
	for what, change := range map[string]func(*imaging.Scene){
		"without legal squares": func(s *imaging.Scene) { s.Legal = false },
		"without a last turn":   func(s *imaging.Scene) { s.Turn = imaging.Turn{} },
		"without what was":      func(s *imaging.Scene) { s.Turn.Before = nil },
		"without names":         func(s *imaging.Scene) { s.Names = nil },
		"file d picked":         func(s *imaging.Scene) { s.Picked = []string{"d"} },
		"file e picked":         func(s *imaging.Scene) { s.Picked = []string{"e"} },
		"e5 picked":             func(s *imaging.Scene) { s.Picked = []string{"e", "5"} },
		"e6 picked":             func(s *imaging.Scene) { s.Picked = []string{"e", "6"} },
		"won by Red":            func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} },
		"won by Blue":           func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}} },
		"drawn":                 func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} },
	} {
		s := stoneScene(t, "", stoneMiddle)
		change(&s)
		look(what, s)
	}
}

// Every kind of square looks different: unowned, the land of each and their
// castles of each level, on large and on small cells.
func TestSquaresOfStoneTowersLookDifferent(t *testing.T) {
	t.Parallel()
	r := newStoneRenderer(t)
	for _, size := range []int{8, 16} {
		// Red's castles stand on a1, c1 and e1, Blue's on a4, c4 and e4, of
		// levels 1, 2 and 3; between them lies land, and b8 is unowned.
		s := stoneScene(t, fmt.Sprintf("width=%d height=%d", size, size), "a1 a4 c1 c4 c1 c4 e1 e4 e1 e4 e1 e4")
		for _, theme := range imaging.Themes() {
			s.Turn, s.Legal = imaging.Turn{}, false
			img, err := png.Decode(bytes.NewReader(stoneBoard(t, r, s, theme)))
			if err != nil {
				t.Fatal(err)
			}
			cell, board := 819/size, image.Pt(57+(816-819/size*size)/2, 21+(816-819/size*size)/2)
			var cut []string
			squares := []string{"b1", "a1", "c1", "e1", "b4", "a4", "c4", "e4", "b8"}
			for _, name := range squares {
				a, err := s.Position.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				at := a.(stonetowers.Action).Square
				from := board.Add(image.Pt(at.X*cell+2, (size-1-at.Y)*cell+2))
				var pixels []byte
				for y := range cell - 3 {
					for x := range cell - 3 {
						pixels = append(pixels, img.(*image.Paletted).ColorIndexAt(from.X+x, from.Y+y))
					}
				}
				if i := slices.Index(cut, string(pixels)); i >= 0 {
					t.Errorf("%s, %d squares a side: %s looks like %s", theme, size, name, squares[i])
				}
				cut = append(cut, string(pixels))
			}
		}
	}
}

// After the end, and where there is only a pass, nothing is offered and nothing
// picked, whatever the scene asks for.
func TestNothingIsOfferedAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newStoneRenderer(t)
	passing := strings.TrimSuffix(stonePass, " pass")
	for what, scene := range map[string]func() imaging.Scene{
		"the end": func() imaging.Scene { return stoneScene(t, "width=7 height=6 turns=14", stoneEnd) },
		"a draw": func() imaging.Scene {
			s := stoneScene(t, "", stoneMiddle)
			s.Outcome = &imaging.Outcome{}
			return s
		},
		"a pass": func() imaging.Scene { return stoneScene(t, "width=4 height=4 turns=40", passing) },
	} {
		plain := scene()
		plain.Legal = false
		want := stoneBoard(t, r, plain, "")
		for _, picked := range [][]string{nil, {"a"}, {"pass"}, {"d", "1"}, {"d", "1", "?"}} {
			s := scene()
			s.Picked = picked
			if !bytes.Equal(stoneBoard(t, r, s, ""), want) {
				t.Errorf("after %s something is offered or picked: %q", what, picked)
			}
		}
	}
}

// Steps that lead nowhere, a turn that does not belong to the position and a
// position of another game do no harm.
func TestAMistakenSceneOfStoneTowers(t *testing.T) {
	r := newStoneRenderer(t)
	good := stoneScene(t, "", stoneMiddle)
	other := trailsScene(t, "size=5", "rl")
	for what, change := range map[string]func(*imaging.Scene){
		"another board before":  func(s *imaging.Scene) { s.Turn.Before = stoneScene(t, "width=5", "").Position },
		"another game before":   func(s *imaging.Scene) { s.Turn.Before = other.Position },
		"another game's action": func(s *imaging.Scene) { s.Turn.Actions = other.Turn.Actions },
		"nobody's turn":         func(s *imaging.Scene) { s.Turn.Seat = 0 },
		"a third seat's turn":   func(s *imaging.Scene) { s.Turn.Seat = 3 },
		"steps of nothing":      func(s *imaging.Scene) { s.Picked = []string{"z"} },
		"an illegal square":     func(s *imaging.Scene) { s.Picked = []string{"a", "1"} },
	} {
		s := good
		change(&s)
		if _, err := r.Board(context.Background(), s, ""); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := r.Board(context.Background(), imaging.Scene{Game: good.Game, Position: other.Position}, ""); err == nil ||
		!strings.Contains(err.Error(), "stone-towers") {
		t.Errorf("another game's position: %v", err)
	}
}

// What lies on land stands out from it, and a dog-ear from the key line along
// it: 3:1 as WCAG 2.2 asks of forms (1.4.11).
func TestContrastOnLand(t *testing.T) {
	for _, theme := range themes(t) {
		for _, owner := range []engine.Colour{engine.Red, engine.Blue} {
			land, seat := linear(theme.Tint(owner)), linear(theme.Seat(owner))
			for what, got := range map[string]float64{
				"a dog-ear":               contrast(seat, linear(theme.Background)),
				"a dog-ear of nobody":     contrast(linear(theme.Neutral), land),
				"a sign":                  contrast(linear(theme.Mark), land),
				"a flag":                  contrast(seat, land),
				"the mark in a flag":      contrast(linear(theme.Ink), seat),
				"the numeral of a castle": contrast(linear(theme.Ink), seat),
			} {
				if got < 3 {
					t.Errorf("%s, %s: %s has contrast %.2f", theme.Name, owner, what, got)
				}
			}
		}
	}
}
