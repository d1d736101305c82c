package arena

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// Table formats the report as text: every contest and every player.
func (r Report) Table() string {
	var b strings.Builder
	t, even := r.Terms, ""
	if t.Balanced {
		even = ", balanced"
	}
	fmt.Fprintf(&b, "%s %s, %d seats, seed %d, openings of %d random turns%s\n\n", t.Game, t.Options, t.Seats, t.Seed, t.OpeningTurns, even)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	pairs, tests := true, ""
	for _, c := range r.Summary.Contests {
		pairs = pairs && c.Elo != nil
		if c.Test != nil {
			tests = "\tSPRT"
		}
	}
	if pairs {
		fmt.Fprintln(w, "pair\tgames\twon\tdrawn\tlost\tpoints\tshare\tElo (95 %)"+tests)
	} else {
		fmt.Fprintln(w, "side\tgames\twon\tdrawn\tlost\tpoints\tshare\t95 %\tfair")
	}
	for _, c := range r.Summary.Contests {
		if pairs {
			a, b := c.Sides[0], c.Sides[1]
			fmt.Fprintf(w, "%s – %s\t%d\t%d\t%d\t%d\t%s – %s\t%.1f %%\t%s", a.Player, b.Player, c.Games,
				a.Wins, a.Draws, a.Losses, formatPoints(a.Points), formatPoints(b.Points), 100*a.Share, c.Elo)
			if tests != "" {
				fmt.Fprintf(w, "\t%s", c.Test)
			}
			fmt.Fprintln(w)
			continue
		}
		for _, s := range c.Sides {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%.1f %%\t%.1f – %.1f %%\t%.1f %%\n", s.Player, c.Games,
				s.Wins, s.Draws, s.Losses, formatPoints(s.Points), 100*s.Share, 100*s.Low, 100*s.High, 100*s.Fair)
		}
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "player\tturns\ts a turn\tat most\tnodes a turn\tfaults")
	for _, p := range r.Summary.Players {
		fmt.Fprintf(w, "%s\t%d\t%.4f\t%.3f\t%.0f\t%d\n", p.Player, p.Turns, p.SecondsPerTurn, p.MaxSeconds, p.NodesPerTurn, p.Faults)
	}
	w.Flush()
	for _, p := range r.Summary.Players {
		if p.Faults > 0 {
			fmt.Fprintf(&b, "\n%s has lost %d by its own fault. The first: %s\n", p.Player, p.Faults, p.Fault)
		}
	}
	if most := r.maxSets(); r.Summary.DistinctOpenings < most {
		fmt.Fprintf(&b, "\nOnly %d of %d openings differ from each other: games may be the same. More --openings help.\n", r.Summary.DistinctOpenings, most)
	}
	return trimLines(b.String())
}

// maxSets returns the number of sets of the longest contest.
func (r Report) maxSets() int {
	sets := 0
	for _, c := range r.Summary.Contests {
		if c.Games > 0 {
			sets = max(sets, c.Sets)
		}
	}
	return sets
}

// trimLines removes white space at the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// formatPoints formats points with a decimal only if needed.
func formatPoints(x float64) string {
	if x == float64(int(x)) {
		return fmt.Sprintf("%d", int(x))
	}
	return fmt.Sprintf("%.1f", x)
}

// String returns for example "+191 (+150 … +240)", and "–" for nil.
func (d *EloEstimate) String() string {
	if d == nil {
		return "–"
	}
	value := "+∞" // all points, unless even the upper bound is below a half
	if d.Value == nil && d.Low == nil {
		value = "−∞"
	}
	return fmt.Sprintf("%s (%s … %s)", formatElo(d.Value, value), formatElo(d.Low, "−∞"), formatElo(d.High, "+∞"))
}

// formatElo formats a difference with its sign, or 0 without one.
func formatElo(x *float64, infinite string) string {
	if x == nil {
		return infinite
	}
	rounded := math.Round(*x)
	if rounded == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+.0f", rounded), "-", "−", 1)
}

// String returns for example "accepted, 3.02 of ±2.94".
func (t *SPRTResult) String() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%s, %.2f of ±%.2f", t.Verdict, t.LLR, t.Upper)
}
