package rings

import (
	"image"
	"math"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// zoomRow is the distance of rows in an enlarged quarter in pixels. Circles have
// a radius of 89 pixels, and four quarters cover the largest board with each
// name on its middle lines in one of them.
const zoomRow = 77

// zoomed is the enlarged board, of which a picture shows a window.
type zoomed struct {
	view   *view
	ground *draw.Canvas
}

func newZoomed(l draw.Style, side int) *zoomed {
	// The outermost points and half a label beside them.
	s := zoomRow * 2 / math.Sqrt(3)
	width := max(boardWidth, int(float64(3*side-1)*s)+2*px(1.3))
	height := max(height, (4*side-2)*zoomRow+2*px(0.9))
	z := &zoomed{
		view:   newView(l, side, zoomRow, image.Pt(width/2, height/2)),
		ground: draw.NewCanvas(l.Palette, width, height),
	}
	z.view.board(z.ground, false)
	return z
}

// window returns the window of a quarter, from 1 to 4.
func (z *zoomed) window(n int) image.Rectangle {
	at := image.Point{}
	if n%2 == 0 {
		at.X = z.ground.Rect.Dx() - boardWidth
	}
	if n > 2 {
		at.Y = z.ground.Rect.Dy() - height
	}
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(boardWidth, height))}
}

// shifted returns the view moved left and up.
func (z *zoomed) shifted(by image.Point) *view {
	v := *z.view
	v.mid = v.mid.Sub(by)
	return &v
}

func (k *set) paintZoomed(c *draw.Canvas, s imaging.Scene, p *rings.Position, m marks) {
	z := k.zoomed()
	window := z.window(s.Zoom)
	c.Fill(c.Rect, draw.Background)
	part := c.Within(image.Rect(0, 0, boardWidth, height))
	part.Copy(z.ground, -window.Min.X, -window.Min.Y)
	v := z.shifted(window.Min)
	if m.column >= 0 {
		v.guide(part, m.column)
	}
	v.pieces(part, p, m)
	v.labels(part, p, part.Rect)
	v.column(part, m)
	v.signs(part, m)
	// The window on the map.
	mid, s0 := z.view.mid, z.view.s
	at := func(q image.Point) image.Point {
		return image.Pt(int(math.Round(float64(q.X-mid.X)/s0*k.panel.overview.s)), int(math.Round(float64(q.Y-mid.Y)/s0*k.panel.overview.s)))
	}
	k.panel.quarter(c, s, p, image.Rectangle{Min: at(window.Min), Max: at(window.Max)})
}

// overviewMap is the whole board in small: circles without lines, stones without
// key lines.
type overviewMap struct {
	side    int
	s       float64
	height  int
	circles []rings.Circle
	points  []rings.Point
	disc    *draw.Mask
	stone   [6]*draw.Mask
}

func newOverviewMap(side int) overviewMap {
	s := min(panelWidth/float64(3*side-1), 252/(float64(2*side-1)*math.Sqrt(3)))
	m := overviewMap{
		side: side, s: s, height: int(float64(2*side-1) * math.Sqrt(3) * s),
		circles: rings.Circles(side), points: rings.Points(side),
	}
	m.disc = draw.NewDisc(s)
	m.stone = draw.Marks(0.34 * s)
	return m
}

// draw draws the map with its upper edge at y, with brackets around a window,
// which is relative to the middle. It returns the lower edge.
func (m *overviewMap) draw(c *draw.Canvas, y int, p *rings.Position, window image.Rectangle) int {
	mid := image.Pt(panelX+panelWidth/2, y+m.height/2)
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
		x, y := at(columnX(m.side, point.Column), point.Row)
		c.Stamp(m.stone[owner-1], x, y, draw.Seat(colourOf(owner)))
	}
	box := window.Add(mid).Intersect(image.Rect(panelX-4, y-px(0.2), panelX+panelWidth+4, y+m.height+px(0.2)))
	c.Brackets(box, px(0.9), 4, 2)
	return y + m.height
}
