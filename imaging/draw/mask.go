package draw

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// Coverage is counted in halves: enough for edges that look smooth where two or
// three pixels of a picture make one of a screen, and few enough for small files.
const (
	none = 0
	full = 2
)

// Mask is a shape without colour: how many halves of each pixel it covers.
// The empty Mask covers nothing.
type Mask struct {
	Rect   image.Rectangle // relative to the anchor
	halves []uint8         // row by row
}

// NewMask rasterises a drawing with gg. The anchor is the point (0, 0) of the
// drawing; bounds, in pixels, says which part of it is kept.
func NewMask(bounds image.Rectangle, drawing func(*gg.Context)) *Mask {
	dc := gg.NewContext(bounds.Dx(), bounds.Dy())
	dc.SetRGB(1, 1, 1)
	dc.Translate(float64(-bounds.Min.X), float64(-bounds.Min.Y))
	drawing(dc)
	img := dc.Image().(*image.RGBA)
	m := &Mask{bounds, make([]uint8, bounds.Dx()*bounds.Dy())}
	for i := range m.halves {
		m.halves[i] = halves(img.Pix[i*4+3])
	}
	return m
}

// NewDisc returns a disc about the anchor.
func NewDisc(r float64) *Mask {
	return NewMask(Around(0, 0, r), func(dc *gg.Context) { FillDisc(dc, 0, 0, r) })
}

// Around returns the smallest rectangle of whole pixels that holds everything
// within r of (x, y).
func Around(x, y, r float64) image.Rectangle {
	return image.Rect(
		int(math.Floor(x-r)), int(math.Floor(y-r)),
		int(math.Ceil(x+r)), int(math.Ceil(y+r)))
}

// Intersect reduces the mask to what another mask of the same bounds covers
// too.
func (m *Mask) Intersect(other *Mask) {
	for i, n := range other.halves {
		m.halves[i] = min(m.halves[i], n)
	}
}

// halves returns a coverage of 0 to 255 in halves.
func halves(alpha uint8) uint8 { return uint8((int(alpha)*full + 127) / 255) }
