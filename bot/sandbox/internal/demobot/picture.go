package demobot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// picture paints a keep in a colour; its height is three quarters of its
// width in pixels.
func picture(rgb uint32, width int) ([]byte, error) {
	height := width * 3 / 4
	ground := color.RGBA{R: 0x1A, G: 0x20, B: 0x28, A: 0xFF}
	paint := color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xFF}
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{ground, paint})
	unit := width / 16
	for y := range height {
		for x := range width {
			wall := y > height/2 && x > 3*unit && x < 13*unit
			crown := y > height/2-unit && y <= height/2 && x > 3*unit && x < 13*unit && (x/unit)%2 == 1
			gate := y > height*3/4 && x > 7*unit && x < 9*unit
			if (wall || crown) && !gate {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return buf.Bytes(), nil
}
