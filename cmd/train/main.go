// Command train fits the learned evaluations of a game to games that it plays
// against itself, and writes their files of weights. When restarted it goes on where
// it stopped.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search/fit"
	stonetowersai "castellan/engine/stonetowers/ai"
)

// evaluation is an evaluation that can be trained, and where its weights are.
type evaluation struct {
	model func() fit.Model
	file  string
}

// evaluations holds those of each game.
var evaluations = map[string][]evaluation{
	"rings": {
		{ringsai.Model, "engine/rings/ai/learned.weights"},
		{ringsai.SeatModel, "engine/rings/ai/learned_seats.weights"},
	},
	"stone-towers": {{stonetowersai.Model, "engine/stonetowers/ai/learned.weights"}},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run() error {
	game := flag.String("game", "", "key of the game")
	games := flag.Int("games", 0, "games to play; 0 for as many as made the weights in use")
	seed := flag.Uint64("seed", 0, "seed; 0 for that of the weights in use")
	only := flag.String("only", "", "fit only the weights of the file with this name")
	out := flag.String("out", "", "the folder of the files of weights; by default that of the program")
	state := flag.String("state", "", "the folder of the files with which a stopped training goes on; none if empty")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "threads")
	flag.Parse()
	all := slices.DeleteFunc(slices.Clone(evaluations[*game]), func(e evaluation) bool { return *only != "" && *only != filepath.Base(e.file) })
	if len(all) == 0 || flag.NArg() > 0 || *games < 0 || *threads < 1 {
		return fmt.Errorf("usage: train -game %s [-games N] [-seed N] [-only NAME] [-out FOLDER] [-state FOLDER] [-threads N]", strings.Join(slices.Sorted(maps.Keys(evaluations)), "|"))
	}
	for _, e := range all {
		m, file, kept := e.model(), e.file, ""
		if *games > 0 {
			m.Settings.Games = *games
		}
		if *seed > 0 {
			m.Settings.Seed = *seed
		}
		if *out != "" {
			file = filepath.Join(*out, filepath.Base(file))
		}
		if *state != "" {
			kept = filepath.Join(*state, filepath.Base(file)+".state")
		}
		if err := fitTo(file, kept, m, *threads); err != nil {
			return err
		}
	}
	return nil
}

// fitTo fits a model and writes its file of weights.
func fitTo(file, state string, m fit.Model, threads int) error {
	t, err := open(m, state)
	if err != nil {
		return err
	}
	began, before := time.Now(), t.Games()
	for next := began; !t.Done(); {
		e := t.Learn(threads)
		if now := time.Now(); now.After(next) || t.Done() {
			fmt.Fprintf(os.Stderr, "%d of %d games, error %.1f, %s\n", t.Games(), m.Settings.Games, e, now.Sub(began).Round(time.Second))
			if err := save(t, state); err != nil {
				return err
			}
			next = now.Add(10 * time.Second)
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, fit.Encode(m, t.Weights()), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d games in %s, %d before\n", file, t.Games()-before, time.Since(began).Round(time.Second), before)
	return nil
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
	return fit.Resume(m, f)
}

// save replaces the file with the state of the training.
func save(t *fit.Training, file string) error {
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(t.Save(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}
