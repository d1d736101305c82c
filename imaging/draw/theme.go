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
	Wood     = "wood"
	Contrast = "contrast"
)

// Theme is the colours of a picture, all opaque. In every theme the colours of
// the seats can be told apart, and from everything that the board is made of,
// with every kind of colour blindness.
type Theme struct {
	Name string

	Background color.RGBA // around board and plates, and key lines
	Cell       color.RGBA // light squares
	CellDark   color.RGBA // dark squares
	Recent     color.RGBA // light squares of the last turn
	RecentDark color.RGBA // dark squares of the last turn
	RecentEdge color.RGBA // line around squares of the last turn
	Plate      color.RGBA // name plates
	Written    color.RGBA // text on name plates
	Faint      color.RGBA // less important text there
	Frame      color.RGBA // frame of the board
	FrameLight color.RGBA // its sides in the light
	FrameDark  color.RGBA // its sides in the shade
	Carved     color.RGBA // coordinates on the frame
	Shade      color.RGBA // shadows
	Gold       color.RGBA // crowns and laurels
	Line       color.RGBA // circles, outlines of missing pieces
	Text       color.RGBA
	Dim        color.RGBA // what is beside the matter
	Mark       color.RGBA // signs: legal, picked
	Ink        color.RGBA // on a seat's colour
	Neutral    color.RGBA // pieces that belong to no seat

	// Seats holds the colours of the seats; element 0 is engine.Blue's.
	Seats [6]color.RGBA

	// Plain asks for flat pictures: lines between squares, and no light, shadows
	// or grain.
	Plain bool
	// Grain says what is of wood.
	Grain Grain

	tintGround color.RGBA // mixed with a seat's colour for its tint
	tintShare  float64    // the seat's share of the tint, 0 to 1
}

// Grain says what parts of a board are of wood.
type Grain uint8

// What is of wood: nothing, the frame of the board, or its squares as well.
const (
	NoGrain Grain = iota
	FrameGrain
	BoardGrain
)

// Themes returns the names of all themes, the default first.
func Themes() []string { return []string{Dark, Light, Wood, Contrast} }

