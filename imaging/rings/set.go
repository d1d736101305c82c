package rings

import (
	"image"
	"math"
	"sync"

	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// The size of the space for the board in pixels, and the unit u of lengths on
// pictures.
const (
	width  = draw.Width
	height = 1184
	unit   = float64(draw.U)
)

// Sizes of text as the height of capitals in u.
const (
	coordinateCapital = 0.90
	letterCapital     = 1.4 // of the picked column
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
	bottom int // height of the picture

	zoomed func() *zoomed
}

// format is the number of circles along a side of the board and that of seats.
type format struct{ side, seats int }

func newSet(s draw.Style, f format) imaging.Set[*rings.Position] {
	side := f.side
	k := &set{Style: s, panel: newPanel(s, f)}
	k.bottom = k.panel.Bottom
	// As wide as side 6 with rows of 48 pixels, and no higher.
	row := min(17*48/(3*side-1), 22*48/(4*side-2))
	k.whole = newView(s, side, row, image.Pt(width/2, height/2))
	k.ground = draw.NewCanvas(s.Palette, width, k.bottom)
	k.whole.ruled(k.ground)
	k.zoomed = sync.OnceValue(func() *zoomed { return newZoomed(s, side) })
	return k
}
