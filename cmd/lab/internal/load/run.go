package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"castellan/bot/interaction"
)

const (
	// memoryEvery is the number of interactions between memory readings.
	memoryEvery = 10_000
	// keptMessages is how many messages of a channel the sandbox keeps. People
	// press the latest boards only.
	keptMessages = 50
)

// Report is the result of Run. Its JSON form is for programs: fields may be added
// but never removed.
type Report struct {
	Rate          float64  `json:"rate"`
	Tables        int      `json:"tables"`
	Game          string   `json:"game"`
	Seed          uint64   `json:"seed"`
	Castellan     Figures  `json:"castellan"`
	HTTP          *Figures `json:"http,omitempty"`          // with interactions by HTTP; nil unless asked for
	Acknowledging *Figures `json:"acknowledging,omitempty"` // nil without comparison
	// Outcomes counts the interactions by outcome, as reported by castellan.
	Outcomes map[string]int `json:"outcomes"`
	Thoughts Thoughts       `json:"thoughts"`
	Memory   []Memory       `json:"memory"` // of castellan, in chronological order
}

// Thoughts is the work of the computer players.
type Thoughts struct {
	Turns    int     `json:"turns"`
	Seconds  float64 `json:"seconds"`     // of computing
	Replies  int     `json:"replies"`     // of the computer to a person's turn
	ReplyP50 float64 `json:"reply_p50_s"` // until the person is to move again
	ReplyP95 float64 `json:"reply_p95_s"`
}

// Memory is castellan's memory after some interactions, in bytes.
type Memory struct {
	Interactions int   `json:"interactions"`
	Resident     int64 `json:"resident"`
	Heap         int64 `json:"live_heap"` // after the latest collection
}

// Run has a crowd play against castellan run, and then repeats the interactions as the
// options say. Every bot is a process of its own. It returns an error with the report
// if an interaction failed or was not answered.
func Run(ctx context.Context, o Options, errs io.Writer) (Report, error) {
	folder, err := os.MkdirTemp("", "castellan-load-")
	if err != nil {
		return Report{}, fmt.Errorf("create a folder for the database: %w", err)
	}
	defer os.RemoveAll(folder)
	errs = &sharedWriter{to: errs} // the bot's log and what is said here
	r := Report{Rate: o.Rate, Tables: o.Tables, Game: o.Game, Seed: o.Seed}
	fmt.Fprintf(errs, "castellan run: %d interactions, %g a second, %d tables\n", o.Interactions, o.Rate, o.Tables)
	steps, commands, err := r.overGateway(ctx, o, folder, errs)
	if err != nil {
		return r, err
	}
	if o.HTTP {
		fmt.Fprintln(errs, "repeating with interactions by HTTP")
		if err := r.overHTTP(ctx, o, folder, errs); err != nil {
			return r, err
		}
	}
	if o.Compare {
		fmt.Fprintln(errs, "repeating with a bot that only acknowledges")
		if err := r.acknowledging(ctx, o, steps, commands, errs); err != nil {
			return r, err
		}
	}
	for _, f := range []*Figures{&r.Castellan, r.HTTP} {
		if f != nil && f.Lost > 0 {
			err = fmt.Errorf("%d of %d interactions had no answer", f.Lost, f.Interactions)
		}
	}
	return r, errors.Join(failures(r.Outcomes), err)
}

// failures returns an error if the bot failed at an interaction.
func failures(outcomes map[string]int) error {
	if n := outcomes[string(interaction.Failed)]; n > 0 {
		return fmt.Errorf("the bot failed at %d interactions; its log says more", n)
	}
	return nil
}

