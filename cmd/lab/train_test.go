package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
	"castellan/cmd/lab/internal/arena"
	"castellan/engine"
	"castellan/engine/rings"
	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
	stonetowersai "castellan/engine/stonetowers/ai"
)

// trial returns an evaluation with a small game, in which few nodes show that some
// weights are much worse than those in use.
func trial() (gate, fit.Model) {
	return smallGate(stonetowers.Game{}, "", 2, 100), stonetowersai.Model()
}

func smallGate(rules engine.Game, options string, seats int, nodes int64) gate {
	return gate{rules: rules, options: options, seats: seats, nodes: nodes, sets: 100, seed: 1, sprt: bounds, threads: 2, log: io.Discard}
}

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

// The gate refuses weights that are clearly worse, and keeps them beside. It accepts
// those that are clearly better, and replaces the file.
func TestGateDecides(t *testing.T) {
	t.Parallel()
	two, model := trial()
	for _, c := range []struct {
		name   string
		gate   gate
		model  fit.Model
		factor int16 // of the worse weights
	}{
		{"two seats", two, model, 0},
		{"four seats", smallGate(rings.Game{}, "side=3", 4, 40), ringsai.SeatModel(), -4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			worse := scaled(t, c.model, c.factor)
			file, read := files(t)
			if err := c.gate.admit(t.Context(), c.model, worse, file, io.Discard); err == nil || !strings.Contains(err.Error(), "too little") {
				t.Error(err)
			}
			if now, beside := read(); now != "old" || beside != string(worse) {
				t.Errorf("refused, the file has %d bytes, the one beside %d", len(now), len(beside))
			}
			file, read = files(t)
			candidate := c.model.InUse
			c.model.InUse = worse
			if err := c.gate.admit(t.Context(), c.model, candidate, file, io.Discard); err != nil {
				t.Error(err)
			}
			if now, beside := read(); now != string(candidate) || beside != "" {
				t.Errorf("accepted, the file has %d bytes, the one beside %d", len(now), len(beside))
			}
		})
	}
}

// Equal weights are written without a match, whatever made them.
func TestGateEqual(t *testing.T) {
	t.Parallel()
	g, m := trial()
	m.Player = func([]int16) search.Player { panic("a player of equal weights") }
	longer := m
	longer.Settings.Games++
	for said, candidate := range map[string][]byte{"byte for byte": m.InUse, "other settings": fit.Encode(longer, weightsOf(t, m))} {
		file, read := files(t)
		var out strings.Builder
		err := g.admit(t.Context(), m, candidate, file, &out)
		if err != nil || !strings.Contains(out.String(), said) || !strings.Contains(out.String(), "nothing to play") {
			t.Errorf("%q, %v", &out, err)
		}
		if now, beside := read(); now != string(candidate) || beside != "" {
			t.Errorf("the file has %d bytes, the one beside %d", len(now), len(beside))
		}
	}
}

// Files that cannot be compared, or whose player fails, replace nothing.
func TestGateErrors(t *testing.T) {
	t.Parallel()
	g, m := trial()
	player, none := m.Player, make([]int16, len(m.Weights))
	m.Player = func(weights []int16) search.Player {
		if slices.Equal(weights, none) {
			return failing{player(weights)}
		}
		return player(weights)
	}
	for said, candidate := range map[string][]byte{
		"reading weights":    []byte("no weights"),
		"3 of rings":         fit.Encode(fit.Model{Game: "rings"}, make([]int16, 3)),
		"the new ones are 3": fit.Encode(m, make([]int16, 3)),
		"faults":             fit.Encode(m, none),
	} {
		file, read := files(t)
		if err := g.admit(t.Context(), m, candidate, file, io.Discard); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%v; %q was expected", err, said)
		}
		if now, _ := read(); now != "old" {
			t.Errorf("%s: the file has %d bytes", said, len(now))
		}
	}
}

