package stonetowers

import (
	"image"
	"math"
	"testing"

	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// On a phone, 400 pixels wide, the level of a castle has capitals of at least
// six pixels on every size of board. The numbers in a picked file repeat the
// coordinates: five are enough.
func TestLevelsAreLegible(t *testing.T) {
	for size := 4; size <= 16; size++ {
		g := draw.NewGrid(size, size, false)
		onPhone := func(cells float64) float64 { return math.Round(g.Length(cells)) * 400 / draw.Width }
		capital := levelCapital
		if g.Cell < smallCell {
			capital = smallCapital
		} else if high := min(onPhone(ringCapital), onPhone(tagCapital)); high < 5 {
			t.Errorf("size %d: numbers in a file have capitals %.1f pixels high", size, high)
		}
		if high := onPhone(capital); high < 6 {
			t.Errorf("size %d: levels have capitals %.1f pixels high", size, high)
		}
	}
}

// coverage draws a shape and returns its bounds and its area in pixels.
func coverage(bounds image.Rectangle, drawing func(*gg.Context)) (drawn image.Rectangle, area float64) {
	dc := gg.NewContext(bounds.Dx(), bounds.Dy())
	dc.Translate(float64(-bounds.Min.X), float64(-bounds.Min.Y))
	drawing(dc)
	img := dc.Image().(*image.RGBA)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			alpha := img.RGBAAt(x, y).A
			area += float64(alpha) / 255
			if alpha >= 32 { // a quarter, rounded
				at := image.Pt(x, y).Add(bounds.Min)
				drawn = drawn.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
			}
		}
	}
	return drawn, area
}

// Castles and flags stay clear of the edges of their cell on every board with
// room for them, and castles fill it well.
func TestCastlesFitTheirCell(t *testing.T) {
	for size := 4; ; size++ {
		g := draw.NewGrid(size, size, false)
		if g.Cell < smallCell {
			break
		}
		box := image.Rect(-g.Inner(), -g.Inner(), 2*g.Inner(), 2*g.Inner())
		inside := image.Rect(0, 0, g.Inner(), g.Inner()).Inset(1)
		for _, c := range colours {
			for level := range 4 {
				drawn, _ := coverage(box, func(dc *gg.Context) {
					if level == 0 {
						castle{g}.fillFlag(dc, c)
					} else {
						castle{g}.fill(dc, c, level)
					}
				})
				if !drawn.In(inside) {
					t.Errorf("size %d: level %d of %s fills %v of %v", size, level, c, drawn, inside)
				}
				if level > 0 && float64(drawn.Dy()) < 0.7*float64(g.Inner()) {
					t.Errorf("size %d: level %d of %s is only %d high", size, level, c, drawn.Dy())
				}
			}
		}
	}
}

// A pie is empty at the start and full at the end, and never shrinks.
func TestPie(t *testing.T) {
	const r = 12.0
	before := -1.0
	for step := range pieSteps + 1 {
		want := float64(step) / pieSteps
		_, area := coverage(draw.Around(0, 0, r+1), func(dc *gg.Context) { fillPie(dc, 0, 0, r, want) })
		if share := area / (math.Pi * r * r); share <= before || math.Abs(share-want) > 0.02 {
			t.Errorf("step %d of %d fills %.3f", step, pieSteps, share)
		} else {
			before = share
		}
	}
}
