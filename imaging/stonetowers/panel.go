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

// panel is the panel of Stone Towers: a card with the score for each seat at
// the upper and the lower end; between them the shares of the board, the
// progress of the game, and the last turn with its effect.
type panel struct {
	*draw.Panel
	scores *draw.Face
	cards  [2]int // upper edges of the cards, by seat
	score  int    // from there to the middle of the score

	bar     image.Rectangle
	barMark [2]*draw.Mask // by seat, at the ends of the bar
	pie     [pieSteps + 1]*draw.Mask
	pieRing *draw.Mask
	tile    [2]*draw.Mask // by seat
	ear     *draw.Mask    // on a tile
	castle  [2]*draw.Mask // by seat

	// The middles of the lines: progress, last turn, its first effect; and the
	// distance of further effects.
	pieLine, turnLine, effectLine, effectPitch int

	texts engine.Texts
}

func newPanel(board *draw.Board) panel {
	n := panel{Panel: board.Panel, scores: board.Face(draw.Px(2.9 * 0.73))}
	// As high as a square board, whatever the board is.
	longer := max(board.Grid.Files, board.Grid.Ranks)
	b := draw.NewGrid(longer, longer, false).Bounds().Inset(draw.LineWidth)
	n.score = n.CardHeight + draw.Px(1.05) + n.scores.Capital/2
	block := n.score + n.scores.Capital/2
	n.cards = [2]int{b.Min.Y, b.Max.Y - block}

	n.texts = stonetowers.Game{}.Texts()

	const rows = 1.75
	y := (n.cards[0]+block+n.cards[1])/2 - draw.Px(2.5*rows)
	half := draw.Px(0.37)
	n.bar = image.Rect(n.Left, y-half, n.Right, y+half)
	n.pieLine, n.turnLine = y+draw.Px(1.1*rows), y+draw.Px(2.1*rows)
	n.effectLine, n.effectPitch = y+draw.Px(3.1*rows), draw.Px(rows)

	const r = 0.5 * draw.U
	for i, colour := range colours {
		n.barMark[i] = draw.NewMask(draw.Around(0, 0, 0.5*r), func(dc *gg.Context) { draw.FillMark(dc, colour, 0, 0, 0.36*r) })
		n.tile[i] = draw.NewMask(draw.Around(0, 0, 1.1*r), func(dc *gg.Context) { draw.FillTile(dc, colour, 0, 0, 2.2*r) })
		small := draw.Grid{Cell: draw.Px(1.7)}
		m := small.Inner() / 2
		n.castle[i] = draw.NewMask(image.Rect(-m, -m, m+1, m+1), func(dc *gg.Context) {
			dc.Translate(-small.Centre(), -small.Centre())
			castle{small}.fill(dc, colour, 1)
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
		n.Card(c, n.cards[i], seat, colours[i], s.Names, s.Standing(seat))
		n.Time(c, colours[i], s.Clock(seat))
		n.scores.Write(c, strconv.Itoa(p.SquareCount(seat)), float64(n.Left), float64(n.cards[i]+n.score), draw.Left, draw.Text)
	}
	n.shares(c, p)
	n.progress(c, s, p)
	if t != nil {
		n.turn(c, s, t)
	}
}

// shares draws a bar with the shares of the board, Red's from the left and Blue's
// from the right, and a line at the half.
func (n *panel) shares(c *draw.Canvas, p *stonetowers.Position) {
	all := p.Width() * p.Height()
	c.Fill(n.bar, draw.Line)
	c.Fill(n.bar.Inset(2), draw.Cell)
	width := n.bar.Dx()
	for i, seat := range seats {
		share := n.bar
		w := (p.SquareCount(seat)*width + all/2) / all
		y, r := (n.bar.Min.Y+n.bar.Max.Y)/2, draw.Px(0.37)
		x := n.bar.Min.X + r
		if i == 0 {
			share.Max.X = share.Min.X + w
		} else {
			share.Min.X = share.Max.X - w
			x = n.bar.Max.X - r
		}
		c.Fill(share, draw.Seat(colours[i]))
		if w > 2*r {
			c.Stamp(n.barMark[i], x, y, draw.Ink)
		}
	}
	x := (n.bar.Min.X + n.bar.Max.X) / 2
	half := image.Rect(x-1, n.bar.Min.Y-draw.Px(0.2), x+2, n.bar.Max.Y+draw.Px(0.2))
	c.Fill(half.Inset(-2), draw.Background)
	c.Fill(half, draw.Mark)
}

// progress draws the progress of the game as a pie and as the number of the
// turn.
func (n *panel) progress(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) {
	all := p.TurnsPerPlayer()
	step := p.Turns() * pieSteps / (2 * all)
	c.Stamp(n.pieRing, n.MarkX(), n.pieLine, draw.Dim)
	c.Stamp(n.pie[step], n.MarkX(), n.pieLine, draw.Dim)
	now := " " + strconv.Itoa(min(p.Turns()+1, 2*all)) + "/" + strconv.Itoa(2*all)
	n.Notation.Write(c, n.word(s, "stone-towers.panel.turn", now)+now, float64(n.NameX()), float64(n.pieLine), draw.Left, draw.Dim)
}

// turn draws the last turn: the action, the squares that it flipped by former
// owner, and the opponent's castles that it destroyed.
func (n *panel) turn(c *draw.Canvas, s imaging.Scene, t *turn) {
	colour := colours[t.seat-1]
	x := n.Turn(c, n.turnLine, t.number, colour)
	n.Notation.Write(c, t.action.String(), float64(x+draw.Px(0.95)), float64(n.turnLine), draw.Left, draw.Text)

	y := n.effectLine
	effect := func(number int, sign string, key string, icon func()) {
		if number == 0 {
			return
		}
		icon()
		amount := sign + strconv.Itoa(number) + " "
		n.Notation.Write(c, amount+n.word(s, key, amount, "Count", number), float64(n.NameX()), float64(y), draw.Left, draw.Text)
		y += n.effectPitch
	}
	for had := len(t.flipped) - 1; had >= 0; had-- {
		effect(len(t.flipped[had]), "+", "stone-towers.panel.square", func() {
			c.Stamp(n.tile[t.seat-1], n.MarkX(), y, draw.Tint(colour))
			c.Stamp(n.ear, n.MarkX(), y, roleOf(engine.Seat(had)))
		})
	}
	loser := 3 - t.seat
	effect(t.destroyed, "−", "stone-towers.panel.castles", func() { c.Stamp(n.castle[loser-1], n.MarkX(), y, roleOf(loser)) })
}

// word returns a word that shares a line with a number.
func (n *panel) word(s imaging.Scene, key, number string, args ...any) string {
	return s.Word(n.texts.Phrase(key, args...), n.Notation, float64(n.Right-n.NameX())-n.Notation.Width(number))
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
