package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"castellan/bot/metrics"
	"castellan/engine/search"
	"castellan/engine/search/arena"
	"castellan/engine/search/protocol"
)

type arenaCommand struct {
	Game     string        `required:"" help:"Key of the game: ${games}."`
	Players  []string      `required:"" help:"Who plays, separated by commas: ${levels}, top, each also with a number of nodes such as top@5000; random, greedy, depth-N, mc-N; \"cmd:PROGRAM ARGUMENTS\" for a program that speaks docs/engine-protocol.md." placeholder:"A,B"`
	Games    int           `default:"100" help:"How many games each pair plays, made up to whole sets of the same opening (${default})."`
	Seed     uint64        `default:"1" help:"Decides the openings and wherever chance does (${default})."`
	Options  string        `help:"Options of the game." placeholder:"\"size=7 towers=1\""`
	Seats    int           `help:"Number of seats; the fewest if left out."`
	Openings int           `help:"Random turns at the start of each game; two a seat if left out." placeholder:"TURNS" default:"-1"`
	MoveTime time.Duration `name:"movetime" help:"The most time for a turn, such as 50ms, for everybody. Games are then not the same again." placeholder:"TIME"`
	Nodes    int64         `help:"The most nodes for a turn, of levels and programs." placeholder:"N"`
	Pace     string        `default:"quick" enum:"quick,own" help:"How levels play where --nodes does not say: quick, with at most a sixteenth of the nodes of the strongest, or own, by their own limits, which takes hours (${default})."`
	SPRT     string        `name:"sprt" help:"Stop a pair once it is clear whether the first is ELO1 stronger or only ELO0." placeholder:"ELO0,ELO1"`
	Threads  int           `help:"Games at a time; the number of processors if left out." placeholder:"N"`
	JSON     string        `name:"json" help:"The file that the report is kept in, after every game." placeholder:"FILE"`
	Resume   bool          `help:"Go on with the games of the file."`
}

// Run plays, and prints a table.
func (c arenaCommand) Run(ctx context.Context, s streams) error {
	t, terms, err := c.tournament()
	if err != nil {
		return &usageError{err}
	}
	programs, err := c.enter(t)
	defer programs.close()
	if err != nil {
		return err
	}
	k := &keeping{
		file: c.JSON, tournament: t, errs: s.errs, began: time.Now(),
		report: arena.Report{Version: arena.ReportVersion, Program: program(build()), Terms: terms, Wanted: t.Games},
	}
	if _, err := t.Figures(nil); err != nil {
		return &usageError{err} // it cannot be played
	}
	if err := k.open(c.Resume); err != nil {
		return &usageError{err}
	}
	k.before = len(k.report.Games)
	fmt.Fprintf(s.errs, "%s: %s, %d there already; %d at a time\n", c.Game, count(t.All(), "game", "games"), k.before, t.Threads)
	games, err := t.Run(ctx, k.report.Games, k.played)
	if kept := k.keep(games, err == nil); err == nil && kept != nil {
		return kept
	}
	if errors.Is(err, context.Canceled) {
		if c.JSON != "" {
			fmt.Fprintf(s.errs, "stopped; --resume goes on with %s\n", c.JSON)
		}
		return errors.New("it was stopped")
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, k.report.Table())
	return err
}

// program is what a report says of this program.
func program(b metrics.Build) string {
	if len(b.Revision) > 12 {
		b.Revision = b.Revision[:12]
	}
	return strings.TrimSpace("castellan " + b.Version + " " + b.Revision)
}

// tournament is what was asked for, without the players.
func (c arenaCommand) tournament() (*arena.Tournament, arena.Terms, error) {
	brain, err := brainOf(c.Game)
	if err != nil {
		return nil, arena.Terms{}, err
	}
	t := &arena.Tournament{
		Game: brain.Game, Seats: c.Seats, Games: c.Games, Seed: c.Seed, Openings: c.Openings, Threads: c.Threads,
		Taker: search.Capped{Player: brain.Levels[1].Player, Limits: brain.Levels[1].Limits},
		Clock: protocol.Clock{Now: time.Now, Timeout: context.WithTimeout},
	}
	if t.Options, err = brain.Game.Options().Parse(c.Options); err != nil {
		return nil, arena.Terms{}, err
	}
	if t.Seats == 0 {
		t.Seats, _ = brain.Game.Seats()
	}
	if _, err := brain.Game.New(t.Options, t.Seats); err != nil {
		return nil, arena.Terms{}, err
	}
	if t.Openings < 0 {
		t.Openings = 2 * t.Seats
	}
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	if c.MoveTime < 0 || c.Nodes < 0 || t.Threads < 0 {
		return nil, arena.Terms{}, errors.New("--movetime, --nodes and --threads are not negative")
	}
	if t.SPRT, err = readSPRT(c.SPRT); err != nil {
		return nil, arena.Terms{}, err
	}
	most := c.Nodes
	if most == 0 && c.Pace == "quick" {
		most = arena.Quick(brain)
	}
	for _, name := range c.Players {
		if strings.HasPrefix(name, programPrefix) {
			t.Entrants = append(t.Entrants, arena.Entrant{Name: name})
			continue
		}
		e, err := arena.Named(brain, name, most)
		if err != nil {
			return nil, arena.Terms{}, err
		}
		e.Time = c.MoveTime
		t.Entrants = append(t.Entrants, e)
	}
	return t, arena.Terms{
		Game: c.Game, Rules: brain.Game.Version(), Options: t.Options.String(), Seats: t.Seats, Players: c.Players,
		Seed: c.Seed, Openings: t.Openings, Nodes: most, Time: c.MoveTime.Milliseconds(),
	}, nil
}

