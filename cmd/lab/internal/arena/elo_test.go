package arena

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestElo(t *testing.T) {
	for elo, share := range map[float64]float64{0: 0.5, 400: 10.0 / 11, -400: 1.0 / 11, 190.848502: 0.75} {
		if got := expectedShare(elo, 0.5); math.Abs(got-share) > 1e-6 {
			t.Errorf("%g gives %g, not %g", elo, got, share)
		}
		if got := Elo(share); math.Abs(got-elo) > 1e-4 {
			t.Errorf("%g gives %g, not %g", share, got, elo)
		}
	}
	if !math.IsInf(Elo(1), 1) || !math.IsInf(Elo(0), -1) {
		t.Errorf("all points are %g, none %g", Elo(1), Elo(0))
	}
}

// pairs returns a sample of pairs of games: both won, one won, none won.
func pairs(both, one, none int) (s sample) {
	for range both {
		s.add(1)
	}
	for range one {
		s.add(0.5)
	}
	for range none {
		s.add(0)
	}
	return s
}

// For independent games between equals the interval is ±681/√n Elo; what
// cancels out within pairs makes it smaller.
func TestIntervalOfPairs(t *testing.T) {
	const n = 800 // games
	low, high := pairs(n/8, n/4, n/8).interval()
	want := 681 / math.Sqrt(n)
	if math.Abs(Elo(high)-want) > 0.5 || math.Abs(Elo(low)+want) > 0.5 {
		t.Errorf("%g to %g, not %g either way", Elo(low), Elo(high), want)
	}
	low, high = pairs(0, n/2, 0).interval()
	if Elo(high)-Elo(low) > want/4 {
		t.Errorf("openings that decide everything leave %g to %g", Elo(low), Elo(high))
	}
}

// The SPRT has about its nominal error rates, and ends, also for one player against
// three others.
func TestSPRTErrorRates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	test := SPRT{Elo0: 0, Elo1: 60}
	for _, c := range []struct {
		elo, fair float64
		right     Verdict
	}{{0, 0.5, Rejected}, {60, 0.5, Accepted}, {0, 0.25, Rejected}, {60, 0.25, Accepted}} {
		seatings := int(1 / c.fair)
		wrong, games := 0, 0
		const runs = 400
		for range runs {
			var s sample
			v := Open
			for v == Open {
				x := 0.0
				for range seatings {
					if r.Float64() < expectedShare(c.elo, c.fair) {
						x++
					}
				}
				s.add(x / float64(seatings))
				games += seatings
				v = verdict(test.ratio(s, c.fair))
			}
			if v != c.right {
				wrong++
			}
		}
		if wrong > runs*8/100 {
			t.Errorf("at %g Elo with a fair share of %g it is wrong in %d of %d runs", c.elo, c.fair, wrong, runs)
		}
		if games/runs > 800 {
			t.Errorf("at %g Elo with a fair share of %g it takes %d games", c.elo, c.fair, games/runs)
		}
	}
}
