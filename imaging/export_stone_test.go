package imaging

import (
	"castellan/engine"

	"github.com/fogleman/gg"
)

// The castles and flags of Stone Towers on a cell of that many pixels, the
// upper left corner of what is seen of it at the origin.
var (
	FillCastle = func(dc *gg.Context, cell int, c engine.Colour, level int) {
		castle{grid{cell: cell}}.fill(dc, c, level)
	}
	FillFlag     = func(dc *gg.Context, cell int, c engine.Colour) { castle{grid{cell: cell}}.fillFlag(dc, c) }
	FillFlagMark = func(dc *gg.Context, cell int, c engine.Colour) { castle{grid{cell: cell}}.fillFlagMark(dc, c) }
)
