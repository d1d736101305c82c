package arena

import (
	"math"
	"slices"
)

// Summary has the statistics of a tournament.
type Summary struct {
	Contests []ContestResult `json:"contests"`
	Players  []PlayerStats   `json:"players"`
	// DistinctOpenings is the number of different openings. If it is less
	// than the number of sets, games can repeat.
	DistinctOpenings int `json:"distinct_openings"`
}

// ContestResult has the statistics of a contest over its complete sets.
type ContestResult struct {
	Sets  int `json:"sets"`
	Games int `json:"games"`
	// Sides holds each side's results. Two sides mirror each other.
	Sides []SideResult `json:"sides"`
	// Pairs is the distribution of the first side's points per set: element
	// i counts the sets with i half points. It exists for contests of two
	// sides in games of two seats, and has five elements.
	Pairs []int `json:"pairs,omitempty"`
	// Elo is the rating difference between first and second side. It exists
	// if both sit in equally many seats.
	Elo *EloEstimate `json:"elo,omitempty"`
	// Test is the state of the SPRT.
	Test *SPRTResult `json:"sprt,omitempty"`
}

// SideResult has the results of a side.
type SideResult struct {
	Player string `json:"player"`
	// Wins, Draws and Losses count games by payoff: more than half, the
	// same for all seats, and the others.
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Points float64 `json:"points"`
	// Share is the share of the points, Low to High its 95 % confidence
	// interval, and Fair what a side of average strength would have.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Fair  float64 `json:"fair"`
}

// EloEstimate is a rating difference and its 95 % confidence interval. Nil is
// infinite: negative in Low, positive in High, and in Value the sign follows
// from the share.
type EloEstimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// SPRTResult is the state of an SPRT.
type SPRTResult struct {
	SPRT
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Verdict Verdict `json:"verdict"`
}

// PlayerStats has the time, nodes and faults of a player over all games.
type PlayerStats struct {
	Player         string  `json:"player"`
	Turns          int     `json:"turns"`
	SecondsPerTurn float64 `json:"seconds_a_turn"`
	MaxSeconds     float64 `json:"most_seconds"`
	NodesPerTurn   float64 `json:"nodes_a_turn"`
	Faults         int     `json:"faults"`
	// Fault is its first error.
	Fault string `json:"fault,omitempty"`
}

// set has the games of a set by seating; n is their number.
type set struct {
	games []*Game
	n     int
}

func groupBySet(number int, c contest, games []Game) []set {
	var all []set
	for i := range games {
		g := &games[i]
		if g.Contest != number || g.Seating >= len(c.seatings) {
			continue
		}
		for g.Set >= len(all) {
			all = append(all, set{games: make([]*Game, len(c.seatings))})
		}
		if all[g.Set].games[g.Seating] == nil {
			all[g.Set].games[g.Seating] = g
			all[g.Set].n++
		}
	}
	return all
}

// countedSets returns the sets that count: all complete ones, or with an SPRT
// those without a gap up to the one that decides. Because sets are taken in
// order and not as they end, the number of threads makes no difference.
func (t *Tournament) countedSets(number int, c contest, games []Game) ([]set, Verdict) {
	var whole []set
	var s sample
	for _, x := range groupBySet(number, c, games) {
		if x.n < len(c.seatings) {
			if t.SPRT != nil {
				return whole, Open
			}
			continue
		}
		whole = append(whole, x)
		s.add(setPoints(c, x, 0) / float64(len(c.seatings)))
		if t.SPRT != nil {
			if v := verdict(t.SPRT.ratio(s, c.fair(0))); v != Open && s.n >= LeastSets {
				return whole, v
			}
		}
	}
	return whole, Open
}

// dropAfterDecision returns the games without sets after a decision of the
// SPRT.
func (t *Tournament) dropAfterDecision(all []contest, games []Game) []Game {
	if t.SPRT == nil {
		return games
	}
	last := make([]int, len(all))
	for i, c := range all {
		last[i] = math.MaxInt
		if sets, v := t.countedSets(i, c, games); v != Open {
			last[i] = len(sets)
		}
	}
	return slices.DeleteFunc(slices.Clone(games), func(g Game) bool { return g.Set >= last[g.Contest] })
}

