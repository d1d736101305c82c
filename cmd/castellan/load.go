package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"castellan/bot"
	"castellan/bot/load"
)

type loadCommand struct {
	Rate         float64 `default:"200" help:"Interactions a second (${default})."`
	Seconds      int     `default:"60" help:"For how long (${default})."`
	Interactions int     `help:"How many interactions, in place of --seconds."`
	Tables       int     `default:"100" help:"How many pairs play at a time, each in a channel of its own (${default})."`
	Game         string  `default:"trails" help:"What they play, a game for two (${default})." placeholder:"GAME"`
	Alone        int     `help:"At how many of the tables somebody plays the computer instead, at --level."`
	Level        string  `default:"master" help:"The level of the computer (${default})." placeholder:"LEVEL"`
	Seed         uint64  `default:"1" help:"Decides who does what (${default})."`
	Compare      bool    `default:"true" negatable:"" help:"Do the same with a bot that only acknowledges, to compare."`
	JSON         bool    `name:"json" help:"Print one JSON object instead of a table."`
}

// Bounds of what can be asked for.
const (
	mostLoadRate         = 5000
	mostLoadInteractions = 10_000_000
	// memoryEvery is after how many interactions the memory is read.
	memoryEvery = 10_000
)

// Run has a crowd play against castellan run, and then do the same with a bot
// that only acknowledges, both as processes of their own. It fails where
// anybody was not answered.
func (c loadCommand) Run(ctx context.Context, s streams) error {
	o, err := c.options()
	if err != nil {
		return &usageError{err}
	}
	folder, err := os.MkdirTemp("", "castellan-load-")
	if err != nil {
		return fmt.Errorf("making a folder for the database: %w", err)
	}
	defer os.RemoveAll(folder)

	r := loadReport{Rate: o.Rate, Tables: c.Tables, Game: o.Game, Seed: o.Seed}
	fmt.Fprintf(s.errs, "castellan run: %d interactions, %g a second, %d tables\n", o.Interactions, o.Rate, c.Tables)
	ours, err := newGround(c.Tables, groundKeeps, s.errs)
	if err != nil {
		return err
	}
	defer ours.close()
	if err := ours.castellan(ctx, folder); err != nil {
		return err
	}
	o.Every, o.Mark = memoryEvery, func(ctx context.Context, begun int) error {
		m, err := ours.memory(ctx, begun)
		if err != nil {
			return err
		}
		r.Memory = append(r.Memory, m)
		fmt.Fprintf(s.errs, "%9d interactions: %s resident, %s live heap\n", m.Interactions, mebi(m.Resident), mebi(m.Heap))
		return nil
	}
	figures, steps, err := ours.crowd.Play(ctx, o)
	if err != nil {
		return fmt.Errorf("playing: %w", err)
	}
	r.Castellan = waitsOf(figures)
	if n := len(r.Memory); n == 0 || r.Memory[n-1].Interactions != figures.Interactions {
		if err := o.Mark(ctx, figures.Interactions); err != nil {
			return err
		}
	}
	if r.Outcomes, err = ours.outcomes(ctx); err != nil {
		return err
	}
	if r.Thoughts, err = ours.thoughts(ctx); err != nil {
		return err
	}
	if err := ours.close(); err != nil {
		return err
	}

	if c.Compare {
		o.Every, o.Mark = 0, nil
		w, err := c.acknowledging(ctx, s, ours, o, steps)
		if err != nil {
			return err
		}
		r.Acknowledging = &w
	}

	write := r.table
	if c.JSON {
		write = r.json
	}
	if err := write(s.out); err != nil {
		return err
	}
	if failed := r.Outcomes[string(bot.Failed)]; failed > 0 {
		return fmt.Errorf("the bot failed at %s; its log says more", count(failed, "interaction", "interactions"))
	}
	if lost := r.Castellan.Lost; lost > 0 {
		return fmt.Errorf("%s of %d had no answer", count(lost, "interaction", "interactions"), r.Castellan.Interactions)
	}
	return nil
}

