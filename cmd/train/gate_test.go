package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search"
	"castellan/engine/search/arena"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
	stonetowersai "castellan/engine/stonetowers/ai"
)

// trial is an evaluation with a small game, in which few nodes show that some weights
// are much worse than those in use.
type trial struct {
	model func() fit.Model
	gate  gate
	worse map[string]int16 // what the weights in use are multiplied by
}

func trials() map[string]trial {
	small := func(rules engine.Game, options string, seats int, nodes int64) gate {
		return gate{rules: rules, options: options, seats: seats, nodes: nodes, sets: 100, seed: 1, sprt: bounds, threads: 2, log: io.Discard}
	}
	return map[string]trial{
		"Rings, two seats":  {ringsai.Model, small(rings.Game{}, "side=4", 2, 40), map[string]int16{"zero": 0, "negated": -1}},
		"Rings, four seats": {ringsai.SeatModel, small(rings.Game{}, "side=3", 4, 40), map[string]int16{"negated": -4}},
		"Stone Towers":      {stonetowersai.Model, small(stonetowers.Game{}, "", 2, 100), map[string]int16{"zero": 0, "negated": -1}},
	}
}

// weightsOf returns the weights in use.
func weightsOf(t *testing.T, m fit.Model) []int16 {
	t.Helper()
	weights, _, err := fit.Decode(m.InUse, m.Game)
	if err != nil {
		t.Fatal(err)
	}
	return weights
}

// scaled returns the file of the weights in use times a factor.
func scaled(t *testing.T, m fit.Model, factor int16) []byte {
	t.Helper()
	weights := weightsOf(t, m)
	for i := range weights {
		weights[i] *= factor
	}
	return fit.Encode(m, weights)
}

// files returns a file with old weights in a new folder, its content, and the content of
// the file beside it, if there is one.
func files(t *testing.T) (file string, read func() (string, string)) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "learned.weights")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, func() (string, string) {
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		beside, err := os.ReadFile(file + ".new")
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(now), string(beside)
	}
}

// withWorse runs a test with each kind of worse weights of each evaluation.
func withWorse(t *testing.T, test func(t *testing.T, g gate, m fit.Model, worse []byte)) {
	t.Parallel()
	for name, c := range trials() {
		for kind, factor := range c.worse {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				m := c.model()
				test(t, c.gate, m, scaled(t, m, factor))
			})
		}
	}
}

// The gate refuses weights that are clearly worse, and keeps them beside.
func TestGateRefuses(t *testing.T) {
	withWorse(t, func(t *testing.T, g gate, m fit.Model, worse []byte) {
		file, read := files(t)
		err := g.admit(t.Context(), m, worse, file, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "too little") {
			t.Error(err)
		}
		if now, beside := read(); now != "old" || beside != string(worse) {
			t.Errorf("the file has %d bytes, the one beside %d", len(now), len(beside))
		}
	})
}

// The gate accepts weights that are clearly better, and replaces the file.
func TestGateAccepts(t *testing.T) {
	withWorse(t, func(t *testing.T, g gate, m fit.Model, worse []byte) {
		file, read := files(t)
		candidate := m.InUse
		m.InUse = worse
		var out strings.Builder
		if err := g.admit(t.Context(), m, candidate, file, &out); err != nil {
			t.Errorf("%v; %s", err, &out)
		}
		if now, beside := read(); now != string(candidate) || beside != "" {
			t.Errorf("the file has %d bytes, the one beside %d", len(now), len(beside))
		}
	})
}

// Equal weights are written without a match, whatever made them.
func TestGateEqual(t *testing.T) {
	t.Parallel()
	for name, c := range trials() {
		m := c.model()
		m.Player = func([]int16) search.Player { panic("a player of equal weights") }
		longer := m
		longer.Settings.Games++
		for said, candidate := range map[string][]byte{"byte for byte": m.InUse, "other settings": fit.Encode(longer, weightsOf(t, m))} {
			file, read := files(t)
			var out strings.Builder
			err := c.gate.admit(t.Context(), m, candidate, file, &out)
			if err != nil || !strings.Contains(out.String(), said) || !strings.Contains(out.String(), "nothing to play") {
				t.Errorf("%s: %q, %v", name, &out, err)
			}
			if now, beside := read(); now != string(candidate) || beside != "" {
				t.Errorf("%s: the file has %d bytes, the one beside %d", name, len(now), len(beside))
			}
		}
	}
}

