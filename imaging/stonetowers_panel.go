package imaging

import (
	"image"
	"math"
	"strconv"

	"castellan/engine"
	"castellan/engine/stonetowers"

	"github.com/fogleman/gg"
)

// pieSteps is how finely the pie is cut.
const pieSteps = 40

// stonePanel is the panel of Stone Towers: each seat's card with its score at
// the upper and the lower end; between them the shares of the board, how far
// the game is, and the last turn with what it has changed.
type stonePanel struct {
	panel
	scores *face
	cards  [2]int // upper edges of the cards, by seat
	score  int    // from there to the middle of the score

	bar     image.Rectangle
	barMark [2]*mask // of the seats, at the ends of the bar
	pie     [pieSteps + 1]*mask
	pieRing *mask
	tile    [2]*mask // of a seat
	ear     *mask    // on a tile
	castle  [2]*mask // of a seat

	// The middles of the lines: how far the game is, the last turn, the squares
	// that have changed hands by it, and the castles that have fallen.
	pieLine, turnLine, flipLine, fallLine int
}

func newStonePanel(l look, g grid) stonePanel {
	u := g.unit
	n := stonePanel{panel: *newPanel(u, l.typeface), scores: l.face(u.px(2.9 * 0.73))}
	// As high as a square board, whatever the board is.
	b := newGrid(u, g.size, g.wholeLines).board().Inset(lineWidth)
	n.score = n.height + u.px(1.05) + n.scores.capital/2
	block := n.score + n.scores.capital/2
	n.cards = [2]int{b.Min.Y, b.Max.Y - block}

	const rows = 1.75
	y := (n.cards[0]+block+n.cards[1])/2 - u.px(2*rows)
	half := u.px(0.37)
	n.bar = image.Rect(n.left, y-half, n.right, y+half)
	n.pieLine, n.turnLine = y+u.px(1.1*rows), y+u.px(2.1*rows)
	n.flipLine, n.fallLine = y+u.px(3.1*rows), y+u.px(4.1*rows)

	r := n.radius()
	for i, colour := range stoneColours {
		n.barMark[i] = paint(around(0, 0, 0.5*r), func(dc *gg.Context) { fillMark(dc, colour, 0, 0, 0.36*r) })
		n.tile[i] = paint(around(0, 0, 1.1*r), func(dc *gg.Context) { fillTile(dc, colour, 0, 0, 2.2*r) })
		small := grid{cell: u.px(1.7)}
		m := small.inner() / 2
		n.castle[i] = paint(image.Rect(-m, -m, m+1, m+1), func(dc *gg.Context) {
			dc.Translate(-small.centre(), -small.centre())
			castle{small}.fill(dc, colour, 1)
		})
	}
	n.ear = paint(around(0, 0, 1.1*r), func(dc *gg.Context) {
		a := 1.1 * r
		fillPolygon(dc, []gg.Point{{X: -0.1 * r, Y: -a}, {X: a, Y: -a}, {X: a, Y: 0.1 * r}})
	})
	for i := range n.pie {
		n.pie[i] = paint(around(0, 0, r), func(dc *gg.Context) { fillPie(dc, 0, 0, 0.8*r, float64(i)/pieSteps) })
	}
	n.pieRing = paint(around(0, 0, 1.1*r), func(dc *gg.Context) { fillRing(dc, 0, 0, r, 0.16*r) })
	return n
}

// side draws the panel.
func (k *stoneKit) side(c *canvas, s Scene, p *stonetowers.Position, t *stoneTurn) {
	n := &k.panel
	for i, seat := range seatsOfStone {
		name := n.names.seatName(s.Names, seat, n.nameRoom())
		n.seat(c, n.cards[i], stoneColours[i], name, s.standing(seat))
		n.scores.write(c, strconv.Itoa(p.SquareCount(seat)), float64(n.left), float64(n.cards[i]+n.score), left, text)
	}
	n.shares(c, p)
	n.progress(c, p)
	if t != nil {
		n.turn(c, t)
	}
}

// shares draws the bar of the board: Red's share from the left, Blue's from the
// right, and a line at the half.
func (n *stonePanel) shares(c *canvas, p *stonetowers.Position) {
	all := p.Width() * p.Height()
	c.fill(n.bar, line)
	c.fill(n.bar.Inset(2), cell)
	width := n.bar.Dx()
	for i, seat := range seatsOfStone {
		share := n.bar
		w := (p.SquareCount(seat)*width + all/2) / all
		y, r := (n.bar.Min.Y+n.bar.Max.Y)/2, n.px(0.37)
		x := n.bar.Min.X + r
		if i == 0 {
			share.Max.X = share.Min.X + w
		} else {
			share.Min.X = share.Max.X - w
			x = n.bar.Max.X - r
		}
		c.fill(share, seatRole(stoneColours[i]))
		if w > 2*r {
			c.stamp(n.barMark[i], x, y, ink)
		}
	}
	x := (n.bar.Min.X + n.bar.Max.X) / 2
	half := image.Rect(x-1, n.bar.Min.Y-n.px(0.2), x+2, n.bar.Max.Y+n.px(0.2))
	c.fill(half.Inset(-2), background)
	c.fill(half, mark)
}

// progress draws how much of the game is played, as a pie and as the turn of
// all turns.
func (n *stonePanel) progress(c *canvas, p *stonetowers.Position) {
	all := p.TurnsPerPlayer()
	step := p.Turns() * pieSteps / (2 * all)
	c.stamp(n.pieRing, n.markX(), n.pieLine, dim)
	c.stamp(n.pie[step], n.markX(), n.pieLine, dim)
	now := min(p.Turns()/2+1, all)
	n.notation.write(c, strconv.Itoa(now)+"/"+strconv.Itoa(all), float64(n.nameX()), float64(n.pieLine), left, dim)
}

// turn tells the last turn: the action, how many squares have changed hands by
// who had them, and how many castles of the opponent have fallen.
func (n *stonePanel) turn(c *canvas, t *stoneTurn) {
	colour := stoneColours[t.seat-1]
	c.stamp(n.mark[colour-engine.Blue], n.markX(), n.turnLine, seatRole(colour))
	n.notation.write(c, t.action.String(), float64(n.nameX()), float64(n.turnLine), left, text)

	x := 0 // from the left edge
	for had := len(t.flipped) - 1; had >= 0; had-- {
		count := strconv.Itoa(len(t.flipped[had]))
		if count == "0" {
			continue
		}
		c.stamp(n.tile[t.seat-1], x+n.markX(), n.flipLine, tintRole(colour))
		c.stamp(n.ear, x+n.markX(), n.flipLine, stoneRole(engine.Seat(had)))
		n.notation.write(c, count, float64(x+n.nameX()), float64(n.flipLine), left, text)
		x += n.px(3.2)
	}
	if t.fallen > 0 {
		loser := 3 - t.seat
		c.stamp(n.castle[loser-1], n.markX(), n.fallLine, stoneRole(loser))
		n.notation.write(c, "−"+strconv.Itoa(t.fallen), float64(n.nameX()), float64(n.fallLine), left, text)
	}
}

// fillPie fills a share of a disc, from noon clockwise.
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
