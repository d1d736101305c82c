package imagingtest

import (
	"image/color"
	"math"
)

// LinearRGB is a colour in linear light, channels from 0 to 1.
type LinearRGB [3]float64

// Linear undoes the gamma of sRGB (IEC 61966-2-1).
func Linear(c color.RGBA) LinearRGB {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return LinearRGB{linear(c.R), linear(c.G), linear(c.B)}
}

// Contrast returns the contrast ratio of two colours by WCAG 2.2, from 1 to 21.
// Forms need 3 and text needs 4.5.
func Contrast(a, b LinearRGB) float64 {
	luminance := func(c LinearRGB) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
