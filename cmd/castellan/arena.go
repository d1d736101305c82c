package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/metrics"
	"castellan/cmd/castellan/internal/external"
	"castellan/engine/search"
	"castellan/engine/search/arena"
	"castellan/engine/search/protocol"
)

type arenaCommand struct {
	Game     string        `required:"" help:"Key of the game: ${games}."`
	Players  []string      `required:"" help:"The players, separated by commas: ${levels}, top, all also with a node limit such as top@5000; random, greedy, child, depth-N, mc-N; \"cmd:PROGRAM ARGUMENTS\" for a program that speaks docs/engine-protocol.md." placeholder:"A,B"`
	Games    int           `default:"100" help:"Games per pair, rounded up to complete sets with the same opening (${default})."`
	Seed     uint64        `default:"1" help:"Determines the openings and every random choice (${default})."`
	Options  string        `help:"Options of the game." placeholder:"\"size=7 towers=1\""`
	Seats    int           `help:"Number of seats; default the fewest."`
	Openings int           `help:"Random turns at the start of each game; default two per seat." placeholder:"TURNS" default:"-1"`
	Balanced bool          `help:"Choose openings that leave both players about even chances, by the computer's own search."`
	MoveTime time.Duration `name:"movetime" help:"Time limit per turn for all players, such as 50ms. Games are then not reproducible." placeholder:"TIME"`
	Nodes    int64         `help:"Node limit per turn for levels and programs." placeholder:"N"`
	Pace     string        `default:"quick" enum:"quick,own" help:"Limits of levels without --nodes: quick for at most a sixteenth of the nodes of the strongest level, or own for their own limits, which takes hours (${default})."`
	SPRT     string        `name:"sprt" help:"Stop a pair when a sequential test decides whether the first player is ELO1 stronger or ELO0." placeholder:"ELO0,ELO1"`
	Threads  int           `help:"Simultaneous games; default the number of processors." placeholder:"N"`
	JSON     string        `name:"json" help:"Write the report to this file, after every game." placeholder:"FILE"`
	Resume   bool          `help:"Continue with the games in the file."`
}

// Run plays a tournament and prints a table.
func (c arenaCommand) Run(ctx context.Context, s streams) error {
	t, terms, err := c.tournament()
	if err != nil {
		return &usageError{err}
	}
	programs, err := c.startPrograms(t)
	if err != nil {
		return err
	}
	defer programs.Close()
	k := &reportFile{
		file: c.JSON, tournament: t, errs: s.errs, began: time.Now(), reportedAt: time.Now(),
		report: arena.Report{Version: arena.ReportVersion, Program: program(build()), Terms: terms, GamesWanted: t.Games},
	}
	if _, err := t.Summarize(nil); err != nil {
		return &usageError{err} // invalid settings
	}
	if err := k.open(c.Resume); err != nil {
		return &usageError{err}
	}
	k.resumed = len(k.report.Games)
	if text := c.shortened(); text != "" {
		fmt.Fprintln(s.errs, text)
	}
	fmt.Fprintf(s.errs, "%s: %s, %d already played; %d at a time\n", c.Game, count(t.TotalGames(), "game", "games"), k.resumed, t.Threads)
	games, err := t.Run(ctx, k.report.Games, k.played)
	if kept := k.store(games, err == nil); err == nil && kept != nil {
		return kept
	}
	if errors.Is(err, context.Canceled) {
		if c.JSON != "" {
			fmt.Fprintf(s.errs, "stopped; --resume continues with %s\n", c.JSON)
		}
		return errors.New("stopped")
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, k.report.Table())
	return err
}

// program returns the program name and version of a report.
func program(b metrics.Build) string {
	if len(b.Revision) > 12 {
		b.Revision = b.Revision[:12]
	}
	return strings.TrimSpace("castellan " + b.Version + " " + b.Revision)
}

