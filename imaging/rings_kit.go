package imaging

import (
	"image"
	"image/color"
	"math"
	"sync"
)

// The picture, and u of Rings: 1/40 of the width.
const (
	ringsWidth  = 1100
	ringsHeight = 900
	ringsUnit   = ringsWidth / 40.0
	ringsBoard  = 818 // what the board may fill, to the left of the panel
)

// Sizes of text as the height of capitals in u: 0.73 of the size in em.
const (
	coordinateRings = 0.73
	letterRings     = 1.1 // of the picked column
	nameRings       = 0.73
	scoreRings      = 1.06
	notationRings   = 0.83
)

// ringsPx is a length in u as whole pixels.
func ringsPx(length float64) int { return int(math.Round(length * ringsUnit)) }

// ringsWindows is the number of parts into which a large board falls.
const ringsWindows = 4

// ringsKit is everything to draw Rings on one board in one theme. What only
// some pictures need is painted when one is first asked for.
type ringsKit struct {
	look
	side     int
	overview *ringsView
	ground   *canvas // the empty board with rulers and bands
	panel    *ringsPanel

	columnGround func() *canvas // without bands and letters
	zoom         func() *ringsZoom
}

func newRingsKit(l look, side int) *ringsKit {
	k := &ringsKit{look: l, side: side, panel: newRingsPanel(l, side)}
	// As wide as side 6 with rows of 35 pixels, and no higher.
	row := min(17*35/(3*side-1), 22*35/(4*side-2))
	k.overview = newRingsView(l, side, row, image.Pt(405, 445))
	k.ground = k.blank()
	k.overview.ruled(k.ground)
	k.columnGround = sync.OnceValue(func() *canvas {
		c := k.blank()
		k.overview.board(c, ringsNoRow)
		k.overview.rows(c)
		return c
	})
	k.zoom = sync.OnceValue(func() *ringsZoom { return newRingsZoom(l, side) })
	return k
}

// ringsColours is the colours of a palette.
func ringsColours(p *palette) []color.RGBA {
	out := make([]color.RGBA, len(p.colours))
	for i, c := range p.colours {
		out[i] = c.(color.RGBA)
	}
	return out
}
