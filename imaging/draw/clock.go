package draw

import (
	"fmt"
	"strings"
	"time"

	"github.com/fogleman/gg"
)

// clock shows how much time a seat has.
type clock struct {
	r    float64
	sign *Mask
	face *Face
}

// newClock returns a clock with a sign of radius r, and with the time in a face.
func newClock(f *Face, r float64) clock {
	return clock{r: r, face: f, sign: NewMask(Around(0, 0, 1.2*r), func(dc *gg.Context) {
		width := 0.24 * r
		FillRing(dc, 0, 0, r, width)
		dc.DrawRectangle(-width/2, -0.62*r, width, 0.62*r+width/2)
		dc.Fill()
		dc.DrawRectangle(-width/2, -width/2, 0.55*r, width)
		dc.Fill()
	})}
}

// draw draws a sign and the time to the left of a point. It returns where they
// begin.
func (k clock) draw(c *Canvas, x, y int, left time.Duration, with Role) int {
	time := hours(left)
	k.face.Write(c, time, float64(x), float64(y), Right, with)
	x -= int(k.face.Width(time) + 1.6*k.r)
	c.Stamp(k.sign, x, y, with)
	return x - int(1.2*k.r)
}

// hours returns a time in units that are the same in every language: "3 h 20 min". From two
// minutes on, seconds are left out. Less than a second is rounded up.
func hours(d time.Duration) string {
	d = max(d, time.Second)
	seconds := d < 2*time.Minute
	var parts []string
	if h := d / time.Hour; h > 0 {
		parts = append(parts, fmt.Sprintf("%d h", h))
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		parts = append(parts, fmt.Sprintf("%d min", m))
	}
	if s := d % time.Minute / time.Second; s > 0 && seconds {
		parts = append(parts, fmt.Sprintf("%d s", s))
	}
	return strings.Join(parts, " ")
}
