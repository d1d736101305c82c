// Package plan estimates what a bot of a given size needs: requests to Discord,
// transactions, cores and money. It simulates a day with its peak, turn by turn,
// with the queues that turns wait in.
package plan

import (
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Assumptions say how people use the bot.
type Assumptions struct {
	Active    float64 // share of the servers in which people play
	Matches   float64 // running matches in such a server
	Turns     float64 // turns of people in a match and day
	Computers float64 // share of the matches against a computer, which answers each turn
	Strongest float64 // share of these matches against the strongest level
	Peak      float64 // turns in the busiest moment of the day, relative to the mean
	Limit     int     // requests a second that Discord allows
	Price     float64 // of a core with 2 GB of memory, a month
	Seed      uint64
}

// Costs that were measured; docs/scaling.md names the sources.
const (
	// Requests that count towards Discord's global limit: the post of the next board,
	// and the edit of the last one unless the answer to the click is that edit.
	// TestRequestsPerTurn in bot/e2e counts them.
	requestsByButton, requestsByPanel, requestsByCommand, requestsByComputer = 1, 2, 2, 2

	botTime      = 5 * time.Millisecond // of a processor, for a turn
	updates      = 3                    // write transactions, for a turn
	databaseTime = updates * 1500 * time.Microsecond
	diskSpace    = 740 // bytes, for a turn, with indexes and the state of matches

	strongestTime, levelTime = 500 * time.Millisecond, 5 * time.Millisecond // of thinking
)

// Further assumptions, which are no options.
const (
	byButton, byPanel = 0.4, 0.4 // share of the turns; the others are typed
	otherRequests     = 0.15     // requests for each turn: challenges, threads, reminders
	busy              = 0.6      // share of a core's time that is planned to be used
	window            = 1.1      // seconds in which the bot sends as many requests as Discord allows in one
	perShard          = 1000     // servers, as Discord recommends
	onOneMachine      = 2500     // servers, up to which one machine with a file is proposed
	smallMachine      = 0.5      // price of the smallest machine, in cores
	diskPrice         = 0.1      // dollars a month for a gigabyte
)

const day = 24 * 60 * 60.0

// Need is what a bot of a size needs.
type Need struct {
	Guilds           int
	Turns            float64       // a second, on average over the day, with those of computers
	PeakTurns        float64       // a second, in the busiest hour
	Requests         float64       // a second that were to be sent in that hour
	Over             bool          // more than Discord's limit
	Lag99            time.Duration // of boards in that hour
	Thinking         time.Duration // 99th percentile of the wait for a computer's turn and of its computation
	Updates          float64       // a second in that hour
	Shards           int
	BotCores         int // those of computers included
	DatabaseCores    int // 0 with a file
	GigabytesPerYear float64
	Price            float64 // dollars a month, with the disk for a year
}

// rate returns the turns of people a second on average over the day.
func (a Assumptions) rate(guilds int) float64 {
	return float64(guilds) * a.Active * a.Matches * a.Turns / day
}

// requestsPerTurn returns the mean requests for a person's turn and the computer's
// answer to it.
func (a Assumptions) requestsPerTurn() float64 {
	return byButton*requestsByButton + byPanel*requestsByPanel + (1-byButton-byPanel)*requestsByCommand + otherRequests + a.Computers*requestsByComputer
}

// Ceiling returns the number of servers and the turns a second with which the
// busiest moment needs all requests that Discord allows.
func (a Assumptions) Ceiling() (guilds int, turns float64) {
	people := float64(a.Limit) / window / a.requestsPerTurn()
	return int(people / a.Peak / a.rate(1)), people * (1 + a.Computers)
}

// thinkingTime returns the mean time that a computer thinks about a turn.
func (a Assumptions) thinkingTime() float64 {
	return a.Strongest*strongestTime.Seconds() + (1-a.Strongest)*levelTime.Seconds()
}

// Simulate simulates a day of a bot.
func (a Assumptions) Simulate(guilds int) Need {
	n := Need{Guilds: guilds, Shards: max(1, (guilds+perShard-1)/perShard)}
	people := a.rate(guilds)
	all := people * (1 + a.Computers)
	n.Turns = all
	n.Updates = a.Peak * all * updates
	n.GigabytesPerYear = all * day * 365 * diskSpace / 1e9
	thinking := a.Peak * people * a.Computers * a.thinkingTime()
	n.BotCores = max(1, int(math.Ceil((a.Peak*all*botTime.Seconds()+thinking)/busy)))
	machines, copies := float64(n.BotCores), 1.0
	if guilds > onOneMachine { // two machines of each kind, so that one can fail
		n.BotCores = 2 * max(2, (n.BotCores+1)/2)
		n.DatabaseCores = 2 * max(2, int(math.Ceil(a.Peak*all*databaseTime.Seconds()/busy)))
		machines, copies = float64(n.BotCores+n.DatabaseCores), 2
	} else if n.BotCores == 1 {
		machines = smallMachine
	}
	n.Price = machines*a.Price + copies*n.GigabytesPerYear*diskPrice
	workers := max(1, int(math.Ceil(thinking/busy)))
	s := simulation{
		random:  rand.New(rand.NewPCG(a.Seed, uint64(guilds))),
		sent:    slices.Repeat([]float64{-window}, a.Limit),
		workers: make([]float64, workers),
	}
	s.run(a, people)
	const hour = 60 * 60
	n.PeakTurns, n.Requests = float64(s.turns)/hour, float64(s.requests)/hour
	n.Over = n.Requests > float64(a.Limit)/window
	n.Lag99, n.Thinking = percentile(s.lags, 0.99), percentile(s.thoughts, 0.99)
	return n
}

// simulation is a day. Times are seconds from its beginning; the peak is in its
// middle.
type simulation struct {
	random  *rand.Rand
	sent    []float64 // when the last requests were sent, as many as the limit; a ring
	oldest  int
	last    float64   // when the newest request was sent
	workers []float64 // until when each works
	answers answers   // of computers

	// in the busiest hour
	turns, requests int
	lags, thoughts  []float64
}

// answers is a heap of the times at which computers have finished their turns.
type answers []float64

func (a answers) Len() int           { return len(a) }
func (a answers) Less(i, j int) bool { return a[i] < a[j] }
func (a answers) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *answers) Push(x any)        { *a = append(*a, x.(float64)) }
func (a *answers) Pop() any {
	old := *a
	x := old[len(old)-1]
	*a = old[:len(old)-1]
	return x
}

