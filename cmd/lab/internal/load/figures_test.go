package load

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestQuantile checks that the percentage of values is at most the quantile, and
// that no smaller value has this property.
func TestQuantile(t *testing.T) {
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
	if f := newMeasured().figures(0, 0); f.All != (Waits{}) || len(f.By) != 0 {
		t.Errorf("%+v", f)
	}
}

// The table shows the first and the last reading of the memory, with its growth.
func TestReportGrowth(t *testing.T) {
	r := Report{Memory: []Memory{{10_000, 50 << 20, 10 << 20}, {20_000, 55 << 20, 10 << 20}, {30_000, 60 << 20, 9 << 20}}}
	for _, part := range []string{"10000 interactions: 50.0 MiB resident, 10.0 MiB live heap\n", "30000 interactions: 60.0 MiB resident, 9.0 MiB live heap (+20.0 %, -10.0 %)\n"} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("it does not say %q:\n%s", part, r)
		}
	}
	if strings.Contains(r.String(), "20000 interactions") {
		t.Errorf("it tells too much:\n%s", r)
	}
}
