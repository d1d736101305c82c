package main

import (
	"os"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
)

// The table in the documentation is what the command prints, and the simulation notices a limit.
func TestPlan(t *testing.T) {
	page, err := os.ReadFile("../../docs/host/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	got := lab(t, "plan")
	if got.Code != 0 || got.Errs != "" || !strings.Contains(string(page), got.Out) {
		t.Errorf("docs/host/scaling.md does not contain what lab plan prints: %d %s\n%s", got.Code, got.Errs, got.Out)
	}
	raised := lab(t, "plan", "--guilds", "150000", "--limit", "500").Out
	if !strings.Contains(got.Out, "over the limit") || strings.Contains(raised, "over the limit") {
		t.Errorf("a limit of 500 requests makes no difference:\n%s", raised)
	}
	lab(t, "plan", "--peak", "0.5").Refused(t, cli.ExitUsage, "--peak is 0.5", "from 1 to 20")
	lab(t, "plan", "--guilds", "0").Refused(t, cli.ExitUsage, "--guilds")
}

// Boards wait if the bot has more to send than Discord allows, and hardly otherwise.
func TestBoardsWaitAtLimit(t *testing.T) {
	t.Parallel()
	usual := assumptions{Active: 0.15, Matches: 4, Turns: 12, Computers: 0.3, Strongest: 0.1, Peak: 2.5, Limit: 50, Seed: 1}
	ceiling, _ := usual.ceiling()
	if below := usual.need(ceiling * 8 / 10); below.requests > usual.allowed() || below.lag.Seconds() > 1 {
		t.Errorf("at 80 %% of the ceiling: %+v", below)
	}
	if above := usual.need(ceiling * 12 / 10); above.requests < usual.allowed() || above.lag.Seconds() < 60 {
		t.Errorf("at 120 %% of the ceiling: %+v", above)
	}
}

// No window of the limit has more requests than Discord allows, and a request waits
// only if it has to.
func TestLimiter(t *testing.T) {
	t.Parallel()
	const limit = 5
	l := newLimiter(limit)
	var sent []float64
	for i := range 1000 {
		arrives := float64(i/20) * 4.4 // 20 at a time, which take four windows
		sent = append(sent, l.send(arrives))
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

func TestFigures(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0", 0.0104: "0.010", 0.266: "0.27", 0.999: "1.0", 6: "6.0", 9.96: "10", 12.3: "12", 1234: "1,200", 0.0004: "< 0.001"} {
		if got := figure(x); got != want {
			t.Errorf("%v: %s, not %s", x, got, want)
		}
	}
}
