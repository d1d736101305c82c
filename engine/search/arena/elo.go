package arena

import "math"

// z is how many standard deviations either way hold 95 % of a normal
// distribution.
const z = 1.959964

// Elo is the difference in rating at which a player gets a share of the points,
// from 0 to 1: infinite at the ends.
func Elo(share float64) float64 {
	return -400 * math.Log10(1/share-1)
}

// Share is the share of the points that a difference in rating promises.
func ExpectedScore(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// sample is the shares of the points that one side has got in the sets, each
// from 0 to 1, and how often each.
type sample struct {
	n            int
	sum, squares float64
}

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

// padded is the number of sets, the mean and the variance of one, after a set
// that was won throughout and one that was lost have been thrown in. Without
// them a few sets that all ended alike would seem to leave no doubt; it is what
// Agresti and Coull (1998) do to proportions, done to sets.
func (s sample) padded() (n, mean, variance float64) {
	n = float64(s.n + 2)
	mean = (s.sum + 1) / n
	variance = (s.squares+1)/n - mean*mean
	return n, mean, variance
}

// mean is the share of the points, and a half before there are any.
func (s sample) mean() float64 {
	if s.n == 0 {
		return 0.5
	}
	return s.sum / float64(s.n)
}

// interval is where the true share lies with 95 % confidence: from the variance
// of the sets, so that what cancels out within a set does not count as doubt.
func (s sample) interval() (low, high float64) {
	n, mean, variance := s.padded()
	d := z * math.Sqrt(variance/n)
	return max(0, mean-d), min(1, mean+d)
}

// SPRT is a sequential probability ratio test (Wald, 1945) of whether one side
// is Elo1 stronger, or only Elo0, each wrongly said in 5 % of the cases.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
}

// bound is the log-likelihood ratio at which the test decides: ln(0.95 / 0.05).
const sprtBound = 2.944438979166440

// ratio is the log-likelihood ratio of the two, by the normal approximation of
// the generalized test (Van den Bergh, “A practical introduction to the GSPRT”,
// 2020).
func (t SPRT) ratio(s sample) float64 {
	s0, s1 := ExpectedScore(t.Elo0), ExpectedScore(t.Elo1)
	_, _, variance := s.padded()
	return (s1 - s0) * (2*s.sum - float64(s.n)*(s0+s1)) / (2 * variance)
}

// Verdict is what a test says.
type Verdict string

// The verdicts.
const (
	Open     Verdict = "open"     // it needs more games
	Accepted Verdict = "accepted" // Elo1 rather than Elo0
	Rejected Verdict = "rejected" // Elo0 rather than Elo1
)

// verdict is what the test says of a ratio.
func verdict(ratio float64) Verdict {
	switch {
	case ratio >= sprtBound:
		return Accepted
	case ratio <= -sprtBound:
		return Rejected
	}
	return Open
}
