package imaging

import (
	"image"
	"image/color"

	"castellan/engine/rings"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
)

// RingsNamed is the radius from which points carry their names.
const RingsNamed = ringsNamed

// FillArrow is for the plain painter of the tests, which draws this outline
// too: what is compared is how it comes to be pixels.
var FillArrow = func(dc *gg.Context, x, y, r float64, h int) { fillArrow(dc, x, y, r, heading(h)) }

// RingsUncovered is the points whose name no part of a board shows whole.
func RingsUncovered(side int) (missing []rings.Point) {
	typeface, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		panic(err)
	}
	colours, err := newPalette(darkTheme(), ringsPainter{}.design())
	if err != nil {
		panic(err)
	}
	z := newRingsZoom(look{darkTheme(), colours, typeface}, side)
	for _, p := range rings.Points(side) {
		name := p.String()
		half := image.Pt(int(z.view.names.width(name)/2)+2, z.view.names.capital)
		at := z.view.at(p)
		covered := false
		for n := 1; n <= ringsWindows; n++ {
			if (image.Rectangle{Min: at.Sub(half), Max: at.Add(half)}).In(z.window(n)) {
				covered = true
			}
		}
		if !covered {
			missing = append(missing, p)
		}
	}
	return missing
}

// RingsGrounds is the grounds that no other game has.
func RingsGrounds(t Theme) map[string]color.RGBA {
	return map[string]color.RGBA{"band": t.colour(band), "band on cells": t.colour(bandCell), "guide": t.colour(guide)}
}
