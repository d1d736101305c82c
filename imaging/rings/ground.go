package rings

import (
	"image"
	"image/color"
	"strconv"

	"castellan/engine/rings"
	"castellan/imaging/draw"
)

// board draws the empty board without rulers: the circles with faint numbers,
// and a socket on every point unless the points have names.
func (v *view) board(c *draw.Canvas) {
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.Stamp(v.disc, at.X, at.Y, draw.Cell)
	}
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.Stamp(v.line, at.X, at.Y, circleRim)
		v.number(c, circle, 0, faint)
	}
	for _, point := range v.points {
		if at := v.at(point); !v.named() {
			c.Put(v.socket, at.X, at.Y)
		}
	}
}

// rowBands returns the band of every second row, from the left edge beyond the
// right ruler. They lie beside the circles.
func (v *view) rowBands(c *draw.Canvas) (all []image.Rectangle) {
	for row := 2; row < 4*v.side; row += 2 {
		y := v.y(row) - v.row/2
		all = append(all, image.Rect(0, y, 2*v.mid.X, y+v.row).Intersect(c.Rect))
	}
	return all
}

// letterY is the middle of the upper row of letters in pixels.
const letterY = 22

// ruled draws the empty board with rulers: numbers at both ends of rows, which
// are banded, and a row of letters above and below, from which dots lead to the
// columns. Points with names need no rulers.
func (v *view) ruled(c *draw.Canvas) {
	if v.named() {
		v.board(c)
		return
	}
	for _, stripe := range v.rowBands(c) {
		c.Fill(stripe, band)
	}
	f := v.Face(px(coordinateCapital))
	top, bottom := letterY, 2*v.mid.Y-letterY
	for column := range 4 * v.side {
		above, below := v.ends(column, 0)
		x, far := v.x(column), letterY
		// Dots, because unbroken lines would double the size of a file.
		for y := top + far; y < above.Y-far/2; y += v.row / 2 {
			c.Fill(image.Rect(x-1, y, x+2, y+3), leader)
		}
		for y := bottom - far; y > below.Y+far/2; y -= v.row / 2 {
			c.Fill(image.Rect(x-1, y-3, x+2, y), leader)
		}
		// The letters of a pair of columns are as far from each other as from the
		// next ones.
		shift := v.px(0.125)
		if column%2 == 0 {
			shift = -shift
		}
		for _, y := range []int{top, bottom} {
			f.Write(c, letterOf(column), float64(x+shift), float64(y), draw.Middle, draw.Dim)
		}
	}
	v.board(c)
	v.rows(c)
}

func (v *view) rows(c *draw.Canvas) {
	f := v.Face(px(coordinateCapital))
	edge := float64(px(0.88)) // clear of the letters of the outermost columns
	for row := 1; row < 4*v.side; row++ {
		f.Write(c, strconv.Itoa(row), edge, float64(v.y(row)), draw.Middle, draw.Dim)
		f.Write(c, strconv.Itoa(row), float64(2*v.mid.X)-edge, float64(v.y(row)), draw.Middle, draw.Dim)
	}
}

// ends returns the places some pixels above and below the points of a column.
func (v *view) ends(column, away int) (above, below image.Point) {
	first, last := 4*v.side, 0
	for _, point := range v.points {
		if point.Column == column {
			first, last = min(first, point.Row), max(last, point.Row)
		}
	}
	return image.Pt(v.x(column), v.y(first)-away), image.Pt(v.x(column), v.y(last)+away)
}

func letterOf(column int) string { return rings.Point{Column: column}.String()[:1] }

// lifted returns the colours under the guide: grounds become the guide, lines
// and numbers stay, and their blends change accordingly.
func lifted(s draw.Style) [256]uint8 {
	table := s.Map(func(c color.RGBA) color.RGBA { return draw.Mix(c, s.Mark, guideShare) })
	for _, ground := range []draw.Role{draw.Background, draw.Cell, band} {
		table[s.Index(ground)] = s.Index(guide)
	}
	for _, drawn := range []draw.Role{draw.Line, draw.Dim, circleRim, faint} {
		table[s.Index(drawn)] = s.Index(drawn)
	}
	return table
}

// guide highlights a column from the top to the bottom of the picture.
func (v *view) guide(c *draw.Canvas, column int) {
	half, x := v.px(guideWidth/2), v.x(column)
	c.Recolour(image.Rect(x-half, 0, x+half, c.Rect.Max.Y), &v.lift)
}

// letter draws the letter of the picked column, large, at both ends.
func (v *view) letter(c *draw.Canvas, m marks) {
	edge, _ := v.ends(m.column, v.px(labelRadius))
	f := v.Face(min(px(letterCapital), edge.Y-px(0.4))) // within the picture
	above, below := v.ends(m.column, v.px(labelRadius)+px(0.28)+f.Capital/2)
	for _, at := range []image.Point{above, below} {
		f.Write(c, letterOf(m.column), float64(at.X), float64(at.Y), draw.Middle, draw.Text)
	}
}

// column draws a label with its name on every legal point of the picked column.
func (v *view) column(c *draw.Canvas, m marks) {
	for _, point := range m.rows {
		at := v.at(point)
		if m.picked == nil || *m.picked != point { // it has a frame
			v.label.Put(c, at.X, at.Y)
		}
		c.Stamp(v.labelGround, at.X, at.Y, draw.Background)
		v.steps.Write(c, point.String(), float64(at.X), float64(at.Y), draw.Middle, draw.Text)
	}
}
