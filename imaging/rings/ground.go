package rings

import (
	"image"
	"image/color"
	"strconv"

	"castellan/engine/rings"
	"castellan/imaging/draw"
)

// board draws the empty board without rulers: the circles with their numbers,
// and a dot on every point unless the points have names. Columns with bands are a
// little lighter.
func (v *view) board(c *draw.Canvas, bands bool) {
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.Stamp(v.disc, at.X, at.Y, draw.Cell)
	}
	for _, stripe := range v.columnBands() {
		if !bands {
			break
		}
		part := c.Within(stripe)
		for _, circle := range v.circles {
			at := v.centre(circle)
			if v.disc.Rect.Add(at).Overlaps(stripe) {
				part.Stamp(v.disc, at.X, at.Y, bandCell)
			}
		}
	}
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.Stamp(v.line, at.X, at.Y, draw.Line)
		v.numbers.Write(c, strconv.Itoa(circle.Number), float64(at.X), float64(at.Y), draw.Middle, draw.Dim)
	}
	for _, point := range v.points {
		if at := v.at(point); !v.named() {
			c.Stamp(v.dot, at.X, at.Y, draw.Line)
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

// columnBands returns the band of every second column, from its upper to its
// lower letter. They lie on the circles.
func (v *view) columnBands() (all []image.Rectangle) {
	half := v.px(bandWidth / 2)
	for column := 1; column < 4*v.side; column += 2 {
		above, below := v.ends(column, v.letterAway())
		all = append(all, image.Rect(above.X-half, above.Y, below.X+half, below.Y))
	}
	return all
}

// letterAway is the distance of the letter of a column from its last points.
func (v *view) letterAway() int { return int(0.36*v.s + 0.47*unit) }

// ruled draws the empty board with rulers: numbers at both ends of rows, which
// are banded, and letters at both ends of columns. Points with names need no
// rulers.
func (v *view) ruled(c *draw.Canvas) {
	if v.named() {
		v.board(c, false)
		return
	}
	for _, stripe := range v.rowBands(c) {
		c.Fill(stripe, band)
	}
	v.board(c, true)
	v.rows(c)
	v.letters(c, noColumn)
}

func (v *view) rows(c *draw.Canvas) {
	if v.named() {
		return
	}
	f := v.Face(px(coordinateCapital))
	edge := float64(px(0.88)) // clear of the letters of the outermost columns
	for row := 1; row < 4*v.side; row++ {
		f.Write(c, strconv.Itoa(row), edge, float64(v.y(row)), draw.Middle, draw.Dim)
		f.Write(c, strconv.Itoa(row), float64(2*v.mid.X)-edge, float64(v.y(row)), draw.Middle, draw.Dim)
	}
}

// noColumn is no column, nor next to one.
const noColumn = -9

// letters writes the letters at both ends of all columns except one.
func (v *view) letters(c *draw.Canvas, without int) {
	if v.named() {
		return
	}
	f := v.Face(px(coordinateCapital))
	away := v.letterAway()
	for column := range 4 * v.side {
		if column == without {
			continue
		}
		above, below := v.ends(column, away)
		// Away from the circle beside it, towards the other column of the
		// pair, and away from the rings of the omitted column.
		shift := v.px(0.11)
		if column%2 == 0 {
			shift = -shift
		}
		switch column - without {
		case 1, 2:
			shift += v.px(0.10)
		case -1, -2:
			shift -= v.px(0.10)
		}
		if column == 0 || column == 4*v.side-1 {
			shift = 0 // between the last points of its neighbour and the numbers of rows
		}
		letter := letterOf(column)
		f.Write(c, letter, float64(above.X+shift), float64(above.Y), draw.Middle, draw.Dim)
		f.Write(c, letter, float64(below.X+shift), float64(below.Y), draw.Middle, draw.Dim)
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
	for _, ground := range []draw.Role{draw.Background, draw.Cell, band, bandCell} {
		table[s.Index(ground)] = s.Index(guide)
	}
	for _, drawn := range []draw.Role{draw.Line, draw.Dim} {
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
