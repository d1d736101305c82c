package imaging_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
)

// The panel of the plain painter. It does not cut names: its scenes have short
// ones.

func (d *ringsPlainPicture) card(seat engine.Seat, y float64) {
	own := d.colour(seat)
	var ground, shape, letters color.Color = d.Cell, own, d.Text
	won := d.over && slices.Contains(d.winners, seat)
	moves := !d.over && d.p.Seat() == seat
	gone := d.p.Retired(seat)
	switch {
	case won, moves:
		ground, shape, letters = own, d.Ink, d.Ink
	case gone:
		letters = d.Dim
	}
	if !gone {
		d.SetColor(ground)
		d.DrawRoundedRectangle(834, y, 250, 74, 0.27*27.5)
		d.Fill()
	}
	m := y + 37
	d.stone(seat, 860, m, 13.75, 0, shape)
	d.write(d.scene.Names[seat-1], 885, m, 20, 0, letters)
	w := d.write(strconv.Itoa(d.p.Score(seat)), 1071, m, 29, 1, letters)
	x := 1071 - math.Max(math.Floor(w), math.Floor(d.measure("00", 29))) - 21
	d.sign(seat, x, m, won, moves, letters)
}

func (d *ringsPlainPicture) measure(s string, capital int) float64 {
	return d.text(d.face(capital), s, -500, -500, 0, 0, d.Text)
}

// sign is what is said of a seat before its score.
func (d *ringsPlainPicture) sign(seat engine.Seat, x, y float64, won, moves bool, c color.Color) {
	const r = 13.75
	d.SetColor(c)
	switch {
	case won:
		imaging.FillCrown(d.Context, x, y, 1.9*r)
	case d.p.Retired(seat):
		imaging.FillCross(d.Context, x, y, 0.85*r, 0.32*r)
	case d.p.Passed(seat):
		d.rect(x-0.55*r, y-0.75*r, 0.4*r, 1.5*r, c)
		d.rect(x+0.15*r, y-0.75*r, 0.4*r, 1.5*r, c)
	case moves:
		imaging.FillArrow(d.Context, x+0.1*r, y, r, 2)
	}
}

func (d *ringsPlainPicture) turn(y float64) {
	turn := d.scene.Turn
	if len(turn.Actions) == 0 {
		return
	}
	x := 846 + d.write(strconv.Itoa(turn.Number)+".", 846, y, 23, 0, d.Dim) + 29
	d.stone(turn.Seat, math.Floor(x), y, 13.75, 0, d.colour(turn.Seat))
	x += 28
	for _, a := range turn.Actions {
		if a.String() == engine.End {
			continue
		}
		if w := d.measure(a.String(), 23); x+w > 1078 {
			x, y = 846, y+37
		}
		x += d.write(a.String(), x, y, 23, 0, d.Text) + 0.75*d.measure("0", 23)
	}
}

// part is the panel of a part of the board.
func (d *ringsPlainPicture) part(window image.Rectangle) {
	y := 26.0
	seat := d.p.Seat()
	if d.over {
		seat = slices.Min(d.winners)
	}
	d.card(seat, y)
	y = d.chart(y+84+ringsU(0.6), window) + ringsU(1.6)
	for i := range d.p.Seats() {
		x := float64(860 + i%2*125)
		if i > 0 && i%2 == 0 {
			y += ringsU(1.6)
		}
		d.stone(engine.Seat(i+1), x, y, 0.8*13.75, 0, d.colour(engine.Seat(i+1)))
		c := d.Text
		if d.p.Retired(engine.Seat(i + 1)) {
			c = d.Dim
		}
		d.write(strconv.Itoa(d.p.Score(engine.Seat(i+1))), x+24, y, 23, 0, c)
		d.sign(engine.Seat(i+1), x+24+math.Floor(d.measure("00", 23))+20, y, false, false, c)
	}
	d.turn(y + ringsU(2.2))
}

// chart is the map, whose lower edge it gives.
func (d *ringsPlainPicture) chart(y float64, window image.Rectangle) float64 {
	n := float64(d.p.Side())
	s := math.Min(250/(3*n-1), 252/((2*n-1)*math.Sqrt(3)))
	high := math.Floor((2*n - 1) * math.Sqrt(3) * s)
	mx, my := 959.0, y+math.Floor(high/2)
	at := func(x float64, row int) (float64, float64) {
		return mx + math.Round(x*s), my + math.Round((float64(row)-2*n)*s*math.Sqrt(3)/2)
	}
	for _, c := range d.p.Circles() {
		x, cy := at(1.5*(float64(c.Column)-n+1), c.Row)
		d.disc(x, cy, s, d.Cell)
	}
	for _, p := range d.p.Points() {
		if owner := d.p.Owner(p); owner != engine.Nobody {
			pair, right := (p.Column+1)/2, (p.Column+1)%2
			x, py := at(1.5*(float64(pair)-n)+float64(right)-0.5, p.Row)
			d.stone(owner, x, py, 0.34*s, 0, d.colour(owner))
		}
	}
	scale := func(v int) float64 { return math.Round(float64(v) / (154 / math.Sqrt(3)) * s) }
	x0, x1 := math.Max(mx+scale(window.Min.X), 830), math.Min(mx+scale(window.Max.X), 1088)
	y0, y1 := math.Max(my+scale(window.Min.Y), y-ringsU(0.2)), math.Min(my+scale(window.Max.Y), y+high+ringsU(0.2))
	d.corners(x0, y0, x1, y1, ringsU(0.9), 4, 2)
	return y + high
}

var _ = rings.Key