func isPeak(t float64) bool { return math.Abs(t-day/2) < 60*60/2 }

// run simulates the day. Turns arrive independently of each other: nobody waits for
// a board before they play, so a queue grows faster than in reality.
func (s *simulation) run(a Assumptions, rate float64) {
	sharpness := sharpnessOf(a.Peak)
	most := rate * a.Peak
	for t := s.random.ExpFloat64() / most; t < day; t += s.random.ExpFloat64() / most {
		if s.random.Float64() >= math.Exp(sharpness*(math.Cos(2*math.Pi*(t/day-0.5))-1)) {
			continue // the rate is lower now
		}
		for len(s.answers) > 0 && s.answers[0] <= t {
			s.post(heap.Pop(&s.answers).(float64), requestsByComputer)
		}
		requests := requestsByCommand
		switch way := s.random.Float64(); {
		case way < byButton:
			requests = requestsByButton
		case way < byButton+byPanel:
			requests = requestsByPanel
		}
		s.post(t, requests)
		if s.random.Float64() < a.Computers {
			s.think(a, t)
		}
	}
}

// post sends the requests of a turn, the board's first.
func (s *simulation) post(t float64, requests int) {
	if s.random.Float64() < otherRequests {
		requests++
	}
	peak := isPeak(t)
	for i := range requests {
		s.last = max(t, s.last, s.sent[s.oldest]+window)
		s.sent[s.oldest] = s.last
		s.oldest = (s.oldest + 1) % len(s.sent)
		if i == 0 && peak {
			s.lags = append(s.lags, s.last-t)
		}
	}
	if peak {
		s.turns++
		s.requests += requests
	}
}

