package draw

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: "1 s", 45 * time.Second: "45 s", time.Minute: "1 min", 2*time.Minute - 1: "1 min 59 s", 2*time.Minute + 5*time.Second: "2 min", time.Hour - 1: "59 min", time.Hour: "1 h", 3*time.Hour + 20*time.Minute + 59*time.Second: "3 h 20 min",
		24*time.Hour - 1: "23 h 59 min", 30 * time.Hour: "30 h",
	} {
		if got := hours(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
