package plan

import (
	"math"
	"math/rand/v2"
	"testing"
)

var usual = Assumptions{Active: 0.15, Matches: 4, Turns: 12, Computers: 0.3, Strongest: 0.1, Peak: 2.5, Limit: 50, Seed: 1}

// The simulation agrees with what can be computed: the mean of the day, the peak, and
// the size at which Discord's limit is reached.
func TestSimulationAgreesWithMeans(t *testing.T) {
	t.Parallel()
	ceiling, turns := usual.Ceiling()
	n := usual.Simulate(ceiling)
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*want {
			t.Errorf("%s: %.3f, not about %.3f", what, got, want)
		}
	}
	near("turns of the peak", n.PeakTurns, turns, 0.03)
	near("turns of the day", n.Turns, turns/usual.Peak, 0.01)
	near("requests of the peak", n.Requests, float64(usual.Limit)/window, 0.03)
	if below := usual.Simulate(ceiling * 8 / 10); below.Over || below.Lag99.Seconds() > 1 {
		t.Errorf("at 80 %% of the ceiling: %+v", below)
	}
	if above := usual.Simulate(ceiling * 12 / 10); !above.Over || above.Lag99.Seconds() < 60 {
		t.Errorf("at 120 %% of the ceiling: %+v", above)
	}
}

// No window of the limit has more requests than Discord allows, and a request waits
// only if it has to.
func TestLimiter(t *testing.T) {
	t.Parallel()
	const limit = 5
	s := simulation{random: rand.New(rand.NewPCG(1, 2)), sent: []float64{-window, -window, -window, -window, -window}}
	var sent []float64
	for i := range 1000 {
		arrives := float64(i/20) * 4.4 // 20 at a time, which take four windows
		s.post(arrives, 1)
		sent = append(sent, s.last)
	}
	waited := 0
	for i, at := range sent {
		if i >= limit && at-sent[i-limit] < window-1e-9 {
			t.Fatalf("requests %d and %d are sent within %v s", i-limit, i, at-sent[i-limit])
		}
		if at > float64(i/20)*4.4 {
			waited++
		}
	}
	if first := sent[:limit]; first[limit-1] != 0 || waited < 500 {
		t.Errorf("the first are sent at %v, and %d waited", first, waited)
	}
}

func TestSharpness(t *testing.T) {
	t.Parallel()
	for _, peak := range []float64{1, 1.5, 2.5, 6} {
		k, sum := sharpnessOf(peak), 0.0
		for i := range 1000 {
			sum += math.Exp(k*(math.Cos(2*math.Pi*float64(i)/1000)-1)) / 1000
		}
		if math.Abs(sum*peak-1) > 0.001 {
			t.Errorf("peak %v: the mean is %v of it", peak, sum)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0", 0.0104: "0.010", 0.266: "0.27", 0.999: "1.0", 6: "6.0", 9.96: "10", 12.3: "12", 1234: "1,200", 0.0004: "< 0.001"} {
		if got := figure(x); got != want {
			t.Errorf("%v: %s, not %s", x, got, want)
		}
	}
}