// tournament returns the tournament without its programs, and its terms.
func (c arenaCommand) tournament() (*arena.Tournament, arena.Terms, error) {
	ai, err := engineOf(c.Game)
	if err != nil {
		return nil, arena.Terms{}, err
	}
	finder, _ := ai.Level("beginner") // which takes a win in one turn
	t := &arena.Tournament{
		Game: ai.Game, Seats: c.Seats, Games: c.Games, Seed: c.Seed, OpeningTurns: c.Openings, Threads: c.Threads,
		WinFinder: search.Limited{Player: finder.Player, Limits: finder.Limits},
		Clock:     protocol.Clock{Now: time.Now, Timeout: context.WithTimeout},
	}
	if t.Options, err = ai.Game.Options().Parse(c.Options); err != nil {
		return nil, arena.Terms{}, err
	}
	if t.Seats == 0 {
		t.Seats, _ = ai.Game.Seats()
	}
	if _, err := ai.Game.New(t.Options, t.Seats); err != nil {
		return nil, arena.Terms{}, err
	}
	if t.OpeningTurns < 0 {
		t.OpeningTurns = 2 * t.Seats
	}
	if c.Balanced {
		if t.Seats != 2 {
			return nil, arena.Terms{}, errors.New("--balanced is for two seats")
		}
		judge := ai.Strongest()
		judge.Limits.Nodes = max(arena.QuickNodes(ai)/8, 1) // deeper searches hardly change the values of such positions
		t.Judge = search.Limited{Player: judge.Player, Limits: judge.Limits}
	}
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	if c.MoveTime < 0 || c.Nodes < 0 || t.Threads < 0 {
		return nil, arena.Terms{}, errors.New("--movetime, --nodes and --threads must not be negative")
	}
	if t.SPRT, err = readSPRT(c.SPRT); err != nil {
		return nil, arena.Terms{}, err
	}
	nodes := c.Nodes
	if nodes == 0 && c.Pace == "quick" {
		nodes = arena.QuickNodes(ai)
	}
	for _, name := range c.Players {
		if strings.HasPrefix(name, programPrefix) {
			t.Entrants = append(t.Entrants, arena.Entrant{Name: name})
			continue
		}
		e, err := arena.ParseEntrant(ai, name, nodes)
		if err != nil {
			return nil, arena.Terms{}, err
		}
		e.Time = c.MoveTime
		t.Entrants = append(t.Entrants, e)
	}
	return t, arena.Terms{
		Game: c.Game, Rules: ai.Game.Version(), Options: t.Options.String(), Seats: t.Seats, Players: c.Players,
		Seed: c.Seed, OpeningTurns: t.OpeningTurns, Balanced: c.Balanced, Nodes: nodes, MoveTimeMS: c.MoveTime.Milliseconds(),
	}, nil
}