// Without a decision the new weights are kept beside. A match that is stopped says with
// which file it goes on; that it does is shown by the arena, which keeps the same file.
func TestGateUndecided(t *testing.T) {
	t.Parallel()
	g, m := trial()
	g.threads, g.sets, g.state = 1, 4, filepath.Join(t.TempDir(), "match")
	weights := weightsOf(t, m)
	weights[0]++
	candidate := fit.Encode(m, weights)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want string
	}{{cancelled, "stopped; the same command goes on with " + g.state}, {t.Context(), "4 sets have not decided"}} {
		file, read := files(t)
		if err := g.admit(c.ctx, m, candidate, file, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; %q was expected", err, c.want)
		}
		if now, beside := read(); now != "old" || beside != string(candidate) {
			t.Errorf("the file has %d bytes, the one beside %d", len(now), len(beside))
		}
	}
	g.nodes++
	file, _ := files(t)
	if err := g.admit(t.Context(), m, candidate, file, io.Discard); err == nil || !strings.Contains(err.Error(), "another match, with nodes 100 instead of 101;") {
		t.Error(err)
	}
}

// failing is a player that fails.
type failing struct{ search.Player }

func (failing) Think(context.Context, engine.Position, search.Limits) (search.Decision, error) {
	return search.Decision{}, errors.New("no weights")
}

// A short training is stopped, goes on, and is refused; so is its file as a candidate.
// The file of the program is accepted without a match.
func TestTrain(t *testing.T) {
	t.Parallel()
	folder, state := t.TempDir(), t.TempDir()
	play := func(ctx context.Context, change func(*trainCommand)) (string, error) {
		var out bytes.Buffer
		c := trainCommand{Game: "stone-towers", Out: folder, MatchNodes: 100, MatchSets: 60, MatchSeed: 1, Threads: 1, Elo0: -10, Elo1: 20}
		change(&c)
		err := c.Run(ctx, cli.Streams{Out: &out, Errs: io.Discard})
		return out.String(), err
	}
	again := func(c *trainCommand) { c.Games, c.State = 512, state }
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := play(stopped, again); err == nil || !strings.Contains(err.Error(), "goes on with") {
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
	if _, err := play(t.Context(), func(c *trainCommand) { c.State = filepath.Dir(broken) }); err == nil || !strings.Contains(err.Error(), broken) || !strings.Contains(err.Error(), "anew") {
		t.Errorf("with a broken state: %v", err)
	}
	m := stonetowersai.Model()
	m.Settings.Games = 512
	whole, err := fit.Resume(m, saved)
	if err != nil || whole.Games() != fit.Batch {
		t.Fatalf("%d games are saved, %v", whole.Games(), err)
	}
	whole.Learn(1)
	want, err := play(t.Context(), again)
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
	if said, err := play(t.Context(), func(c *trainCommand) { c.Candidate = other }); said != want || err == nil {
		t.Errorf("as a candidate: %s, %v; not %s", said, err, want)
	}
	if err := os.WriteFile(other, m.InUse, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := play(t.Context(), func(c *trainCommand) { c.Candidate = other }); err != nil || !strings.Contains(said, "byte for byte") {
		t.Errorf("the weights in use: %s, %v", said, err)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, m.InUse) {
		t.Errorf("%d bytes, %v", len(now), err)
	}
}

func TestTrainUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--game towers":                  "rings and stone-towers",
		"--game rings --only none":       "two.table, learned.weights, learned_seats.weights",
		"--game rings --games=-1":        "--games",
		"--game rings --match-sets 0":    "--match-sets",
		"--game rings --elo0 5 --elo1 5": "less than --elo1",
		"--game rings --candidate x":     "--only",
		"--game rings --only two.table":  "--out",
	} {
		lab(t, append([]string{"train"}, strings.Fields(args)...)...).Refused(t, cli.ExitUsage, want)
	}
	if got := lab(t, "train", "--game", "stone-towers", "--candidate", "x"); !strings.Contains(got.Errs, "in the repository") {
		t.Errorf("%+v", got)
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
