package draw

import (
	"fmt"
	"strings"
	"time"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Clock shows how much time a seat has.
type Clock struct {
	r    float64
	mark [6]*Mask // of the seat, by colour
	sign *Mask
	face *Face
}

// NewClock returns a clock with signs of radius r, and with the time in a face.
func NewClock(f *Face, r float64) Clock {
	return Clock{r: r, face: f, mark: Marks(r), sign: NewMask(Around(0, 0, 1.2*r), func(dc *gg.Context) {
		width := 0.24 * r
		FillRing(dc, 0, 0, r, width)
		dc.DrawRectangle(-width/2, -0.62*r, width, 0.62*r+width/2)
		dc.Fill()
		dc.DrawRectangle(-width/2, -width/2, 0.55*r, width)
		dc.Fill()
	})}
}

// Draw draws the mark of a seat about (x, y), and to the right of it a clock and
// the time. It draws nothing for no time.
func (k Clock) Draw(c *Canvas, x, y int, colour engine.Colour, left time.Duration) {
	if left <= 0 {
		return
	}
	c.Stamp(k.mark[colour-engine.Blue], x, y, Seat(colour))
	c.Stamp(k.sign, x+int(2.7*k.r), y, Text)
	k.face.Write(c, hours(left), float64(x)+4.2*k.r, float64(y), Left, Text)
}

// hours returns a time in units that are the same in every language: "3 h 20 min".
// Less than a minute is rounded up.
func hours(d time.Duration) string {
	d = max(d, time.Minute)
	var parts []string
	if h := d / time.Hour; h > 0 {
		parts = append(parts, fmt.Sprintf("%d h", h))
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		parts = append(parts, fmt.Sprintf("%d min", m))
	}
	return strings.Join(parts, " ")
}