// shortened says which levels do not have their own number of nodes because of the
// pace, or returns "".
func (c arenaCommand) shortened() string {
	ai, err := engineOf(c.Game)
	if err != nil || c.Nodes > 0 || c.Pace != "quick" {
		return ""
	}
	most := arena.QuickNodes(ai)
	var names, nodes []string
	for _, name := range c.Players {
		l, ok := ai.Level(name)
		if name == "top" {
			l, ok = ai.Strongest(), true
		}
		if ok && l.Limits.Nodes > most && !slices.Contains(names, name) {
			names, nodes = append(names, name), append(nodes, strconv.FormatInt(l.Limits.Nodes, 10))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("at most %d nodes a turn for %s; --pace own gives %s", most, strings.Join(names, " and "), strings.Join(nodes, " and "))
}

// programPrefix begins the name of a player that is a program.
const programPrefix = "cmd:"

// startPrograms starts the programs among the players, all or none.
func (c arenaCommand) startPrograms(t *arena.Tournament) (all external.Players, err error) {
	defer func() {
		if err != nil {
			all.Close()
		}
	}()
	for i := range t.Entrants {
		e := &t.Entrants[i]
		command, ok := strings.CutPrefix(e.Name, programPrefix)
		if !ok {
			continue
		}
		if strings.TrimSpace(command) == "" {
			return all, &usageError{errors.New("a command follows cmd:, such as cmd:./program")}
		}
		p, err := external.Start(command, t.Game, c.MoveTime)
		if err != nil {
			return all, err
		}
		all = append(all, p)
		e.PlayerAfter, e.TimeForfeit = p.Follow, true
		e.Limits.Nodes = c.Nodes
		e.Time = external.MoveTime
		if c.MoveTime > 0 {
			e.Time = c.MoveTime + external.Grace
		}
	}
	return all, nil
}

// readSPRT parses for example "0,10".
func readSPRT(text string) (*arena.SPRT, error) {
	if text == "" {
		return nil, nil
	}
	low, high, ok := strings.Cut(text, ",")
	a, errA := strconv.ParseFloat(strings.TrimSpace(low), 64)
	b, errB := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errA != nil || errB != nil || !(a < b) || math.IsInf(b-a, 0) {
		return nil, fmt.Errorf("--sprt takes two Elo differences, the smaller first, such as 0,10; not %q", text)
	}
	return &arena.SPRT{Elo0: a, Elo1: b}, nil
}

// reportFile stores the report of a tournament and prints its progress.
type reportFile struct {
	file                 string // "" for none
	tournament           *arena.Tournament
	report               arena.Report
	errs                 io.Writer
	resumed              int // games of earlier runs
	began                time.Time
	storedAt, reportedAt time.Time
}

// open resumes a report, or makes sure that none is overwritten.
func (k *reportFile) open(resume bool) error {
	if k.file == "" {
		if resume {
			return errors.New("--resume needs --json with the file to continue with")
		}
		return nil
	}
	file, err := os.Open(k.file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return k.write() // fail now rather than after the first game
	case err != nil:
		return fmt.Errorf("opening the report: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return fmt.Errorf("opening the report: %w", err)
	} else if info.Size() == 0 {
		return nil
	}
	old, err := arena.ReadReport(file)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w; choose another file", k.file, err)
	case !resume && len(old.Games) > 0:
		return fmt.Errorf("%s has %s of an earlier run; --resume continues it, and a new run needs another file", k.file, count(len(old.Games), "game", "games"))
	case resume:
		if err := k.same(old.Terms); err != nil {
			return err
		}
		if old.Program != k.report.Program {
			return fmt.Errorf("%s was begun by %s, but this is %s: together they would measure neither", k.file, old.Program, k.report.Program)
		}
		k.report.Games = old.Games
	}
	return nil
}

// same returns an error for a report with other terms.
func (k *reportFile) same(old arena.Terms) error {
	if d := k.report.Terms.Differences(old); len(d) > 0 {
		return fmt.Errorf("%s cannot be resumed: it was played with %s", k.file, strings.Join(d, ", "))
	}
	return nil
}

// played stores the games and prints the progress, each now and then.
func (k *reportFile) played(games []arena.Game) error {
	now := time.Now()
	if now.Sub(k.reportedAt) >= 5*time.Second {
		k.reportedAt = now
		fmt.Fprintln(k.errs, k.progress(games, now))
	}
	if now.Sub(k.storedAt) < time.Second {
		return nil
	}
	k.storedAt = now
	return k.store(games, false)
}

// store updates the report and writes its file.
func (k *reportFile) store(games []arena.Game, complete bool) error {
	figures, err := k.tournament.Summarize(games)
	if err != nil {
		return err
	}
	k.report.Games, k.report.Summary, k.report.Complete = games, figures, complete
	return k.write()
}

// write replaces the file atomically.
func (k *reportFile) write() error {
	if k.file == "" {
		return nil
	}
	partial := k.file + ".part"
	file, err := os.Create(partial)
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := errors.Join(k.report.Write(file), file.Close()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.Rename(partial, k.file); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// progress returns for example "12 of 40 games, 3m20s left".
func (k *reportFile) progress(games []arena.Game, now time.Time) string {
	all := k.tournament.TotalGames()
	played := len(games) - k.resumed
	left := time.Duration(float64(now.Sub(k.began)) / float64(played) * float64(all-len(games)))
	atMost := ""
	if k.tournament.SPRT != nil {
		atMost = "at most "
	}
	return fmt.Sprintf("%d of %d games, %s%s left", len(games), all, atMost, left.Round(time.Second))
}
