package draw

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

// testStyle returns a style with the colours of two seats.
func testStyle(t testing.TB) Style {
	t.Helper()
	f, err := ParseFont(fonts.CondensedBold)
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

// On a phone, 400 pixels wide, capitals are at least six pixels high.
func TestTextIsLegible(t *testing.T) {
	for what, size := range map[string]float64{
		"names": NameCapital, "coordinates": CoordinateCapital, "notation": NotationCapital, "numbers": NumberCapital,
	} {
		if high := float64(Px(size)) * 400 / Width; high < 6 {
			t.Errorf("%s have capitals %.1f pixels high on a phone", what, high)
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

// Coordinates stay clear of each other and of the picture's edge, and the board
// of the panel, on every size of board.
func TestGridLayout(t *testing.T) {
	style := testStyle(t)
	letters, panel := style.Face(Px(CoordinateCapital)), NewPanel(style.Font)
	for size := 4; size <= 21; size++ {
		g := NewGrid(size, size, false)
		if side := size * g.Cell; side < Px(26.5) || side > Px(27.4) {
			t.Errorf("size %d: the board is %d pixels wide", size, side)
		}
		for i := range size {
			if w := letters.Width(fileName(i)); w > float64(g.Cell)-2 {
				t.Errorf("size %d: the letter %s is %.1f wide in a cell of %d", size, fileName(i), w, g.Cell)
			}
		}
		if left := float64(g.Bounds().Min.X-Px(0.25)) - letters.Width("20"); left < 4 {
			t.Errorf("size %d: numbers start at %.1f", size, left)
		}
		if right := g.Bounds().Max.X; right > panel.X-Px(0.7) {
			t.Errorf("size %d: the board ends at %d, too near the panel", size, right)
		}
	}
}

// An oblong board lies in the middle of the space of a square board, with cells
// of the same size.
func TestOblongGrid(t *testing.T) {
	for files := 4; files <= 16; files++ {
		for ranks := 4; ranks <= 16; ranks++ {
			longer := max(files, ranks)
			g, square := NewGrid(files, ranks, false), NewGrid(longer, longer, false)
			b, all := g.Bounds(), square.Bounds()
			if g.Cell != square.Cell || b.Dx() != files*g.Cell+LineWidth || b.Dy() != ranks*g.Cell+LineWidth {
				t.Errorf("%d by %d: cells of %d, board %v", files, ranks, g.Cell, b)
			}
			if !b.In(all) {
				t.Errorf("%d by %d: %v is not within %v", files, ranks, b, all)
			}
			if d := b.Min.Add(b.Max).Sub(all.Min.Add(all.Max)); d.X < -2 || d.X > 2 || d.Y < -2 || d.Y > 2 {
				t.Errorf("%d by %d: %v is not in the middle of %v", files, ranks, b, all)
			}
			if got := g.Corner(0, 0); got != (image.Point{b.Min.X + LineWidth, b.Max.Y - g.Cell}) {
				t.Errorf("%d by %d: a1 is at %v, the board %v", files, ranks, got, b)
			}
		}
	}
}

// Marks have about the same area, so that no seat looks larger than another.
func TestMarksHaveEqualWeight(t *testing.T) {
	const r = 40
	for c := engine.Blue; c <= engine.White; c++ {
		m := NewMask(image.Rect(-64, -64, 64, 64), func(dc *gg.Context) { FillMark(dc, c, 0, 0, r) })
		area := 0.0
		for _, q := range m.quarters {
			area += float64(q) / full
		}
		if share := area / (math.Pi * r * r); share < 0.88 || share > 1.12 {
			t.Errorf("%v has %.2f of the disc's area", c, share)
		}
	}
}

// A palette holds the exact blends of all pairs of its design.
func TestPalette(t *testing.T) {
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
				for q := 1; q < full; q++ {
					want := Mix(d.colour(theme, under), d.colour(theme, upper), float64(q)/full)
					if got := p.Colours[p.over[upper][q-1][p.base[under]]]; got != want {
						t.Errorf("%s: %d quarters of role %d over %d is %v, not %v", name, q, upper, under, got, want)
					}
				}
			}
		}
	}
}

// A crisp shape has its own colour, that of the ground, and one blend.
func TestCrisp(t *testing.T) {
	s := testStyle(t)
	c := NewCanvas(s.Palette, 60, 60)
	c.Stamp(NewDisc(20), 30, 30, Text)
	table := s.Map(func(c color.RGBA) color.RGBA { return c })
	s.Crisp(&table, Background, Text)
	c.Recolour(c.Rect, &table)
	found := map[color.Color]bool{}
	for _, i := range c.Pix {
		found[s.Colours[i]] = true
	}
	if len(found) != 3 || !found[s.Background] || !found[s.Text] || !found[Mix(s.Background, s.Text, 0.5)] {
		t.Errorf("a crisp disc has the colours %v", found)
	}
}

func TestPaletteErrors(t *testing.T) {
	tooMany := Design{Over: map[Role][]Role{}}
	for under := Background; under < Custom; under++ {
		for upper := Seat(engine.Blue); upper <= Tint(engine.White); upper++ {
			tooMany.Over[under] = append(tooMany.Over[under], upper)
		}
	}
	for says, d := range map[string]Design{
		"a palette holds 256":  tooMany,
		"role 8 has no colour": {Over: map[Role][]Role{Background: {Custom}}},
		"role 9 has no colour": {Over: map[Role][]Role{Custom + 1: {Text}}, Custom: testDesign().Custom},
	} {
		if _, err := NewPalette(darkTheme(), d); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is not %q: %v", says, err)
		}
	}
}
