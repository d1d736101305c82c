package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"castellan/storage/sqlite"
)

// What tells a player which deeds to do and where to wait for its end.
const (
	playerRound = "CASTELLAN_TEST_ROUND"
	playerGate  = "CASTELLAN_TEST_GATE" // "<number of deed> <point>", empty for none
)

// playUntilKilled does deeds and says of each "done <id>" when it has been
// acknowledged. At its gate it says so and waits.
func playUntilKilled(path string) error {
	round, err := strconv.ParseUint(os.Getenv(playerRound), 10, 64)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(round, 1))
	for n := 0; ; n++ {
		d := someDeed(r, fmt.Sprintf("%d.%d", round, n))
		if r.IntN(12) == 0 {
			d = hugeDeed(d.id)
		}
		err := d.carryOut(s, func(point string) {
			if os.Getenv(playerGate) == fmt.Sprint(n, " ", point) {
				fmt.Println("gate")
				select {}
			}
		})
		if err != nil {
			return err
		}
		fmt.Println("done", d.id)
	}
}

// However a process is killed, what was acknowledged is there once, and of what
// was not there is all or nothing.
func TestKilledInATransaction(t *testing.T) {
	t.Parallel()
	const each = 10 // rounds with one database
	rounds := 104
	if testing.Short() || raceEnabled {
		rounds = 26
	}
	var path string
	r := rand.New(rand.NewPCG(4, 2026))
	var kept []string // all that must be in the database
	var acknowledged, gated, unheard int
	for round := range rounds {
		if round%each == 0 {
			path, kept = filepath.Join(t.TempDir(), "castellan.db"), nil
			s := open(t, path)
			if err := prepare(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		gate, after := "", r.IntN(6)
		if r.IntN(2) == 0 {
			gate = fmt.Sprint(after, " ", []string{"begun", "half", "written"}[r.IntN(3)])
			gated++
		}
		c := startChild(t, "player", path, fmt.Sprintf("%s=%d", playerRound, round), playerGate+"="+gate)
		hear := func(line string) {
			id, ok := strings.CutPrefix(line, "done ")
			if !ok && line != "gate" {
				t.Fatalf("round %d: the player says %q", round, line)
			}
			if ok {
				acknowledged++
				kept = append(kept, id)
			}
		}
		for heard := 0; heard <= after; heard++ {
			line := c.line()
			hear(line)
			if line == "gate" {
				break
			}
		}
		if gate == "" { // into one of the next transactions, or a commit
			for range r.IntN(3000) {
				runtime.Gosched()
			}
		}
		for _, line := range c.kill() {
			hear(line)
		}

		s := open(t, path)
		got, err := audit(s)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if lost := without(kept, got); len(lost) > 0 {
			t.Fatalf("round %d: lost %v", round, lost)
		}
		// At most the transaction that was going on was committed without
		// having been acknowledged.
		extra := without(got, kept)
		if len(extra) > 1 || gate != "" && len(extra) > 0 {
			t.Fatalf("round %d, gate %q: too many: %v", round, gate, extra)
		}
		unheard += len(extra)
		kept = append(kept, extra...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed %d times, %d of them at a gate inside the transaction: %d transactions acknowledged, 0 lost, 0 doubled, 0 in part; %d committed and not yet acknowledged",
		rounds, gated, acknowledged, unheard)
}
