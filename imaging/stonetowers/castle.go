package stonetowers

import (
	"image/color"
	"math"

	"castellan/engine"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// castle draws castles and flags of a colour in a cell: walls lit from the left,
// with an outline and a shadow on the land. Upright and level edges lie on whole
// pixels.
type castle struct {
	*gg.Context
	draw.Grid
	theme  draw.Theme
	colour engine.Colour
}

// Lengths of castles and flags in cells. Heights are measured upwards from the
// middle of the cell.
const (
	foot      = -0.37
	tooth     = 0.06 // of a battlement
	outline   = 0.022
	clothMark = 0.075
)

// numeralUp holds the middle of the numeral on a castle by level.
var numeralUp = [...]float64{1: -0.22, 2: -0.16, 3: -0.20}

// at returns a height above the middle of the cell as a whole pixel.
func (k castle) at(height float64) float64 { return math.Round(k.Centre() - k.Length(height)) }

// x returns a place right of the middle of the cell as a whole pixel.
func (k castle) x(cells float64) float64 { return math.Round(k.Centre() + k.Length(cells)) }

// thick returns a width in whole pixels, at least 2.
func (k castle) thick(cells float64) float64 { return math.Max(2, math.Round(k.Length(cells))) }

// paint draws a castle of level 1 to 3: a hut, a keep or a citadel.
func (k castle) paint(level int) {
	k.ground(level)
	switch level {
	case 1:
		k.cloth(k.x(0.0), k.at(0.40), 0.19, 0.15, k.at(0.12))
		k.wall(-0.25, 0.25, -0.02, false)
		k.roof(0.34, -0.02, 0.17)
	case 2:
		k.cloth(k.x(0.0), k.at(0.455), 0.20, 0.155, k.at(0.20))
		k.wall(-0.31, -0.17, -0.10, true)
		k.wall(0.17, 0.31, -0.10, true)
		k.wall(-0.20, 0.20, 0.17, true)
	case 3:
		k.cloth(k.x(0.0), k.at(0.455), 0.19, 0.13, k.at(0.28))
		k.cloth(k.x(-0.35), k.at(0.35), 0.14, 0.12, k.at(0.14))
		k.cloth(k.x(0.29), k.at(0.35), 0.14, 0.12, k.at(0.14))
		k.wall(-0.19, 0.19, 0.26, true)
		k.wall(-0.41, 0.41, 0.00, true)
		k.wall(-0.43, -0.23, 0.11, true)
		k.wall(0.23, 0.43, 0.11, true)
	}
}

// ground draws the shadow of a castle on the land.
func (k castle) ground(level int) {
	if k.theme.Plain {
		return
	}
	half := [...]float64{1: 0.36, 2: 0.37, 3: 0.46}[level]
	s := k.theme.Shade
	for _, step := range []struct{ grown, alpha float64 }{{0.03, 0.22}, {0, 0.24}} {
		k.SetRGBA255(int(s.R), int(s.G), int(s.B), int(255*step.alpha))
		k.DrawEllipse(k.Centre()+k.Length(0.02), k.at(foot)+k.Length(0.015), k.Length(half+step.grown), k.Length(0.065+step.grown))
		k.Fill()
	}
}

func (k castle) block(c color.RGBA, x0, y0, x1, y1 float64) {
	k.SetColor(c)
	k.DrawRectangle(x0, y0, x1-x0, y1-y0)
	k.Fill()
}

// wall draws a wall from one place to another, as high as a height, with teeth.
func (k castle) wall(from, to, height float64, teeth bool) {
	own := k.theme.Seat(k.colour)
	x0, x1, top, bottom := k.x(from), k.x(to), k.at(height), k.at(foot)
	line, high := k.thick(outline), k.thick(tooth)
	n := 0
	var merlon, gap float64
	if teeth {
		n = max(2, int(math.Round((to-from)/0.13)))
		merlon = math.Round((x1 - x0) / (float64(n) + 0.6*float64(n-1)))
		gap = (x1 - x0 - merlon*float64(n)) / float64(n-1)
	}
	each := func(do func(a, b float64)) {
		for i := range n {
			a := math.Round(x0 + float64(i)*(merlon+gap))
			do(a, a+merlon)
		}
	}
	dark := k.theme.Ink
	k.block(dark, x0-line, top-line, x1+line, bottom+line)
	each(func(a, b float64) { k.block(dark, a-line, top-high-line, b+line, top) })
	k.block(own, x0, top, x1, bottom)
	each(func(a, b float64) { k.block(own, a, top-high, b, top+1) })
	if k.theme.Plain {
		return
	}
	// Light from the left: a light edge, and the right third in the shade.
	edge := k.thick(0.018)
	shade := math.Round(x1 - 0.30*(x1-x0))
	k.block(k.theme.Darker(own, 0.32), shade, top, x1, bottom)
	each(func(a, b float64) {
		if b > shade {
			k.block(k.theme.Darker(own, 0.32), math.Max(a, shade), top-high, b, top+1)
		}
		k.block(k.theme.Lighter(own, 0.34), a, top-high, math.Min(b, math.Max(shade, a)), top-high+edge)
	})
	k.block(k.theme.Lighter(own, 0.34), x0, top, x0+edge, bottom)
	k.block(k.theme.Darker(own, 0.16), x0+edge, top+edge, shade, top+2*edge)
}

// roof draws a gable roof that is wider than the wall below.
func (k castle) roof(half, from, to float64) {
	own := k.theme.Seat(k.colour)
	m, low, high := k.x(0), k.at(from), k.at(to)
	line := k.thick(outline)
	triangle := func(c color.RGBA, w, up, below float64) {
		k.SetColor(c)
		draw.FillPolygon(k.Context, []gg.Point{{X: m - w, Y: low + below}, {X: m, Y: high - up}, {X: m + w, Y: low + below}})
	}
	w := k.Length(half)
	triangle(k.theme.Ink, w+2.2*line, 1.6*line, line)
	triangle(k.theme.Darker(own, 0.16), w, 0, 0)
	if k.theme.Plain {
		return
	}
	k.SetColor(k.theme.Darker(own, 0.48))
	draw.FillPolygon(k.Context, []gg.Point{{X: m, Y: high}, {X: m + w, Y: low}, {X: m + 0.25*w, Y: low}})
	k.SetColor(k.theme.Lighter(own, 0.34))
	edge := k.thick(0.018)
	draw.FillPolygon(k.Context, []gg.Point{{X: m - w, Y: low}, {X: m, Y: high}, {X: m, Y: high + 1.6*edge}, {X: m - w + 2.2*edge, Y: low}})
}

// cloth draws a flag on a pole down to a height: a pennant for Red, a banner for
// other colours. Its upper left corner is at (x, y), its size is in cells.
func (k castle) cloth(x, y, width, height, down float64) {
	w, h := math.Round(k.Length(width)), 2*math.Round(k.Length(height)/2)
	pole, line := k.thick(0.03), k.thick(outline)
	own := k.theme.Seat(k.colour)
	shape := func(c color.RGBA, grown float64) {
		k.SetColor(c)
		if k.colour == engine.Red {
			draw.FillPolygon(k.Context, []gg.Point{{X: x - grown, Y: y - 1.3*grown}, {X: x + 1.2*w + 2*grown, Y: y + h/2}, {X: x - grown, Y: y + h + 1.3*grown}})
			return
		}
		k.DrawRectangle(x-grown, y-grown, w+2*grown, h+2*grown)
		k.Fill()
	}
	k.block(k.theme.Ink, x-pole-line, y-line, x+line, down+line)
	shape(k.theme.Ink, line)
	shape(k.theme.Lighter(own, 0.16), 0)
	if !k.theme.Plain && k.colour != engine.Red {
		k.block(own, x+math.Round(0.55*w), y, x+w, y+h)
	}
	k.block(k.theme.Neutral, x-pole, y, x, down)
}

// flag draws the flag of a region, with the seat's mark on it.
func (k castle) flag() {
	x, y := k.x(-0.16), k.at(0.33)
	const width, height = 0.42, 0.31
	if !k.theme.Plain {
		s := k.theme.Shade
		k.SetRGBA255(int(s.R), int(s.G), int(s.B), 110)
		k.DrawEllipse(x+k.Length(0.06), k.at(-0.34), k.Length(0.17), k.Length(0.045))
		k.Fill()
	}
	k.cloth(x, y, width, height, k.at(-0.34))
	along, r := 0.22, clothMark
	if k.colour == engine.Red {
		along, r = 0.15, 0.065 // a pennant is high enough there
	}
	k.SetColor(k.theme.Ink)
	draw.FillMark(k.Context, k.colour, x+k.Length(along), y+math.Round(k.Length(height)/2), k.Length(r))
}