// Files that cannot be compared replace nothing.
func TestGateErrors(t *testing.T) {
	t.Parallel()
	c := trials()["Stone Towers"]
	m := c.model()
	for said, candidate := range map[string][]byte{
		"reading weights":    []byte("no weights"),
		"3 of rings":         fit.Encode(fit.Model{Game: "rings"}, make([]int16, 3)),
		"the new ones are 3": fit.Encode(m, make([]int16, 3)),
	} {
		file, read := files(t)
		if err := c.gate.admit(t.Context(), m, candidate, file, io.Discard); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%v; %q was expected", err, said)
		}
		if now, _ := read(); now != "old" {
			t.Errorf("%s: the file has %d bytes", said, len(now))
		}
	}
}

// Without a decision the new weights are kept beside. A match that is stopped and
// continued gives the same result as one that is not stopped.
func TestGateStops(t *testing.T) {
	t.Parallel()
	c := trials()["Stone Towers"]
	c.gate.threads, c.gate.sets = 1, 4
	m := c.model()
	weights := weightsOf(t, m)
	weights[0]++
	candidate := fit.Encode(m, weights)
	player := m.Player
	// admit returns what it says, and the number of turns played until it ends or stops.
	admit := func(g gate, stopAt int64) (said string, turns int64) {
		t.Helper()
		file, read := files(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var count atomic.Int64
		m.Player = func(weights []int16) search.Player {
			return counting{player(weights), func() {
				if count.Add(1) == stopAt {
					stop()
				}
			}}
		}
		var out strings.Builder
		err := g.admit(ctx, m, candidate, file, &out)
		if err == nil {
			t.Fatal("no error")
		}
		if now, beside := read(); now != "old" || beside != string(candidate) {
			t.Errorf("the file has %d bytes, the one beside %d", len(now), len(beside))
		}
		return strings.TrimPrefix(out.String(), file) + strings.ReplaceAll(err.Error(), file, "FILE"), count.Load()
	}
	want, all := admit(c.gate, 0)
	if !strings.Contains(want, "4 sets have not decided") {
		t.Error(want)
	}
	stopped := c.gate
	stopped.state = filepath.Join(t.TempDir(), "match")
	if said, turns := admit(stopped, all/2); !strings.Contains(said, "stopped; the same command goes on") || turns > all/2+1 {
		t.Errorf("after %d turns: %s", turns, said)
	}
	if said, turns := admit(stopped, 0); said != want || turns >= all || turns < all/4 {
		t.Errorf("after %d turns, and %d without a stop: %s, not %s", turns, all, said, want)
	}
	stopped.nodes++
	if said, _ := admit(stopped, 0); !strings.Contains(said, "another match, with nodes 100 instead of 101;") {
		t.Error(said)
	}
}

// counting is a player that tells of every turn before it.
type counting struct {
	search.Player
	count func()
}

func (c counting) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	c.count()
	if err := ctx.Err(); err != nil {
		return search.Decision{}, err
	}
	return c.Player.Think(ctx, p, l)
}

// A player that fails decides nothing.
func TestGateFaults(t *testing.T) {
	t.Parallel()
	c := trials()["Stone Towers"]
	m := c.model()
	player, none := m.Player, make([]int16, len(m.Weights))
	m.Player = func(weights []int16) search.Player {
		if slices.Equal(weights, none) {
			return counting{player(weights), func() { panic("no weights") }}
		}
		return player(weights)
	}
	file, read := files(t)
	err := c.gate.admit(t.Context(), m, fit.Encode(m, none), file, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "faults") {
		t.Error(err)
	}
	if now, _ := read(); now != "old" {
		t.Errorf("the file has %d bytes", len(now))
	}
}

