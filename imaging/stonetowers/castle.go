package stonetowers

import (
	"math"

	"castellan/engine"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// castle draws castles, and flags on land, in the middle of a cell. Upright and
// level edges lie on whole pixels.
type castle struct{ draw.Grid }

// Lengths of castles and flags in cells. Heights are measured upwards from the
// middle of the cell.
const (
	wallWidth  = 0.70
	wallTop    = -0.01
	footTop    = -0.40
	numeralTop = -0.205 // the middle of the numeral
	tooth      = 0.07

	flagHeight = 0.48
	flagPole   = -0.17 // its middle, from the middle of the cell to the right
	clothMark  = 0.058
)

// at returns a height above the middle of the cell as a whole pixel.
func (k castle) at(height float64) float64 { return math.Round(k.Centre() - k.Length(height)) }

// thick returns a width in whole pixels, at least 2.
func (k castle) thick(cells float64) float64 { return math.Max(2, math.Round(k.Length(cells))) }

// fill draws a castle of level 1 to 3 with as many turrets and flags. Flags have
// the shape of those on the seat's land.
func (k castle) fill(dc *gg.Context, c engine.Colour, level int) {
	m, half := k.Centre(), float64(k.Even(wallWidth, 8))/2
	left, right := m-half, m+half
	wall := k.at(wallTop)
	k.block(dc, left, right, wall)
	switch level {
	case 1:
		half := float64(k.Even(0.28, 6)) / 2
		k.turret(dc, c, m-half, m+half, 0.12, 0.39)
		merlon := math.Round(k.Length(0.10))
		k.block(dc, left, left+merlon, wall-k.thick(tooth))
		k.block(dc, right-merlon, right, wall-k.thick(tooth))
	case 2:
		w := math.Round(k.Length(0.22))
		k.turret(dc, c, left, left+w, 0.10, 0.37)
		k.turret(dc, c, right-w, right, 0.10, 0.37)
		half := float64(k.Even(0.10, 3)) / 2
		k.block(dc, m-half, m+half, wall-k.thick(tooth))
	case 3:
		w, half := math.Round(k.Length(0.19)), float64(k.Even(0.20, 4))/2
		k.turret(dc, c, left, left+w, 0.08, 0.34)
		k.turret(dc, c, right-w, right, 0.08, 0.34)
		k.turret(dc, c, m-half, m+half, 0.17, 0.43)
	}
}

// block fills from a height down to the foot.
func (k castle) block(dc *gg.Context, left, right, top float64) {
	dc.DrawRectangle(left, top, right-left, k.at(footTop)-top)
	dc.Fill()
}

// turret is a block with two teeth, and a flag on its middle.
func (k castle) turret(dc *gg.Context, c engine.Colour, left, right, height, poleHeight float64) {
	top := k.at(height)
	k.block(dc, left, right, top)
	merlon := math.Round(0.36 * (right - left))
	k.block(dc, left, left+merlon, top-k.thick(tooth))
	k.block(dc, right-merlon, right, top-k.thick(tooth))

	pole := k.thick(0.03)
	if int(right-left)%2 != int(pole)%2 {
		pole++
	}
	x, up := (left+right-pole)/2, k.at(poleHeight)
	dc.DrawRectangle(x, up, pole, top-up)
	dc.Fill()
	k.cloth(dc, c, x+pole, up, 0.15, 0.13)
}

// cloth draws a flag without its pole, its upper left corner at (x, y), with a
// width and height in cells: a pennant for Red, a banner for other colours.
func (k castle) cloth(dc *gg.Context, c engine.Colour, x, y, width, height float64) {
	w, h := math.Round(k.Length(width)), 2*math.Round(k.Length(height)/2)
	if c == engine.Red {
		w *= 1.2
		draw.FillPolygon(dc, []gg.Point{{X: x, Y: y}, {X: x + w, Y: y + h/2}, {X: x, Y: y + h}})
		return
	}
	dc.DrawRectangle(x, y, w, h)
	dc.Fill()
}

func (k castle) fillFlag(dc *gg.Context, c engine.Colour) {
	x, top, bottom, pole := k.flag()
	dc.DrawRectangle(x, top, pole, bottom-top)
	foot := math.Round(k.Length(0.075))
	dc.DrawRectangle(x-foot, bottom-pole, pole+2*foot, pole)
	dc.Fill()
	k.cloth(dc, c, x+pole, top, 0.32, 0.25)
}

func (k castle) fillFlagMark(dc *gg.Context, c engine.Colour) {
	x, top, _, pole := k.flag()
	h := 2 * math.Round(k.Length(0.25)/2)
	along := 0.16
	if c == engine.Red {
		along = 0.115 // a pennant is high enough there
	}
	draw.FillMark(dc, c, x+pole+k.Length(along), top+h/2, k.Length(clothMark))
}

// flag returns the left edge, the upper and lower end and the width of the pole.
func (k castle) flag() (x, top, bottom, pole float64) {
	pole = k.thick(0.04)
	x = math.Round(k.Centre() + k.Length(flagPole) - pole/2)
	return x, k.at(flagHeight / 2), k.at(-flagHeight / 2), pole
}