// ThemeByName returns the theme with a name. The empty name is the default.
func ThemeByName(name string) (Theme, error) {
	switch name {
	case Dark, "":
		return darkTheme(), nil
	case Light:
		return lightTheme(), nil
	case Wood:
		return woodTheme(), nil
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

// Darker returns a colour as it looks in the shade, and Lighter in the light. The
// share is from 0 to 1.
func (t Theme) Darker(c color.RGBA, share float64) color.RGBA { return Mix(c, t.Shade, share) }

// Lighter is described at Darker.
func (t Theme) Lighter(c color.RGBA, share float64) color.RGBA {
	return Mix(c, rgb(0xFFFFFF), share)
}

// amber is the light that lies on the squares of the last turn.
var amber = rgb(0xF2B33D)

func darkTheme() Theme {
	t := Theme{
		Name:       Dark,
		Background: rgb(0x15181D), Cell: rgb(0x2B3139), CellDark: rgb(0x20252B),
		Plate: rgb(0x242A32), Written: rgb(0xF1F4F8), Faint: rgb(0xB4BDCA), Frame: rgb(0x4A3826), FrameLight: rgb(0x6B5238), FrameDark: rgb(0x2A1F15),
		Carved: rgb(0xD9C49C), Shade: rgb(0x07090C), Gold: rgb(0xE9B949),
		Line: rgb(0x97AC87), Text: rgb(0xF1F4F8), Dim: rgb(0xB4BDCA), Mark: rgb(0xFFFFFF),
		Ink: rgb(0x0B0E12), Neutral: rgb(0xBABBBC),
		Seats: [6]color.RGBA{
			rgb(0x74E0FF), rgb(0xE56636), rgb(0xFFD419),
			rgb(0x259A93), rgb(0xAC66F3), rgb(0xDBE3CD),
		},
		Grain:      FrameGrain,
		tintGround: rgb(0x0B0E12), tintShare: 0.30,
	}
	return t.lit(0.27, 0.66)
}

func lightTheme() Theme {
	t := Theme{
		Name:       Light,
		Background: rgb(0xEAE5DA), Cell: rgb(0xF6F1E6), CellDark: rgb(0xE2DACA),
		Plate: rgb(0xF7F3EA), Written: rgb(0x1B1D21), Faint: rgb(0x565148), Frame: rgb(0xC9B999), FrameLight: rgb(0xDFD2B8), FrameDark: rgb(0xB5A584),
		Carved: rgb(0x3A2F1B), Shade: rgb(0x2B2212), Gold: rgb(0xB98512),
		Line: rgb(0x523A42), Text: rgb(0x1B1D21), Dim: rgb(0x565148), Mark: rgb(0x000000),
		Ink: rgb(0xFFFFFF), Neutral: rgb(0x5E594E),
		Seats: [6]color.RGBA{
			rgb(0x092953), rgb(0x720E0C), rgb(0x856703),
			rgb(0x008183), rgb(0x7400D3), rgb(0x070004),
		},
		Grain:      FrameGrain,
		tintGround: rgb(0xF8F5EE), tintShare: 0.15,
	}
	return t.lit(0.42, 0.85)
}

func woodTheme() Theme {
	t := Theme{
		Name:       Wood,
		Background: rgb(0x1C130B), Cell: rgb(0x432E1D), CellDark: rgb(0x2F2014),
		Plate: rgb(0xE9D9B6), Written: rgb(0x2A1A0C), Faint: rgb(0x5C4526), Frame: rgb(0x5E3D22), FrameLight: rgb(0x774E29), FrameDark: rgb(0x2A1A0E),
		Carved: rgb(0xEBD29B), Shade: rgb(0x0D0703), Gold: rgb(0xE9B949),
		Line: rgb(0x9DB88E), Text: rgb(0xF6EBD2), Dim: rgb(0xCDBA98), Mark: rgb(0xFFFAEC),
		Ink: rgb(0x140C06), Neutral: rgb(0xCFC3AE),
		Seats: [6]color.RGBA{
			rgb(0x4DD9FB), rgb(0xEB6A1B), rgb(0xFFDA1B),
			rgb(0x3E988F), rgb(0x9B6EDB), rgb(0xE8EEDF),
		},
		Grain:      BoardGrain,
		tintGround: rgb(0x140C06), tintShare: 0.30,
	}
	return t.lit(0.26, 0.62)
}

func contrastTheme() Theme {
	t := Theme{
		Name:       Contrast,
		Background: rgb(0x000000), Cell: rgb(0x000000), CellDark: rgb(0x000000),
		Plate: rgb(0x000000), Written: rgb(0xFFFFFF), Faint: rgb(0xFFFFFF), Frame: rgb(0x000000), FrameLight: rgb(0x000000), FrameDark: rgb(0x000000),
		Carved: rgb(0xFFFFFF), Shade: rgb(0x000000), Gold: rgb(0xFED216),
		Line: rgb(0x6D5F5F), Text: rgb(0xFFFFFF), Dim: rgb(0xFFFFFF), Mark: rgb(0xFFFFFF),
		Ink: rgb(0x000000), Neutral: rgb(0xFFFFF9),
		Seats: [6]color.RGBA{
			rgb(0xAAE5FF), rgb(0xE47756), rgb(0xFED216),
			rgb(0x53A29E), rgb(0xB27AFF), rgb(0xFCFFEF),
		},
		Plain:      true,
		tintGround: rgb(0x000000), tintShare: 0.25,
	}
	return t.lit(0.22, 1)
}

// vignette holds the shares of shade on the squares of a board, by their distance
// from its middle.
var vignette = [...]float64{0, 0.05, 0.10, 0.16}

// The shares of light and of shade in the grain of wood.
const (
	grainLight = 0.05
	grainDark  = 0.14
)

// Materials returns the colours of everything that boards and their frames are
// made of.
func (t Theme) Materials() []color.RGBA {
	return append(t.grounds(), t.Background, t.Cell, t.CellDark, t.Recent, t.RecentDark, t.Frame, t.FrameLight, t.FrameDark)
}

// grounds returns the tones of a board that have no role.
func (t Theme) grounds() (all []color.RGBA) {
	for _, square := range []color.RGBA{t.Cell, t.CellDark} {
		for _, share := range vignette {
			shaded := t.Darker(square, share)
			all = append(all, shaded)
			if t.Grain == BoardGrain {
				all = append(all, t.Lighter(shaded, grainLight), t.Darker(shaded, grainDark))
			}
		}
	}
	for _, side := range []color.RGBA{t.Frame, t.FrameLight, t.FrameDark} {
		all = append(all, t.Lighter(side, grainLight), t.Darker(side, grainDark))
	}
	return all
}

// lit returns the theme with squares of the last turn in a share of amber.
func (t Theme) lit(square, edge float64) Theme {
	t.Recent, t.RecentDark = Mix(t.Cell, amber, square), Mix(t.CellDark, amber, square)
	t.RecentEdge = Mix(t.Cell, amber, edge)
	return t
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
