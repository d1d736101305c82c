package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/cmd/internal/cli"
	"castellan/cmd/lab/internal/arena"
	"castellan/cmd/lab/internal/protocol"
	"castellan/engine/search"
)

type arenaCommand struct {
	Game     string        `required:"" help:"Key of the game: ${games}."`
	Players  []string      `required:"" help:"The players, separated by commas: ${levels}, top, all also with a node limit such as top@5000; random, greedy, child, depth-N, mc-N; \"cmd:PROGRAM ARGUMENTS\" for a program that speaks docs/reference/engine-protocol.md." placeholder:"A,B"`
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
func (c arenaCommand) Run(ctx context.Context, s cli.Streams) error {
	t, terms, err := c.tournament()
	if err != nil {
		return cli.Usage(err)
	}
	if c.Resume && c.JSON == "" {
		return cli.Usage(errors.New("--resume needs --json with the file to continue with"))
	}
	if _, err := t.Summarize(nil); err != nil {
		return cli.Usage(err) // invalid settings
	}
	programs, err := c.startPrograms(t)
	defer func() {
		for _, p := range programs {
			p.Close()
		}
	}()
	if err != nil {
		return err
	}
	r := recording{tournament: t, file: c.JSON, report: arena.Report{Version: arena.ReportVersion, Program: builtBy(cli.ThisBuild()), Terms: terms, GamesWanted: t.Games}}
	if err := r.resume(); err != nil {
		return cli.Usage(fmt.Errorf("%w; choose another file", err))
	}
	played := len(r.report.Games)
	if played > 0 && !c.Resume {
		return cli.Usage(fmt.Errorf("%s has %s of an earlier run; --resume continues it, and a new run needs another file", c.JSON, cli.Count(played, "game", "games")))
	}
	if text := c.shortened(); text != "" {
		fmt.Fprintln(s.Errs, text)
	}
	fmt.Fprintf(s.Errs, "%s: %s, %d already played; %d at a time\n", c.Game, cli.Count(t.TotalGames(), "game", "games"), played, t.Threads)
	began := time.Now()
	r.progress = func(now arena.Report) {
		left := time.Since(began) / time.Duration(len(now.Games)-played) * time.Duration(t.TotalGames()-len(now.Games))
		atMost := ""
		if t.SPRT != nil {
			atMost = "at most "
		}
		fmt.Fprintf(s.Errs, "%d of %d games, %s%s left\n", len(now.Games), t.TotalGames(), atMost, left.Round(time.Second))
	}
	switch err := r.play(ctx); {
	case errors.Is(err, context.Canceled):
		if c.JSON != "" {
			fmt.Fprintf(s.Errs, "stopped; --resume continues with %s\n", c.JSON)
		}
		return errors.New("stopped")
	case err != nil:
		return err
	}
	_, err = io.WriteString(s.Out, r.report.Table())
	return err
}

func builtBy(b cli.Build) string {
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

// startPrograms starts the programs among the players. The caller closes those
// returned, also after an error.
func (c arenaCommand) startPrograms(t *arena.Tournament) (all []*protocol.Program, err error) {
	for i := range t.Entrants {
		e := &t.Entrants[i]
		command, ok := strings.CutPrefix(e.Name, programPrefix)
		if !ok {
			continue
		}
		if strings.TrimSpace(command) == "" {
			return all, cli.Usage(errors.New("a command follows cmd:, such as cmd:./program"))
		}
		p, err := protocol.StartProgram(command, t.Game, c.MoveTime)
		if err != nil {
			return all, err
		}
		all = append(all, p)
		e.PlayerAfter, e.TimeForfeit = p.Follow, true
		e.Limits.Nodes = c.Nodes
		e.Time = time.Minute
		if c.MoveTime > 0 {
			e.Time = c.MoveTime + time.Second
		}
	}
	return all, nil
}

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
