package rings_test

import (
	"errors"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
)

func TestRetireRefused(t *testing.T) {
	p := start(t, 3, 3)
	for _, c := range []struct {
		p    *rings.Position
		seat engine.Seat
		want string
	}{
		{p, 0, "rings.retire.nobody"},
		{p, 4, "rings.retire.nobody"},
		{retire(t, p, 2), 2, "rings.retire.twice"},
		{play(t, p, "A4"), 2, "rings.retire.open"},
		{play(t, p, "pass end pass end pass end"), 2, "rings.retire.over"},
	} {
		_, err := c.p.Retire(c.seat)
		var why *rings.RetireError
		if !errors.As(err, &why) || why.Why.ID != c.want || why.Seat != c.seat || err.Error() == "" {
			t.Errorf("seat %d: %v, want %s", c.seat, err, c.want)
		}
	}
}

// Points, circles and seats that do not exist have no owner.
func TestOffBoard(t *testing.T) {
	p := start(t, 3, 2)
	for _, at := range []rings.Point{{0, 5}, {-1, 4}, {12, 4}, {5, 0}, {5, 13}} {
		if p.Owner(at) != engine.Nobody || p.Safe(at) {
			t.Errorf("%v has an owner", at)
		}
	}
	for _, n := range []int{-1, 0, 20, 91} {
		if p.Majority(n) != engine.Nobody || p.Ring(n) != engine.Nobody || p.Influence(n, 1) != 0 {
			t.Errorf("circle %d is somebody's", n)
		}
	}
	for _, seat := range []engine.Seat{-1, 0, 3} {
		if p.Influence(1, seat) != 0 || p.Retired(seat) {
			t.Errorf("there is a seat %d", seat)
		}
	}
}
