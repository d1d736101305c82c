package towers

import (
	"image"
	"math"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

func testSet(t *testing.T, size int) *set {
	t.Helper()
	font, err := draw.ParseFont(fonts.CondensedBold)
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

// Heights and costs are legible on a phone, 400 pixels wide, and fit what they
// are written on, on every size of board.
func TestNumbersAreLegible(t *testing.T) {
	for size := 5; size <= 10; size++ {
		k := testSet(t, size)
		for _, c := range []struct {
			what  string
			f     *draw.Face
			n     int
			least float64 // height of capitals on a phone
			room  float64 // radius of what it is written in, in cells
		}{
			{"a height", k.numeral, 14, 6, towerRadius},
			{"the largest height", k.numeral, 52, 6, towerRadius},
			{"a height below a crown", k.crowned, 9, 6, towerRadius},
			{"a cost", k.costs[0], 9, 6, emptyRing - signLine/2},
			{"a cost of two digits", k.costs[1], 26, 5, emptyRing - signLine/2},
			{"a cost in a tag", k.tagCosts[0], 9, 6, 0.22},
			{"a cost of two digits in a tag", k.tagCosts[1], 26, 4.5, 0.22},
		} {
			if high := float64(c.f.Capital) * 400 / draw.Width; high < c.least {
				t.Errorf("size %d: %s has capitals %.1f pixels high on a phone", size, c.what, high)
			}
			// The corners of the number lie in the circle about its middle.
			w, h := c.f.Width(strconv.Itoa(c.n))/2, float64(c.f.Capital)/2
			if r := math.Hypot(w, h); r > k.Grid.Length(c.room)+0.5 {
				t.Errorf("size %d: %s extends to %.1f pixels of %.1f", size, c.what, r, k.Grid.Length(c.room))
			}
		}
	}
}

// The parts of the panel stay apart: the blocks of the seats, with as many rows
// of pips as possible, and the turn between them.
func TestPanelLayout(t *testing.T) {
	for size := 5; size <= 10; size++ {
		k := testSet(t, size)
		n := k.Panel
		lines := (k.turnBottom - k.turnTop - draw.Px(draw.NotationCapital)) / k.turnBy
		if k.cards[1] >= k.turnTop || k.turnBottom >= k.cards[0] || lines < 5 {
			t.Errorf("size %d: cards at %v, the turn from %d to %d in %d lines", size, k.cards, k.turnTop, k.turnBottom, lines)
		}
		if wide := n.Notation.Width("j10-i10"); wide > float64(n.Right-n.Left)/2 {
			t.Errorf("size %d: an action is %.1f pixels wide, and a column %d", size, wide, (n.Right-n.Left)/2)
		}
		if right := n.Left + draw.Px(pipRadius)*2 + (pipsInRow-1)*draw.Px(pipPitch); right > n.Right {
			t.Errorf("size %d: pips end at %d, beyond %d", size, right, n.Right)
		}
	}
}

// More move points than there is room for as pips, at most 26, are a number.
func TestManyPointsAreANumber(t *testing.T) {
	k := testSet(t, 10)
	c := draw.NewCanvas(k.Palette, draw.Width, draw.Height)
	k.points(c, 800, 12, 26)
	last := image.Point{}
	for i, index := range c.Pix {
		if index != k.Index(draw.Background) {
			last.X, last.Y = max(last.X, i%c.Stride), max(last.Y, i/c.Stride)
		}
	}
	if last.X < k.Panel.Left+draw.Px(3) || last.X > k.Panel.Right || last.Y > 830 {
		t.Errorf("the drawing ends at %v", last)
	}
}

// The pieces of both seats have about the same area.
func TestPiecesHaveEqualWeight(t *testing.T) {
	area := func(c engine.Colour) (sum float64) {
		dc := gg.NewContext(100, 100)
		fillPiece(dc, c, 50, 50, 40, 0)
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
