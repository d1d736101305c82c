package imaging

import (
	"image"
	"math"
	"testing"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// On a phone, 400 pixels wide, the level of a castle has capitals of six pixels
// and more on every size of board. The numbers in a picked file repeat what
// stands beside the board: five do.
func TestLevelsAreReadOnAPhone(t *testing.T) {
	for size := 4; size <= 16; size++ {
		g := newGrid(boardUnit, size, false)
		width, _ := g.bounds()
		onPhone := func(cells float64) float64 { return math.Round(g.length(cells)) * 400 / float64(width) }
		capital := levelCapital
		if g.cell < smallCell {
			capital = smallCapital
		} else if high := min(onPhone(ringCapital), onPhone(tagCapital)); high < 5 {
			t.Errorf("size %d: numbers in a file have capitals %.1f pixels high", size, high)
		}
		if high := onPhone(capital); high < 6 {
			t.Errorf("size %d: levels have capitals %.1f pixels high", size, high)
		}
	}
}

// Walls and flags stand clear of the edges of their cell, on every board that
// has room for them, and fill it well.
func TestCastlesStandInTheirCell(t *testing.T) {
	for cell := smallCell; cell <= 820/4; cell++ {
		g := grid{cell: cell}
		box := image.Rect(-g.inner(), -g.inner(), 2*g.inner(), 2*g.inner())
		inside := image.Rect(0, 0, g.inner(), g.inner()).Inset(1)
		for _, c := range stoneColours {
			for level := range 4 {
				m := paint(box, func(dc *gg.Context) {
					if level == 0 {
						castle{g}.fillFlag(dc, c)
					} else {
						castle{g}.fill(dc, c, level)
					}
				})
				drawn := image.Rectangle{}
				for i, q := range m.quarters {
					if q != none {
						at := image.Pt(i%box.Dx(), i/box.Dx()).Add(box.Min)
						drawn = drawn.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
					}
				}
				if !drawn.In(inside) {
					t.Errorf("cells of %d: level %d of %s fills %v of %v", cell, level, c, drawn, inside)
				}
				if level > 0 && float64(drawn.Dy()) < 0.7*float64(g.inner()) {
					t.Errorf("cells of %d: level %d of %s is %d high only", cell, level, c, drawn.Dy())
				}
			}
		}
	}
}

// What is oblong stands in the middle of where a square board is, in whole
// cells of the same size.
func TestOblongGrid(t *testing.T) {
	for files := 4; files <= 16; files++ {
		for ranks := 4; ranks <= 16; ranks++ {
			g, square := newOblongGrid(boardUnit, files, ranks, false), newGrid(boardUnit, max(files, ranks), false)
			b, all := g.board(), square.board()
			if g.cell != square.cell || b.Dx() != files*g.cell+lineWidth || b.Dy() != ranks*g.cell+lineWidth {
				t.Errorf("%d by %d: cells of %d, board %v", files, ranks, g.cell, b)
			}
			if !b.In(all) {
				t.Errorf("%d by %d: %v is not within %v", files, ranks, b, all)
			}
			if d := b.Min.Add(b.Max).Sub(all.Min.Add(all.Max)); d.X < -2 || d.X > 2 || d.Y < -2 || d.Y > 2 {
				t.Errorf("%d by %d: %v is not in the middle of %v", files, ranks, b, all)
			}
			if got := g.corner(0, 0); got != (image.Point{b.Min.X + lineWidth, b.Max.Y - g.cell}) {
				t.Errorf("%d by %d: a1 is at %v, the board %v", files, ranks, got, b)
			}
		}
	}
}

// Blends are as near to what true colour would give as a quarter allows, on
// every theme.
func TestThePaletteOfStoneTowersHoldsWhatTouches(t *testing.T) {
	for _, name := range Themes() {
		theme, err := ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		d := stonePainter{}.design()
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

// A pie is empty at the start, full at the end and never shrinks.
func TestPie(t *testing.T) {
	r := 12.0
	before := -1
	for step := range pieSteps + 1 {
		m := paint(around(0, 0, r+1), func(dc *gg.Context) { fillPie(dc, 0, 0, r, float64(step)/pieSteps) })
		area := 0
		for _, q := range m.quarters {
			area += int(q)
		}
		share := float64(area) / full / (math.Pi * r * r)
		if area <= before && step > 0 || math.Abs(share-float64(step)/pieSteps) > 0.02 {
			t.Errorf("step %d of %d fills %.3f", step, pieSteps, share)
		}
		before = area
	}
}

// Seats have the colours that the game gives them.
func TestColoursOfStoneTowers(t *testing.T) {
	if stoneColours != [2]engine.Colour{engine.Red, engine.Blue} || stoneRole(1) != seatRole(engine.Red) || stoneRole(0) != neutral {
		t.Error("the colours of the seats are not red and blue")
	}
}
