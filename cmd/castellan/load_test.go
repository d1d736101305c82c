package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestLoad has a small crowd play against the bot and the one that only
// acknowledges. Every interaction is answered, and the result is a JSON object.
func TestLoad(t *testing.T) {
	t.Setenv(childSelf, "yes")
	got := castellan(t, "load", "--json", "--http", "--rate", "90", "--interactions", "90", "--tables", "3", "--seed", "7")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.errs)
	}
	var r loadReport
	must(t, json.Unmarshal([]byte(got.out), &r))
	if r.Acknowledging == nil || r.HTTP == nil {
		t.Fatal("no comparison")
	}
	for name, w := range map[string]loadWaits{"castellan": r.Castellan, "by HTTP": *r.HTTP, "acknowledging": *r.Acknowledging} {
		if w.Interactions != 90 || w.Lost != 0 || w.All.Answered != 90 || w.All.P50 <= 0 || w.All.P99 < w.All.P50 || w.All.Max < w.All.P99 {
			t.Errorf("%s: %+v", name, w)
		}
		for _, kind := range []string{"command", "click", "suggest"} {
			// The numbers of each kind depend on how soon boards are posted.
			if ours, theirs := r.Castellan.By[kind].Answered, w.By[kind].Answered; ours != theirs && name == "acknowledging" {
				t.Errorf("%s: %d of kind %s, where castellan had %d", name, theirs, kind, ours)
			}
		}
	}
	if r.Castellan.Posts == 0 {
		t.Errorf("%d challenges and boards: nobody played", r.Castellan.Posts)
	}
	if n := len(r.Memory); n != 1 || r.Memory[0].Interactions != 90 || r.Memory[0].Heap < 1<<20 || r.Memory[0].Resident < r.Memory[0].Heap {
		t.Errorf("memory %+v", r.Memory)
	}
	all := 0
	for _, n := range r.Outcomes {
		all += n
	}
	if all != 90 || r.Outcomes["failed"]+r.Outcomes["unknown"] > 0 {
		t.Errorf("outcomes %v", r.Outcomes)
	}
	for _, part := range []string{"castellan run", "only acknowledging", "p99", "resident", "by its own metrics: "} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("the table does not say %q:\n%s", part, r)
		}
	}
}

// TestLoadInBlockedChannels takes the permission to post away in some channels,
// in which people go on to use the bot: Discord refuses hardly anything.
func TestLoadInBlockedChannels(t *testing.T) {
	t.Setenv(childSelf, "yes")
	got := castellan(t, "load", "--json", "--no-compare", "--rate", "30", "--interactions", "120", "--tables", "4", "--blocked", "3")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.errs)
	}
	var r loadReport
	must(t, json.Unmarshal([]byte(got.out), &r))
	if r.Castellan.Worst > 1 || r.Castellan.Invalid > 3 || r.Castellan.Posts == 0 {
		t.Errorf("%d invalid requests, %d in one channel, %d posts", r.Castellan.Invalid, r.Castellan.Worst, r.Castellan.Posts)
	}
}

// TestLoadAgainstTheComputer checks that the computer plays.
func TestLoadAgainstTheComputer(t *testing.T) {
	t.Setenv(childSelf, "yes")
	got := castellan(t, "load", "--json", "--no-compare", "--rate", "30", "--interactions", "60", "--tables", "2", "--alone", "2", "--level", "newcomer")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.errs)
	}
	var r loadReport
	must(t, json.Unmarshal([]byte(got.out), &r))
	if r.Castellan.Lost != 0 || r.Thoughts.Turns < 3 || r.Thoughts.Seconds <= 0 || r.Thoughts.Replies == 0 || r.Thoughts.ReplyP95 < r.Thoughts.ReplyP50 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.String(), "the computer played") {
		t.Errorf("the table lacks the computer's turns:\n%s", r)
	}
}

func TestLoadUsageErrors(t *testing.T) {
	for arg, part := range map[string]string{
		"--rate=0": "--rate is 1 to 5000", "--rate=nan": "--rate is 1 to 5000", "--seconds=-1": "there must be 1 to 10000000 interactions",
		"--interactions=100000000": "there must be 1 to 10000000 interactions", "--tables=0": "--tables is 1 to 400", "--game=rings": "a two-player game", "--game=chess": "a two-player game",
		"--alone=101": "--alone is 0 to 100", "--level=wizard": "--level is one of newcomer",
	} {
		args := []string{"load", arg}
		castellan(t, args...).refusal(t, exitUsage, part)
	}
}

func TestLoadReportGrowth(t *testing.T) {
	r := loadReport{Memory: []loadMemory{{10_000, 50 << 20, 10 << 20}, {20_000, 55 << 20, 10 << 20}, {30_000, 60 << 20, 9 << 20}}}
	for _, part := range []string{"10000 interactions: 50.0 MiB resident, 10.0 MiB live heap\n", "30000 interactions: 60.0 MiB resident, 9.0 MiB live heap (+20.0 %, -10.0 %)\n"} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("it does not say %q:\n%s", part, r)
		}
	}
	if strings.Contains(r.String(), "20000 interactions") {
		t.Errorf("it tells too much:\n%s", r)
	}
}
