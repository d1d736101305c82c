package draw

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

// testStyle returns a style with the colours of two seats.
func testStyle(t testing.TB) Style {
	t.Helper()
	f, err := ParseFonts(fonts.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPalette(darkTheme(), testDesign())
	if err != nil {
		t.Fatal(err)
	}
	return Style{darkTheme(), p, f}
}

func testDesign() Design {
	blue, red := Seat(engine.Blue), Seat(engine.Red)
	return Design{
		Over: map[Role][]Role{
			Background: {Cell, Line, Text, Dim, Mark, blue, red},
			Cell:       {Line, Text, Mark, Custom, Tint(engine.Gold)},
			blue:       {Ink, Mark}, red: {Ink, Mark},
		},
		Custom: []func(Theme) color.RGBA{func(t Theme) color.RGBA { return Mix(t.Cell, t.Mark, 0.3) }},
	}
}

// On a phone that shows a picture 341 pixels wide, text has a size of 11 pixels at
// least.
func TestTextIsLegible(t *testing.T) {
	style := testStyle(t)
	for what, size := range map[string]float64{
		"names": NameCapital, "scores": ScoreCapital, "coordinates": CoordinateCapital, "notation": NotationCapital, "numbers": NumberCapital,
	} {
		if high := style.Face(Px(size)).Size() * 341 / Width; high < 11 {
			t.Errorf("%s have a size of %.1f pixels on a phone", what, high)
		}
	}
}

// Capitals begin and end on whole pixels and are centred.
func TestCapitalsAreCrisp(t *testing.T) {
	s := testStyle(t)
	for _, capital := range []int{18, 22, 24, 25, 28} {
		c := NewCanvas(s.Palette, 60, 60)
		s.Face(capital).Write(c, "H", 30, 30, Middle, Text)
		first, last := 60, -1
		for y := range 60 {
			for x := range 60 {
				if c.ColorIndexAt(x, y) != s.Index(Background) {
					first, last = min(first, y), max(last, y)
				}
			}
		}
		if last-first+1 != capital {
			t.Errorf("an H of %d pixels fills %d rows", capital, last-first+1)
		}
		if middle := float64(first+last+1) / 2; math.Abs(middle-30) > 0.5 {
			t.Errorf("an H of %d pixels is centred on %.1f, not 30", capital, middle)
		}
	}
}

// A board with its frame is as wide as a picture, and its coordinates stay clear
// of each other and of the edges of the frame, on every size of board.
func TestGridLayout(t *testing.T) {
	letters := testStyle(t).Face(Px(CoordinateCapital))
	for files := 4; files <= 21; files++ {
		for ranks := 4; ranks <= 21; ranks++ {
			g := NewGrid(files, ranks, false)
			b, all := g.Bounds(), g.Framed()
			if b.Dx() != files*g.Cell || b.Dy() != ranks*g.Cell || all.Min.Y != 0 || all.Min.X < 0 || all.Max.X > Width {
				t.Fatalf("%d by %d: cells of %d, board %v in %v", files, ranks, g.Cell, b, all)
			}
			if files >= ranks && (all.Min.X > 0 || all.Max.X < Width-1) {
				t.Errorf("%d by %d: the board is only %v", files, ranks, all)
			}
			if got := g.Corner(0, 0); got != (image.Point{b.Min.X, b.Max.Y - g.Cell}) {
				t.Errorf("%d by %d: a1 is at %v, the board %v", files, ranks, got, b)
			}
			for i := range files {
				if w := letters.Width(fileName(i)); w > float64(g.Cell)-2 {
					t.Errorf("%d files: the letter %s is %.1f wide in a cell of %d", files, fileName(i), w, g.Cell)
				}
			}
			if w := letters.Width(strconv.Itoa(ranks)); w > float64(g.edge())-2 {
				t.Errorf("%d ranks: the highest number is %.1f wide in a frame of %d", ranks, w, g.edge())
			}
		}
	}
}

// Plates and the line above them share the picture without touching each other,
// for every number of seats, and the first row of a wide plate has room for names.
func TestPlatesLayout(t *testing.T) {
	style := testStyle(t)
	for seats := 1; seats <= 6; seats++ {
		p := NewPlates(style, seats, 1000)
		picture := image.Rect(0, 1000, Width, p.Bottom)
		for i := range seats {
			place := p.Place(i)
			if !place.In(picture) || place.Overlaps(p.Line()) {
				t.Errorf("%d seats: plate %d is at %v", seats, i, place)
			}
			for j := range i {
				if place.Overlaps(p.Place(j)) {
					t.Errorf("%d seats: plates %d and %d overlap", seats, i, j)
				}
			}
			if room := float64(place.Dx()-Px(plateNameX)-Px(1)) - p.Scores.Width("00") - 1.5*U; room < p.Names.Width("Margar") {
				t.Errorf("%d seats: names have %.0f pixels", seats, room)
			}
		}
	}
}

// Marks have about the same area, so that no seat looks larger than another.
func TestMarksHaveEqualWeight(t *testing.T) {
	const r = 40
	for c := engine.Blue; c <= engine.Wedge; c++ {
		m := NewMask(image.Rect(-64, -64, 64, 64), func(dc *gg.Context) { FillMark(dc, c, 0, 0, r) })
		area := 0.0
		for _, q := range m.halves {
			area += float64(q) / full
		}
		if share := area / (math.Pi * r * r); share < 0.88 || share > 1.12 {
			t.Errorf("%v has %.2f of the disc's area", c, share)
		}
	}
}

// A palette holds the exact colours of its roles, and blends of all pairs that
// hardly differ from the exact ones.
func TestPalette(t *testing.T) {
	const most = 6
	d := testDesign()
	for _, name := range Themes() {
		theme, err := ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPalette(theme, d)
		if err != nil {
			t.Fatal(err)
		}
		for under, uppers := range d.Over {
			for _, upper := range uppers {
				if got := p.Colours[p.Index(upper)]; got != d.colour(theme, upper) {
					t.Errorf("%s: role %d is %v", name, upper, got)
				}
				want := Mix(d.colour(theme, under), d.colour(theme, upper), 0.5)
				if got := p.all[p.over[upper][p.base[under]]]; distance(got, want) > most*most {
					t.Errorf("%s: half of role %d over %d is %v, not %v", name, upper, under, got, want)
				}
			}
		}
	}
}

// A design with many pairs fits into a palette too.
func TestLargePalette(t *testing.T) {
	d := BoardDesign(engine.Blue, engine.Red, engine.Gold, engine.Green, engine.Violet, engine.Wedge)
	for under := Background; under < Custom; under++ {
		for upper := Seat(engine.Blue); upper <= Tint(engine.Wedge); upper++ {
			d.Lay(under, upper)
		}
	}
	p, err := NewPalette(woodTheme(), d)
	if err != nil || len(p.Colours) > maxColours {
		t.Fatalf("%d colours: %v", len(p.Colours), err)
	}
	for r := Background; r < Custom; r++ {
		if got, want := p.all[p.Index(r)], d.colour(woodTheme(), r); got != want {
			t.Errorf("role %d is %v, not %v", r, got, want)
		}
	}
}

// Of colours that resemble each other, the one of most pixels stays, wherever it is
// in the palette.
func TestThin(t *testing.T) {
	grey := func(v uint8) color.RGBA { return color.RGBA{v, v, v, 0xFF} }
	p := image.NewPaletted(image.Rect(0, 0, 4, 2), color.Palette{grey(10), grey(12), grey(200), grey(202), grey(90)})
	copy(p.Pix, []uint8{0, 1, 1, 1, 2, 2, 2, 3})
	got := Thin(p, 3)
	if want := (color.Palette{grey(12), grey(200), grey(90)}); !slices.Equal(got, want) {
		t.Errorf("three colours of %v are %v, not %v", p.Palette, got, want)
	}
}

func TestPaletteErrors(t *testing.T) {
	for says, d := range map[string]Design{
		fmt.Sprintf("role %d has no colour", Custom):   {Over: map[Role][]Role{Background: {Custom}}},
		fmt.Sprintf("role %d has no colour", Custom+1): {Shaded: []Role{Custom + 1}, Custom: testDesign().Custom},
	} {
		if _, err := NewPalette(darkTheme(), d); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is not %q: %v", says, err)
		}
	}
}