// think has the worker that is free first compute a turn.
func (s *simulation) think(a Assumptions, t float64) {
	first := 0
	for i, until := range s.workers {
		if until < s.workers[first] {
			first = i
		}
	}
	spent := levelTime
	if s.random.Float64() < a.Strongest {
		spent = strongestTime
	}
	s.workers[first] = max(t, s.workers[first]) + spent.Seconds()
	heap.Push(&s.answers, s.workers[first])
	if isPeak(t) {
		s.thoughts = append(s.thoughts, s.workers[first]-t)
	}
}

// sharpnessOf returns k such that the mean of exp(k (cos x - 1)) over a circle is
// 1/peak.
func sharpnessOf(peak float64) float64 {
	low, high := 0.0, 1000.0
	for range 60 {
		k, sum := (low+high)/2, 0.0
		const steps = 1440
		for i := range steps {
			sum += math.Exp(k * (math.Cos(2*math.Pi*float64(i)/steps) - 1))
		}
		if sum/steps > 1/peak {
			low = k
		} else {
			high = k
		}
	}
	return low
}

func percentile(all []float64, share float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return time.Duration(all[int(share*float64(len(all)-1))] * float64(time.Second))
}

// Print writes a table in Markdown, with a row for each size, and where Discord's
// limit is reached.
func (a Assumptions) Print(out io.Writer, guilds []int) error {
	var b strings.Builder
	fmt.Fprintln(&b, "| servers | turns a second | at the peak | requests a second | of Discord's limit | boards wait, p99 | computers take, p99 | updates a second | shards | cores: bot, database | GB a year | a month |")
	fmt.Fprintln(&b, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, g := range guilds {
		n := a.Simulate(g)
		lag := rounded(n.Lag99)
		if n.Over {
			lag = "over the limit"
		}
		database := "a file"
		if n.DatabaseCores > 0 {
			database = fmt.Sprintf("%d + %d", n.DatabaseCores/2, n.DatabaseCores/2)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.0f %% | %s | %s | %s | %d | %s, %s | %s | $%.0f |\n", thousands(g), figure(n.Turns), figure(n.PeakTurns), figure(n.Requests),
			100*n.Requests/(float64(a.Limit)/window), lag, rounded(n.Thinking), figure(n.Updates), n.Shards, cores(n), database, figure(n.GigabytesPerYear), n.Price)
	}
	ceiling, turns := a.Ceiling()
	fmt.Fprintf(&b, "\nThe limit of %d requests a second is reached at about %s servers, with %.0f turns a second.\n", a.Limit, thousands(int(math.Round(float64(ceiling)/1000))*1000), turns)
	_, err := io.WriteString(out, b.String())
	return err
}

func cores(n Need) string {
	if n.DatabaseCores == 0 {
		return fmt.Sprint(n.BotCores)
	}
	return fmt.Sprintf("%d + %d", n.BotCores/2, n.BotCores/2)
}

// rounded returns a duration in the precision that an estimate has.
func rounded(d time.Duration) string {
	switch {
	case d < 5*time.Millisecond:
		return "0"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(10*time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// figure returns a number with two significant digits.
func figure(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.001:
		return "< 0.001"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e")
	e, _ := strconv.Atoi(exponent) // it is a number
	y, _ := strconv.ParseFloat(mantissa+"e"+exponent, 64)
	if e > 0 {
		return thousands(int(math.Round(y)))
	}
	return strconv.FormatFloat(y, 'f', 1-e, 64)
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Check returns an error that names an assumption that makes no sense.
func (a Assumptions) Check() error {
	for _, c := range []struct {
		option     string
		value      float64
		low, high  float64
		lowAllowed bool
	}{
		{"active", a.Active, 0, 1, false}, {"matches", a.Matches, 0, 1000, false}, {"turns", a.Turns, 0, 1000, false},
		{"computers", a.Computers, 0, 1, true}, {"strongest", a.Strongest, 0, 1, true}, {"peak", a.Peak, 1, 20, true},
		{"limit", float64(a.Limit), 1, 100_000, true}, {"price", a.Price, 0, 10_000, true},
	} {
		if c.value < c.low || c.value > c.high || !c.lowAllowed && cmp.Compare(c.value, c.low) == 0 {
			return fmt.Errorf("--%s is %v; it must be from %v to %v", c.option, c.value, c.low, c.high)
		}
	}
	return nil
}
