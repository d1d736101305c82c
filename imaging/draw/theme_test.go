package draw_test

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

// themes returns all themes.
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

// The colours of any two seats differ by a CIEDE2000 of at least 19 with every
// kind of colour vision. A difference of 10 is visible at a glance.
func TestSeatsDiffer(t *testing.T) {
	for _, theme := range themes(t) {
		least, where := math.Inf(1), ""
		for _, s := range sights() {
			for a := engine.Blue; a <= engine.White; a++ {
				for b := a + 1; b <= engine.White; b++ {
					d := ciede2000(s.see(imagingtest.Linear(theme.Seat(a))), s.see(imagingtest.Linear(theme.Seat(b))))
					if d < least {
						least, where = d, a.String()+" and "+b.String()+", "+s.name
					}
				}
			}
		}
		t.Logf("%s: smallest CIEDE2000 of two seats %.1f (%s)", theme.Name, least, where)
		if least < 19 {
			t.Errorf("%s: %s differ by %.1f only", theme.Name, where, least)
		}
	}
}

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
		grounds := []color.RGBA{theme.Background, theme.Cell}
		for _, g := range grounds {
			check("text", imagingtest.Linear(theme.Text), imagingtest.Linear(g), 13)
			check("coordinates", imagingtest.Linear(theme.Dim), imagingtest.Linear(g), high(4.5, 7))
			check("signs", imagingtest.Linear(theme.Mark), imagingtest.Linear(g), high(4.5, 7))
			check("lines", imagingtest.Linear(theme.Line), imagingtest.Linear(g), high(3, 7))
			check("free towers", imagingtest.Linear(theme.Neutral), imagingtest.Linear(g), high(4.5, 7))
		}
		for c := engine.Blue; c <= engine.White; c++ {
			seat := imagingtest.Linear(theme.Seat(c))
			check("a seat on a cell", seat, imagingtest.Linear(theme.Cell), high(3.8, 7))
			check("ink on a seat", imagingtest.Linear(theme.Ink), seat, high(4.5, 7))
			land := imagingtest.Linear(theme.Tint(c))
			check("a seat on its tint", seat, land, high(3, 4.5))
			if c == engine.Red || c == engine.Blue { // the seats that own land in Stone Towers
				check("a dog-ear on a key line", seat, imagingtest.Linear(theme.Background), high(3, 7))
				check("a dog-ear of nobody", imagingtest.Linear(theme.Neutral), land, high(3, 4.5))
				check("a sign on land", imagingtest.Linear(theme.Mark), land, high(3, 4.5))
			}
			check("text on a tint", imagingtest.Linear(theme.Text), imagingtest.Linear(theme.Tint(c)), high(6.7, 7))
			for _, s := range sights() {
				check("a seat on a cell, simulated", s.see(seat), s.see(imagingtest.Linear(theme.Cell)), high(3, 4.5))
			}
		}
		t.Logf("%s: least contrast %v", theme.Name, least)
	}
}
