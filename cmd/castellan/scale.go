package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"golang.org/x/image/draw"
)

// widest is the largest width that a picture is scaled to, in pixels.
const widest = 4096

// scale is a PNG file scaled to a width in pixels, its height in proportion.
func scale(file []byte, width int) ([]byte, error) {
	if width < 1 || width > widest {
		return nil, &usageError{fmt.Errorf("a picture is from 1 to %d pixels wide, not %d", widest, width)}
	}
	from, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("scaling a picture: %w", err)
	}
	size := from.Bounds().Size()
	to := image.NewRGBA(image.Rect(0, 0, width, max(1, (size.Y*width+size.X/2)/size.X)))
	draw.CatmullRom.Scale(to, to.Rect, from, from.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, to); err != nil {
		return nil, fmt.Errorf("scaling a picture: %w", err)
	}
	return b.Bytes(), nil
}
