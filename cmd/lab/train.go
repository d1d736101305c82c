package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"castellan/cmd/internal/cli"
	"castellan/cmd/lab/internal/arena"
	"castellan/engine"
	"castellan/engine/rings"
	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
	stonetowersai "castellan/engine/stonetowers/ai"
)

type evaluation struct {
	model func() fit.Model
	file  string // the weights in use, unless apart is set
	rules engine.Game
	seats int   // in the match of the gate
	nodes int64 // per turn of that match
	// apart is set for weights that the others build on: they are trained only if -only
	// names them, and written only to -out.
	apart bool
}

// name returns the name of its file, by which --only chooses it.
func (e evaluation) name() string { return filepath.Base(e.file) }

// evaluations holds those of each game.
var evaluations = map[string][]evaluation{
	rings.Key: {
		{model: ringsai.TwoSeatTable, file: "two.table", rules: rings.Game{}, seats: 2, nodes: 300, apart: true},
		{model: ringsai.Model, file: "engine/rings/ai/learned.weights", rules: rings.Game{}, seats: 2, nodes: 300},
		{model: ringsai.SeatModel, file: "engine/rings/ai/learned_seats.weights", rules: rings.Game{}, seats: 4, nodes: 150},
	},
	stonetowers.Key: {{model: stonetowersai.Model, file: "engine/stonetowers/ai/learned.weights", rules: stonetowers.Game{}, seats: 2, nodes: 5_000}},
}

func learnedGames() []string { return slices.Sorted(maps.Keys(evaluations)) }

// bounds is the default SPRT of the gate. With new weights the levels must be measured
// again, which takes hours. So 95 % of those that are 20 Elo stronger pass, 5 % of those
// that are 10 weaker, and about a quarter of equal ones.
var bounds = arena.SPRT{Elo0: -10, Elo1: 20}

type trainCommand struct {
	Game       string  `required:"" help:"Key of the game: ${learned}."`
	Only       string  `help:"Fit only the weights of the file with this name; two.table of rings must be named, and needs --out." placeholder:"NAME"`
	Games      int     `help:"Games of the training, rounded up to batches of 64 or 256; by default as many as made the weights in use." placeholder:"N"`
	Seed       uint64  `help:"Seed of the training; by default that of the weights in use." placeholder:"N"`
	Candidate  string  `help:"File of new weights to play with, instead of training; needs --only if the game has several evaluations." placeholder:"FILE"`
	Out        string  `help:"Folder of the files of weights; by default that of the program." placeholder:"FOLDER"`
	State      string  `help:"Folder of the files with which a stopped training or match goes on; none if left out." placeholder:"FOLDER"`
	Threads    int     `help:"Threads; by default the number of processors." placeholder:"N"`
	MatchNodes int64   `help:"Nodes per turn of the match; by default a number that suits the game." placeholder:"N"`
	MatchSets  int     `default:"1000" help:"Greatest number of sets of the match: openings, each played in all seatings (${default})." placeholder:"N"`
	MatchSeed  uint64  `default:"1" help:"Seed of the match (${default})." placeholder:"N"`
	Elo0       float64 `name:"elo0" default:"-10" help:"Elo difference at which the new weights fail, but for 5 % (${default})." placeholder:"ELO"`
	Elo1       float64 `name:"elo1" default:"20" help:"Elo difference at which they pass, but for 5 % (${default})." placeholder:"ELO"`
}

