package imaging

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// hatch is the slanted lines of a locked cell, to lie behind what stands there.
func (g grid) hatch() *mask {
	side := float64(g.inner())
	apart, width := g.length(0.17), max(2, g.length(0.035))
	return paint(image.Rect(0, 0, g.inner(), g.inner()), func(dc *gg.Context) {
		half := width / math.Sqrt2 // along an edge, of a line at 45 degrees
		first := math.Mod(side, apart) / 2
		for d := first; d < 2*side; d += apart { // where the line meets the left edge
			fillPolygon(dc, []gg.Point{{X: 0, Y: d - half}, {X: d - half, Y: 0}, {X: d + half, Y: 0}, {X: 0, Y: d + half}})
		}
	})
}

// padlock is the padlock at the lower right of a locked cell.
func (g grid) padlock() sign {
	height := g.length(0.27)
	x, y := g.centre()+g.length(0.335), g.centre()+g.length(0.325)
	k := g.keyLine()
	box := around(x, y, height/2+2*k)
	return sign{
		key: paint(box, func(dc *gg.Context) {
			w, h := 0.78*height+2*k, height+2*k
			dc.DrawRoundedRectangle(x-w/2, y-h/2, w, h, 0.16*height)
			dc.Fill()
		}),
		form: paint(box, func(dc *gg.Context) { fillPadlock(dc, x, y, height) }),
	}
}

// fillPadlock fills a padlock of that height about (x, y), 0.78 as wide.
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
