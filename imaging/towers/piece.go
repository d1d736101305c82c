package towers

import (
	"image"
	"image/color"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of pieces in cells. A tower is a stack of discs, seen from above at an
// angle.
const (
	discWide    = 0.355 // half the width of a disc
	discDeep    = 0.235 // half of what is seen of its depth
	discHigh    = 0.085 // height of a disc in a low stack
	stackHigh   = 0.38  // height of the discs of the highest stack
	crownedHigh = 0.27  // the same below a crown
	mostDiscs   = 9     // that are drawn: more can be read only as a number
	stackBottom = 0.425 // lowest point of a stack, from the middle of the cell
	crownWide   = 0.40  // of a crown alone
	crownUp     = 0.10  // from the middle of the face to that of a crown alone
	smallCrown  = 0.33  // of a crown above a number
	smallUp     = 0.215
	numberDown  = 0.035 // from the middle of the face to that of a number below a crown
	crownRoom   = 0.13  // what a crown takes above a stack
)

// look says what a piece looks like.
type look struct {
	seat   engine.Seat
	discs  int // that are drawn
	master bool
	acts   bool // it can act: it has an outline in the colour of signs
}

func lookOf(t towers.Tower, acts bool) look {
	return look{t.Owner, min(t.Height, mostDiscs), t.Master, acts}
}

// face returns the middle of the upper face of a stack, from that of the cell.
func (l look) face() float64 {
	bottom := min(stackBottom, l.high()/2+0.02)
	if l.master {
		bottom = min(stackBottom, (l.high()+crownRoom)/2+0.04)
	}
	return bottom - discDeep - l.thick()*float64(l.discs)
}

// thick returns the height of a disc.
func (l look) thick() float64 {
	if l.master {
		return min(discHigh, crownedHigh/float64(l.discs))
	}
	return min(discHigh, stackHigh/float64(l.discs))
}

// high returns the height of a stack on the picture.
func (l look) high() float64 { return 2*discDeep + l.thick()*float64(l.discs) }

// sprite returns the picture of a piece.
func (k *set) sprite(l look) *draw.Sprite {
	k.pieces.mu.Lock()
	defer k.pieces.mu.Unlock()
	s, ok := k.pieces.sprites[l]
	if !ok {
		inner := k.Grid.Inner()
		s = k.Sprite(image.Rect(0, 0, inner, inner), func(dc *gg.Context) {
			p := stack{dc, k.Theme, k.Grid, engine.Blue + engine.Colour(l.seat-1)}
			p.paint(l)
		})
		k.pieces.sprites[l] = s
	}
	return s
}

// stack draws pieces of a colour.
type stack struct {
	*gg.Context
	theme  draw.Theme
	grid   draw.Grid
	colour engine.Colour
}

func (p stack) paint(l look) {
	g, m := p.grid, p.grid.Centre()
	top, thick := m+g.Length(l.face()), g.Length(l.thick())
	bottom := top + thick*float64(l.discs)
	if !p.theme.Plain {
		p.shadow(m+g.Length(0.03), bottom+g.Length(0.045))
	}
	if l.acts {
		p.silhouette(m, top, bottom, g.Length(0.055), p.theme.Background)
		p.silhouette(m, top, bottom, g.Length(0.038), p.theme.Mark)
	}
	p.silhouette(m, top, bottom, max(2, g.Length(0.018)), p.theme.Darker(p.theme.Background, 0.5))
	for disc := range l.discs { // the lowest first
		p.disc(m, bottom-thick*float64(disc+1), thick)
	}
	p.top(m, top)
	if l.master {
		width, up := crownWide, crownUp
		if l.discs > 1 {
			width, up = smallCrown, smallUp
		}
		p.crown(m, top-g.Length(up), g.Length(width))
	}
}

// outline traces the face of a disc, grown by some pixels to all sides.
func (p stack) outline(x, y, grown float64) {
	rx, ry := p.grid.Length(discWide)+grown, p.grid.Length(discDeep)+grown
	if p.colour != engine.Red {
		p.DrawEllipse(x, y, rx, ry)
		return
	}
	p.NewSubPath()
	for _, c := range cutDiamond(0, 0, 1) {
		p.LineTo(x+c.X*rx*redGrown, y+c.Y*ry*redGrown)
	}
	p.ClosePath()
}

// redGrown is how much larger Red's discs are for the same area.
const redGrown = 1.05

// cutDiamond returns the outline of a diamond about (x, y), clockwise, whose
// tips are cut at distance r. It has nearly the area of a disc of radius r.
func cutDiamond(x, y, r float64) []gg.Point {
	k := 0.34 * r // half of what a cut leaves
	return []gg.Point{
		{X: x - k, Y: y - r}, {X: x + k, Y: y - r}, {X: x + r, Y: y - k}, {X: x + r, Y: y + k},
		{X: x + k, Y: y + r}, {X: x - k, Y: y + r}, {X: x - r, Y: y + k}, {X: x - r, Y: y - k},
	}
}

// sweep fills what a disc covers that moves from one height to another.
func (p stack) sweep(x, top, bottom, grown float64) {
	p.outline(x, top, grown)
	p.Fill()
	w := p.grid.Length(discWide) + grown
	if p.colour == engine.Red {
		w *= redGrown
	}
	p.DrawRectangle(x-w, top, 2*w, bottom-top)
	p.Fill()
	p.outline(x, bottom, grown)
	p.Fill()
}

// silhouette fills all of a stack between two heights.
func (p stack) silhouette(x, top, bottom, grown float64, c color.RGBA) {
	p.SetColor(c)
	p.sweep(x, top, bottom, grown)
}

// shadow draws the soft shadow of a stack on the board.
func (p stack) shadow(x, y float64) {
	s := p.theme.Shade
	for _, step := range []struct{ grown, alpha float64 }{{0.055, 0.14}, {0.03, 0.16}, {0.005, 0.2}} {
		p.SetRGBA255(int(s.R), int(s.G), int(s.B), int(255*step.alpha))
		p.outline(x, y, p.grid.Length(step.grown))
		p.Fill()
	}
}

// disc draws a disc without its face, which has its middle at y: a side that is
// lit from the left, with a light upper edge and a dark gap below.
func (p stack) disc(x, y, thick float64) {
	own := p.theme.Seat(p.colour)
	w := p.grid.Length(discWide)
	side := gg.NewLinearGradient(x-w, 0, x+w, 0)
	light, dark := 0.16, 0.64
	if p.theme.Plain {
		light, dark = 0.45, 0.45
	}
	side.AddColorStop(0, p.theme.Darker(own, 0.32))
	side.AddColorStop(0.18, p.theme.Darker(own, light))
	side.AddColorStop(0.6, p.theme.Darker(own, 0.48))
	side.AddColorStop(1, p.theme.Darker(own, dark))
	gap := max(1.5, p.grid.Length(0.014))
	p.silhouette(x, y+thick-gap, y+thick, 0, p.theme.Darker(own, 0.8))
	p.SetFillStyle(side)
	p.sweep(x, y, y+thick-gap, 0)
}

// top draws the upper face of a stack with its middle at y: a light rim, and a
// ring in which a numeral stands.
func (p stack) top(x, y float64) {
	own := p.theme.Seat(p.colour)
	fill := func(c color.RGBA, down, grown float64) {
		p.SetColor(c)
		p.outline(x, y+down, grown)
		p.Fill()
	}
	if p.theme.Plain {
		fill(own, 0, 0)
		return
	}
	rim := max(1.5, p.grid.Length(0.016))
	fill(p.theme.Lighter(own, 0.55), 0, 0)
	fill(p.theme.Lighter(own, 0.16), rim, -rim/2)
	inset := p.grid.Length(0.055)
	fill(p.theme.Darker(own, 0.16), -rim/2, -inset)
	fill(own, rim/2, -inset-rim/2)
}

// crown draws a golden crown about (x, y).
func (p stack) crown(x, y, width float64) {
	line := max(2, p.grid.Length(0.022))
	for _, d := range []struct{ x, y float64 }{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {0, -1.4}, {0, 1.4}, {1.4, 0}, {-1.4, 0}} {
		p.SetColor(p.theme.Darker(p.theme.Gold, 0.85))
		draw.FillCrown(p.Context, x+d.x*line, y+d.y*line, width)
	}
	p.SetColor(p.theme.Gold)
	draw.FillCrown(p.Context, x, y, width)
	if p.theme.Plain {
		return
	}
	// Light on the left, shade on the right.
	h := 0.8 * width
	p.Push()
	p.DrawRectangle(x+0.12*width, y-h/2, width, h)
	p.Clip()
	p.SetColor(p.theme.Darker(p.theme.Gold, 0.16))
	draw.FillCrown(p.Context, x, y, width)
	p.ResetClip()
	p.Pop()
	p.SetColor(p.theme.Lighter(p.theme.Gold, 0.55))
	p.DrawRectangle(x-0.37*width, y+h/2-0.145*h, 0.74*width, max(1.5, 0.05*h))
	p.Fill()
	draw.FillDisc(p.Context, x-width/2+0.09*width, y-h/2+0.21*width, 0.045*width)
	draw.FillDisc(p.Context, x-0.02*width, y-h/2+0.08*width, 0.045*width)
}
