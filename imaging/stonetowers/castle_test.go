package stonetowers

import (
	"image"
	"math"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
	"castellan/imaging/imagingtest"

	"github.com/fogleman/gg"
)

func testSet(t *testing.T, size image.Point) *set {
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

// On a phone that shows a picture 341 pixels wide, levels have a size of 11 pixels
// at least on every size of board, and so have the numbers in a picked file.
func TestLevelsAreLegible(t *testing.T) {
	for size := 4; size <= 16; size++ {
		k := testSet(t, image.Pt(size, size))
		for what, f := range map[string]*draw.Face{"levels": k.levels, "numbers": k.ringNumber, "numbers in tags": k.tagNumber} {
			if high := f.Size() * 341 / draw.Width; high < 11 {
				t.Errorf("size %d: %s have a size of %.1f pixels", size, what, high)
			}
		}
	}
}

// coverage draws a shape and returns the bounds of what hides the ground, and its
// area in pixels.
func coverage(bounds image.Rectangle, drawing func(*gg.Context)) (drawn image.Rectangle, area float64) {
	dc := gg.NewContext(bounds.Dx(), bounds.Dy())
	dc.Translate(float64(-bounds.Min.X), float64(-bounds.Min.Y))
	drawing(dc)
	img := dc.Image().(*image.RGBA)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			alpha := img.RGBAAt(x, y).A
			area += float64(alpha) / 255
			if alpha >= 200 { // shadows may run out
				at := image.Pt(x, y).Add(bounds.Min)
				drawn = drawn.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
			}
		}
	}
	return drawn, area
}

// Castles and flags stay within their cell on every board with room for them, and
// a castle is larger than one of the level below.
func TestCastlesFitTheirCell(t *testing.T) {
	for size := 4; size <= 16; size++ {
		k := testSet(t, image.Pt(size, size))
		if k.small {
			break
		}
		g := k.Grid
		box, inside := image.Rect(-g.Inner(), -g.Inner(), 2*g.Inner(), 2*g.Inner()), image.Rect(0, 0, g.Inner(), g.Inner())
		for _, c := range colours {
			before := 0.0
			for level := range 4 {
				drawn, area := coverage(box, func(dc *gg.Context) {
					pieces := castle{dc, g, k.Theme, c}
					if level == 0 {
						pieces.flag()
					} else {
						pieces.paint(level)
					}
				})
				if !drawn.In(inside) {
					t.Errorf("size %d: level %d of %s fills %v of %v", size, level, c, drawn, inside)
				}
				if area < 1.1*before {
					t.Errorf("size %d: level %d of %s is hardly larger than the one below", size, level, c)
				}
				if level > 0 {
					before = area
				}
			}
		}
	}
}

// A land has borders along its edges, and notches where it meets another across a
// corner.
func TestTiles(t *testing.T) {
	k := testSet(t, image.Pt(8, 8))
	// Red builds on a1 and c1, then on b2: its lands meet.
	p := imagingtest.Play(t, start(t, ""), "a1 h8 c1 h6").Position.(*stonetowers.Position)
	for x := range 8 {
		for y := range 8 {
			s := stonetowers.Square{X: x, Y: y}
			if p.Owner(s) == engine.Nobody {
				continue
			}
			tile := k.tileOf(p, s)
			for _, side := range []struct {
				dx, dy int
				bit    uint8
			}{{0, 1, up}, {0, -1, down}, {-1, 0, left}, {1, 0, right}} {
				n := stonetowers.Square{X: x + side.dx, Y: y + side.dy}
				same := n.X >= 0 && n.Y >= 0 && n.X < 8 && n.Y < 8 && p.Owner(n) == p.Owner(s)
				if (tile.borders&side.bit == 0) != same {
					t.Errorf("%v: a border towards %v: %v", s, n, !same)
				}
			}
		}
	}
	if flags := flagSquares(p); len(flags) == 0 {
		t.Error("no region has a flag")
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
