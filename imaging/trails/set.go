package trails

import (
	"image"
	"image/color"
	"math"
	"sync"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Where the dashed line to a legal target begins and ends, in cells from the
// middle of the head and of the target: a little off the rings there.
const (
	clearOfHead      = 0.47
	clearOfRing      = 0.38
	clearOfTowerRing = 0.51
)

// largeBoard is the largest edge of a board with small signs on its roads.
const largeBoard = 13

// Lengths of Trails in cells.
const (
	place       = 0.84 // side of the place where a road begins and of that where it ends
	baseRing    = 0.27
	baseLine    = 0.055
	baseMark    = 0.12
	headDisc    = 0.33
	headMark    = 0.20
	headRing    = 0.40
	legalRing   = 0.30
	towerRing   = 0.44
	signLine    = 0.06
	towerHeight = 0.70
	towerWidth  = 0.54
	towerMark   = 0.12
	goalHeight  = 0.56
)

// set holds the sprites of Trails for a theme and size of board.
type set struct {
	*draw.Board

	of        [2]places // by seat
	freeTower *draw.Sprite
	goal      *draw.Sprite // a free tower that fits in the ring around it

	headRing, ring, towerRing, tag draw.Sign
	arrow, tagArrow                [draw.Headings]*draw.Mask

	mu     sync.Mutex // guards pieces
	pieces map[piece]*draw.Sprite

	next        engine.Phrase // before the length of the next move
	taken, need *draw.Mask    // towers on a plate, anchored at the left of the foot
}

// towerPitch is the distance of towers on a plate in u. A win takes at most five.
const towerPitch = 1.35

// places are the sprites in the colour of a seat that do not depend on where its
// road leads.
type places struct {
	base, tower                           *draw.Sprite
	head, towerHead, wonHead, blockedHead *draw.Sprite
}

func newSet(s draw.Style, size int) imaging.Set[*trails.Position] {
	k := &set{Board: draw.NewBoard(s, size, size, len(seats)), pieces: map[piece]*draw.Sprite{}}
	for i := range k.of {
		k.of[i] = k.newPlaces(engine.Blue + engine.Colour(i))
	}
	k.freeTower = k.cell(0, func(b builder) { b.rook(s.Neutral, s.Background, towerHeight) })
	k.goal = k.cell(0, func(b builder) { b.rook(s.Neutral, s.Background, goalHeight) })
	g := k.Grid
	k.headRing = g.Ring(headRing, signLine)
	k.ring = g.Ring(legalRing, signLine)
	k.towerRing = g.Ring(towerRing, signLine)
	var x, y, r float64
	k.tag, x, y, r = g.Tag(0.34, 0.22)
	m := g.Centre()
	for d := range draw.Heading(draw.Headings) {
		dx, dy := d.Step()
		// An arrow's weight lies behind the middle of its circle.
		shift := g.Length(0.02)
		k.arrow[d] = draw.NewMask(draw.Around(m, m, g.Length(0.25)), func(dc *gg.Context) {
			draw.FillArrow(dc, m+float64(dx)*shift, m+float64(dy)*shift, g.Length(0.17), d)
		})
		k.tagArrow[d] = draw.NewMask(draw.Around(x, y, r), func(dc *gg.Context) { draw.FillArrow(dc, x, y, 0.7*r, d) })
	}
	k.next = trails.Game{}.Texts().Phrase("trails.panel.next")
	width, height := math.Round(0.95*draw.U), math.Round(1.3*draw.U)
	outline := rook(width/2, 0, width, height)
	box := image.Rect(0, -int(height)-1, int(width)+1, 0)
	k.taken = draw.NewMask(box, func(dc *gg.Context) { draw.FillPolygon(dc, outline) })
	k.need = draw.NewMask(box, func(dc *gg.Context) { draw.FillOutline(dc, outline, 3) })
	return k
}

// cell returns a drawing in a cell as a sprite.
func (k *set) cell(c engine.Colour, drawing func(builder)) *draw.Sprite {
	return k.Sprite(image.Rect(0, 0, k.Grid.Inner(), k.Grid.Inner()), func(dc *gg.Context) {
		drawing(builder{dc, k.Theme, k.Grid, c})
	})
}

func (k *set) newPlaces(c engine.Colour) places {
	g, m, own, ink := k.Grid, k.Grid.Centre(), k.Seat(c), k.Ink
	head := func(sign func(b builder)) *draw.Sprite {
		return k.cell(c, func(b builder) {
			b.place()
			b.SetColor(ink)
			draw.FillDisc(b.Context, m, m, g.Length(headDisc))
			b.SetColor(own)
			sign(b)
		})
	}
	return places{
		base: k.cell(c, func(b builder) {
			b.place()
			b.SetColor(ink)
			draw.FillRing(b.Context, m, m, g.Length(baseRing), math.Max(2.5, g.Length(baseLine)))
			draw.FillMark(b.Context, c, m, m, g.Length(baseMark))
		}),
		tower: k.cell(c, func(b builder) {
			b.rook(own, ink, towerHeight)
			// The mark is on the body of a tower, below the wider battlement.
			b.SetColor(ink)
			draw.FillMark(b.Context, c, m, m+g.Length(0.07), g.Length(towerMark))
		}),
		head:        head(func(b builder) { draw.FillMark(b.Context, c, m, m, g.Length(headMark)) }),
		towerHead:   head(func(b builder) { b.flatRook(0.44) }),
		wonHead:     head(func(b builder) { draw.FillCrown(b.Context, m, m, g.Length(0.50)) }),
		blockedHead: head(func(b builder) { draw.FillCross(b.Context, m, m, g.Length(0.23), g.Length(0.10)) }),
	}
}

// place draws a tile with light and shade, on which a road begins or ends.
func (b builder) place() {
	g, t, own := b.grid, b.theme, b.theme.Seat(b.colour)
	m, side, edge := g.Centre(), g.Length(place), max(2, math.Round(g.Length(roadEdge)))
	tile := func(c color.RGBA, x, y, side float64) {
		b.SetColor(c)
		draw.FillTile(b.Context, b.colour, m+x, m+y, side)
	}
	if t.Plain {
		tile(t.Background, 0, 0, side+2*edge)
		tile(own, 0, 0, side)
		return
	}
	s := t.Shade
	for _, by := range []float64{0.05, 0.03} {
		b.SetRGBA255(int(s.R), int(s.G), int(s.B), 80)
		draw.FillTile(b.Context, b.colour, m+g.Length(by), m+g.Length(by), side+2*edge)
	}
	rim := max(1.5, g.Length(0.03))
	tile(t.Darker(own, 0.64), 0, 0, side+2*edge)
	tile(t.Darker(own, 0.32), 0, 0, side)
	tile(t.Lighter(own, 0.34), -rim/2, -rim/2, side-rim)
	tile(own, 0, 0, side-2*rim)
}

// outline returns the outline of a tower in the middle of a cell, its height in
// cells, its corners on whole pixels.
func (b builder) outline(height float64) []gg.Point {
	g := b.grid
	h := float64(g.Even(height, 6))
	w := float64(g.Even(height*towerWidth/towerHeight, 5))
	return rook(g.Centre(), g.Centre()+h/2, w, h)
}

func (b builder) flatRook(height float64) { draw.FillPolygon(b.Context, b.outline(height)) }

// rook draws a tower that is lit from the left, with a line around it.
func (b builder) rook(tone, line color.RGBA, height float64) {
	g, t := b.grid, b.theme
	outline, m := b.outline(height), g.Centre()
	edge := max(2, math.Round(g.Length(roadEdge)))
	if t.Plain {
		b.SetColor(line)
		draw.FillGrown(b.Context, outline, edge)
		b.SetColor(tone)
		draw.FillPolygon(b.Context, outline)
		return
	}
	s, foot, wide := t.Shade, m+g.Length(height/2), g.Length(height*towerWidth/towerHeight/2)
	for _, step := range []struct{ grown, alpha float64 }{{0.07, 0.22}, {0.03, 0.3}} {
		b.SetRGBA255(int(s.R), int(s.G), int(s.B), int(255*step.alpha))
		b.DrawEllipse(m+g.Length(0.04), foot, wide+g.Length(step.grown), g.Length(0.06+step.grown/2))
		b.Fill()
	}
	b.SetColor(line)
	draw.FillGrown(b.Context, outline, edge)
	b.SetColor(tone)
	draw.FillPolygon(b.Context, outline)
	within := func(c color.RGBA, x0, y0, x1, y1 float64) {
		b.DrawRectangle(x0, y0, x1-x0, y1-y0)
		b.Clip()
		b.SetColor(c)
		draw.FillPolygon(b.Context, outline)
		b.ResetClip()
	}
	top, h := foot-g.Length(height), g.Length(height)
	within(t.Lighter(tone, 0.34), m-wide-2, top-2, m-0.55*wide, foot+2)
	within(t.Darker(tone, 0.16), m+0.25*wide, top-2, m+0.6*wide, foot+2)
	within(t.Darker(tone, 0.32), m+0.6*wide, top-2, m+wide+2, foot+2)
	// The shade below the battlement and above the foot.
	for _, y := range []float64{top + 0.33*h, foot - 0.15*h} {
		within(t.Darker(tone, 0.48), m-wide, y, m+wide, y+max(1.5, 0.035*h))
	}
}

// rook returns the outline of a tower, clockwise from its upper left corner. Its
// foot stands on y and its middle is x. With whole numbers, all corners but
// those of two slopes lie on whole pixels.
func rook(x, y, width, height float64) []gg.Point {
	round := math.Round
	tooth := round(0.22 * width)
	gap := round(0.16 * width)
	deep := round(0.15 * height)
	slope := round(0.12 * width)
	shoulder := round(0.32 * height)
	foot := round(0.13 * height)
	l, r, top := x-width/2, x+width/2, y-height
	return []gg.Point{
		{X: l, Y: top}, {X: l + tooth, Y: top},
		{X: l + tooth, Y: top + deep}, {X: l + tooth + gap, Y: top + deep},
		{X: l + tooth + gap, Y: top}, {X: r - tooth - gap, Y: top},
		{X: r - tooth - gap, Y: top + deep}, {X: r - tooth, Y: top + deep},
		{X: r - tooth, Y: top}, {X: r, Y: top},
		{X: r, Y: top + shoulder}, {X: r - slope, Y: top + shoulder + slope},
		{X: r - slope, Y: y - foot}, {X: r, Y: y - foot}, {X: r, Y: y},
		{X: l, Y: y}, {X: l, Y: y - foot}, {X: l + slope, Y: y - foot},
		{X: l + slope, Y: top + shoulder + slope}, {X: l, Y: top + shoulder},
	}
}

// dashes draws a dashed line from the middle of the head's square towards the
// middle of a target. It leaves out a length in cells at either end, and spreads
// the dashes so that both ends look the same.
func (k *set) dashes(c *draw.Canvas, head trails.Square, t target, start, end float64) {
	const on, off = 0.16, 0.12
	g := k.Grid
	space := float64(t.distance) - start - end
	n := max(1, int(math.Round((space+off)/(on+off))))
	period := (space + off) / float64(n)
	for i := range n {
		from := int(math.Round(g.Length(start + float64(i)*period)))
		to := from + int(math.Round(g.Length(period-off)))
		r := k.bar(head, t.heading, from, to)
		c.Fill(r.Inset(-int(g.KeyLine())), draw.Background)
		c.Fill(r, draw.Mark)
	}
}

// bar returns the rectangle of a dash from one distance from the middle of a
// square to another, in pixels.
func (k *set) bar(at trails.Square, h draw.Heading, from, to int) image.Rectangle {
	width := k.Grid.Even(0.055, 3)
	side, p := k.Grid.Inner(), k.corner(at)
	across := (side - width) / 2
	switch h {
	case draw.Up:
		return image.Rect(p.X+across, p.Y+side/2-to, p.X+across+width, p.Y+side/2-from)
	case draw.Down:
		return image.Rect(p.X+across, p.Y+(side+1)/2+from, p.X+across+width, p.Y+(side+1)/2+to)
	case draw.Leftward:
		return image.Rect(p.X+side/2-to, p.Y+across, p.X+side/2-from, p.Y+across+width)
	}
	return image.Rect(p.X+(side+1)/2+from, p.Y+across, p.X+(side+1)/2+to, p.Y+across+width)
}