// acknowledging has the same done with a bot that only acknowledges.
func (c loadCommand) acknowledging(ctx context.Context, s streams, ours *ground, o load.Options, steps []load.Step) (w loadWaits, err error) {
	fmt.Fprintln(s.errs, "a bot that only acknowledges: the same")
	// Its answers push the button up that is pressed: it may not go.
	echo, err := newGround(c.Tables, 2*len(steps)+1, s.errs)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, echo.close()) }()
	if err := echo.acknowledger(ctx, ours); err != nil {
		return w, err
	}
	figures, err := echo.crowd.Repeat(ctx, o, steps, groundButton)
	if err != nil {
		return w, fmt.Errorf("repeating: %w", err)
	}
	return waitsOf(figures), nil
}

// options is what was asked for, if it can be.
func (c loadCommand) options() (load.Options, error) {
	o := load.Options{Game: c.Game, Rate: c.Rate, Interactions: c.Interactions, Seed: c.Seed, Alone: c.Alone, Level: c.Level}
	if !(c.Rate >= 1 && c.Rate <= mostLoadRate) {
		return o, fmt.Errorf("--rate is 1 to %d interactions a second, not %g", mostLoadRate, c.Rate)
	}
	if o.Interactions == 0 {
		o.Interactions = int(min(math.Ceil(c.Rate*float64(c.Seconds)), mostLoadInteractions+1))
	}
	if o.Interactions < 1 || o.Interactions > mostLoadInteractions {
		return o, fmt.Errorf("there can be 1 to %d interactions, not %d", mostLoadInteractions, o.Interactions)
	}
	if c.Tables < 1 || c.Tables > load.MaxTables {
		return o, fmt.Errorf("--tables is 1 to %d, not %d", load.MaxTables, c.Tables)
	}
	if c.Alone < 0 || c.Alone > c.Tables {
		return o, fmt.Errorf("--alone is 0 to %d tables, not %d", c.Tables, c.Alone)
	}
	if levels := brains()[c.Game].Keys(); len(levels) > 0 && !slices.Contains(levels, c.Level) {
		return o, fmt.Errorf("--level is one of %s, not %q", strings.Join(levels, ", "), c.Level)
	}
	for _, g := range games {
		if _, most := g.rules.Seats(); g.rules.Key() == c.Game && most == 2 {
			return o, nil
		}
	}
	return o, fmt.Errorf("--game is a game for two, and %q is none", c.Game)
}

// acknowledgeCommand is the bot that castellan load compares with. Its token
// comes from the environment.
type acknowledgeCommand struct {
	API string `arg:"" help:"Base address of the chat."`
}

// Run acknowledges until the context is done.
func (c acknowledgeCommand) Run(ctx context.Context, s streams) error {
	api, err := url.Parse(c.API)
	if err != nil {
		return &usageError{fmt.Errorf("the address of the chat: %w", err)}
	}
	token, err := readToken(os.Getenv(tokenVariable), "")
	if err != nil {
		return &usageError{err}
	}
	return load.Acknowledge(ctx, token, api, slog.New(slog.NewJSONHandler(s.errs, nil)))
}

// loadReport is the result; its JSON form is for programs, and only ever gets
// further fields.
type loadReport struct {
	Rate          float64    `json:"rate"`
	Tables        int        `json:"tables"`
	Game          string     `json:"game"`
	Seed          uint64     `json:"seed"`
	Castellan     loadWaits  `json:"castellan"`
	Acknowledging *loadWaits `json:"acknowledging,omitempty"` // nil where nothing was compared
	// Outcomes is what became of castellan's interactions, by its own account.
	Outcomes map[string]int `json:"outcomes"`
	// Thoughts is what the computer has thought.
	Thoughts loadThoughts `json:"thoughts"`
	Memory   []loadMemory `json:"memory"` // of castellan, in order
}

