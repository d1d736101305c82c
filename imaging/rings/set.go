package rings

import (
	"image"
	"math"
	"sync"

	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// The size of pictures in pixels, and the unit u of lengths on them, 1/40 of
// the width.
const (
	width      = 1100
	height     = 900
	unit       = width / 40.0
	boardWidth = 818 // space for the board, left of the panel
)

// Sizes of text as the height of capitals in u: 0.73 of the size in em.
const (
	coordinateCapital = 0.73
	letterCapital     = 1.1 // of the picked column
	nameCapital       = 0.73
	scoreCapital      = 1.06
	notationCapital   = 0.83
)

// px returns a length in u as whole pixels.
func px(length float64) int { return int(math.Round(length * unit)) }

// parts is the number of enlarged parts of a board: four quarters and the middle.
const parts = 5

// set draws Rings on one board in one theme. What only some pictures need is
// prepared when first asked for.
type set struct {
	draw.Style
	whole  *view
	ground *draw.Canvas // the empty board with rulers and bands
	panel  *panel

	columnGround func() *draw.Canvas // without bands and letters
	zoomed       func() *zoomed
}

func newSet(s draw.Style, side int) imaging.Set[*rings.Position] {
	k := &set{Style: s, panel: newPanel(s, side)}
	// As wide as side 6 with rows of 35 pixels, and no higher.
	row := min(17*35/(3*side-1), 22*35/(4*side-2))
	k.whole = newView(s, side, row, image.Pt(405, 445))
	k.ground = draw.NewCanvas(s.Palette, width, height)
	k.whole.ruled(k.ground)
	k.columnGround = sync.OnceValue(func() *draw.Canvas {
		c := draw.NewCanvas(s.Palette, width, height)
		k.whole.board(c, false)
		k.whole.rows(c)
		return c
	})
	k.zoomed = sync.OnceValue(func() *zoomed { return newZoomed(s, side) })
	return k
}
