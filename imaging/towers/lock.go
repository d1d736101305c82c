package towers

import (
	"image"
	"math"

	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// hatch returns the slanted lines of a locked cell, which lie behind its piece.
func hatch(g draw.Grid) *draw.Mask {
	side := float64(g.Inner())
	apart, width := g.Length(0.17), max(2, g.Length(0.035))
	return draw.NewMask(image.Rect(0, 0, g.Inner(), g.Inner()), func(dc *gg.Context) {
		half := width / math.Sqrt2 // along an edge, of a line at 45 degrees
		first := math.Mod(side, apart) / 2
		for d := first; d < 2*side; d += apart { // where the line meets the left edge
			draw.FillPolygon(dc, []gg.Point{{X: 0, Y: d - half}, {X: d - half, Y: 0}, {X: d + half, Y: 0}, {X: 0, Y: d + half}})
		}
	})
}

// padlock returns the padlock at the lower right of a locked cell.
func padlock(g draw.Grid) draw.Sign {
	height := g.Length(0.27)
	x, y := g.Centre()+g.Length(0.335), g.Centre()+g.Length(0.325)
	k := g.KeyLine()
	box := draw.Around(x, y, height/2+2*k)
	return draw.Sign{
		Key: draw.NewMask(box, func(dc *gg.Context) {
			w, h := 0.78*height+2*k, height+2*k
			dc.DrawRoundedRectangle(x-w/2, y-h/2, w, h, 0.16*height)
			dc.Fill()
		}),
		Form: draw.NewMask(box, func(dc *gg.Context) { fillPadlock(dc, x, y, height) }),
	}
}

func fillPadlock(dc *gg.Context, x, y, height float64) {
	top, bottom := y-height/2, y+height/2
	w := 0.78 * height
	body := top + 0.42*height
	r, line := 0.25*height, 0.13*height // of the shackle
	bow := top + r + line/2
	dc.SetFillRuleEvenOdd()
	dc.DrawRoundedRectangle(x-w/2, body, w, bottom-body, 0.08*height)
	dc.DrawCircle(x, (body+bottom)/2, 0.10*height) // the keyhole
	dc.Fill()
	// The shackle: a half ring above two posts.
	dc.NewSubPath()
	dc.DrawArc(x, bow, r+line/2, math.Pi, 2*math.Pi)
	dc.LineTo(x+r+line/2, body)
	dc.LineTo(x+r-line/2, body)
	dc.LineTo(x+r-line/2, bow)
	dc.DrawArc(x, bow, r-line/2, 2*math.Pi, math.Pi)
	dc.LineTo(x-r+line/2, body)
	dc.LineTo(x-r-line/2, body)
	dc.ClosePath()
	dc.Fill()
	dc.SetFillRuleWinding()
}
