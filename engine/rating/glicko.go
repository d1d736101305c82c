package rating

import "math"

// Meeting is the result of one player against one other.
type Result struct {
	Opponent Rating  // as the match began
	Score    float64 // 1 for a win, 0.5 for a draw, 0 for a loss
	Weight   float64 // how much of a match it counts: 1 for one between two
}

// Rate is the rating after some meetings, all of the same rating period: steps
// 3 to 8 of the paper. r is the rating after the last match before them,
// and periods how many periods have gone by since; the paper has 1. Without
// meetings only time has passed.
func Update(r Rating, periods float64, meetings ...Result) Rating {
	mu, phi := (r.Mean-NewMean)/scale, r.Deviation/scale
	var precision, surprise float64 // 1/v of step 3, and the sum of step 4
	for _, m := range meetings {
		muj, phij := (m.Opponent.Mean-NewMean)/scale, m.Opponent.Deviation/scale
		gj := g(phij)
		e := expected(mu, muj, gj)
		precision += m.Weight * gj * gj * e * (1 - e)
		surprise += m.Weight * gj * (m.Score - e)
	}
	periods = max(0, periods)
	if precision == 0 {
		r.Deviation = grown(r.Deviation, r.Volatility, periods)
		return r
	}
	v := 1 / precision
	sigma := volatility(r.Volatility, phi, v, v*surprise)
	star := grown(r.Deviation, sigma, periods) / scale // step 6
	next := 1 / math.Sqrt(1/(star*star)+precision)     // step 7
	return Rating{
		Mean:       NewMean + scale*(mu+next*next*surprise),
		Deviation:  bounded(scale * next),
		Volatility: sigma,
	}
}

// g is how much the result against an opponent of that deviation says: step 3.
func g(phi float64) float64 { return 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi)) }

// expected is the score to be expected, E of step 3.
func expected(mu, muj, gj float64) float64 { return 1 / (1 + math.Exp(-gj*(mu-muj))) }

// Bounds of the search for the volatility.
const (
	tolerance  = 0.000001 // ε of step 5
	iterations = 1000     // far more than it ever takes
)

// volatility is step 5: the zero of f, found by the Illinois algorithm.
func volatility(sigma, phi, v, delta float64) float64 {
	a := math.Log(sigma * sigma)
	f := func(x float64) float64 {
		ex := math.Exp(x)
		sum := phi*phi + v + ex
		return ex*(delta*delta-sum)/(2*sum*sum) - (x-a)/(Tau*Tau)
	}
	low, high := a, 0.0
	if d := delta*delta - phi*phi - v; d > 0 {
		high = math.Log(d)
	} else {
		high = a - Tau
		for k := 2; f(high) < 0 && k < iterations; k++ {
			high = a - float64(k)*Tau
		}
	}
	flow, fhigh := f(low), f(high)
	for range iterations {
		if math.Abs(high-low) <= tolerance {
			break
		}
		c := low + (low-high)*flow/(fhigh-flow)
		fc := f(c)
		if fc*fhigh <= 0 {
			low, flow = high, fhigh
		} else {
			flow /= 2
		}
		high, fhigh = c, fc
	}
	return math.Exp(low / 2)
}
