package rings

import (
	"image"
	"math"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// zoomRow is the distance of rows in an enlarged board in pixels. Circles have
// a radius of 117 pixels, and four quarters cover the largest board with each
// name on its middle lines in one of them.
const zoomRow = 101

// zoomed is the enlarged board, of which a picture shows a window.
type zoomed struct {
	view   *view
	ground *draw.Canvas
}

func newZoomed(l draw.Style, side int) *zoomed {
	// The outermost points and half a label beside them.
	s := zoomRow * 2 / math.Sqrt(3)
	wide := max(width, int(float64(3*side-1)*s)+2*px(1.3))
	high := max(height, (4*side-2)*zoomRow+2*px(1.3))
	z := &zoomed{
		view:   newView(l, side, zoomRow, image.Pt(wide/2, high/2)),
		ground: draw.NewCanvas(l.Palette, wide, high),
	}
	z.view.board(z.ground)
	return z
}

// window returns the window of a part, as imaging.Scene numbers them.
func (z *zoomed) window(n int) image.Rectangle {
	room := image.Pt(z.ground.Rect.Dx()-width, z.ground.Rect.Dy()-height)
	at := image.Pt(room.X*((n-1)%2), room.Y*((n-1)/2))
	if n == parts {
		at = room.Div(2)
	}
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(width, height))}
}

// shifted returns the view moved left and up.
func (z *zoomed) shifted(by image.Point) *view {
	v := *z.view
	v.mid = v.mid.Sub(by)
	return &v
}

// paintZoomed draws a part of the board.
func (k *set) paintZoomed(c *draw.Canvas, s imaging.Scene, p *rings.Position, m marks) {
	z := k.zoomed()
	window := z.window(s.Zoom)
	c.Fill(c.Rect, draw.Background)
	z.paint(c.Within(image.Rect(0, 0, width, height)), window.Min, p, m)
	k.paintMap(c, s, p, window)
}

// paintColumn draws the picked column, which is longer than the picture is high:
// its upper half on the left, its lower half on the right.
func (k *set) paintColumn(c *draw.Canvas, s imaging.Scene, p *rings.Position, m marks) {
	const gap = 10
	beside := px(1.7) // room for the labels of the outermost columns
	z := k.zoomed()
	c.Fill(c.Rect, draw.Background)
	half := (width - gap) / 2
	at := image.Pt(min(max(-beside, z.view.x(m.column)-half/2), z.ground.Rect.Dx()-half+beside), 0)
	bottom := z.ground.Rect.Dy() - height
	z.paint(c.Within(image.Rect(0, 0, half, height)), at, p, m)
	z.paint(c.Within(image.Rect(half+gap, 0, width, height)), at.Add(image.Pt(0, bottom)), p, m)
	k.paintMap(c, s, p, image.Rect(at.X, 0, at.X+half, z.ground.Rect.Dy()))
}

// paint draws the board from a point on into a part of the picture.
func (z *zoomed) paint(part *draw.Canvas, from image.Point, p *rings.Position, m marks) {
	by := from.Sub(part.Rect.Min)
	part.Copy(z.ground, -by.X, -by.Y)
	v := z.shifted(by)
	if m.column >= 0 {
		v.guide(part, m.column)
	}
	v.pieces(part, p, m)
	v.labels(part, p, part.Rect)
	v.signs(part, p, m)
	v.column(part, m)
}

// paintMap draws the panel with the place of a window on the whole board.
func (k *set) paintMap(c *draw.Canvas, s imaging.Scene, p *rings.Position, window image.Rectangle) {
	z := k.zoomed()
	mid, s0 := z.view.mid, z.view.s
	at := func(q image.Point) image.Point {
		return image.Pt(int(math.Round(float64(q.X-mid.X)/s0*k.panel.overview.s)), int(math.Round(float64(q.Y-mid.Y)/s0*k.panel.overview.s)))
	}
	k.panel.part(c, s, p, image.Rectangle{Min: at(window.Min), Max: at(window.Max)})
}

// overviewMap is the whole board in small: circles without lines, stones without
// key lines.
type overviewMap struct {
	side    int
	s       float64
	size    image.Point
	circles []rings.Circle
	points  []rings.Point
	disc    *draw.Mask
	stone   [6]*draw.Mask
}

// newOverviewMap returns a map of a height in pixels.
func newOverviewMap(side, high int) overviewMap {
	s := float64(high) / (float64(2*side-1) * math.Sqrt(3))
	m := overviewMap{
		side: side, s: s, size: image.Pt(int(float64(3*side-1)*s), high),
		circles: rings.Circles(side), points: rings.Points(side),
	}
	m.disc = draw.NewDisc(s)
	m.stone = draw.Marks(0.34 * s)
	return m
}

// draw draws the map about a point, with brackets around a window, which is
// relative to the middle.
func (m *overviewMap) draw(c *draw.Canvas, mid image.Point, p *rings.Position, window image.Rectangle) {
	row := m.s * math.Sqrt(3) / 2
	at := func(x float64, r int) (int, int) {
		return mid.X + int(math.Round(x*m.s)), mid.Y + int(math.Round(float64(r-2*m.side)*row))
	}
	for _, circle := range m.circles {
		x, y := at(1.5*float64(circle.Column-(m.side-1)), circle.Row)
		c.Stamp(m.disc, x, y, draw.Cell)
	}
	for _, point := range m.points {
		owner := p.Owner(point)
		if owner == engine.Nobody {
			continue
		}
		column, side := besideColumn(point.Column)
		x, y := at(1.5*float64(column-(m.side-1))+0.5*float64(side), point.Row)
		c.Stamp(m.stone[owner-1], x, y, draw.Seat(colourOf(owner)))
	}
	half := m.size.Div(2)
	box := window.Add(mid).Intersect(image.Rectangle{Min: mid.Sub(half), Max: mid.Add(half)}.Inset(-6))
	c.Brackets(box, px(0.8), 4, 2)
}
