package imaging

import (
	"image/color"

	"github.com/fogleman/gg"
)

// The plain painter of the tests draws these two outlines too: what is
// compared is how they come to be pixels.
var (
	FillCrown = fillCrown
	Rook      = rook
	Inset     = inset
	Arrow     = func(x, y, r float64, h int) []gg.Point { return arrow(x, y, r, heading(h)) }
	FillCross = fillCross
)

// PaletteOf is the palette of a painter's game in a theme.
func PaletteOf(p Painter, theme string) (color.Palette, error) {
	t, err := ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	pal, err := newPalette(t, p.design())
	if err != nil {
		return nil, err
	}
	return pal.colours, nil
}
