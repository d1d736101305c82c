package imaging

import (
	"image"
	"math"
	"testing"

	"castellan/engine"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

// On a phone a picture is 400 pixels wide. What must be read there has
// capitals of six pixels and more.
func TestTextIsReadOnAPhone(t *testing.T) {
	width, _ := newGrid(boardUnit, 11, false).bounds()
	for what, size := range map[string]float64{
		"names": nameCapital, "coordinates": coordinateCapital, "notation": notationCapital, "numbers": numberCapital,
	} {
		if high := float64(boardUnit.px(size)) * 400 / float64(width); high < 6 {
			t.Errorf("%s have capitals %.1f pixels high on a phone", what, high)
		}
	}
}

// Capitals start and end on whole pixels, centred where they are written.
func TestCapitalsAreCrispAndCentred(t *testing.T) {
	typeface, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPalette(darkTheme(), trailsPainter{}.design())
	if err != nil {
		t.Fatal(err)
	}
	for _, capital := range []int{18, 22, 24, 25, 28} {
		f := typeface.face(capital)
		c := newCanvas(p, 60, 60)
		f.write(c, "H", 30, 30, middle, text)
		first, last := 60, -1
		for y := range 60 {
			for x := range 60 {
				if c.ColorIndexAt(x, y) != p.base[background] {
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

// The coordinates stand clear of each other and of the picture's edge on every
// size of board.
func TestCoordinatesHaveRoom(t *testing.T) {
	f, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	letters := f.face(boardUnit.px(coordinateCapital))
	for size := 5; size <= 21; size++ {
		g := newGrid(boardUnit, size, false)
		if side := size * g.cell; side < boardUnit.px(26.5) || side > boardUnit.px(27.4) {
			t.Errorf("size %d: the board is %d pixels wide", size, side)
		}
		for i := range size {
			if w := letters.width(fileName(i)); w > float64(g.cell)-2 {
				t.Errorf("size %d: the letter %s is %.1f wide in a cell of %d", size, fileName(i), w, g.cell)
			}
		}
		if left := float64(g.board().Min.X-g.px(0.25)) - letters.width("20"); left < 4 {
			t.Errorf("size %d: numbers start at %.1f", size, left)
		}
		if right := g.board().Max.X; right > newPanel(boardUnit, f).x-g.px(0.7) {
			t.Errorf("size %d: the board ends at %d, too near the panel", size, right)
		}
	}
}

// The marks weigh the same, so that no seat seems larger than another.
func TestMarksHaveEqualWeight(t *testing.T) {
	const r = 40
	for c := engine.Blue; c <= engine.White; c++ {
		m := paint(image.Rect(-64, -64, 64, 64), func(dc *gg.Context) { fillMark(dc, c, 0, 0, r) })
		area := 0.0
		for _, q := range m.quarters {
			area += float64(q) / full
		}
		if share := area / (math.Pi * r * r); share < 0.88 || share > 1.12 {
			t.Errorf("%v has %.2f of the disc's area", c, share)
		}
	}
}

// Blends are as near to what true colour would give as a quarter allows, on
// every theme, and no palette is larger than PNG can hold.
func TestThePaletteHoldsWhatTouches(t *testing.T) {
	for _, name := range Themes() {
		theme, err := ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		d := trailsPainter{}.design()
		p, err := newPalette(theme, d)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d colours", name, len(p.colours))
		for under, uppers := range d {
			for _, upper := range uppers {
				for q := 1; q < full; q++ {
					want := mix(theme.colour(under), theme.colour(upper), float64(q)/full)
					if got := p.colours[p.over[upper][q-1][p.base[under]]]; got != want {
						t.Errorf("%s: %d quarters of role %d over %d is %v, not %v", name, q, upper, under, got, want)
					}
				}
			}
		}
	}
}

func TestAPaletteTooLargeIsRefused(t *testing.T) {
	d := design{}
	for under := range role(roles) {
		for upper := range role(roles) {
			d[under] = append(d[under], upper)
		}
	}
	if _, err := newPalette(darkTheme(), d); err == nil {
		t.Error("a palette of more than 256 colours is made")
	}
}
