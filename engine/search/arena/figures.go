package arena

import "math"

// Figures is what games show.
type Summary struct {
	Contests []ContestResult `json:"contests"`
	Players  []PlayerStats   `json:"players"`
	// Openings is how many of the openings differ from each other. Where they
	// are fewer than the sets, the games tell less than their number.
	DistinctOpenings int `json:"distinct_openings"`
}

// Contest is the figures of a contest, over its whole sets.
type ContestResult struct {
	Sets  int `json:"sets"`
	Games int `json:"games"`
	// Sides is what each got. In a contest of two they mirror each other.
	Sides []SideResult `json:"sides"`
	// Pairs is the distribution of the points of the first side over the sets:
	// how many sets brought 0, 1, … of all possible half points. It is there in
	// contests of two sides in games of two seats, and has five elements.
	Pairs []int `json:"pairs,omitempty"`
	// Elo is how much stronger the first side is than the second, and within
	// which bounds with 95 % confidence; null where it is infinite. It is there
	// in contests of two sides that sit in equally many seats.
	Elo *EloEstimate `json:"elo,omitempty"`
	// Test is what the SPRT says.
	Test *SPRTResult `json:"sprt,omitempty"`
}

// Side is what a side got.
type SideResult struct {
	Player string `json:"player"`
	// Wins, Draws and Losses are games in which the side had more than half, as
	// much as anybody else or less of the win.
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Points float64 `json:"points"`
	// Share is of all points, Low and High where it truly lies with 95 %
	// confidence, and Fair what a side no better than others would have.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Fair  float64 `json:"fair"`
}

// Difference is a difference in rating; nil is infinite, downwards in Low,
// upwards in High, and in Value as the share of the points has it.
type EloEstimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Test is an SPRT and what it says.
type SPRTResult struct {
	SPRT
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Verdict Verdict `json:"verdict"`
}

// Played is what a player has needed, over all its games.
type PlayerStats struct {
	Player         string  `json:"player"`
	Turns          int     `json:"turns"`
	SecondsPerTurn float64 `json:"seconds_a_turn"`
	MaxSeconds     float64 `json:"most_seconds"`
	NodesPerTurn   float64 `json:"nodes_a_turn"`
	Faults         int     `json:"faults"`
	// Fault is the first of its errors.
	Fault string `json:"fault,omitempty"`
}

// set is the games of a set by seating, and how many there are.
type set struct {
	games []*Game
	n     int
}

// bySet is the games of a contest by set, up to the last that has any.
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

// sets is the sets of a contest that count: all that are whole, or with a test
// those without a gap up to the one that decides it. Since sets are taken in
// their order, and not as they end, the number of threads makes no difference.
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
			if v := verdict(t.SPRT.ratio(s)); v != Open {
				return whole, v
			}
		}
	}
	return whole, Open
}

// decisive is the games without those of sets after a decision.
func (t *Tournament) dropAfterDecision(all []contest, games []Game) []Game {
	if t.SPRT == nil {
		return games
	}
	var left []Game
	last := make([]int, len(all))
	for i, c := range all {
		last[i] = math.MaxInt
		if sets, v := t.countedSets(i, c, games); v != Open {
			last[i] = len(sets)
		}
	}
	for _, g := range games {
		if g.Set < last[g.Contest] {
			left = append(left, g)
		}
	}
	return left
}

// share is what a side got in a game.
func sidePayoff(c contest, g *Game, side int) (sum float64) {
	for seat, s := range c.seatings[g.Seating] {
		if s == side {
			sum += g.Payoffs[seat]
		}
	}
	return sum
}

// points is what a side got in a set.
func setPoints(c contest, s set, side int) (sum float64) {
	for _, g := range s.games {
		sum += sidePayoff(c, g, side)
	}
	return sum
}

// Figures is what the games show so far.
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

// contest is the figures of one.
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
		var s sample
		for _, x := range sets {
			s.add(setPoints(c, x, 0) / float64(len(c.seatings)))
		}
		out.Test = &SPRTResult{*t.SPRT, t.SPRT.ratio(s), -sprtBound, sprtBound, v}
	}
	return out
}

// side is what a side got in the sets.
func (t *Tournament) side(name string, c contest, sets []set, side int) SideResult {
	out := SideResult{Player: name}
	var s sample
	for _, x := range sets {
		s.add(setPoints(c, x, side) / float64(len(c.seatings)))
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
	seats := 0
	for _, seating := range c.seatings {
		for _, s := range seating {
			if s == side {
				seats++
			}
		}
	}
	out.Fair = float64(seats) / float64(t.Seats*len(c.seatings))
	out.Share = out.Fair
	if s.n > 0 {
		out.Share = s.mean()
	}
	out.Points = s.sum * float64(len(c.seatings))
	out.Low, out.High = s.interval()
	return out
}

// level reports whether every seat got as much.
func isDraw(g *Game) bool {
	for _, s := range g.Payoffs {
		if s != g.Payoffs[0] {
			return false
		}
	}
	return true
}

// finite is a number, or nil where it is infinite.
func finiteOrNil(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// needed is what a player has needed.
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
