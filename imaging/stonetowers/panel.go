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

// pieSteps is the number of steps from an empty to a full pie.
const pieSteps = 40

// panel is what stands below the board: the last turn with its effect and the
// progress of the game, and the name plates with the scores and the shares of the
// board.
type panel struct {
	*draw.Plates
	pie     [pieSteps + 1]*draw.Mask
	pieRing *draw.Mask
	tile    [2]*draw.Mask   // by seat
	ear     *draw.Mask      // on a tile
	castle  [2]*draw.Sprite // by seat
	texts   engine.Texts
}

func newPanel(board *draw.Board) panel {
	n := panel{Plates: board.Plates, texts: stonetowers.Game{}.Texts()}
	const r = 0.5 * draw.U
	for i, colour := range colours {
		n.tile[i] = draw.NewMask(draw.Around(0, 0, 1.1*r), func(dc *gg.Context) { draw.FillTile(dc, colour, 0, 0, 2.2*r) })
		small := draw.Grid{Cell: draw.Px(1.9)}
		n.castle[i] = board.Sprite(image.Rect(-small.Cell, -small.Cell, small.Cell, small.Cell), func(dc *gg.Context) {
			dc.Translate(-small.Centre(), -small.Centre())
			castle{dc, small, board.Theme, colour}.paint(1)
		})
	}
	n.ear = draw.NewMask(draw.Around(0, 0, 1.1*r), func(dc *gg.Context) {
		a := 1.1 * r
		draw.FillPolygon(dc, []gg.Point{{X: -0.1 * r, Y: -a}, {X: a, Y: -a}, {X: a, Y: 0.1 * r}})
	})
	for i := range n.pie {
		n.pie[i] = draw.NewMask(draw.Around(0, 0, r), func(dc *gg.Context) { fillPie(dc, 0, 0, 0.8*r, float64(i)/pieSteps) })
	}
	n.pieRing = draw.NewMask(draw.Around(0, 0, 1.1*r), func(dc *gg.Context) { draw.FillRing(dc, 0, 0, r, 0.16*r) })
	return n
}

func (n *panel) draw(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position, t *turn) {
	for i, seat := range seats {
		room := n.Draw(c, draw.NamePlate{
			Seat: seat, Colour: colours[i], Names: s.Names, Standing: s.Standing(seat), Left: s.Clock(seat),
			Score: strconv.Itoa(p.SquareCount(seat)),
		})
		n.share(c, room, p, seat)
	}
	end := n.progress(c, s, p)
	if t != nil && !s.Captioned {
		n.turn(c, s, t, end)
	}
}

// share draws the seat's share of the board as a bar, with a line at the half.
func (n *panel) share(c *draw.Canvas, room draw.Room, p *stonetowers.Position, seat engine.Seat) {
	all := p.Width() * p.Height()
	bar := image.Rect(room.Min.X, room.Y()-draw.Px(0.3), room.Max.X, room.Y()+draw.Px(0.3))
	c.Fill(bar, room.Letters)
	ground := room.Ground
	if ground == draw.Plate {
		ground = draw.CellDark
	}
	c.Fill(bar.Inset(2), ground)
	share := bar
	share.Max.X = share.Min.X + (p.SquareCount(seat)*bar.Dx()+all/2)/all
	c.Fill(share, room.Own)
	x := (bar.Min.X + bar.Max.X) / 2
	c.Fill(image.Rect(x-1, bar.Min.Y-draw.Px(0.25), x+2, bar.Max.Y+draw.Px(0.25)), room.Letters)
}

// progress draws the progress of the game at the right, as a pie and as the number
// of the turn. It returns where it begins.
func (n *panel) progress(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) int {
	all := p.TurnsPerPlayer()
	step := p.Turns() * pieSteps / (2 * all)
	now := " " + strconv.Itoa(min(p.Turns()+1, 2*all)) + "/" + strconv.Itoa(2*all)
	end := n.Line().Max.X
	text := s.Word(n.texts.Phrase("stone-towers.panel.turn"), n.Notation, draw.Width/4) + now
	n.Notation.Write(c, text, float64(end), float64(n.Y()), draw.Right, draw.Dim)
	x := end - int(n.Notation.Width(text)) - draw.Px(0.85)
	c.Stamp(n.pieRing, x, n.Y(), draw.Dim)
	c.Stamp(n.pie[step], x, n.Y(), draw.Dim)
	return x - draw.Px(1)
}

// turn draws the last turn: the action, the squares that it flipped by former
// owner, and the opponent's castles that it destroyed. What does not fit before an
// end is left out.
func (n *panel) turn(c *draw.Canvas, s imaging.Scene, t *turn, end int) {
	colour := colours[t.seat-1]
	x := n.Turn(c, t.number, colour)
	action := t.action.String()
	n.Notation.Write(c, action, float64(x), float64(n.Y()), draw.Left, draw.Text)
	x += int(n.Notation.Width(action)) + draw.Px(1)
	effect := func(number int, sign string, icon func(x int)) {
		amount := sign + strconv.Itoa(number)
		if number == 0 || x+draw.Px(1.7)+int(n.Notation.Width(amount)) > end {
			return
		}
		n.Notation.Write(c, amount, float64(x), float64(n.Y()), draw.Left, draw.Text)
		x += int(n.Notation.Width(amount)) + draw.Px(0.9)
		icon(x)
		x += draw.Px(1.3)
	}
	for had := len(t.flipped) - 1; had >= 0; had-- {
		effect(len(t.flipped[had]), "+", func(x int) {
			c.Stamp(n.tile[t.seat-1], x, n.Y(), draw.Seat(colour))
			c.Stamp(n.ear, x, n.Y(), roleOf(engine.Seat(had)))
		})
	}
	loser := 3 - t.seat
	effect(t.destroyed, "−", func(x int) { c.Put(n.castle[loser-1], x, n.Y()) })
}

// fillPie fills a share of a disc, clockwise from the top.
func fillPie(dc *gg.Context, x, y, r, share float64) {
	if share <= 0 {
		return
	}
	dc.NewSubPath()
	dc.MoveTo(x, y)
	dc.DrawArc(x, y, r, -math.Pi/2, -math.Pi/2+2*math.Pi*share)
	dc.ClosePath()
	dc.Fill()
}

// Points implements imaging.Scorer: a seat's squares are its score.
func (k *set) Points(p *stonetowers.Position, seat engine.Seat) int { return p.SquareCount(seat) }