// loadWaits is what was measured of one bot; times are in milliseconds.
type loadWaits struct {
	Interactions int                 `json:"interactions"`
	Lost         int                 `json:"lost"`
	Seconds      float64             `json:"seconds"`
	Matches      int                 `json:"matches"`
	Posts        int                 `json:"posts"`
	All          loadWait            `json:"all"`
	By           map[string]loadWait `json:"by"`
}

type loadWait struct {
	Answered int     `json:"answered"`
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
}

// loadThoughts is how many turns the computer has found, and how long it has
// thought about them in all.
type loadThoughts struct {
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
}

// loadMemory is memory after so many interactions, in bytes.
type loadMemory struct {
	Interactions int   `json:"interactions"`
	Resident     int64 `json:"resident"`
	Heap         int64 `json:"live_heap"` // what the last collection found in use
}

func waitsOf(f load.Figures) loadWaits {
	one := func(w load.Waits) loadWait {
		ms := func(d time.Duration) float64 { return math.Round(float64(d)/1e4) / 100 }
		return loadWait{w.Answered, ms(w.P50), ms(w.P99), ms(w.Max)}
	}
	out := loadWaits{
		Interactions: f.Interactions, Lost: f.Lost, Seconds: math.Round(f.Took.Seconds()*10) / 10,
		Matches: f.Matches, Posts: f.Posts, All: one(f.All), By: map[string]loadWait{},
	}
	for k, w := range f.By {
		out.By[string(k)] = one(w)
	}
	return out
}

func (r loadReport) json(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// table writes the report for people.
func (r loadReport) table(out io.Writer) error {
	b := &lineWriter{to: out}
	b.printf("time to the first answer, ms     answered  lost     p50      p99      max\n")
	for _, one := range []struct {
		name string
		w    *loadWaits
	}{{"castellan run", &r.Castellan}, {"only acknowledging", r.Acknowledging}} {
		if one.w == nil {
			continue
		}
		b.printf("%-32s %8d %5d %7.1f  %7.1f  %7.1f\n", one.name, one.w.All.Answered, one.w.Lost, one.w.All.P50, one.w.All.P99, one.w.All.Max)
		for _, k := range load.Kinds() {
			w := one.w.By[string(k)]
			b.printf("  %-30s %8d       %7.1f  %7.1f  %7.1f\n", k, w.Answered, w.P50, w.P99, w.Max)
		}
	}
	b.printf("%d interactions in %.1f s, %.0f a second; %d challenges and boards, %d matches to their end\n",
		r.Castellan.Interactions, r.Castellan.Seconds, float64(r.Castellan.Interactions)/max(r.Castellan.Seconds, 0.1), r.Castellan.Posts, r.Castellan.Matches)
	var became []string
	for _, o := range bot.Outcomes() {
		if n := r.Outcomes[string(o)]; n > 0 {
			became = append(became, fmt.Sprintf("%d %s", n, o))
		}
	}
	b.printf("by its own account: %s\n", strings.Join(became, ", "))
	if n := r.Thoughts; n.Turns > 0 {
		b.printf("the computer thought about %d turns, for %.1f s in all\n", n.Turns, n.Seconds)
	}
	for i, m := range r.Memory {
		if i > 0 && i < len(r.Memory)-1 {
			continue // the first and the last tell it
		}
		b.printf("after %7d interactions: %s resident, %s live heap%s\n", m.Interactions, mebi(m.Resident), mebi(m.Heap), r.growth(i))
	}
	return b.err
}

// growth is how much more memory is in use than at first.
func (r loadReport) growth(i int) string {
	first, m := r.Memory[0], r.Memory[i]
	if i == 0 || first.Resident == 0 || first.Heap == 0 {
		return ""
	}
	percent := func(now, then int64) float64 { return 100 * (float64(now)/float64(then) - 1) }
	return fmt.Sprintf(" (%+.1f %%, %+.1f %%)", percent(m.Resident, first.Resident), percent(m.Heap, first.Heap))
}

func mebi(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// lineWriter remembers the first error.
type lineWriter struct {
	to  io.Writer
	err error
}

func (w *lineWriter) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.to, format, args...)
	}
}
