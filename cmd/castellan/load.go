package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"castellan/bot/interaction"
	"castellan/bot/load"
	"castellan/cmd/castellan/internal/testbed"
)

type loadCommand struct {
	Rate         float64 `default:"200" help:"Interactions a second (${default})."`
	Seconds      int     `default:"60" help:"Duration in seconds (${default})."`
	Interactions int     `help:"Number of interactions, instead of --seconds."`
	Tables       int     `default:"100" help:"Number of pairs that play at a time, each in its own channel (${default})."`
	Game         string  `default:"trails" help:"A two-player game (${default})." placeholder:"GAME"`
	Alone        int     `help:"Number of tables at which one person plays the computer, at --level."`
	Level        string  `default:"master" help:"The level of the computer (${default})." placeholder:"LEVEL"`
	Blocked      int     `help:"Number of tables in whose channels the bot may no longer post after a quarter of the interactions."`
	Seed         uint64  `default:"1" help:"Seed of the random choices (${default})."`
	HTTP         bool    `name:"http" help:"Repeat with interactions by HTTP instead of over the gateway, for comparison."`
	Compare      bool    `default:"true" negatable:"" help:"Repeat with a bot that only acknowledges, for comparison."`
	JSON         bool    `name:"json" help:"Print one JSON object instead of a table."`
}

// Bounds of the flags.
const (
	maxLoadRate         = 5000
	maxLoadInteractions = 10_000_000
	// memoryEvery is the number of interactions between memory readings.
	memoryEvery = 10_000
	// crowdGCPercent makes the garbage collector of the sandbox's process run
	// seldom: it took a quarter of that process's time.
	crowdGCPercent = 800
)

// Run has a crowd play against castellan run, and then repeats the interactions
// with a bot that only acknowledges. Both bots are processes of their own. It
// fails if an interaction was not answered.
func (c loadCommand) Run(ctx context.Context, s streams) error {
	o, err := c.options()
	if err != nil {
		return &usageError{err}
	}
	// The crowd and the sandbox leave the processors to the bot as far as they can.
	debug.SetGCPercent(crowdGCPercent)
	folder, err := os.MkdirTemp("", "castellan-load-")
	if err != nil {
		return fmt.Errorf("create a folder for the database: %w", err)
	}
	defer os.RemoveAll(folder)

	r := loadReport{Rate: o.Rate, Tables: c.Tables, Game: o.Game, Seed: o.Seed}
	fmt.Fprintf(s.errs, "castellan run: %d interactions, %g a second, %d tables\n", o.Interactions, o.Rate, c.Tables)
	ours, err := testbed.New(c.Tables, testbed.KeptMessages, s.errs)
	if err != nil {
		return err
	}
	defer ours.Close()
	if err := ours.StartCastellan(ctx, folder, false); err != nil {
		return err
	}
	o.Every, o.Mark = memoryEvery, func(ctx context.Context, begun int) error {
		resident, heap, err := ours.Memory(ctx)
		if err != nil {
			return err
		}
		m := loadMemory{begun, resident, heap}
		r.Memory = append(r.Memory, m)
		fmt.Fprintf(s.errs, "%9d interactions: %s resident, %s live heap\n", m.Interactions, mebi(m.Resident), mebi(m.Heap))
		return nil
	}
	figures, steps, err := ours.Crowd.Play(ctx, o)
	if err != nil {
		return fmt.Errorf("play: %w", err)
	}
	r.Castellan = waitsOf(figures)
	if n := len(r.Memory); n == 0 || r.Memory[n-1].Interactions != figures.Interactions {
		if err := o.Mark(ctx, figures.Interactions); err != nil {
			return err
		}
	}
	if r.Outcomes, err = ours.Outcomes(ctx); err != nil {
		return err
	}
	if r.Thoughts.Turns, r.Thoughts.Seconds, err = ours.Thoughts(ctx); err != nil {
		return err
	}
	r.Thoughts.Replies, r.Thoughts.ReplyP50, r.Thoughts.ReplyP95 = figures.Replies.Answered, figures.Replies.P50.Seconds(), figures.Replies.P95.Seconds()
	if err := ours.Close(); err != nil {
		return err
	}

	if c.HTTP {
		w, err := c.overHTTP(ctx, s, folder, o)
		if err != nil {
			return err
		}
		r.HTTP = &w
	}
	if c.Compare {
		o.Every, o.Mark, o.Blocked = 0, nil, 0
		w, err := c.acknowledging(ctx, s, ours, o, steps)
		if err != nil {
			return err
		}
		r.Acknowledging = &w
	}

	if err := printReport(s.out, c.JSON, r); err != nil {
		return err
	}
	if failed := r.Outcomes[string(interaction.Failed)]; failed > 0 {
		return fmt.Errorf("the bot failed at %s; its log says more", count(failed, "interaction", "interactions"))
	}
	for _, w := range []*loadWaits{&r.Castellan, r.HTTP} {
		if w != nil && w.Lost > 0 {
			return fmt.Errorf("%s of %d had no answer", count(w.Lost, "interaction", "interactions"), w.Interactions)
		}
	}
	return nil
}

