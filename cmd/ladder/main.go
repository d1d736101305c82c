// Command ladder measures how strong the computer players of a game are by
// running castellan arena, and writes the tables of docs/strength.md from its
// reports. It takes hours. When restarted it skips what the reports already
// have.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search"
	"castellan/engine/search/arena"
	stonetowersai "castellan/engine/stonetowers/ai"
	towersai "castellan/engine/towers/ai"
	trailsai "castellan/engine/trails/ai"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "ladder:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	flag.CommandLine.Init("ladder", flag.ExitOnError)
	game := flag.String("game", "", "key of the game")
	program := flag.String("castellan", "", "the program to play with; only the table is written where it is empty")
	folder := flag.String("reports", "strength", "folder of the reports")
	doc := flag.String("doc", "docs/strength.md", "the file with the table")
	only := flag.String("only", "", "play only pairs whose name matches, such as mc-10000$")
	most := flag.Int("games", 0, "play at most so many of each pair for now; 0 for all")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if flag.NArg() > 0 || *game == "" {
		return errors.New("usage: ladder -game KEY [-castellan PROGRAM] [-reports FOLDER] [-doc FILE] [-only REGEXP] [-games N]; -help explains the flags")
	}
	if *most < 0 {
		return fmt.Errorf("-games %d: it is a number of games, or 0 for all", *most)
	}
	ai, ok := engines()[*game]
	if !ok {
		return fmt.Errorf("there is no game %q; there is %s", *game, strings.Join(slices.Sorted(maps.Keys(engines())), ", "))
	}
	pairs := ladder(*game, ai.Keys())
	reports := filepath.Join(*folder, *game)
	if !slices.ContainsFunc(pairs, func(p pair) bool { return chosen.MatchString(p.name()) }) {
		return fmt.Errorf("-only %s matches none of the %d pairs, from %s to %s", *only, len(pairs), pairs[0].name(), pairs[len(pairs)-1].name())
	}
	if *program != "" {
		if err := os.MkdirAll(reports, 0o755); err != nil {
			return err
		}
		version, err := exec.CommandContext(ctx, *program, "version").Output()
		if err != nil {
			return fmt.Errorf("%s version: %w", *program, err)
		}
		line, _, _ := strings.Cut(string(version), "\n")
		fmt.Fprintf(os.Stderr, "playing with %s: %s\n", *program, line)
		for i, p := range pairs {
			if !chosen.MatchString(p.name()) {
				continue
			}
			if *most > 0 {
				p.games = min(p.games, *most)
			}
			fmt.Fprintf(os.Stderr, "pair %d of %d: %s\n", i+1, len(pairs), p.name())
			if err := p.play(ctx, *program, *game, reports); err != nil {
				return fmt.Errorf("%s: %w", p.name(), err)
			}
		}
	}
	return rewrite(*doc, *game, func(before string) string {
		text, fewer := table(*game, pairs, reports, before, func(player string) bool {
			_, err := arena.ParseEntrant(ai, player, 0)
			return err == nil
		})
		for _, name := range fewer {
			fmt.Fprintf(os.Stderr, "%s: %s has fewer games now than before\n", *doc, name)
		}
		return text
	})
}

// engines returns the engines by game.
func engines() map[string]search.Engine {
	all := map[string]search.Engine{}
	for _, b := range []search.Engine{stonetowersai.Engine(), towersai.Engine(), ringsai.Engine(), trailsai.Engine()} {
		all[b.Game.Key()] = b
	}
	return all
}

// play plays a pair unless its report is complete.
func (p pair) play(ctx context.Context, program, game, folder string) error {
	file := filepath.Join(folder, p.name()+".json")
	if r, err := read(file); err == nil && r.Complete && r.GamesWanted >= p.games {
		return nil
	}
	args := append(p.args(game), "--json", file)
	if _, err := os.Stat(file); err == nil {
		args = append(args, "--resume")
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // so that it saves its report
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// read reads a report.
func read(file string) (arena.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return arena.Report{}, err
	}
	defer f.Close()
	return arena.ReadReport(f)
}

// rewrite replaces the text between the marks of a game in a file by what table
// returns for it.
func rewrite(file, game string, table func(before string) string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := fmt.Sprintf("<!-- ladder %s -->\n", game), fmt.Sprintf("<!-- end %s -->\n", game)
	head, rest, found := strings.Cut(string(old), begin)
	before, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no place for %s, between %q and %q", file, game, begin, end)
	}
	written := []byte(head + begin + "\n" + table(before) + "\n" + end + after)
	if slices.Equal(written, old) {
		return nil
	}
	fmt.Fprintf(os.Stderr, "%s has a new table of %s\n", file, game)
	return os.WriteFile(file, written, 0o644)
}
