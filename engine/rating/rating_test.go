package rating_test

import (
	"math"
	"testing"
	"time"

	"castellan/engine/rating"
)

// near checks a figure to the last printed digit.
func near(t *testing.T, what string, got, want, digit float64) {
	t.Helper()
	if math.Abs(got-want) > digit/2 {
		t.Errorf("%s is %.7f, want %v", what, got, want)
	}
}

// The example of the paper: a player of 1500 and 200 wins against 1400 and 30,
// and loses to 1550 and 100 and to 1700 and 300, with τ = 0.5. The paper prints
// 1464.06, 151.52 and 0.05999 but rounds on the way: the exact mean is
// 1464.0507.
func TestExampleOfThePaper(t *testing.T) {
	if rating.Tau != 0.5 {
		t.Fatalf("the example is for τ = 0.5, not %v", rating.Tau)
	}
	result := func(mean, deviation, score float64) rating.Result {
		return rating.Result{Opponent: rating.Rating{Mean: mean, Deviation: deviation, Volatility: 0.06}, Score: score, Weight: 1}
	}
	r := rating.Update(rating.Rating{Mean: 1500, Deviation: 200, Volatility: 0.06}, 1,
		result(1400, 30, 1), result(1550, 100, 0), result(1700, 300, 0))
	near(t, "the mean", r.Mean, 1464.06, 0.02)
	near(t, "the deviation", r.Deviation, 151.52, 0.01)
	near(t, "the volatility", r.Volatility, 0.05999, 0.00002)
}

// Without a match the deviation grows by formula (18) of the paper, up to that of
// a new player.
func TestAfter(t *testing.T) {
	r := rating.Rating{Mean: 1700, Deviation: 60, Volatility: 0.06}
	for _, c := range []struct {
		idle time.Duration
		want float64
	}{
		{-time.Hour, 60}, {0, 60},
		{rating.Period, 60.899}, {rating.Period / 2, 60.451},
		{365 * 24 * time.Hour, 110}, {50 * 365 * 24 * time.Hour, 350},
	} {
		got := r.After(c.idle)
		near(t, "the deviation after "+c.idle.String(), got.Deviation, c.want, 0.1)
		if got.Mean != r.Mean || got.Volatility != r.Volatility {
			t.Errorf("after %s it is %+v", c.idle, got)
		}
		if one := rating.Update(r, float64(c.idle)/float64(rating.Period)); one != got {
			t.Errorf("after %s without results Update gives %+v, not %+v", c.idle, one, got)
		}
	}
}

func TestProvisional(t *testing.T) {
	if r := rating.New(); !r.IsProvisional() || r.ProvisionalAfter() != 0 {
		t.Errorf("a new rating becomes provisional after %s", r.ProvisionalAfter())
	}
	r := rating.Rating{Mean: 1500, Deviation: 60, Volatility: 0.06}
	d := r.ProvisionalAfter()
	if r.IsProvisional() || r.After(d-time.Minute).IsProvisional() || !r.After(d+time.Minute).IsProvisional() {
		t.Errorf("it becomes provisional after %s", d)
	}
	if days := d.Hours() / 24; days < 360 || days > 370 {
		t.Errorf("60 becomes 110 in %.1f days, not in a year", days)
	}
	r.Volatility = 1e-12
	if d := r.ProvisionalAfter(); d < 100*365*24*time.Hour {
		t.Errorf("without volatility it becomes provisional after %s", d)
	}
	if r := (rating.Rating{Mean: 1500, Deviation: rating.ProvisionalDeviation, Volatility: 0.06}); r.IsProvisional() || r.ProvisionalAfter() != 0 {
		t.Errorf("at the bound it becomes provisional after %s", r.ProvisionalAfter())
	}
}

// A new rating stays provisional for about ten matches, as docs/play/ratings.md says.
func TestMatchesUntilEstablished(t *testing.T) {
	r, other := rating.New(), rating.Rating{Mean: 1500, Deviation: 70, Volatility: 0.06}
	n := 0
	for ; r.IsProvisional(); n++ {
		r = rating.Update(r, 0, rating.Result{Opponent: other, Score: float64(n % 2), Weight: 1})
	}
	if n < 8 || n > 14 {
		t.Errorf("it takes %d matches", n)
	}
	t.Logf("%d matches", n)
}
