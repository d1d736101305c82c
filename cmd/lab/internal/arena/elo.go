package arena

import "math"

// z is the quantile of the normal distribution for 95 % confidence.
const z = 1.959964

// Elo converts a share of the points, from 0 to 1, to a rating difference,
// which is infinite at 0 and 1.
func Elo(share float64) float64 {
	return -400 * math.Log10(1/share-1)
}

// expectedShare converts a rating difference from the average of the others to the
// expected share of the points of a side whose fair share is fair. The odds are those
// of equal sides times 10 to the power of elo/400.
func expectedShare(elo, fair float64) float64 {
	return 1 / (1 + (1-fair)/fair*math.Pow(10, -elo/400))
}

// sample accumulates one side's share of the points in each set, from 0 to 1.
type sample struct {
	n            int
	sum, squares float64
}

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

// padded returns number, mean and variance of the sets after adding one won and
// one lost throughout. Without them, a few sets with the same result would seem
// to leave no doubt. Agresti and Coull (1998) do so for proportions.
func (s sample) padded() (n, mean, variance float64) {
	n = float64(s.n + 2)
	mean = (s.sum + 1) / n
	variance = (s.squares+1)/n - mean*mean
	return n, mean, variance
}

// mean returns the share of the points, a half without any.
func (s sample) mean() float64 {
	if s.n == 0 {
		return 0.5
	}
	return s.sum / float64(s.n)
}

// interval returns the 95 % confidence interval of the share, from the variance
// of the sets: what cancels out within a set adds no doubt.
func (s sample) interval() (low, high float64) {
	n, mean, variance := s.padded()
	d := z * math.Sqrt(variance/n)
	return max(0, mean-d), min(1, mean+d)
}

// SPRT is a sequential probability ratio test (Wald, 1945) of whether the first
// side is Elo1 stronger or Elo0, with error rates of 5 %.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
}

// sprtBound is the log-likelihood ratio at which the test decides: ln(0.95 /
// 0.05).
const sprtBound = 2.944438979166440

// ratio returns the log-likelihood ratio in the normal approximation of the
// generalized SPRT (Van den Bergh, “A practical introduction to the GSPRT”,
// 2020). fair is the share of the points of a side of average strength.
func (t SPRT) ratio(s sample, fair float64) float64 {
	s0, s1 := expectedShare(t.Elo0, fair), expectedShare(t.Elo1, fair)
	_, _, variance := s.padded()
	return (s1 - s0) * (2*s.sum - float64(s.n)*(s0+s1)) / (2 * variance)
}

// Verdict is the result of an SPRT.
type Verdict string

const (
	Open     Verdict = "open"     // it needs more games
	Accepted Verdict = "accepted" // Elo1 rather than Elo0
	Rejected Verdict = "rejected" // Elo0 rather than Elo1
)

// LeastSets is the number of sets before which an SPRT does not decide: the normal
// approximation does not hold for a few.
const LeastSets = 20

// verdict returns the result at a log-likelihood ratio.
func verdict(ratio float64) Verdict {
	switch {
	case ratio >= sprtBound:
		return Accepted
	case ratio <= -sprtBound:
		return Rejected
	}
	return Open
}
