package imaging

import (
	"image"
	"strconv"

	"castellan/engine/rings"
)

// board draws the empty board without rulers: the circles with their numbers,
// and a dot on every point unless it will carry its name. Rows for which banded
// says so are a little lighter.
func (v *ringsView) board(c *canvas, banded func(row int) bool) {
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.stamp(v.disc, at.X, at.Y, cell)
	}
	for row := 1; row < 4*v.side; row++ {
		if !banded(row) {
			continue
		}
		stripe := c.within(v.stripe(c, row))
		for _, circle := range v.circles {
			if at := v.centre(circle); max(circle.Row-row, row-circle.Row) <= 2 {
				stripe.stamp(v.disc, at.X, at.Y, bandCell)
			}
		}
	}
	for _, circle := range v.circles {
		at := v.centre(circle)
		c.stamp(v.line, at.X, at.Y, line)
		v.numbers.write(c, strconv.Itoa(circle.Number), float64(at.X), float64(at.Y), middle, dim)
	}
	for _, point := range v.points {
		if at := v.at(point); !v.named() {
			c.stamp(v.dot, at.X, at.Y, line)
		}
	}
}

// stripe is a row from the left edge to as far beyond the right ruler.
func (v *ringsView) stripe(c *canvas, row int) image.Rectangle {
	y := v.y(row) - v.row/2
	return image.Rect(0, y, 2*v.mid.X, y+v.row).Intersect(c.Rect)
}

// ringsEvenRow reports whether a row is one of those with a band.
func ringsEvenRow(row int) bool { return row%2 == 0 }

// ringsNoRow has a band.
func ringsNoRow(int) bool { return false }

// ruled draws the empty board with its rulers: rows at both sides on bands, and
// letters at both ends of their columns. A board with names needs none.
func (v *ringsView) ruled(c *canvas) {
	if v.named() {
		v.board(c, ringsNoRow)
		return
	}
	for row := 1; row < 4*v.side; row++ {
		if ringsEvenRow(row) {
			c.fill(v.stripe(c, row), band)
		}
	}
	v.board(c, ringsEvenRow)
	v.rows(c)
	v.letters(c, ringsNowhere)
}

// rows writes the rows at both sides.
func (v *ringsView) rows(c *canvas) {
	if v.named() {
		return
	}
	f := v.face(ringsPx(coordinateRings))
	edge := float64(ringsPx(1.02))
	for row := 1; row < 4*v.side; row++ {
		f.write(c, strconv.Itoa(row), edge, float64(v.y(row)), middle, dim)
		f.write(c, strconv.Itoa(row), float64(2*v.mid.X)-edge, float64(v.y(row)), middle, dim)
	}
}

// ringsNowhere is the column that no picture has.
const ringsNowhere = -9

// letters writes the letters at both ends of their columns, but for one.
func (v *ringsView) letters(c *canvas, without int) {
	if v.named() {
		return
	}
	f := v.face(ringsPx(coordinateRings))
	away := int(0.36*v.s + 0.47*ringsUnit)
	for column := range 4 * v.side {
		if column == without {
			continue
		}
		above, below := v.ends(column, away)
		// Off the circle beside, towards the other column of the pair, and off
		// the rings of the column that is left out.
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
		letter := ringsLetter(column)
		f.write(c, letter, float64(above.X+shift), float64(above.Y), middle, dim)
		f.write(c, letter, float64(below.X+shift), float64(below.Y), middle, dim)
	}
}

// ends is what lies that far above and below the points of a column.
func (v *ringsView) ends(column, away int) (above, below image.Point) {
	first, last := 4*v.side, 0
	for _, point := range v.points {
		if point.Column == column {
			first, last = min(first, point.Row), max(last, point.Row)
		}
	}
	return image.Pt(v.x(column), v.y(first)-away), image.Pt(v.x(column), v.y(last)+away)
}

// ringsLetter is the letter of a column.
func ringsLetter(column int) string { return rings.Point{Column: column}.String()[:1] }

// liftColours works out what each colour becomes under the guide: grounds
// become the guide, what is drawn on them stays, and their blends go with them.
func (v *ringsView) liftColours() {
	all := ringsColours(v.palette)
	for i, c := range all {
		v.lift[i] = nearest(all, mix(c, v.colour(mark), guideShare))
	}
	for _, ground := range []role{background, cell, band, bandCell} {
		v.lift[v.base[ground]] = v.base[guide]
	}
	for _, drawn := range []role{line, dim} {
		v.lift[v.base[drawn]] = v.base[drawn]
	}
}

// guide makes a column from the top to the bottom of the picture stand out.
func (v *ringsView) guide(c *canvas, column int) {
	half, x := v.px(ringsGuide/2), v.x(column)
	r := image.Rect(x-half, 0, x+half, c.Rect.Max.Y).Intersect(c.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		for i, index := range row {
			row[i] = v.lift[index]
		}
	}
}

// letter draws the letter of the picked column, large, at both ends.
func (v *ringsView) letter(c *canvas, m ringsMarks) {
	above, below := v.ends(m.column, v.px(ringsRow)+ringsPx(0.5+letterRings/2.0-0.22))
	f := v.face(ringsPx(letterRings))
	for _, at := range []image.Point{above, below} {
		f.write(c, ringsLetter(m.column), float64(at.X), float64(at.Y), middle, text)
	}
}

// column draws a ring with its row around every point of the picked column that
// is legal.
func (v *ringsView) column(c *canvas, m ringsMarks) {
	for _, point := range m.rows {
		at := v.at(point)
		c.stamp(v.rowDisc, at.X, at.Y, background)
		if m.picked == nil || *m.picked != point { // that one has a frame
			v.rowRing.put(c, at.X, at.Y)
		}
		v.steps.write(c, strconv.Itoa(point.Row), float64(at.X), float64(at.Y), middle, text)
	}
}
