package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/cmd/internal/cli"
)

type planCommand struct {
	Guilds []int       `default:"100,2500,10000,50000,150000" help:"Numbers of servers." placeholder:"N,N"`
	Assume assumptions `embed:""`
}

// assumptions say how people use the bot.
type assumptions struct {
	Active    float64 `default:"0.15" help:"Share of the servers in which people play."`
	Matches   float64 `default:"4" help:"Running matches in such a server."`
	Turns     float64 `default:"12" help:"Turns of people in a match and day."`
	Computers float64 `default:"0.3" help:"Share of the matches against a computer, which answers each turn."`
	Strongest float64 `default:"0.1" help:"Share of these against the strongest level, which thinks a hundred times as long as the others."`
	Peak      float64 `default:"2.5" help:"Turns in the busiest hour of the day, relative to the mean."`
	Limit     int     `default:"50" help:"Requests a second that Discord allows the bot."`
	Price     float64 `default:"12" help:"Dollars a month for a core with 2 GB of memory."`
	Seed      uint64  `default:"1" help:"Seed of the random arrivals."`
}

// Costs that were measured; docs/host/scaling.md names the sources.
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

const hour, day = 60 * 60.0, 24 * 60 * 60.0

// need is what a bot of a size needs. Rates are per second, of the busiest hour unless
// noted.
type need struct {
	guilds           int
	turns, peakTurns float64 // with those of computers; turns is the mean of the day
	requests         float64
	lag, thinking    time.Duration // 99th percentiles: how long boards wait, and how long computers take with their wait
	updates          float64
	shards           int
	botCores         int // those of computers included
	databaseCores    int // 0 with a file
	gigabytesPerYear float64
	price            float64 // dollars a month, with the disk for a year
}

