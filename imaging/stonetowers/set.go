package stonetowers

import (
	"image"
	"math"
	"strconv"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// colours lists the colours of the seats.
var colours = [...]engine.Colour{engine.Red, engine.Blue}

// Lengths of Stone Towers in cells.
const (
	unownedDot    = 0.045
	levelCapital  = 0.38 * 0.73
	smallCell     = 64 // pixels: below it there is no room for walls and flags
	smallCapital  = 0.66 * 0.73
	smallLandMark = 0.16
	offerRing     = 0.11
	ringCapital   = 0.24 // of the numbers in a picked file
	tagCapital    = 0.22

	pickedLine     = 0.085
	pickedFileLine = 0.055
)

// set holds the sprites of Stone Towers for a theme and size of board.
type set struct {
	*draw.Board

	small bool         // cells have no room for walls and flags
	empty *draw.Canvas // a square without its dot

	unowned *draw.Canvas
	offered *draw.Canvas       // an unowned legal square
	of      [2][4]*draw.Canvas // by seat and level: land, then castles

	ear        draw.Sign
	plus       draw.Sign
	ring, tag  draw.Sign
	tagX, tagY float64 // the middle of the tag, from the corner
	ringNumber *draw.Face
	tagNumber  *draw.Face

	panel panel
}

func newSet(s draw.Style, size image.Point) imaging.Set[*stonetowers.Position] {
	k := &set{Board: draw.NewBoard(s, size.X, size.Y)}
	k.small = k.Grid.Cell < smallCell
	k.paintSquares()
	k.paintSigns()
	k.panel = newPanel(k.Board)
	return k
}

func (k *set) paintSquares() {
	g, m := k.Grid, k.Grid.Centre()
	layer := func(r draw.Role, drawing func(*gg.Context)) draw.Layer { return draw.Layer{Role: r, Drawing: drawing} }
	k.unowned = k.Sprite(layer(draw.Line, func(dc *gg.Context) { draw.FillDisc(dc, m, m, math.Max(2, g.Length(unownedDot))) }))
	k.empty = k.Sprite()
	k.offered = k.Sprite(layer(draw.Mark, func(dc *gg.Context) { draw.FillRing(dc, m, m, g.Length(offerRing), math.Max(2, g.Length(0.035))) }))
	pieces := castle{g}
	for i, colour := range colours {
		own, tint := draw.Seat(colour), draw.Tint(colour)
		if k.small {
			k.of[i][0] = k.Sprite(k.Tile(colour, tint),
				layer(own, func(dc *gg.Context) { draw.FillMark(dc, colour, m, m, g.Length(smallLandMark)) }))
		} else {
			k.of[i][0] = k.Sprite(k.Tile(colour, tint),
				layer(own, func(dc *gg.Context) { pieces.fillFlag(dc, colour) }),
				layer(draw.Ink, func(dc *gg.Context) { pieces.fillFlagMark(dc, colour) }))
		}
		for level := 1; level < len(k.of[i]); level++ {
			if k.small {
				k.of[i][level] = k.Sprite(k.Tile(colour, own))
				k.numeral(k.of[i][level], level, smallCapital, m)
			} else {
				k.of[i][level] = k.Sprite(k.Tile(colour, tint),
					layer(own, func(dc *gg.Context) { pieces.fill(dc, colour, level) }))
				k.numeral(k.of[i][level], level, levelCapital, pieces.at(numeralTop))
			}
		}
	}
}

// numeral writes the level of a castle in ink, its middle at height y.
func (k *set) numeral(s *draw.Canvas, level int, capital, y float64) {
	k.FaceInCells(capital).Write(s, strconv.Itoa(level), k.Grid.Centre(), y, draw.Middle, draw.Ink)
}

func (k *set) paintSigns() {
	g := k.Grid
	k.ear = ear(g)
	k.plus = plus(g)
	k.ring = g.Ring(0.27, 0.06)
	k.tag, k.tagX, k.tagY, _ = g.Tag(0.20, 0.20)
	k.ringNumber = k.FaceInCells(ringCapital)
	k.tagNumber = k.FaceInCells(tagCapital)
}

// plus returns a small plus at the lower right of a cell: the piece there can be
// fortified.
func plus(g draw.Grid) draw.Sign {
	m := g.Centre()
	x, y := m+g.Length(0.38), m+g.Length(0.38)
	arm, width, k := max(4, g.Length(0.07)), max(2, g.Length(0.04)), g.KeyLine()
	return draw.NewSign(draw.Around(x, y, arm+k+1), k, func(dc *gg.Context, grown float64) {
		dc.DrawRectangle(x-arm-grown, y-width/2-grown, 2*(arm+grown), width+2*grown)
		dc.DrawRectangle(x-width/2-grown, y-arm-grown, width+2*grown, 2*(arm+grown))
		dc.Fill()
	})
}

// ear returns a dog-ear: the folded upper right corner of a tile.
func ear(g draw.Grid) draw.Sign {
	m, side, e := g.Centre(), g.TileSide(), math.Round(g.Length(0.30))
	right, top := m+side/2, m-side/2
	return draw.NewSign(image.Rect(0, 0, g.Inner(), g.Inner()), g.KeyLine(), func(dc *gg.Context, grown float64) {
		e := e + grown*math.Sqrt2
		draw.FillPolygon(dc, []gg.Point{{X: right - e, Y: top}, {X: right, Y: top}, {X: right, Y: top + e}})
	})
}
