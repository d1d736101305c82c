package ai

import (
	"os"
	"strings"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/search"
)

// Every level above the first takes a master when possible, and keeps its own
// when possible. testdata/positions.txt has positions of recorded games: a line
// is "strike", where the master can be taken this turn, or "safety", where one
// turn loses the master at once and another does not, with the options and the
// actions from the start.
func TestStoredProblems(t *testing.T) {
	text, err := os.ReadFile("testdata/positions.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(text)) {
		head, tokens, _ := strings.Cut(strings.TrimSpace(line), ": ")
		kind, options, _ := strings.Cut(head, " ")
		count[kind]++
		if (count["strike"]+count["safety"])%share != 0 {
			continue
		}
		p := enginetest.Play(t, start(t, options), tokens)
		for _, level := range Engine().Levels[1:] {
			// What must be found is found first: few nodes suffice.
			limits := search.Limits{Nodes: min(level.Limits.Nodes, 1500), Seed: p.Hash()}
			decision, after := checkTurn(t, level.Key, level.Player, p, limits)
			r, over := after.Result()
			if kind == "strike" && (!over || len(r.Winners) != 1) {
				t.Errorf("%s: %s plays %v and does not take the master in\n%s", line, level.Key, decision.Actions, p.Text())
			}
			if kind == "safety" && !over && canWin(after) {
				t.Errorf("%s: %s plays %v and loses the master in\n%s", line, level.Key, decision.Actions, p.Text())
			}
		}
	}
	if count["strike"] < 100 || count["safety"] < 100 {
		t.Errorf("few positions: %v", count)
	}
}