func sidePayoff(c contest, g *Game, side int) (sum float64) {
	for seat, s := range c.seatings[g.Seating] {
		if s == side {
			sum += g.Payoffs[seat]
		}
	}
	return sum
}

func setPoints(c contest, s set, side int) (sum float64) {
	for _, g := range s.games {
		sum += sidePayoff(c, g, side)
	}
	return sum
}

func sampleOf(c contest, sets []set, side int) (s sample) {
	for _, x := range sets {
		s.add(setPoints(c, x, side) / float64(len(c.seatings)))
	}
	return s
}

// Summarize returns the statistics of the games so far.
func (t *Tournament) Summarize(games []Game) (Summary, error) {
	all, wanted, err := t.plan()
	if err != nil {
		return Summary{}, err
	}
	var f Summary
	if _, f.DistinctOpenings, err = t.openings(wanted); err != nil {
		return Summary{}, err
	}
	for i, c := range all {
		f.Contests = append(f.Contests, t.contest(i, c, games))
	}
	known := map[string]bool{}
	for _, e := range t.Entrants {
		if !known[e.Name] {
			known[e.Name] = true
			f.Players = append(f.Players, playerStats(e.Name, games))
		}
	}
	return f, nil
}

func (t *Tournament) contest(number int, c contest, games []Game) ContestResult {
	sets, v := t.countedSets(number, c, games)
	out := ContestResult{Sets: len(sets), Games: len(sets) * len(c.seatings)}
	for side, entrant := range c.sides {
		out.Sides = append(out.Sides, t.side(t.Entrants[entrant].Name, c, sets, side))
	}
	if len(c.sides) != 2 {
		return out
	}
	first := out.Sides[0]
	if first.Fair == 0.5 {
		out.Elo = &EloEstimate{finiteOrNil(Elo(first.Share)), finiteOrNil(Elo(first.Low)), finiteOrNil(Elo(first.High))}
	}
	if t.Seats == 2 {
		out.Pairs = make([]int, 2*len(c.seatings)+1)
		for _, s := range sets {
			out.Pairs[int(math.Round(2*setPoints(c, s, 0)))]++
		}
	}
	if t.SPRT != nil {
		ratio := t.SPRT.ratio(sampleOf(c, sets, 0), first.Fair)
		out.Test = &SPRTResult{*t.SPRT, ratio, -sprtBound, sprtBound, v}
	}
	return out
}

func (t *Tournament) side(name string, c contest, sets []set, side int) SideResult {
	out := SideResult{Player: name}
	s := sampleOf(c, sets, side)
	for _, x := range sets {
		for _, g := range x.games {
			switch v := sidePayoff(c, g, side); {
			case isDraw(g):
				out.Draws++
			case v > 0.5:
				out.Wins++
			default:
				out.Losses++
			}
		}
	}
	out.Fair = c.fair(side)
	out.Share = out.Fair
	if s.n > 0 {
		out.Share = s.mean()
	}
	out.Points = s.sum * float64(len(c.seatings))
	out.Low, out.High = s.interval()
	return out
}

// isDraw reports whether all seats have the same payoff.
func isDraw(g *Game) bool {
	return slices.Min(g.Payoffs) == slices.Max(g.Payoffs)
}

// finiteOrNil returns a pointer to a finite number, otherwise nil.
func finiteOrNil(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func playerStats(name string, games []Game) PlayerStats {
	p := PlayerStats{Player: name}
	seconds, nodes := 0.0, int64(0)
	for _, g := range games {
		for seat, player := range g.Players {
			if player != name {
				continue
			}
			s := g.Usage[seat]
			p.Turns += s.Turns
			seconds += s.Seconds
			nodes += s.Nodes
			p.MaxSeconds = max(p.MaxSeconds, s.MaxSeconds)
		}
		if g.Fault != nil && g.Fault.Player == name {
			if p.Faults++; p.Fault == "" {
				p.Fault = g.Fault.Reason
			}
		}
	}
	if p.Turns > 0 {
		p.SecondsPerTurn, p.NodesPerTurn = seconds/float64(p.Turns), float64(nodes)/float64(p.Turns)
	}
	return p
}
