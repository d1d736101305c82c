package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/draw"
)

// maxWidth is the largest width of a scaled picture in pixels.
const maxWidth = 4096

// scale returns a PNG file scaled to a width in pixels, with its proportions.
func scale(file []byte, width int) ([]byte, error) {
	if width < 1 || width > maxWidth {
		return nil, &usageError{fmt.Errorf("a picture is from 1 to %d pixels wide, not %d", maxWidth, width)}
	}
	from, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("scale a picture: %w", err)
	}
	size := from.Bounds().Size()
	to := image.NewRGBA(image.Rect(0, 0, width, max(1, (size.Y*width+size.X/2)/size.X)))
	draw.CatmullRom.Scale(to, to.Rect, from, from.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, to); err != nil {
		return nil, fmt.Errorf("scale a picture: %w", err)
	}
	return b.Bytes(), nil
}