// A short training is stopped, goes on, and is refused; so is its file as a candidate.
// The file of the program is accepted without a match.
func TestRun(t *testing.T) {
	t.Parallel()
	folder, state := t.TempDir(), t.TempDir()
	play := func(ctx context.Context, more ...string) (string, error) {
		var out bytes.Buffer
		args := append([]string{"-game", "stone-towers", "-out", folder, "-match-nodes", "100", "-match-sets", "60", "-threads", "1"}, more...)
		err := run(ctx, args, &out, io.Discard)
		return out.String(), err
	}
	again := []string{"-games", "512", "-state", state}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := play(stopped, again...); err == nil || !strings.Contains(err.Error(), "goes on with") {
		t.Fatal(err)
	}
	saved, err := os.Open(filepath.Join(state, "stone-towers-learned.weights.state"))
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	broken := filepath.Join(t.TempDir(), "stone-towers-learned.weights.state")
	if err := os.WriteFile(broken, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := play(t.Context(), "-state", filepath.Dir(broken)); err == nil || !strings.Contains(err.Error(), broken) || !strings.Contains(err.Error(), "anew") {
		t.Errorf("with a broken state: %v", err)
	}
	m := stonetowersai.Model()
	m.Settings.Games = 512
	whole, err := fit.Resume(m, saved)
	if err != nil || whole.Games() != fit.Batch {
		t.Fatalf("%d games are saved, %v", whole.Games(), err)
	}
	whole.Learn(1)
	want, err := play(t.Context(), again...)
	if err == nil || !strings.Contains(want, string(arena.Rejected)) {
		t.Errorf("%s, %v", want, err)
	}
	file := filepath.Join(folder, "learned.weights")
	beside, err := os.ReadFile(file + ".new")
	if err != nil || !bytes.Equal(beside, fit.Encode(m, whole.Weights())) {
		t.Errorf("the weights kept are not those of the training: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("weak weights were written")
	}
	other := filepath.Join(t.TempDir(), "candidate")
	if err := os.WriteFile(other, beside, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := play(t.Context(), "-candidate", other); said != want || err == nil {
		t.Errorf("as a candidate: %s, %v; not %s", said, err, want)
	}
	if err := os.WriteFile(other, m.InUse, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := play(t.Context(), "-candidate", other); err != nil || !strings.Contains(said, "byte for byte") {
		t.Errorf("the weights in use: %s, %v", said, err)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, m.InUse) {
		t.Errorf("%d bytes, %v", len(now), err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                "rings and stone-towers",
		"-game towers":                    "rings and stone-towers",
		"-game rings -only none":          "two.table, learned.weights, learned_seats.weights",
		"-game rings -games -1":           "-games",
		"-game rings -threads 0":          "-threads",
		"-game rings word":                `"word" is not a flag`,
		"-game rings -match-sets 0":       "-match-sets",
		"-game rings -match-nodes -1":     "-match-nodes",
		"-game rings -elo0 5 -elo1 5":     "less than -elo1",
		"-game rings -candidate x":        "-only",
		"-unknown":                        "-unknown",
		"-game rings -only two.table":     "-out",
		"-game stone-towers -candidate x": "in the repository",
	} {
		if err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, which does not say %q", args, err, want)
		}
	}
}

// The table of evaluations names the files that are in the program.
func TestEvaluations(t *testing.T) {
	t.Parallel()
	for game, all := range evaluations {
		names := map[string]bool{}
		for _, e := range all {
			m := e.model()
			if file, err := os.ReadFile(filepath.Join("..", "..", e.file)); !e.apart && (err != nil || !bytes.Equal(file, m.InUse)) {
				t.Errorf("%s: %s: %v", game, e.file, err)
			}
			if m.Game != game || e.rules.Key() != game || len(weightsOf(t, m)) != len(m.Weights) {
				t.Errorf("%s: %s is of %s", game, e.file, m.Game)
			}
			if least, most := e.rules.Seats(); e.seats < least || e.seats > most || e.nodes < 1 {
				t.Errorf("%s: %d seats, %d nodes", e.file, e.seats, e.nodes)
			}
			if name := filepath.Base(e.file); names[name] {
				t.Errorf("%s has several files %s", game, name)
			} else {
				names[name] = true
			}
		}
	}
}
