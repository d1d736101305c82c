package bot

import (
	"image/color"

	"castellan/engine"
	"castellan/imaging/draw"
)

// The bar beside a message has the dark theme's colour of a seat, which sits
// well on both of Discord's grounds.

func accentOf(c engine.Colour) int { return number(dark().Seat(c)) }

func neutral() int { return number(dark().Neutral) }

func dark() draw.Theme {
	t, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		panic(err) // it always exists
	}
	return t
}

func number(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
