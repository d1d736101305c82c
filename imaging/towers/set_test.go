package towers

import (
	"image"
	"math"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

func testSet(t *testing.T, size int) *set {
	t.Helper()
	font, err := draw.ParseFonts(fonts.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	theme, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		t.Fatal(err)
	}
	p, err := draw.NewPalette(theme, design())
	if err != nil {
		t.Fatal(err)
	}
	return newSet(draw.Style{Theme: theme, Palette: p, Font: font}, size).(*set)
}

// Heights and costs have a size of 11 pixels at least on a phone that shows a
// picture 341 pixels wide, and fit what they are written on, on every size of
// board.
func TestNumbersAreLegible(t *testing.T) {
	for size := 5; size <= 10; size++ {
		k := testSet(t, size)
		for _, c := range []struct {
			what string
			f    *draw.Face
			n    int
			room float64 // radius of what it is written in, in cells
		}{
			{"a height", k.number, 14, discWide},
			{"the largest height", k.number, 52, discWide},
			{"a height below a crown", k.crowned, 9, discDeep},
			{"a cost", k.costs[0], 9, emptyRing - signLine/2},
			{"a cost of two digits", k.costs[1], 26, emptyRing - signLine/2},
			{"a cost in a tag", k.tagCosts[0], 9, 0.22},
			{"a cost of two digits in a tag", k.tagCosts[1], 26, 0.22},
			{"the order of a move", k.orders, 9, orderRadius},
		} {
			if high := c.f.Size() * 341 / draw.Width; high < 11 {
				t.Errorf("size %d: %s has a size of %.1f pixels on a phone", size, c.what, high)
			}
			// The corners of the number lie in the circle about its middle.
			w, h := c.f.Width(strconv.Itoa(c.n))/2, float64(c.f.Capital)/2
			if r := math.Hypot(w, h); r > k.Grid.Length(c.room)+1 {
				t.Errorf("size %d: %s extends to %.1f pixels of %.1f", size, c.what, r, k.Grid.Length(c.room))
			}
		}
	}
}

// Every piece stays within its cell, with the crown and the outline of a piece
// that can act.
func TestPiecesFitTheirCell(t *testing.T) {
	for _, size := range []int{5, 8, 10} {
		k := testSet(t, size)
		inner := k.Grid.Inner()
		for discs := 1; discs <= mostDiscs; discs++ {
			for _, l := range []look{{1, discs, false, true}, {2, discs, false, true}, {1, discs, true, true}, {2, discs, true, true}} {
				box := image.Rect(-inner, -inner, 2*inner, 2*inner)
				dc := gg.NewContext(box.Dx(), box.Dy())
				dc.Translate(float64(inner), float64(inner))
				stack{dc, k.Theme, k.Grid, engine.Blue + engine.Colour(l.seat-1)}.paint(l)
				var drawn image.Rectangle
				for y := range box.Dy() {
					for x := range box.Dx() {
						if dc.Image().(*image.RGBA).RGBAAt(x, y).A >= 200 { // shadows may run out
							at := image.Pt(x, y).Add(box.Min)
							drawn = drawn.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
						}
					}
				}
				if !drawn.In(image.Rect(0, 0, inner, inner)) {
					t.Errorf("size %d, %+v: the piece fills %v of %d", size, l, drawn, inner)
				}
			}
		}
	}
}

// The pieces of both seats have about the same area.
func TestPiecesHaveEqualWeight(t *testing.T) {
	grid := draw.Grid{Cell: 100}
	area := func(c engine.Colour) (sum float64) {
		dc := gg.NewContext(100, 100)
		stack{dc, draw.Theme{}, grid, c}.outline(50, 50, 0)
		dc.SetRGB(1, 1, 1)
		dc.Fill()
		img := dc.Image().(*image.RGBA)
		for i := 3; i < len(img.Pix); i += 4 {
			sum += float64(img.Pix[i])
		}
		return sum
	}
	if share := area(engine.Red) / area(engine.Blue); share < 0.88 || share > 1.12 {
		t.Errorf("%v has %.2f of the area of %v", engine.Red, share, engine.Blue)
	}
}

// On the plate of a seat whose time is shown, move points stay clear of the
// reserve, whatever their number.
func TestPointsStayClearOfTheReserve(t *testing.T) {
	k := testSet(t, 10)
	for _, actions := range []string{"", "a2-a3"} {
		p := scene(t, "size=10", actions).Position.(*towers.Position)
		for _, wide := range []int{draw.Px(9), draw.Px(16)} {
			room := draw.Room{Rectangle: image.Rect(0, 0, wide, draw.Px(2)), Letters: draw.Ink}
			if from := k.points(draw.NewCanvas(k.Palette, draw.Width, draw.Px(2)), room, p); from < draw.Px(reserveRoom)-draw.Px(1) {
				t.Errorf("%q: in %d pixels the points begin at %d", actions, wide, from)
			}
		}
	}
}
