package draw

import (
	"image"
	"image/color"
	"math"
	"slices"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Lengths of the card of a match that is over, in u.
const (
	cardHigh    = 8.0
	cardBelow   = 0.55
	chartWide   = 16.5
	chartInset  = 0.7
	laurelHigh  = 6.2
	winnerName  = 1.30 // capitals
	winnerScore = 2.2
)

// Finish draws the card below the picture of a match that is over, as people like
// to share it: who has won between branches of laurel, the score, and how the
// lead has changed.
type Finish struct {
	Style
	card          [6]*Sprite // by colour of the winner
	drawn         *Sprite    // of nobody
	laurel        [2]*Sprite // left and right
	marks         [6]*Mask
	equals, crown *Mask
}

// Result is what the card of a match shows.
type Result struct {
	Colours []engine.Colour // of all seats
	Names   []string
	Winners []engine.Seat // none if it is drawn
	Score   string        // empty for none
	// Course holds the points of each seat after each round. The card has no chart if
	// they never differ.
	Course [][]int
	Footer Footer
}

// FinishHeight is what the card without a footer adds to the height of a picture.
var FinishHeight = Px(cardHigh + cardBelow)

// Height returns what the card of a result adds to the height of a picture.
func (f *Finish) Height(r Result) int { return FinishHeight + f.footer(r).Height }

func (f *Finish) footer(r Result) *FooterLines { return r.Footer.Lines(f.Font, U, Width) }

// NewFinish prepares cards in a style.
func NewFinish(s Style) *Finish {
	f := &Finish{Style: s, marks: Marks(0.95 * U)}
	box := image.Rect(0, 0, Width-2*Px(plateAside), Px(cardHigh))
	for i := range f.card {
		f.card[i] = plateSprite(s, box, s.Seats[i], s.Seats[i])
	}
	f.drawn = plateSprite(s, box, s.Plate, s.Line)
	r := laurelHigh * U / 2
	for i, side := range []float64{-1, 1} {
		f.laurel[i] = s.Sprite(Around(0, 0, 1.2*r), func(dc *gg.Context) { paintLaurel(dc, s.Theme, r, side) })
	}
	f.equals = NewMask(Around(0, 0, 1.5*U), func(dc *gg.Context) { FillEquals(dc, 0, 0, 1.5*U, U) })
	f.crown = NewMask(Around(0, 0, 1.5*U), func(dc *gg.Context) { FillCrown(dc, 0, 0, 2*U) })
	return f
}

// paintLaurel draws a branch of laurel about the middle of a wreath of radius r:
// the left half for side -1, the right for 1.
func paintLaurel(dc *gg.Context, t Theme, r, side float64) {
	const leaves = 7
	dark, gold := t.Darker(t.Gold, 0.64), t.Gold
	leaf := func(x, y, angle, long, grown float64, c color.RGBA) {
		dc.Push()
		dc.Translate(x, y)
		dc.Rotate(angle)
		dc.NewSubPath()
		wide := 0.30*long + grown
		dc.MoveTo(-grown, 0)
		dc.QuadraticTo(long*0.45, -wide, long+1.5*grown, 0)
		dc.QuadraticTo(long*0.45, wide, -grown, 0)
		dc.ClosePath()
		dc.SetColor(c)
		dc.Fill()
		dc.Pop()
	}
	line := math.Max(2, 0.022*r)
	for _, pass := range []int{0, 1, 2} {
		for i := range leaves {
			// From the lower end upwards; 0 is down.
			turn := 0.22 + float64(i)/leaves*2.35
			x, y := side*math.Sin(turn)*r*0.80, math.Cos(turn)*r*0.80
			for _, lean := range []float64{-0.62, 0.62} {
				angle := -turn + lean // along the branch, on the right
				if side < 0 {
					angle = math.Pi - angle
				}
				long := r * (0.40 - 0.018*float64(i))
				switch {
				case pass == 0:
					leaf(x, y, angle, long, line, dark)
				case pass == 1:
					leaf(x, y, angle, long, 0, gold)
				case !t.Plain && lean*side < 0:
					leaf(x, y, angle, long*0.8, -0.10*long, t.Lighter(gold, 0.34))
				}
			}
		}
	}
}

// Paint draws the card below a height.
func (f *Finish) Paint(c *Canvas, top int, r Result) {
	f.footer(r).Write(c, top+FinishHeight, true)
	x0 := Px(plateAside)
	y := top + Px(cardHigh)/2
	letters := Written
	if len(r.Winners) == 1 {
		c.Put(f.card[r.Colours[r.Winners[0]-1]-engine.Blue], x0, top)
		letters = Ink
	} else {
		c.Put(f.drawn, x0, top)
	}
	left, right := x0+Px(0.5), Width-x0-Px(0.5)
	if r.uneven() {
		r.Course = append(r.Course, r.Course[len(r.Course)-1]) // so that the end has a width
		chart := image.Rect(right-Px(chartWide), top+Px(chartInset), right-Px(chartInset-0.5), top+Px(cardHigh-chartInset))
		f.chart(c, chart, r)
		right = chart.Min.X - Px(0.3)
	}
	middle := float64(left+right) / 2
	if len(r.Winners) == 0 {
		f.even(c, r, middle, y, float64(right-left))
		return
	}
	branch := Px(laurelHigh / 2)
	gap := Px(0.9)
	room := float64(right-left) - 2.3*float64(branch) - float64(gap)
	face, name := f.Face(Px(winnerName)).FitName(r.Names, r.Winners[0], room)
	scores := f.Face(Px(winnerScore))
	wide := 0.0 // of what is written
	if len(r.Winners) == 1 {
		wide = float64(gap) + max(face.Width(name), scores.Width(r.Score))
	}
	x := middle - (2.3*float64(branch)+wide)/2 + 1.15*float64(branch)
	if right-left < Width/2 {
		x = float64(left) + 1.25*float64(branch)
	}
	for i := range f.laurel {
		c.Put(f.laurel[i], int(x), y)
	}
	if len(r.Winners) > 1 { // they share the victory
		c.Stamp(f.crown, int(x), y, Gold)
		for _, w := range r.Winners {
			x += 2.4 * U
			at := int(x + float64(branch)*0.6)
			c.Stamp(f.marks[r.Colours[w-1]-engine.Blue], at, y, letters)
		}
		return
	}
	c.Stamp(f.marks[r.Colours[r.Winners[0]-1]-engine.Blue], int(x), y, Ink)
	x += 1.15*float64(branch) + float64(gap)
	if r.Score == "" {
		face.Write(c, name, x, float64(y), Left, letters)
		return
	}
	face.Write(c, name, x, float64(y)-1.55*U, Left, letters)
	scores.Write(c, r.Score, x, float64(y)+1.5*U, Left, letters)
}

// uneven reports whether a seat has ever led.
func (r Result) uneven() bool {
	return slices.ContainsFunc(r.Course, func(p []int) bool { return slices.Min(p) != slices.Max(p) })
}

// even draws the card of a match without a winner.
func (f *Finish) even(c *Canvas, r Result, middle float64, y int, room float64) {
	c.Stamp(f.equals, int(middle), y, Written)
	if len(r.Colours) != 2 {
		return
	}
	for i, down := range []float64{-2.2, 2.2} {
		face, name := f.Face(Px(1.1)).FitName(r.Names, engine.Seat(i+1), room-3*U)
		w := face.Width(name) + 2.4*U
		at := float64(y) + down*U
		x := middle - w/2
		c.Stamp(f.marks[r.Colours[i]-engine.Blue], int(x+0.8*U), int(at), CellDark)
		c.Stamp(f.marks[r.Colours[i]-engine.Blue], int(x+0.8*U), int(at), Written)
		face.Write(c, name, x+2.1*U, at, Left, Written)
	}
}

// chart draws how the points of the seats have changed: with two seats as the lead
// of either, above and below a line, otherwise as a line for each.
func (f *Finish) chart(c *Canvas, box image.Rectangle, r Result) {
	c.Fill(box, Background)
	inner := box.Inset(3)
	c.Fill(inner, CellDark)
	area := inner.Inset(Px(0.3))
	part := c.Within(inner)
	x := func(i int) float64 {
		return float64(area.Min.X) + float64(area.Dx())*float64(i)/float64(len(r.Course)-1)
	}
	if len(r.Colours) == 2 {
		most := 1
		for _, p := range r.Course {
			most = max(most, p[0]-p[1], p[1]-p[0])
		}
		base := (area.Min.Y + area.Max.Y) / 2
		y := func(lead int) float64 { return float64(base) - float64(area.Dy())/2*float64(lead)/float64(most) }
		for i, half := range []image.Rectangle{
			image.Rect(inner.Min.X, inner.Min.Y, inner.Max.X, base), image.Rect(inner.Min.X, base, inner.Max.X, inner.Max.Y),
		} {
			m := NewMask(half, func(dc *gg.Context) {
				dc.MoveTo(x(0), float64(base))
				for j, p := range r.Course {
					if j > 0 {
						dc.LineTo(x(j), y(r.Course[j-1][0]-r.Course[j-1][1]))
					}
					dc.LineTo(x(j), y(p[0]-p[1]))
				}
				dc.LineTo(x(len(r.Course)-1), float64(base))
				dc.ClosePath()
				dc.Fill()
			})
			part.Stamp(m, 0, 0, Seat(r.Colours[i]))
			corner := image.Pt(inner.Min.X+Px(0.8), inner.Min.Y+Px(0.8))
			if i == 1 {
				corner.Y = inner.Max.Y - Px(0.8)
			}
			part.Stamp(NewMask(Around(0, 0, 0.7*U), func(dc *gg.Context) { FillGrownMark(dc, r.Colours[i], 0, 0, 0.36*U, 3) }), corner.X, corner.Y, CellDark)
			part.Stamp(NewMask(Around(0, 0, 0.7*U), func(dc *gg.Context) { FillMark(dc, r.Colours[i], 0, 0, 0.36*U) }), corner.X, corner.Y, Seat(r.Colours[i]))
		}
		part.Fill(image.Rect(area.Min.X, base-1, area.Max.X, base+1), Text)
		return
	}
	most := 1
	for _, p := range r.Course {
		for _, n := range p {
			most = max(most, n)
		}
	}
	for seat := range r.Colours {
		m := NewMask(inner, func(dc *gg.Context) {
			dc.SetLineWidth(4)
			dc.SetLineJoinRound()
			dc.SetLineCapRound()
			for j, p := range r.Course {
				dc.LineTo(x(j), float64(area.Max.Y)-float64(area.Dy())*float64(p[seat])/float64(most))
			}
			dc.Stroke()
		})
		part.Stamp(m, 0, 0, Seat(r.Colours[seat]))
		last := r.Course[len(r.Course)-1][seat]
		part.Stamp(NewMask(Around(0, 0, 0.7*U), func(dc *gg.Context) { FillMark(dc, r.Colours[seat], 0, 0, 0.34*U) }),
			area.Max.X-Px(0.2), area.Max.Y-area.Dy()*last/most, Seat(r.Colours[seat]))
	}
}