// Run makes new weights for each evaluation chosen.
func (c trainCommand) Run(ctx context.Context, s cli.Streams) error {
	chosen, err := c.evaluations()
	if err != nil {
		return cli.Usage(err)
	}
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	var failed error
	for _, e := range chosen {
		failed = errors.Join(failed, c.replace(ctx, e, s))
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// evaluations returns the evaluations to train, or an error for invalid flags.
func (c trainCommand) evaluations() ([]evaluation, error) {
	var names []string
	for _, e := range evaluations[c.Game] {
		names = append(names, e.name())
	}
	all := slices.DeleteFunc(slices.Clone(evaluations[c.Game]), func(e evaluation) bool {
		return c.Only != e.name() && (c.Only != "" || e.apart)
	})
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("there is no learned evaluation of %q; there are those of %s", c.Game, strings.Join(learnedGames(), " and "))
	case len(all) == 0:
		return nil, fmt.Errorf("--only %q is none of the files of %s: %s", c.Only, c.Game, strings.Join(names, ", "))
	case c.Games < 0 || c.Threads < 0 || c.MatchNodes < 0 || c.MatchSets < 1:
		return nil, errors.New("--games, --threads and --match-nodes must not be negative, and --match-sets must be 1 or more")
	case !(c.Elo0 < c.Elo1) || math.IsInf(c.Elo1-c.Elo0, 0):
		return nil, errors.New("--elo0 must be less than --elo1")
	case all[0].apart && c.Out == "":
		return nil, errors.New("all levels of the game build on this table; it can only be written to another folder, with --out")
	case c.Candidate != "" && len(all) > 1:
		return nil, errors.New("--candidate needs --only with the file that it may replace")
	}
	return all, nil
}

// replace makes new weights and replaces those in use by them, unless they are weaker.
func (c trainCommand) replace(ctx context.Context, e evaluation, s cli.Streams) error {
	m, file := e.model(), e.file
	if c.Games > 0 {
		m.Settings.Games = c.Games
	}
	if c.Seed > 0 {
		m.Settings.Seed = c.Seed
	}
	if c.Out != "" {
		file = filepath.Join(c.Out, e.name())
	} else if built, err := os.ReadFile(file); err != nil {
		return fmt.Errorf("run it in the repository, or give --out: %w", err)
	} else if string(built) != string(m.InUse) {
		return fmt.Errorf("%s is not the file in this program; build it again", file)
	}
	state := func(kind string) string {
		if c.State == "" {
			return ""
		}
		return filepath.Join(c.State, m.Game+"-"+e.name()+kind)
	}
	for _, folder := range []string{c.Out, c.State} {
		if folder == "" {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	candidate, err := c.candidate(ctx, m, e.name(), state(".state"), s.Errs)
	if err != nil {
		return err
	}
	g := gate{
		rules: e.rules, seats: e.seats, nodes: cmp.Or(c.MatchNodes, e.nodes), sets: c.MatchSets, seed: c.MatchSeed,
		sprt: arena.SPRT{Elo0: c.Elo0, Elo1: c.Elo1}, threads: c.Threads, state: state(".match"), log: s.Errs,
	}
	return g.admit(ctx, m, candidate, file, s.Out)
}

// candidate returns the file of new weights: the one given, or that of a training.
func (c trainCommand) candidate(ctx context.Context, m fit.Model, name, state string, log io.Writer) ([]byte, error) {
	if c.Candidate == "" {
		fmt.Fprintf(log, "training %s of %s: %d games, seed %d\n", name, m.Game, m.Settings.Rounded(), m.Settings.Seed)
		return train(ctx, m, state, c.Threads, log)
	}
	candidate, err := os.ReadFile(c.Candidate)
	if err != nil {
		return nil, err
	}
	if _, _, err := fit.Decode(candidate, m.Game); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Candidate, err)
	}
	return candidate, nil
}

func train(ctx context.Context, m fit.Model, state string, threads int, log io.Writer) ([]byte, error) {
	t, err := open(m, state)
	if err != nil {
		return nil, err
	}
	began, before := time.Now(), t.Games()
	for next := began; !t.Done(); {
		e := t.Learn(threads)
		if now := time.Now(); now.After(next) || t.Done() || ctx.Err() != nil {
			fmt.Fprintf(log, "%d of %d games, leads predicted to within %.2f (root mean square), %s\n", t.Games(), m.Settings.Rounded(), e, now.Sub(began).Round(time.Second))
			if err := save(state, t.Save); err != nil {
				return nil, err
			}
			next = now.Add(10 * time.Second)
		}
		if ctx.Err() != nil {
			return nil, stopped(state)
		}
	}
	fmt.Fprintf(log, "trained with %d games in %s, %d before\n", t.Games()-before, time.Since(began).Round(time.Second), before)
	return fit.Encode(m, t.Weights()), nil
}

// stopped returns the error of an interruption, given the file with which to go on.
func stopped(file string) error {
	if file == "" {
		return errors.New("stopped, and nothing is kept; with -state it could go on")
	}
	return fmt.Errorf("stopped; the same command goes on with %s", file)
}

func open(m fit.Model, file string) (*fit.Training, error) {
	if file == "" {
		return fit.New(m), nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fit.New(m), nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := fit.Resume(m, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; without this file a training begins anew", file, err)
	}
	return t, nil
}
