package imaging

import (
	"image"
	"image/color"

	"castellan/imaging/draw"
)

// thumbnail returns a part of a picture in the middle of a square of half the size:
// thumbnails are shown small.
func thumbnail(from *image.Paletted, part image.Rectangle) *image.Paletted {
	size := part.Size().Div(2)
	side := max(size.X, size.Y)
	to := image.NewPaletted(image.Rect(0, 0, side, side), from.Palette)
	ground := from.Pix[len(from.Pix)-1] // the background, below the plates
	for i := range to.Pix {
		to.Pix[i] = ground
	}
	known := map[[4]uint8]uint8{}
	colour := func(i uint8) color.RGBA { return color.RGBAModel.Convert(from.Palette[i]).(color.RGBA) }
	left, top := (side-size.X)/2, (side-size.Y)/2
	for y := range size.Y {
		upper := from.Pix[from.PixOffset(part.Min.X, part.Min.Y+2*y):]
		lower := upper[from.Stride:]
		for x := range size.X {
			four := [4]uint8{upper[2*x], upper[2*x+1], lower[2*x], lower[2*x+1]}
			index, ok := known[four]
			switch {
			case ok:
			case four[0] == four[1] && four[0] == four[2] && four[0] == four[3]:
				index = four[0]
			default:
				mixed := draw.Mix(draw.Mix(colour(four[0]), colour(four[1]), 0.5), draw.Mix(colour(four[2]), colour(four[3]), 0.5), 0.5)
				index = uint8(from.Palette.Index(mixed))
				known[four] = index
			}
			to.Pix[to.PixOffset(left+x, top+y)] = index
		}
	}
	return to
}