// Run prints a table in Markdown with what bots of some sizes need, and where Discord's
// limit is reached.
func (c planCommand) Run(s cli.Streams) error {
	a := c.Assume
	if err := a.check(); err != nil {
		return cli.Usage(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| servers | turns a second | at the peak | requests a second | of Discord's limit | boards wait, p99 | computers take, p99 | updates a second | shards | cores: bot, database | GB a year | a month |")
	fmt.Fprintln(&b, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, g := range c.Guilds {
		if g < 1 || g > 10_000_000 {
			return cli.Usage(fmt.Errorf("--guilds has the number %d, which is not from 1 to 10,000,000", g))
		}
		n := a.need(g)
		ofLimit, lag := n.requests/a.allowed(), rounded(n.lag)
		if ofLimit > 1 {
			lag = "over the limit"
		}
		cores := fmt.Sprintf("%d, a file", n.botCores)
		if n.databaseCores > 0 {
			cores = fmt.Sprintf("%d + %d, %d + %d", n.botCores/2, n.botCores/2, n.databaseCores/2, n.databaseCores/2)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.0f %% | %s | %s | %s | %d | %s | %s | $%.0f |\n", thousands(g), figure(n.turns), figure(n.peakTurns), figure(n.requests),
			100*ofLimit, lag, rounded(n.thinking), figure(n.updates), n.shards, cores, figure(n.gigabytesPerYear), n.price)
	}
	ceiling, turns := a.ceiling()
	fmt.Fprintf(&b, "\nThe limit of %d requests a second is reached at about %s servers, with %.0f turns a second.\n", a.Limit, thousands(int(math.Round(float64(ceiling)/1000))*1000), turns)
	_, err := io.WriteString(s.Out, b.String())
	return err
}

// check returns an error that names an assumption that makes no sense.
func (a assumptions) check() error {
	const tiny = 1e-9
	for _, c := range []struct {
		option           string
		value, low, high float64
	}{
		{"active", a.Active, tiny, 1}, {"matches", a.Matches, tiny, 1000}, {"turns", a.Turns, tiny, 1000}, {"computers", a.Computers, 0, 1},
		{"strongest", a.Strongest, 0, 1}, {"peak", a.Peak, 1, 20}, {"limit", float64(a.Limit), 1, 100_000}, {"price", a.Price, 0, 10_000},
	} {
		if !(c.value >= c.low && c.value <= c.high) {
			return fmt.Errorf("--%s is %v; it must be from %v to %v", c.option, c.value, c.low, c.high)
		}
	}
	return nil
}

// allowed returns the requests a second that the bot sends at most.
func (a assumptions) allowed() float64 { return float64(a.Limit) / window }

// rate returns the turns of people a second on average over the day.
func (a assumptions) rate(guilds int) float64 {
	return float64(guilds) * a.Active * a.Matches * a.Turns / day
}

// requestsPerTurn returns the mean requests for a person's turn and the computer's
// answer to it.
func (a assumptions) requestsPerTurn() float64 {
	return byButton*requestsByButton + byPanel*requestsByPanel + (1-byButton-byPanel)*requestsByCommand + otherRequests + a.Computers*requestsByComputer
}

// ceiling returns the number of servers and the turns a second with which the
// busiest hour needs all requests that Discord allows.
func (a assumptions) ceiling() (guilds int, turns float64) {
	people := a.allowed() / a.requestsPerTurn()
	return int(people / a.Peak / a.rate(1)), people * (1 + a.Computers)
}

func (a assumptions) need(guilds int) need {
	people := a.rate(guilds)
	all, peak := people*(1+a.Computers), a.Peak*people
	n := need{
		guilds: guilds, turns: all, peakTurns: a.Peak * all, requests: peak * a.requestsPerTurn(),
		updates: a.Peak * all * updates, shards: max(1, (guilds+perShard-1)/perShard), gigabytesPerYear: all * day * 365 * diskSpace / 1e9,
	}
	meanThought := a.Strongest*strongestTime.Seconds() + (1-a.Strongest)*levelTime.Seconds()
	thinking := peak * a.Computers * meanThought // cores
	n.botCores = max(1, int(math.Ceil((n.peakTurns*botTime.Seconds()+thinking)/busy)))
	machines, copies := float64(n.botCores), 1.0
	if guilds > onOneMachine { // two machines of each kind, so that one can fail
		n.botCores = 2 * max(2, (n.botCores+1)/2)
		n.databaseCores = 2 * max(2, int(math.Ceil(n.peakTurns*databaseTime.Seconds()/busy)))
		machines, copies = float64(n.botCores+n.databaseCores), 2
	} else if n.botCores == 1 {
		machines = smallMachine
	}
	n.price = machines*a.Price + copies*n.gigabytesPerYear*diskPrice
	random := rand.New(rand.NewPCG(a.Seed, uint64(guilds)))
	n.lag = a.waitForDiscord(random, n.peakTurns)
	n.thinking = a.waitForComputer(random, peak*a.Computers, max(1, int(math.Ceil(thinking/busy))))
	return n
}

// arrivals simulates the busiest hour, and a while before: it calls visit at random
// seconds, at a rate, and returns the 99th percentile of the waits of that hour.
// Nobody waits for a board before they play, so a queue grows faster than in reality.
func arrivals(random *rand.Rand, rate float64, visit func(t float64) (wait float64)) time.Duration {
	var waits []float64
	const before = hour / 6
	for t := random.ExpFloat64() / rate; t < before+hour; t += random.ExpFloat64() / rate {
		if wait := visit(t); t >= before {
			waits = append(waits, wait)
		}
	}
	if len(waits) == 0 {
		return 0
	}
	slices.Sort(waits)
	return time.Duration(waits[(len(waits)-1)*99/100] * float64(time.Second))
}

// waitForDiscord returns how long boards wait until they may be sent.
func (a assumptions) waitForDiscord(random *rand.Rand, rate float64) time.Duration {
	q := newLimiter(a.Limit)
	return arrivals(random, rate, func(t float64) float64 {
		requests := requestsByComputer
		if random.Float64() >= a.Computers/(1+a.Computers) {
			switch way := random.Float64(); {
			case way < byButton:
				requests = requestsByButton
			case way < byButton+byPanel:
				requests = requestsByPanel
			default:
				requests = requestsByCommand
			}
			if random.Float64() < otherRequests {
				requests++
			}
		}
		board := q.send(t)
		for range requests - 1 {
			q.send(t)
		}
		return board - t
	})
}

// limiter sends requests in order, at most so many in any window.
type limiter struct {
	sent   []float64 // when the last requests were sent, as many as the limit; a ring
	oldest int
	last   float64
}

func newLimiter(limit int) *limiter { return &limiter{sent: slices.Repeat([]float64{-window}, limit)} }

// send returns when a request is sent that is ready at t.
func (l *limiter) send(t float64) float64 {
	l.last = max(t, l.last, l.sent[l.oldest]+window)
	l.sent[l.oldest] = l.last
	l.oldest = (l.oldest + 1) % len(l.sent)
	return l.last
}

// waitForComputer returns how long people wait for the computer's turn: until one of
// the cores is free and the turn is computed.
func (a assumptions) waitForComputer(random *rand.Rand, rate float64, cores int) time.Duration {
	if rate == 0 {
		return 0
	}
	free := make([]float64, cores) // when each is
	return arrivals(random, rate, func(t float64) float64 {
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		spent := levelTime
		if random.Float64() < a.Strongest {
			spent = strongestTime
		}
		free[first] = max(t, free[first]) + spent.Seconds()
		return free[first] - t
	})
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
