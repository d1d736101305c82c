package modeltest

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestModel compares a host with the model after each of many random steps:
// CASTELLAN_FULL=1 does 20,000 of them. CASTELLAN_SEED makes others, and repeats a
// failure.
func TestModel(t *testing.T) {
	want := 6000
	if os.Getenv("CASTELLAN_FULL") != "" {
		want = 20000
	}
	seed := "1"
	if s := os.Getenv("CASTELLAN_SEED"); s != "" {
		seed = s
	}
	for name, value := range map[string]string{
		"rapid.seed": seed, "rapid.checks": strconv.Itoa(want), "rapid.steps": "200", "rapid.nofailfile": "true",
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	total, first, failed, figures := 0, 0, false, map[string]int{}
	defer func() {
		if failed {
			t.Logf("CASTELLAN_SEED=%s: a difference after %d steps", seed, first)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		if total >= want && !failed {
			return
		}
		defer func() {
			if !failed && t.Failed() {
				failed, first = true, total
			}
		}()
		w := newWorld(t, figures)
		defer w.store.Close()
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			w.T, w.r = t, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "dice"), rapid.Uint64().Draw(t, "more")))
			total++
			w.step()
		}})
		w.T = t
		w.finish()
	})
	t.Logf("CASTELLAN_SEED=%s: %d steps without a difference: %v", seed, total, figures)
}
