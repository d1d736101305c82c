package imaging

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// mask is a shape without colour: for each pixel how many quarters of it are
// covered, 0 to 4. It is stamped in any colour over any ground.
type mask struct {
	Rect     image.Rectangle // relative to the anchor
	quarters []uint8         // row by row
}

// paint rasterises a drawing with gg. The anchor is the point (0, 0) of the
// drawing; bounds says which part of it is kept, in whole pixels.
func paint(bounds image.Rectangle, drawing func(*gg.Context)) *mask {
	dc := gg.NewContext(bounds.Dx(), bounds.Dy())
	dc.SetRGB(1, 1, 1)
	dc.Translate(float64(-bounds.Min.X), float64(-bounds.Min.Y))
	drawing(dc)
	img := dc.Image().(*image.RGBA)
	m := &mask{bounds, make([]uint8, bounds.Dx()*bounds.Dy())}
	for i := range m.quarters {
		m.quarters[i] = quarters(img.Pix[i*4+3])
	}
	return m
}

// around is the whole pixels that hold everything within r of (x, y).
func around(x, y, r float64) image.Rectangle {
	return image.Rect(
		int(math.Floor(x-r)), int(math.Floor(y-r)),
		int(math.Ceil(x+r)), int(math.Ceil(y+r)))
}

// quarters is a coverage of 0 to 255 in quarters.
func quarters(alpha uint8) uint8 { return uint8((int(alpha)*full + 127) / 255) }
