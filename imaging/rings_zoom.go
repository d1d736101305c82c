package imaging

import (
	"image"
	"math"

	"castellan/engine"
	"castellan/engine/rings"

	"github.com/fogleman/gg"
)

// ringsZoomRow is the rows' distance on a part of the board: circles have a
// radius of 89 pixels, and four parts cover the largest board with the names on
// its middle lines in one of them.
const ringsZoomRow = 77

// ringsZoom is the board, large: a canvas of its own, of which a picture shows
// a window.
type ringsZoom struct {
	view   *ringsView
	ground *canvas
}

func newRingsZoom(l look, side int) *ringsZoom {
	// The outermost points and half a label beside them.
	s := ringsZoomRow * 2 / math.Sqrt(3)
	width := max(ringsBoard, int(float64(3*side-1)*s)+2*ringsPx(1.3))
	height := max(ringsHeight, (4*side-2)*ringsZoomRow+2*ringsPx(0.9))
	z := &ringsZoom{
		view:   newRingsView(l, side, ringsZoomRow, image.Pt(width/2, height/2)),
		ground: newCanvas(l.palette, width, height),
	}
	z.view.board(z.ground, ringsNoRow)
	return z
}

// window is the part of the board that number n shows, from 1 to 4.
func (z *ringsZoom) window(n int) image.Rectangle {
	at := image.Point{}
	if n%2 == 0 {
		at.X = z.ground.Rect.Dx() - ringsBoard
	}
	if n > 2 {
		at.Y = z.ground.Rect.Dy() - ringsHeight
	}
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(ringsBoard, ringsHeight))}
}

// shifted is the view with its window's corner at the picture's.
func (z *ringsZoom) shifted(by image.Point) *ringsView {
	v := *z.view
	v.mid = v.mid.Sub(by)
	return &v
}

// paintZoom draws a part of the board, and beside it which one it is.
func (k *ringsKit) paintZoom(c *canvas, s Scene, p *rings.Position, m ringsMarks) {
	z := k.zoom()
	window := z.window(s.Zoom)
	c.fill(c.Rect, background)
	part := c.within(image.Rect(0, 0, ringsBoard, ringsHeight))
	part.copy(z.ground, -window.Min.X, -window.Min.Y)
	v := z.shifted(window.Min)
	if m.column >= 0 {
		v.guide(part, m.column)
	}
	v.pieces(part, p, m)
	v.labels(part, p, part.Rect)
	v.column(part, m)
	v.signs(part, m)
	// The window in the radii of the map.
	mid, s0 := z.view.mid, z.view.s
	at := func(q image.Point) image.Point {
		return image.Pt(int(math.Round(float64(q.X-mid.X)/s0*k.panel.chart.s)), int(math.Round(float64(q.Y-mid.Y)/s0*k.panel.chart.s)))
	}
	k.panel.part(c, s, p, image.Rectangle{Min: at(window.Min), Max: at(window.Max)})
}

// ringsMap is the whole board, small: circles without lines, stones without
// key lines.
type ringsMap struct {
	side    int
	s       float64
	high    int // of the map
	circles []rings.Circle
	points  []rings.Point
	disc    *mask
	stone   [6]*mask
}

func newRingsMap(side int) ringsMap {
	s := min(ringsPanelWidth/float64(3*side-1), 252/(float64(2*side-1)*math.Sqrt(3)))
	m := ringsMap{
		side: side, s: s, high: int(float64(2*side-1) * math.Sqrt(3) * s),
		circles: rings.Circles(side), points: rings.Points(side),
	}
	m.disc = paint(around(0, 0, s), func(dc *gg.Context) { fillDisc(dc, 0, 0, s) })
	for i := range m.stone {
		r := 0.34 * s
		m.stone[i] = paint(around(0, 0, 1.5*r), func(dc *gg.Context) { fillMark(dc, engine.Blue+engine.Colour(i), 0, 0, r) })
	}
	return m
}

// draw puts the map with its upper edge at y, brackets around the window,
// which is given from the middle, and gives the lower edge.
func (m *ringsMap) draw(c *canvas, y int, p *rings.Position, window image.Rectangle) int {
	mid := image.Pt(ringsPanelX+ringsPanelWidth/2, y+m.high/2)
	row := m.s * math.Sqrt(3) / 2
	at := func(x float64, r int) (int, int) {
		return mid.X + int(math.Round(x*m.s)), mid.Y + int(math.Round(float64(r-2*m.side)*row))
	}
	for _, circle := range m.circles {
		x, y := at(1.5*float64(circle.Column-(m.side-1)), circle.Row)
		c.stamp(m.disc, x, y, cell)
	}
	for _, point := range m.points {
		owner := p.Owner(point)
		if owner == engine.Nobody {
			continue
		}
		column := (point.Column - 1) / 2
		half := -0.5
		if point.Column%2 == 0 {
			column, half = point.Column/2-1, 0.5
		}
		x, y := at(1.5*float64(column-(m.side-1))+half, point.Row)
		c.stamp(m.stone[owner-1], x, y, seatRole(engine.Blue+engine.Colour(owner-1)))
	}
	box := window.Add(mid).Intersect(image.Rect(ringsPanelX-4, y-ringsPx(0.2), ringsPanelX+ringsPanelWidth+4, y+m.high+ringsPx(0.2)))
	ringsCorners(c, box, ringsPx(0.9), 4, 2)
	return y + m.high
}

// ringsCorners puts four corner brackets inside a box.
func ringsCorners(c *canvas, box image.Rectangle, arm, width, key int) {
	for _, pass := range []struct {
		grow int
		with role
	}{{key, background}, {0, mark}} {
		for _, x := range []int{box.Min.X, box.Max.X - arm} {
			for _, y := range []int{box.Min.Y, box.Max.Y - width} {
				c.fill(image.Rect(x, y, x+arm, y+width).Inset(-pass.grow), pass.with)
			}
		}
		for _, x := range []int{box.Min.X, box.Max.X - width} {
			for _, y := range []int{box.Min.Y, box.Max.Y - arm} {
				c.fill(image.Rect(x, y, x+width, y+arm).Inset(-pass.grow), pass.with)
			}
		}
	}
}
