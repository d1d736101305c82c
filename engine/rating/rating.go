package rating

import (
	"math"
	"time"
)

// Rating is what is known of a player's strength in one game, on the scale of
// the paper: the strength lies within two deviations of the mean in 95 cases
// of 100. Use New; the zero value is no rating.
type Rating struct {
	Mean       float64 // 1500 is that of a new player
	Deviation  float64 // MinDeviation to MaxDeviation
	Volatility float64 // how much the strength is expected to change in a period
}

// The rating of a player who has not played: step 1 of the paper.
const (
	NewMean       = 1500
	NewDeviation  = 350
	NewVolatility = 0.06
)

// Bounds of deviations.
const (
	// MaxDeviation is that of a new player: nobody is known less, however long
	// ago they last played.
	MaxDeviation = NewDeviation
	// MinDeviation keeps the ratings of those who play much from becoming
	// immovable. Within a match no time passes for the deviation to grow, as
	// it does in the paper's periods. Lichess has the same bound.
	MinDeviation = 45
)

// Provisional is the deviation above which a rating is provisional: too
// uncertain to stand in a row with others. It is Lichess's bound.
const ProvisionalDeviation = 110

// Tau bounds how much the volatility can change. The paper asks for 0.3 to
// 1.2, small where improbable results are not to count much, and has 0.5 in
// its example.
const Tau = 0.5

// Period is the length of a rating period: the time in which a deviation grows
// by one step of the paper's formula (18). With this length a deviation of 60
// comes to 110, and the rating is provisional again, in a year without a
// match: (110² - 60²) / 173.7178² / 0.06² = 78.2 periods. So does Lichess,
// which counts 0.21436 periods a day.
const Period = 112 * time.Hour

// scale is what one unit of the Glicko-2 scale is on this one: step 2.
const scale = 173.7178

// New is the rating of a player who has not played.
func New() Rating {
	return Rating{Mean: NewMean, Deviation: NewDeviation, Volatility: NewVolatility}
}

// IsProvisional reports whether the rating is too uncertain to stand in a row
// with others.
func (r Rating) IsProvisional() bool { return r.Deviation > ProvisionalDeviation }

// After is the rating after a time without a match: less is known of it, so
// the deviation has grown, by the paper's step 6 for that many periods and
// parts of periods. A time below zero counts as none.
func (r Rating) After(idle time.Duration) Rating {
	r.Deviation = grown(r.Deviation, r.Volatility, periods(idle))
	return r
}

// Settled is how long from its last match the rating stays what it is, not
// provisional, if no further match is played; zero where it is provisional
// already.
func (r Rating) ProvisionalAfter() time.Duration {
	if r.IsProvisional() {
		return 0
	}
	n := (square(ProvisionalDeviation/scale) - square(r.Deviation/scale)) / square(r.Volatility)
	if d := n * float64(Period); d < math.MaxInt64/2 {
		return time.Duration(d)
	}
	return math.MaxInt64 / 2 // more than a century
}

// Expected is the share of matches that a player can expect to win against
// another, 0 to 1, a draw counting half: E of the paper's step 3, with the
// uncertainty of both.
func ExpectedScore(r, other Rating) float64 {
	both := math.Hypot(r.Deviation, other.Deviation) / scale
	return expected(r.Mean/scale, other.Mean/scale, g(both))
}

func periods(d time.Duration) float64 { return max(0, float64(d)/float64(Period)) }

// grown is a deviation after some periods.
func grown(deviation, volatility, periods float64) float64 {
	phi := deviation / scale
	return bounded(scale * math.Sqrt(phi*phi+periods*volatility*volatility))
}

func bounded(deviation float64) float64 {
	return min(max(deviation, MinDeviation), MaxDeviation)
}

func square(x float64) float64 { return x * x }
