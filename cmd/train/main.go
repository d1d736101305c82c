// Command train fits the learned evaluations of a game to games that it plays
// against itself. New weights replace those in use only if a match shows that they
// are not weaker. When restarted it goes on where it stopped.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"castellan/engine"
	"castellan/engine/rings"
	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search/arena"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
	stonetowersai "castellan/engine/stonetowers/ai"
)

// evaluation is an evaluation that can be trained.
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

// evaluations holds those of each game.
var evaluations = map[string][]evaluation{
	rings.Key: {
		{model: ringsai.TwoSeatTable, file: "two.table", rules: rings.Game{}, seats: 2, nodes: 300, apart: true},
		{model: ringsai.Model, file: "engine/rings/ai/learned.weights", rules: rings.Game{}, seats: 2, nodes: 300},
		{model: ringsai.SeatModel, file: "engine/rings/ai/learned_seats.weights", rules: rings.Game{}, seats: 4, nodes: 150},
	},
	stonetowers.Key: {{model: stonetowersai.Model, file: "engine/stonetowers/ai/learned.weights", rules: stonetowers.Game{}, seats: 2, nodes: 5_000}},
}

// bounds is the default SPRT of the gate. With new weights the levels must be measured
// again, which takes hours. So 95 % of those that are 20 Elo stronger pass, 5 % of those
// that are 10 weaker, and about a quarter of equal ones.
var bounds = arena.SPRT{Elo0: -10, Elo1: 20}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "train:", strings.ReplaceAll(err.Error(), "\n", "\ntrain: "))
		os.Exit(1)
	}
}

// settings holds the flags.
type settings struct {
	games      int
	seed       uint64
	candidate  string
	out, state string
	threads    int
	match      gate
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(log)
	game := flags.String("game", "", "key of the game: "+strings.Join(slices.Sorted(maps.Keys(evaluations)), " or "))
	only := flags.String("only", "", "fit only the weights of the file with this `name`; two.table of rings must be named, and needs -out")
	flags.IntVar(&s.games, "games", 0, "games of the training, rounded up to batches of 64 or 256; 0 for as many as made the weights in use")
	flags.Uint64Var(&s.seed, "seed", 0, "seed of the training; 0 for that of the weights in use")
	flags.StringVar(&s.candidate, "candidate", "", "`file` of new weights to play with, instead of training; needs -only if the game has several evaluations")
	flags.StringVar(&s.out, "out", "", "`folder` of the files of weights; by default that of the program")
	flags.StringVar(&s.state, "state", "", "`folder` of the files with which a stopped training or match goes on; none if empty")
	flags.IntVar(&s.threads, "threads", runtime.GOMAXPROCS(0), "threads")
	flags.Int64Var(&s.match.nodes, "match-nodes", 0, "nodes per turn of the match; 0 for a number that suits the game")
	flags.IntVar(&s.match.sets, "match-sets", 1000, "greatest number of sets of the match: openings, each played in all seatings")
	flags.Uint64Var(&s.match.seed, "match-seed", 1, "seed of the match")
	flags.Float64Var(&s.match.sprt.Elo0, "elo0", bounds.Elo0, "Elo difference at which the new weights fail, but for 5 %")
	flags.Float64Var(&s.match.sprt.Elo1, "elo1", bounds.Elo1, "Elo difference at which they pass, but for 5 %")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	all := slices.DeleteFunc(slices.Clone(evaluations[*game]), func(e evaluation) bool {
		return *only != filepath.Base(e.file) && (*only != "" || e.apart)
	})
	switch sprt := s.match.sprt; {
	case len(evaluations[*game]) == 0:
		return fmt.Errorf("there is no learned evaluation of %q; there are those of %s", *game, strings.Join(slices.Sorted(maps.Keys(evaluations)), " and "))
	case len(all) == 0:
		return fmt.Errorf("-only %q is none of the files of %s: %s", *only, *game, strings.Join(fileNames(*game), ", "))
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag; -help lists them", flags.Arg(0))
	case s.games < 0 || s.threads < 1 || s.match.nodes < 0 || s.match.sets < 1:
		return errors.New("-games and -match-nodes must be 0 or more, -threads and -match-sets 1 or more")
	case !(sprt.Elo0 < sprt.Elo1) || math.IsInf(sprt.Elo1-sprt.Elo0, 0):
		return errors.New("-elo0 must be less than -elo1")
	case all[0].apart && s.out == "":
		return errors.New("all levels of the game build on this table; it can only be written to another folder, with -out")
	case s.candidate != "" && len(all) > 1:
		return errors.New("-candidate needs -only with the file that it may replace")
	}
	var failed error
	for _, e := range all {
		failed = errors.Join(failed, s.replace(ctx, e, out, log))
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// fileNames returns the names of the files of a game's evaluations.
func fileNames(game string) (names []string) {
	for _, e := range evaluations[game] {
		names = append(names, filepath.Base(e.file))
	}
	return names
}

// replace makes new weights and replaces those in use by them, unless they are weaker.
func (s settings) replace(ctx context.Context, e evaluation, out, log io.Writer) error {
	m, file := e.model(), e.file
	if s.games > 0 {
		m.Settings.Games = s.games
	}
	if s.seed > 0 {
		m.Settings.Seed = s.seed
	}
	if s.out != "" {
		file = filepath.Join(s.out, filepath.Base(file))
	} else if built, err := os.ReadFile(file); err != nil {
		return fmt.Errorf("run it in the repository, or give -out: %w", err)
	} else if string(built) != string(m.InUse) {
		return fmt.Errorf("%s is not the file in this program; build it again", file)
	}
	state := func(kind string) string {
		if s.state == "" {
			return ""
		}
		return filepath.Join(s.state, m.Game+"-"+filepath.Base(file)+kind)
	}
	var candidate []byte
	if s.candidate != "" {
		var err error
		if candidate, err = os.ReadFile(s.candidate); err != nil {
			return err
		}
		if _, _, err = fit.Decode(candidate, m.Game); err != nil {
			return fmt.Errorf("%s: %w", s.candidate, err)
		}
	}
	for _, folder := range []string{filepath.Dir(file), s.state} {
		if folder == "" {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if candidate == nil {
		fmt.Fprintf(log, "training %s of %s: %d games, seed %d\n", filepath.Base(file), m.Game, m.Settings.Rounded(), m.Settings.Seed)
		var err error
		if candidate, err = train(ctx, m, state(".state"), s.threads, log); err != nil {
			return err
		}
	}
	g := s.match
	g.rules, g.seats, g.threads, g.state, g.log = e.rules, e.seats, s.threads, state(".match"), log
	if g.nodes == 0 {
		g.nodes = e.nodes
	}
	return g.admit(ctx, m, candidate, file, out)
}

// train fits a model and returns its file of weights.
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

// open returns the training that the file holds, or a new one.
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

// save replaces a file, unless it has no name, by what a function writes.
func save(file string, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}