// overHTTP has the crowd play against castellan run without a gateway.
func (c loadCommand) overHTTP(ctx context.Context, s streams, folder string, o load.Options) (w loadWaits, err error) {
	fmt.Fprintln(s.errs, "repeating with interactions by HTTP")
	bed, err := testbed.New(c.Tables, testbed.KeptMessages, s.errs)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, bed.Close()) }()
	if err := bed.StartCastellan(ctx, folder, true); err != nil {
		return w, err
	}
	o.Every, o.Mark = 0, nil
	figures, _, err := bed.Crowd.Play(ctx, o)
	if err != nil {
		return w, fmt.Errorf("play by HTTP: %w", err)
	}
	outcomes, err := bed.Outcomes(ctx)
	if failed := outcomes[string(interaction.Failed)]; failed > 0 {
		err = fmt.Errorf("the bot failed at %s; its log says more", count(failed, "interaction", "interactions"))
	}
	return waitsOf(figures), err
}

// acknowledging repeats the interactions with a bot that only acknowledges.
func (c loadCommand) acknowledging(ctx context.Context, s streams, ours *testbed.Testbed, o load.Options, steps []load.Step) (w loadWaits, err error) {
	fmt.Fprintln(s.errs, "repeating with a bot that only acknowledges")
	// The responses must not push the message with the button out.
	echo, err := testbed.New(c.Tables, 2*len(steps)+1, s.errs)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, echo.Close()) }()
	if err := echo.StartAcknowledger(ctx, ours); err != nil {
		return w, err
	}
	figures, err := echo.Crowd.Repeat(ctx, o, steps, testbed.PressButton)
	if err != nil {
		return w, fmt.Errorf("repeat: %w", err)
	}
	return waitsOf(figures), nil
}

// options returns the crowd's options, or an error for invalid flags.
func (c loadCommand) options() (load.Options, error) {
	o := load.Options{Game: c.Game, Rate: c.Rate, Interactions: c.Interactions, Seed: c.Seed, Alone: c.Alone, Level: c.Level, Blocked: c.Blocked}
	if !(c.Rate >= 1 && c.Rate <= maxLoadRate) {
		return o, fmt.Errorf("--rate is 1 to %d interactions a second, not %g", maxLoadRate, c.Rate)
	}
	if o.Interactions == 0 {
		o.Interactions = int(min(math.Ceil(c.Rate*float64(c.Seconds)), maxLoadInteractions+1))
	}
	if o.Interactions < 1 || o.Interactions > maxLoadInteractions {
		return o, fmt.Errorf("there must be 1 to %d interactions, not %d", maxLoadInteractions, o.Interactions)
	}
	if c.Tables < 1 || c.Tables > load.MaxTables {
		return o, fmt.Errorf("--tables is 1 to %d, not %d", load.MaxTables, c.Tables)
	}
	if c.Alone < 0 || c.Alone > c.Tables {
		return o, fmt.Errorf("--alone is 0 to %d tables, not %d", c.Tables, c.Alone)
	}
	if c.Blocked < 0 || c.Blocked > c.Tables {
		return o, fmt.Errorf("--blocked is 0 to %d tables, not %d", c.Tables, c.Blocked)
	}
	if levels := engines()[c.Game].Keys(); len(levels) > 0 && !slices.Contains(levels, c.Level) {
		return o, fmt.Errorf("--level is one of %s, not %q", strings.Join(levels, ", "), c.Level)
	}
	for _, b := range games {
		if _, most := b.rules.Seats(); b.rules.Key() == c.Game && most == 2 {
			return o, nil
		}
	}
	return o, fmt.Errorf("--game must be a two-player game, not %q", c.Game)
}

// acknowledgeCommand runs the bot that castellan load compares with. Its token is
// in the environment.
type acknowledgeCommand struct {
	API string `arg:"" help:"Base address of the chat."`
}

// Run acknowledges until the context is done.
func (c acknowledgeCommand) Run(ctx context.Context, s streams) error {
	api, err := url.Parse(c.API)
	if err != nil {
		return &usageError{fmt.Errorf("address of the chat: %w", err)}
	}
	token, err := readToken(os.Getenv(tokenVariable), "")
	if err != nil {
		return &usageError{err}
	}
	return load.Acknowledge(ctx, token, api, slog.New(slog.NewJSONHandler(s.errs, nil)))
}

// loadReport is the result. Its JSON form is for programs: fields may be added
// but never removed.
type loadReport struct {
	Rate          float64    `json:"rate"`
	Tables        int        `json:"tables"`
	Game          string     `json:"game"`
	Seed          uint64     `json:"seed"`
	Castellan     loadWaits  `json:"castellan"`
	HTTP          *loadWaits `json:"http,omitempty"`          // with interactions by HTTP; nil unless asked for
	Acknowledging *loadWaits `json:"acknowledging,omitempty"` // nil without comparison
	// Outcomes counts the interactions by outcome, as reported by castellan.
	Outcomes map[string]int `json:"outcomes"`
	// Thoughts is the work of the computer.
	Thoughts loadThoughts `json:"thoughts"`
	Memory   []loadMemory `json:"memory"` // of castellan, in chronological order
}

