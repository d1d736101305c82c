package rating

import (
	"math"
	"time"
)

// Rating is an estimate of a player's strength in one game: with 95 % confidence
// the strength lies within two deviations of the mean. The zero value is not a
// rating; use New.
type Rating struct {
	Mean       float64 // NewMean for a new player
	Deviation  float64 // MinDeviation to MaxDeviation
	Volatility float64 // the expected change of the strength in a period
}

// The rating of a new player, by step 1 of the paper.
const (
	NewMean       = 1500
	NewDeviation  = 350
	NewVolatility = 0.06
)

const (
	// MaxDeviation is the deviation of a new player. A pause never makes a
	// rating less certain than that.
	MaxDeviation = NewDeviation
	// MinDeviation keeps the ratings of frequent players from freezing. In the
	// paper the deviation grows in every period, but no time passes between
	// matches of the same day. Lichess has the same bound.
	MinDeviation = 45
)

// ProvisionalDeviation is the deviation above which a rating is provisional: too
// uncertain to be ranked. Lichess has the same bound.
const ProvisionalDeviation = 110

// Tau limits the change of the volatility. The paper recommends 0.3 to 1.2, less
// if improbable results should count little, and uses 0.5 in its example.
const Tau = 0.5

// Period is the length of a rating period, in which a deviation grows by one
// step of the paper's formula (18). With this length a deviation of 60 grows to
// 110 in a year without a match, and the rating becomes provisional:
// (110² - 60²) / 173.7178² / 0.06² = 78.2 periods. Lichess has the same length,
// 0.21436 periods a day.
const Period = 112 * time.Hour

// scale converts the Glicko-2 scale to this one, by step 2.
const scale = 173.7178

func New() Rating {
	return Rating{Mean: NewMean, Deviation: NewDeviation, Volatility: NewVolatility}
}

// IsProvisional reports whether the rating is too uncertain to be ranked.
func (r Rating) IsProvisional() bool { return r.Deviation > ProvisionalDeviation }

// After returns the rating after a time without a match, in which the deviation
// grows by step 6 of the paper for each period and part of one. A negative time
// counts as zero.
func (r Rating) After(idle time.Duration) Rating {
	r.Deviation = grow(r.Deviation, r.Volatility, periods(idle))
	return r
}

// ProvisionalAfter returns the time without a match after which the rating
// becomes provisional; zero if it already is.
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

func periods(d time.Duration) float64 { return max(0, float64(d)/float64(Period)) }

// grow returns a deviation after some periods without a match.
func grow(deviation, volatility, periods float64) float64 {
	phi := deviation / scale
	return clamp(scale * math.Sqrt(phi*phi+periods*volatility*volatility))
}

func clamp(deviation float64) float64 {
	return min(max(deviation, MinDeviation), MaxDeviation)
}

func square(x float64) float64 { return x * x }