// enter starts the programs among the players.
func (c arenaCommand) enter(t *arena.Tournament) (outsiders, error) {
	var all outsiders
	for i := range t.Entrants {
		e := &t.Entrants[i]
		command, ok := strings.CutPrefix(e.Name, programPrefix)
		if !ok {
			continue
		}
		p, err := newProgram(command, t.Game, c.MoveTime)
		if err != nil {
			return all, err
		}
		all = append(all, p)
		e.Follow, e.Strict = p.follow, true
		e.Limits.Nodes = c.Nodes
		e.Time = programPatience
		if c.MoveTime > 0 {
			e.Time = c.MoveTime + programGrace
		}
	}
	return all, nil
}

// readSPRT reads "0,10".
func readSPRT(text string) (*arena.SPRT, error) {
	if text == "" {
		return nil, nil
	}
	low, high, ok := strings.Cut(text, ",")
	a, errA := strconv.ParseFloat(strings.TrimSpace(low), 64)
	b, errB := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errA != nil || errB != nil || !(a < b) || math.IsInf(b-a, 0) {
		return nil, fmt.Errorf("--sprt is two differences of Elo, the smaller first, such as 0,10; not %q", text)
	}
	return &arena.SPRT{Elo0: a, Elo1: b}, nil
}

// keeping keeps the report of a tournament in its file, and says how far it is.
type keeping struct {
	file       string // empty for none
	tournament *arena.Tournament
	report     arena.Report
	errs       io.Writer
	before     int // games that were there already
	began      time.Time
	kept, said time.Time
}

// open takes up a report, or makes sure that none is lost.
func (k *keeping) open(resume bool) error {
	if k.file == "" {
		if resume {
			return errors.New("--resume goes with --json, which says what to go on with")
		}
		return nil
	}
	file, err := os.Open(k.file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return k.write() // it fails now rather than after the first game
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
		return fmt.Errorf("%s: %w; another file is needed", k.file, err)
	case !resume && !old.Complete && len(old.Games) > 0:
		return fmt.Errorf("%s has %s of a run that was not finished; --resume goes on with it", k.file, count(len(old.Games), "game", "games"))
	case resume:
		if err := k.same(old.Terms); err != nil {
			return err
		}
		if old.Program != k.report.Program {
			return fmt.Errorf("%s was begun by %s, and this is %s: together they would measure neither", k.file, old.Program, k.report.Program)
		}
		k.report.Games = old.Games
	}
	return nil
}

// same refuses a report of something else.
func (k *keeping) same(old arena.Terms) error {
	if was, is := fmt.Sprintf("%+v", old), fmt.Sprintf("%+v", k.report.Terms); was != is {
		return fmt.Errorf("%s is of something else, and cannot be resumed: %s, not %s", k.file, was, is)
	}
	return nil
}

// played keeps the games now and then, and says how far they are.
func (k *keeping) played(games []arena.Game) error {
	now := time.Now()
	if now.Sub(k.said) >= 5*time.Second {
		k.said = now
		fmt.Fprintln(k.errs, k.progress(games, now))
	}
	if now.Sub(k.kept) < time.Second {
		return nil
	}
	k.kept = now
	return k.keep(games, false)
}

// keep puts the games into the report, and that into its file.
func (k *keeping) keep(games []arena.Game, complete bool) error {
	figures, err := k.tournament.Figures(games)
	if err != nil {
		return err
	}
	k.report.Games, k.report.Summary, k.report.Complete = games, figures, complete
	return k.write()
}

// write writes the file anew, so that it is whole at every moment.
func (k *keeping) write() error {
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

// progress is how far the games are: "12 of 40 games, 3m20s left; top – greedy
// 11.5 – 0.5".
func (k *keeping) progress(games []arena.Game, now time.Time) string {
	all := k.tournament.All()
	played := len(games) - k.before
	left := time.Duration(float64(now.Sub(k.began)) / float64(played) * float64(all-len(games)))
	atMost := ""
	if k.tournament.SPRT != nil {
		atMost = "at most "
	}
	return fmt.Sprintf("%d of %d games, %s%s left", len(games), all, atMost, left.Round(time.Second))
}
