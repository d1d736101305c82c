package load

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestQuantile checks that the percentage of values is at most the quantile, and
// that no smaller value has this property.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		percent int
		all     []time.Duration
		want    time.Duration
	}{
		{50, []time.Duration{7}, 7}, {99, []time.Duration{7}, 7}, {50, []time.Duration{1, 2}, 1}, {50, []time.Duration{1, 2, 3}, 2},
		{99, []time.Duration{1, 2, 3, 4}, 4}, {0, []time.Duration{1, 2}, 1}, {100, []time.Duration{1, 2}, 2},
	} {
		if got := quantile(c.all, c.percent); got != c.want {
			t.Errorf("%d of %v: %d, want %d", c.percent, c.all, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 50), func(n int) time.Duration { return time.Duration(n) }), 1, 300).Draw(t, "waits")
		of := rapid.IntRange(1, 100).Draw(t, "of")
		slices.Sort(all)
		q := quantile(all, of)
		within, below := 0, 0
		for _, d := range all {
			if d <= q {
				within++
			}
			if d < q {
				below++
			}
		}
		if 100*within < of*len(all) || 100*below >= of*len(all) {
			t.Fatalf("%d of %v is %d: %d within, %d below", of, all, q, within, below)
		}
	})
}

func TestFiguresWithoutAnswers(t *testing.T) {
	if f := newMeasured().figures(0); f.All != (Waits{}) || len(f.By) != 0 {
		t.Errorf("%+v", f)
	}
}

func TestWorld(t *testing.T) {
	w, err := World(3)
	if err != nil || len(w.Channels) != 3 || len(w.Users) != 6 {
		t.Errorf("%+v, %v", w, err)
	}
	for _, n := range []int{-1, 0, MaxTables + 1} {
		if _, err := World(n); err == nil {
			t.Errorf("a world of %d tables", n)
		}
	}
}