// loadWaits are the measurements of one bot. Times are in milliseconds.
type loadWaits struct {
	Interactions int                 `json:"interactions"`
	Lost         int                 `json:"lost"`
	Seconds      float64             `json:"seconds"`
	Matches      int                 `json:"matches"`
	Posts        int                 `json:"posts"`
	Invalid      int                 `json:"invalid"`         // requests answered 401, 403 or 429
	Worst        int                 `json:"invalid_channel"` // the most of them in one channel within a minute
	All          loadWait            `json:"all"`
	By           map[string]loadWait `json:"by"`
}

type loadWait struct {
	Answered int     `json:"answered"`
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
}

// loadThoughts are the turns that the computer has computed, and their total
// time.
type loadThoughts struct {
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
	// From a person's move until they were to move again, in seconds.
	Replies  int     `json:"replies"`
	ReplyP50 float64 `json:"reply_p50"`
	ReplyP95 float64 `json:"reply_p95"`
}

// loadMemory is the memory after some interactions, in bytes.
type loadMemory struct {
	Interactions int   `json:"interactions"`
	Resident     int64 `json:"resident"`
	Heap         int64 `json:"live_heap"` // after the latest collection
}

func waitsOf(f load.Figures) loadWaits {
	one := func(w load.Waits) loadWait {
		ms := func(d time.Duration) float64 { return math.Round(float64(d)/1e4) / 100 }
		return loadWait{w.Answered, ms(w.P50), ms(w.P99), ms(w.Max)}
	}
	out := loadWaits{
		Interactions: f.Interactions, Lost: f.Lost, Seconds: math.Round(f.Took.Seconds()*10) / 10,
		Matches: f.Matches, Posts: f.Posts, Invalid: f.Invalid, Worst: f.Worst, All: one(f.All), By: map[string]loadWait{},
	}
	for k, w := range f.By {
		out.By[string(k)] = one(w)
	}
	return out
}

// String returns the report for people.
func (r loadReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "time to the first answer, ms     answered  lost     p50      p99      max\n")
	for _, one := range []struct {
		name string
		w    *loadWaits
	}{{"castellan run", &r.Castellan}, {"castellan run, by HTTP", r.HTTP}, {"only acknowledging", r.Acknowledging}} {
		if one.w == nil {
			continue
		}
		fmt.Fprintf(&b, "%-32s %8d %5d %7.1f  %7.1f  %7.1f\n", one.name, one.w.All.Answered, one.w.Lost, one.w.All.P50, one.w.All.P99, one.w.All.Max)
		for _, k := range load.Kinds() {
			w := one.w.By[string(k)]
			fmt.Fprintf(&b, "  %-30s %8d       %7.1f  %7.1f  %7.1f\n", k, w.Answered, w.P50, w.P99, w.Max)
		}
	}
	seconds := max(r.Castellan.Seconds, 0.1)
	fmt.Fprintf(&b, "%d interactions in %.1f s, %.0f a second; %d challenges and boards, %.0f a second; %d completed matches\n",
		r.Castellan.Interactions, r.Castellan.Seconds, float64(r.Castellan.Interactions)/seconds, r.Castellan.Posts, float64(r.Castellan.Posts)/seconds, r.Castellan.Matches)
	var outcomes []string
	for _, o := range interaction.Outcomes() {
		if n := r.Outcomes[string(o)]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", n, o))
		}
	}
	fmt.Fprintf(&b, "outcomes by its own metrics: %s\n", strings.Join(outcomes, ", "))
	fmt.Fprintf(&b, "%d invalid requests, at most %d a minute in one channel\n", r.Castellan.Invalid, r.Castellan.Worst)
	if n := r.Thoughts; n.Turns > 0 {
		fmt.Fprintf(&b, "the computer played %d turns in %.1f s of computing; %d people were to move again after %.1f s in the median, %.1f s at the 95th percentile\n",
			n.Turns, n.Seconds, n.Replies, n.ReplyP50, n.ReplyP95)
	}
	for i, m := range r.Memory {
		if i > 0 && i < len(r.Memory)-1 {
			continue // only the first and the last are shown
		}
		fmt.Fprintf(&b, "after %7d interactions: %s resident, %s live heap%s\n", m.Interactions, mebi(m.Resident), mebi(m.Heap), r.growth(i))
	}
	return b.String()
}

// growth returns the growth of the memory since the first reading.
func (r loadReport) growth(i int) string {
	first, m := r.Memory[0], r.Memory[i]
	if i == 0 || first.Resident == 0 || first.Heap == 0 {
		return ""
	}
	percent := func(now, then int64) float64 { return 100 * (float64(now)/float64(then) - 1) }
	return fmt.Sprintf(" (%+.1f %%, %+.1f %%)", percent(m.Resident, first.Resident), percent(m.Heap, first.Heap))
}

func mebi(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