// overGateway measures castellan with all figures. It returns the steps of the crowd and
// the commands that the bot has registered, for a comparison.
func (r *Report) overGateway(ctx context.Context, o Options, folder string, errs io.Writer) (steps []step, commands []byte, err error) {
	b, err := newBed(o.Tables, keptMessages, errs)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.startCastellan(ctx, o.Castellan, folder, false); err != nil {
		return nil, nil, err
	}
	note := func(ctx context.Context, begun int) error {
		m, err := b.memory(ctx)
		if err != nil {
			return err
		}
		m.Interactions = begun
		r.Memory = append(r.Memory, m)
		fmt.Fprintf(errs, "%9d interactions: %s resident, %s live heap\n", m.Interactions, mebi(m.Resident), mebi(m.Heap))
		return nil
	}
	if r.Castellan, steps, err = b.crowd.play(ctx, o, note); err != nil {
		return nil, nil, fmt.Errorf("play: %w", err)
	}
	if n := len(r.Memory); n == 0 || r.Memory[n-1].Interactions != r.Castellan.Interactions {
		if err := note(ctx, r.Castellan.Interactions); err != nil {
			return nil, nil, err
		}
	}
	if r.Outcomes, err = b.outcomes(ctx); err != nil {
		return nil, nil, err
	}
	if r.Thoughts, err = b.thoughts(ctx); err != nil {
		return nil, nil, err
	}
	replies := r.Castellan.replies
	r.Thoughts.Replies, r.Thoughts.ReplyP50, r.Thoughts.ReplyP95 = len(replies), quantile(replies, 50).Seconds(), quantile(replies, 95).Seconds()
	return steps, b.registered, nil
}

// overHTTP has the crowd play against castellan run without a gateway.
func (r *Report) overHTTP(ctx context.Context, o Options, folder string, errs io.Writer) (err error) {
	b, err := newBed(o.Tables, keptMessages, errs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.startCastellan(ctx, o.Castellan, folder, true); err != nil {
		return err
	}
	f, _, err := b.crowd.play(ctx, o, nil)
	if err != nil {
		return fmt.Errorf("play by HTTP: %w", err)
	}
	r.HTTP = &f
	outcomes, err := b.outcomes(ctx)
	return errors.Join(err, failures(outcomes))
}

// acknowledging repeats the steps with a bot that only acknowledges.
func (r *Report) acknowledging(ctx context.Context, o Options, steps []step, commands []byte, errs io.Writer) (err error) {
	// The responses must not push the message with the button out.
	b, err := newBed(o.Tables, 2*len(steps)+1, errs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.startAcknowledger(ctx, o.Acknowledger, commands); err != nil {
		return err
	}
	f, err := b.crowd.repeat(ctx, o, steps, pressButton)
	if err != nil {
		return fmt.Errorf("repeat: %w", err)
	}
	r.Acknowledging = &f
	return nil
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "time to the first answer, ms     answered  lost     p50      p99      max\n")
	for _, one := range []struct {
		name string
		f    *Figures
	}{{"castellan run", &r.Castellan}, {"castellan run, by HTTP", r.HTTP}, {"only acknowledging", r.Acknowledging}} {
		if one.f == nil {
			continue
		}
		all := one.f.All
		fmt.Fprintf(&b, "%-32s %8d %5d %7.1f  %7.1f  %7.1f\n", one.name, all.Answered, one.f.Lost, all.P50, all.P99, all.Max)
		for _, k := range kinds {
			w := one.f.By[k]
			fmt.Fprintf(&b, "  %-30s %8d       %7.1f  %7.1f  %7.1f\n", k, w.Answered, w.P50, w.P99, w.Max)
		}
	}
	c := r.Castellan
	seconds := max(c.Seconds, 0.1)
	fmt.Fprintf(&b, "%d interactions in %.1f s, %.0f a second; %d challenges and boards, %.0f a second; %d completed matches\n",
		c.Interactions, c.Seconds, float64(c.Interactions)/seconds, c.Posts, float64(c.Posts)/seconds, c.Matches)
	var outcomes []string
	for _, o := range interaction.Outcomes() {
		if n := r.Outcomes[string(o)]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", n, o))
		}
	}
	fmt.Fprintf(&b, "outcomes by its own metrics: %s\n", strings.Join(outcomes, ", "))
	fmt.Fprintf(&b, "%d invalid requests, at most %d a minute in one channel\n", c.Invalid, c.Worst)
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
func (r Report) growth(i int) string {
	first, m := r.Memory[0], r.Memory[i]
	if i == 0 || first.Resident == 0 || first.Heap == 0 {
		return ""
	}
	percent := func(now, then int64) float64 { return 100 * (float64(now)/float64(then) - 1) }
	return fmt.Sprintf(" (%+.1f %%, %+.1f %%)", percent(m.Resident, first.Resident), percent(m.Heap, first.Heap))
}

func mebi(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
