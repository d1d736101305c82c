package draw

import (
	"fmt"
	"image/color"
	"strings"

	"castellan/engine"
)

// The names of the themes. The empty name stands for Dark as well.
const (
	Dark     = "dark"
	Light    = "light"
	Contrast = "contrast"
)

// Theme is the colours of a picture, all opaque. In every theme the colours of
// the seats can be told apart with every kind of colour blindness.
type Theme struct {
	Name string

	Background color.RGBA // around the board, and key lines
	Cell       color.RGBA // squares and cards
	Line       color.RGBA // grid, circles, outlines of missing pieces
	Text       color.RGBA
	Dim        color.RGBA // coordinates
	Mark       color.RGBA // signs: last turn, legal, picked
	Ink        color.RGBA // on a seat's colour
	Neutral    color.RGBA // pieces that belong to no seat

	// Seats holds the colours of the seats; element 0 is engine.Blue's.
	Seats [6]color.RGBA

	// WholeLines asks for unbroken grid lines instead of crosses at the
	// corners of cells.
	WholeLines bool

	tintGround color.RGBA // mixed with a seat's colour for its tint
	tintShare  float64    // the seat's share of the tint, 0 to 1
}

// Themes returns the names of all themes, the default first.
func Themes() []string { return []string{Dark, Light, Contrast} }

// ThemeByName returns the theme with a name. The empty name is the default.
func ThemeByName(name string) (Theme, error) {
	switch name {
	case Dark, "":
		return darkTheme(), nil
	case Light:
		return lightTheme(), nil
	case Contrast:
		return contrastTheme(), nil
	}
	return Theme{}, fmt.Errorf("draw: there is no theme %q; there is %s", name, strings.Join(Themes(), ", "))
}

// Seat returns the colour of a seat.
func (t Theme) Seat(c engine.Colour) color.RGBA { return t.Seats[c-engine.Blue] }

// Tint returns the colour of ground that a seat owns, such as land.
func (t Theme) Tint(c engine.Colour) color.RGBA {
	return Mix(t.tintGround, t.Seat(c), t.tintShare)
}

func darkTheme() Theme {
	return Theme{
		Name:       Dark,
		Background: rgb(0x15181D), Cell: rgb(0x22272E), Line: rgb(0x7C8694),
		Text: rgb(0xF1F4F8), Dim: rgb(0xA9B2BF), Mark: rgb(0xFFFFFF),
		Ink: rgb(0x0B0E12), Neutral: rgb(0xB4BDC9),
		Seats: [6]color.RGBA{
			rgb(0x85D5FF), rgb(0xE55A30), rgb(0xFFCC00),
			rgb(0x2B908A), rgb(0xA853FF), rgb(0xFCFFF5),
		},
		tintGround: rgb(0x0B0E12), tintShare: 0.30,
	}
}

func lightTheme() Theme {
	return Theme{
		Name:       Light,
		Background: rgb(0xE9E4D8), Cell: rgb(0xF8F5EE), Line: rgb(0x7D7668),
		Text: rgb(0x1B1D21), Dim: rgb(0x565148), Mark: rgb(0x000000),
		Ink: rgb(0xFFFFFF), Neutral: rgb(0x6B665B),
		Seats: [6]color.RGBA{
			rgb(0x06095D), rgb(0x9C1945), rgb(0x8E7401),
			rgb(0x00837E), rgb(0x7E0AE1), rgb(0x261C01),
		},
		tintGround: rgb(0xF8F5EE), tintShare: 0.15,
	}
}

func contrastTheme() Theme {
	return Theme{
		Name:       Contrast,
		Background: rgb(0x000000), Cell: rgb(0x000000), Line: rgb(0x9AA0A6),
		Text: rgb(0xFFFFFF), Dim: rgb(0xFFFFFF), Mark: rgb(0xFFFFFF),
		Ink: rgb(0x000000), Neutral: rgb(0xFFFFFF),
		Seats: [6]color.RGBA{
			rgb(0xAAE5FF), rgb(0xE47756), rgb(0xFED216),
			rgb(0x53A29E), rgb(0xB27AFF), rgb(0xFCFFEF),
		},
		WholeLines: true,
		tintGround: rgb(0x000000), tintShare: 0.25,
	}
}

// rgb returns an opaque colour by its hexadecimal form.
func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xFF}
}

// Mix blends two colours channel by channel: share 0 gives a, share 1 gives b.
func Mix(a, b color.RGBA, share float64) color.RGBA {
	ch := func(a, b uint8) uint8 {
		return uint8(float64(a) + (float64(b)-float64(a))*share + 0.5)
	}
	return color.RGBA{R: ch(a.R, b.R), G: ch(a.G, b.G), B: ch(a.B, b.B), A: 0xFF}
}
