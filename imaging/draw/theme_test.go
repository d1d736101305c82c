package draw_test

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
	"castellan/imaging/imagingtest"
)

func themes(t *testing.T) []draw.Theme {
	t.Helper()
	var all []draw.Theme
	for _, name := range draw.Themes() {
		theme, err := draw.ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, theme)
	}
	return all
}

func TestThemeByName(t *testing.T) {
	for _, name := range append(draw.Themes(), "") {
		theme, err := draw.ThemeByName(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if want := name; name != "" && theme.Name != want || name == "" && theme.Name != draw.Dark {
			t.Errorf("%q gives %q", name, theme.Name)
		}
	}
	_, err := draw.ThemeByName("sepia")
	if err == nil {
		t.Fatal("an unknown theme is found")
	}
	for _, part := range append(draw.Themes(), "sepia") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

// The test data of Sharma, Wu, Dalal (2005), table 1.
func TestCIEDE2000(t *testing.T) {
	for _, c := range [][7]float64{
		{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
		{50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
		{50, 2.5, 0, 73, 25, -18, 27.1492},
		{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
		{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
	} {
		if got := labDifference(c[0], c[1], c[2], c[3], c[4], c[5]); math.Abs(got-c[6]) > 1e-4 {
			t.Errorf("%v: %.4f", c, got)
		}
	}
}

// With every kind of colour vision, the colour of a seat differs by a CIEDE2000 of
// at least 15 from those of other seats, from lines, from pieces of nobody, and from
// everything that boards and their frames are made of. A difference of 10 is visible
// at a glance.
func TestSeatsDiffer(t *testing.T) {
	const least = 15
	table := "\nthe least CIEDE2000 of a seat and\n"
	for _, theme := range themes(t) {
		for _, s := range sights() {
			seats, board := pair{by: math.Inf(1)}, pair{by: math.Inf(1)}
			check := func(worst *pair, a, b color.RGBA, names ...any) {
				d := ciede2000(s.see(imagingtest.Linear(a)), s.see(imagingtest.Linear(b)))
				if d < worst.by {
					*worst = pair{d, fmt.Sprint(names...)}
				}
				if d < least {
					t.Errorf("%s, %s: %v differ by %.1f only", theme.Name, s.name, fmt.Sprint(names...), d)
				}
			}
			for a := engine.Blue; a <= engine.Wedge; a++ {
				for b := a + 1; b <= engine.Wedge; b++ {
					check(&seats, theme.Seat(a), theme.Seat(b), a, " and ", b)
				}
				check(&board, theme.Seat(a), theme.Line, a, " and lines")
				if a == engine.Blue || a == engine.Red { // the seats of games with pieces of nobody
					check(&board, theme.Seat(a), theme.Neutral, a, " and pieces of nobody")
				}
				for _, g := range theme.Materials() {
					check(&board, theme.Seat(a), g, a, fmt.Sprintf(" and #%02X%02X%02X", g.R, g.G, g.B))
				}
			}
			table += fmt.Sprintf("%-9s %-16s another seat %-28v the board %v\n", theme.Name, s.name, seats, board)
		}
	}
	t.Log(table)
}

// pair is two colours and how much they differ.
type pair struct {
	by    float64
	names string
}

func (p pair) String() string { return fmt.Sprintf("%.1f (%s)", p.by, p.names) }

// Everything that carries meaning has the contrast that WCAG 2.2 requires: 3:1
// for forms (1.4.11) and 4.5:1 for text (1.4.3), for seats with every kind of
// colour vision, on land and bands too. In the contrast theme, text and whatever
// lies on a square have 7:1 (1.4.6), and forms on land have 4.5:1.
func TestContrast(t *testing.T) {
	for _, theme := range themes(t) {
		high := func(normal, contrast float64) float64 {
			if theme.Name == draw.Contrast {
				return contrast
			}
			return normal
		}
		least := map[string]float64{}
		check := func(what string, a, b imagingtest.LinearRGB, want float64) {
			got := imagingtest.Contrast(a, b)
			if old, ok := least[what]; !ok || got < old {
				least[what] = math.Round(got*10) / 10
			}
			if got < want {
				t.Errorf("%s: %s has contrast %.2f, less than %.1f", theme.Name, what, got, want)
			}
		}
		check("coordinates", imagingtest.Linear(theme.Carved), imagingtest.Linear(theme.Frame), high(4.5, 7))
		check("text on a plate", imagingtest.Linear(theme.Written), imagingtest.Linear(theme.Plate), 9)
		check("other text on a plate", imagingtest.Linear(theme.Faint), imagingtest.Linear(theme.Plate), high(4.5, 7))
		for _, g := range []color.RGBA{theme.Background, theme.Cell, theme.CellDark} {
			check("text", imagingtest.Linear(theme.Text), imagingtest.Linear(g), 9)
			check("dim text", imagingtest.Linear(theme.Dim), imagingtest.Linear(g), high(4.5, 7))
			check("signs", imagingtest.Linear(theme.Mark), imagingtest.Linear(g), high(4.5, 7))
			check("lines", imagingtest.Linear(theme.Line), imagingtest.Linear(g), 3)
			check("free towers", imagingtest.Linear(theme.Neutral), imagingtest.Linear(g), high(4.5, 7))
		}
		for c := engine.Blue; c <= engine.Wedge; c++ {
			seat := imagingtest.Linear(theme.Seat(c))
			for _, g := range []color.RGBA{theme.Cell, theme.CellDark} {
				check("a seat on a cell", seat, imagingtest.Linear(g), high(3.3, 7))
				for _, s := range sights() {
					check("a seat on a cell, simulated", s.see(seat), s.see(imagingtest.Linear(g)), high(3, 4.5))
				}
			}
			check("ink on a seat", imagingtest.Linear(theme.Ink), seat, high(4.5, 7))
			land := imagingtest.Linear(theme.Tint(c))
			check("a seat on its tint", seat, land, high(3, 4.5))
			if c == engine.Red || c == engine.Blue { // the seats that own land in Stone Towers
				check("a dog-ear on a key line", seat, imagingtest.Linear(theme.Background), high(3, 7))
				check("a dog-ear of nobody", imagingtest.Linear(theme.Neutral), land, high(3, 4.5))
				check("a sign on land", imagingtest.Linear(theme.Mark), land, high(3, 4.5))
			}
			check("text on a tint", imagingtest.Linear(theme.Text), imagingtest.Linear(theme.Tint(c)), high(6.7, 7))
		}
		t.Logf("%s: least contrast %v", theme.Name, least)
	}
}

// On the plate of a seat that is not to move, the seat's mark has a contrast of at least
// 3:1 to the plate, with every kind of colour vision.
func TestMarksOnPlates(t *testing.T) {
	font, err := draw.ParseFonts(fonts.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range themes(t) {
		palette, err := draw.NewPalette(theme, draw.BoardDesign(engine.Blue, engine.Red, engine.Gold, engine.Green, engine.Violet, engine.Wedge))
		if err != nil {
			t.Fatal(err)
		}
		p := draw.NewPlates(draw.Style{Theme: theme, Palette: palette, Font: font}, 1, 0)
		for c := engine.Blue; c <= engine.Wedge; c++ {
			canvas := draw.NewCanvas(palette, draw.Width, p.Bottom)
			p.Draw(canvas, draw.NamePlate{Seat: 1, Colour: c})
			colour := func(x, y int) imagingtest.LinearRGB { return imagingtest.Linear(canvas.At(x, y).(color.RGBA)) }
			x, y := p.Place(0).Min.X+draw.Px(1.35), p.Place(0).Min.Y+draw.Px(1.25)+2
			if got := canvas.At(x, y); got != theme.Seat(c) {
				t.Fatalf("%s: the mark of %s is %v", theme.Name, c, got)
			}
			beside := draw.Px(0.94) // beyond the mark
			for _, around := range []imagingtest.LinearRGB{colour(x-beside, y), colour(x+beside, y), colour(x, y-beside), colour(x, y+beside)} {
				for _, s := range sights() {
					if got := imagingtest.Contrast(s.see(colour(x, y)), s.see(around)); got < 3 {
						t.Errorf("%s, %s: the mark of %s has a contrast of %.2f", theme.Name, s.name, c, got)
					}
				}
			}
		}
	}
}

// A seat that is named after a colour has it in every theme. The last has a light tone
// on a dark board and a dark one on a light board, and is named after its shape.
func TestNamesOfSeatsAreTrue(t *testing.T) {
	between := func(low, high float64) func(hue, saturation float64) bool {
		return func(hue, saturation float64) bool { return saturation > 0.3 && hue >= low && hue <= high }
	}
	names := map[string]func(hue, saturation float64) bool{
		"red": between(-20, 25), "gold": between(40, 60), "green": between(150, 184), "blue": between(185, 230), "violet": between(250, 290),
		"wedge": func(float64, float64) bool { return true },
	}
	for _, theme := range themes(t) {
		for c := engine.Blue; c <= engine.Wedge; c++ {
			fits, ok := names[c.String()]
			if !ok {
				t.Fatalf("nothing is known of the name %q", c)
			}
			if hue, saturation := hsv(theme.Seat(c)); !fits(hue, saturation) {
				t.Errorf("%s: %s has the hue %.0f° and the saturation %.2f", theme.Name, c, hue, saturation)
			}
		}
	}
}

// hsv returns the hue of a colour, from -60° to 300°, and its saturation.
func hsv(c color.RGBA) (hue, saturation float64) {
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	most, least := max(r, g, b), min(r, g, b)
	switch spread := most - least; {
	case spread == 0:
		return 0, 0
	case most == r:
		hue = 60 * (g - b) / spread
	case most == g:
		hue = 60*(b-r)/spread + 120
	default:
		hue = 60*(r-g)/spread + 240
	}
	return hue, (most - least) / most
}
