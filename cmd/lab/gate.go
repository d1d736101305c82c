package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"

	"castellan/cmd/lab/internal/arena"
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/fit"
)

// gate plays new weights against those in use. With two seats the weights exchange
// seats after each opening. With more, the new ones play on every seat in turn, against
// those in use on all others.
type gate struct {
	rules   engine.Game
	options string // of the game; usually the default ones
	seats   int
	nodes   int64 // per turn of either player
	sets    int   // at most
	seed    uint64
	sprt    arena.SPRT
	threads int
	state   string // the beginning of the name of the file with the games of a stopped match, or ""
	log     io.Writer
}

// admit writes a file of new weights if they equal those in use or win the match.
// Otherwise it keeps them beside, under another name, and returns an error.
func (g gate) admit(ctx context.Context, m fit.Model, candidate []byte, file string, out io.Writer) error {
	weights, _, err := fit.Decode(candidate, m.Game)
	if err != nil {
		return err
	}
	inUse, _, err := fit.Decode(m.InUse, m.Game)
	if err != nil {
		return err
	}
	if slices.Equal(weights, inUse) {
		same := "byte for byte those in use"
		if !bytes.Equal(candidate, m.InUse) {
			same = "the weights in use, made with other settings"
		}
		fmt.Fprintf(out, "%s: %s; nothing to play\n", file, same)
		return save(file, func(w io.Writer) error { _, err := w.Write(candidate); return err })
	}
	beside := file + ".new"
	if err := save(beside, func(w io.Writer) error { _, err := w.Write(candidate); return err }); err != nil {
		return err
	}
	if want := len(m.Weights); len(weights) != want || len(inUse) != want {
		return fmt.Errorf("not written to %s, which has %d weights: the new ones are %d, and the evaluation has %d; they are in %s", file, len(inUse), len(weights), want, beside)
	}
	result, err := g.match(ctx, m, weights, inUse)
	if err != nil {
		return fmt.Errorf("%w; the new weights are in %s", err, beside)
	}
	fmt.Fprintf(out, "%s: %s\n", file, describe(result))
	switch result.Test.Verdict {
	case arena.Accepted:
		return os.Rename(beside, file)
	case arena.Rejected:
		return fmt.Errorf("not written to %s: the new weights take too little, %.1f %% of the points where %.1f %% is fair; they are in %s", file, 100*result.Sides[0].Share, 100*result.Sides[0].Fair, beside)
	}
	return fmt.Errorf("not written to %s: %d sets have not decided; the new weights are in %s", file, result.Sets, beside)
}

// describe returns the state of a match in words.
func describe(r arena.ContestResult) string {
	s, verdict := r.Sides[0], string(r.Test.Verdict)
	if r.Sets < arena.LeastSets {
		verdict = fmt.Sprintf("open until %d sets are played", arena.LeastSets)
	}
	return fmt.Sprintf("sets: %d, games: %d, %.1f %% of the points (%.1f to %.1f) where %.1f %% is fair, log-likelihood ratio %.2f of ±%.2f: %s",
		r.Sets, r.Games, 100*s.Share, 100*s.Low, 100*s.High, 100*s.Fair, r.Test.LLR, r.Test.Upper, verdict)
}

// matchMemory is the size of a player's tables in bytes. With few nodes a small table
// suffices, and is cleared faster.
const matchMemory = 4 << 20

// match plays until the SPRT decides, or all sets are played.
func (g gate) match(ctx context.Context, m fit.Model, weights, inUse []int16) (arena.ContestResult, error) {
	options, err := g.rules.Options().Parse(g.options)
	if err != nil {
		return arena.ContestResult{}, err
	}
	limits := search.Limits{Nodes: g.nodes, Memory: matchMemory}
	entrant := func(name string, weights []int16) arena.Entrant {
		return arena.Entrant{Name: name + " " + digest(weights), Player: m.Player(weights), Limits: limits}
	}
	t := &arena.Tournament{
		Game: g.rules, Options: options, Seats: g.seats, Games: g.sets * g.seats, Seed: g.seed, OpeningTurns: 2 * g.seats,
		Entrants: []arena.Entrant{entrant("new", weights)}, Threads: g.threads, SPRT: &g.sprt,
	}
	other := entrant("in use", inUse)
	for range g.seats - 1 {
		t.Entrants = append(t.Entrants, other)
	}
	if g.seats == 2 {
		t.Judge = search.Limited{Player: other.Player, Limits: search.Limits{Nodes: max(g.nodes/8, 1), Memory: matchMemory}}
	}
	report := arena.Report{
		Version: arena.ReportVersion, Program: "train", GamesWanted: t.Games,
		Terms: arena.Terms{
			Game: m.Game, Rules: g.rules.Version(), Options: options.String(), Seats: g.seats,
			Seed: g.seed, OpeningTurns: t.OpeningTurns, Balanced: t.Judge != nil, Nodes: g.nodes,
		},
	}
	for _, e := range t.Entrants {
		report.Terms.Players = append(report.Terms.Players, e.Name)
	}
	r := recording{tournament: t, report: report, progress: func(now arena.Report) { fmt.Fprintln(g.log, describe(now.Summary.Contests[0])) }}
	if g.state != "" {
		r.file = g.state + "-" + digest(weights) + ".json"
	}
	if err := r.resume(); err != nil {
		return arena.ContestResult{}, fmt.Errorf("%w; without this file the match begins anew", err)
	}
	fmt.Fprintf(g.log, "match of the new weights with those in use: at most %d games, %d already played\n", t.Games, len(r.report.Games))
	if err := r.play(ctx); ctx.Err() != nil {
		return arena.ContestResult{}, stopped(r.file)
	} else if err != nil {
		return arena.ContestResult{}, err
	}
	result := r.report.Summary.Contests[0]
	for _, p := range r.report.Summary.Players {
		if p.Faults > 0 {
			return result, fmt.Errorf("%s had %d faults, of which the first is: %s", p.Player, p.Faults, p.Fault)
		}
	}
	return result, nil
}

func digest(weights []int16) string {
	sum := sha256.New()
	for _, w := range weights {
		sum.Write([]byte{byte(w), byte(w >> 8)})
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:6])
}
