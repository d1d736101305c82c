package fit_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/fit"
)

// race is a game in which the seats alternately take tokens from a row of twelve,
// from either end. A token is worth the weight that training must find: its
// number. The features are the tokens that each seat has.
type race struct {
	weights  []int16
	taken    [tokens]int // seat + 1
	low, top int
	line     []search.Move
}

const tokens = 12

func (g *race) Seats() int { return 2 }
func (g *race) Seat() int {
	if g.low > g.top {
		return -1
	}
	return len(g.line) % 2
}
func (g *race) Moves(to []search.Move) []search.Move {
	return append(to, search.Move(g.low), search.Move(g.top))
}
func (g *race) Make(m search.Move) {
	g.taken[m] = g.Seat() + 1
	if int(m) == g.low {
		g.low++
	} else {
		g.top--
	}
	g.line = append(g.line, m)
}
func (g *race) Unmake() {
	m := g.line[len(g.line)-1]
	g.line = g.line[:len(g.line)-1]
	g.taken[m] = 0
	if int(m) == g.low-1 {
		g.low--
	} else {
		g.top++
	}
}
func (g *race) Hash() uint64                        { return 0 }
func (g *race) Payoffs([]float64)                   {}
func (g *race) Actions(search.Move) []engine.Action { return nil }
func (g *race) Stage() [fit.Phases]float64          { return [fit.Phases]float64{0.25, 0.5, 0.25} }
func (g *race) Playout(*rand.PCG, []float64)        {}
func (g *race) Features(to []int32) (all []int32) {
	for i, by := range g.taken {
		if by > 0 {
			n := i
			if by-1 != g.Seat() {
				n += tokens
			}
			to = append(to, int32(n))
		}
	}
	return to
}
func (g *race) Evaluate() int {
	sum := 0.0
	for _, f := range g.Features(nil) {
		for phase, share := range g.Stage() {
			sum += share * float64(g.weights[fit.Phases*int(f)+phase])
		}
	}
	return int(math.Round(sum / unit))
}
func (g *race) Margin() (m float64) {
	for i, by := range g.taken {
		m += float64(3-2*by) * worth * float64(i)
	}
	return m
}

const (
	unit  = 8.0
	worth = 10 // of token 1
)

func model(games int) fit.Model {
	return fit.Model{
		Game: "race", Weights: make([]float64, fit.Phases*(2*tokens+1)), Unit: unit, Point: worth,
		Starts: func(w []int16) func(*rand.Rand) fit.Position {
			return func(*rand.Rand) fit.Position { return &race{weights: w, top: tokens - 1} }
		},
		Settings: fit.Settings{Games: games, Seed: 3, Rate: 80, Lambda: 0.7, Noise: 10, Opening: 2},
	}
}

// train trains to the end.
func train(t *fit.Training, threads int) (first, last float64) {
	for !t.Done() {
		if last = t.Learn(threads); first == 0 {
			first = last
		}
	}
	return first, last
}

// Training finds what the tokens are worth, halves the error, and does not depend on
// threads or interruptions.
func TestTraining(t *testing.T) {
	m := model(60 * fit.Batch)
	whole := fit.New(m)
	first, last := train(whole, 2)
	if last > first*2/3 {
		t.Errorf("the error goes from %.1f to %.1f", first, last)
	}
	value := func(feature int) (v float64) {
		for phase, share := range new(race).Stage() {
			v += share * float64(whole.Weights()[fit.Phases*feature+phase])
		}
		return v / unit
	}
	if mine, theirs := value(tokens-1)-value(1), value(2*tokens-1)-value(tokens+1); mine < 40 || theirs > -40 {
		t.Errorf("the last token is worth %.0f more than the second to its owner, %.0f to the other", mine, theirs)
	}

	part := fit.New(model(20 * fit.Batch))
	train(part, 1)
	var kept bytes.Buffer
	if err := part.Save(&kept); err != nil {
		t.Fatal(err)
	}
	data := kept.Bytes()
	rest, err := fit.Resume(m, &kept)
	if err != nil || rest.Games() != 20*fit.Batch {
		t.Fatalf("resumed after %d games: %v", rest.Games(), err)
	}
	train(rest, 3)
	if !slices.Equal(rest.Weights(), whole.Weights()) {
		t.Error("with other threads and an interruption the weights differ")
	}
	fails := func(name, want string, m fit.Model, data []byte) {
		t.Helper()
		if _, err := fit.Resume(m, bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fit.Resume(model(20*fit.Batch-1), bytes.NewReader(data)); err != nil {
		t.Errorf("one game less is wanted, but the batch is complete: %v", err)
	}
	fails("fewer games are wanted", "5120 games already, more than the 4864", model(19*fit.Batch), data)
	for _, at := range []int{0, 40, len(data) / 2, len(data) - 1} {
		broken := slices.Clone(data)
		broken[at] ^= 1
		fails("a bit is wrong", "damaged", m, broken)
	}
	for _, n := range []int{0, 10, len(data) - 1} {
		fails("the end is missing", "damaged", m, data[:n])
	}
	m.Game = "chess"
	fails("another game", "of race, not of chess", m, data)
	m.Game = "race"
	m.Settings.Rate++
	fails("another rate", "another version", m, data)
	m.Settings.Rate--
	m.Settings.Seed++
	fails("another seed", "seed 3, not 4", m, data)
	other := fit.New(m)
	train(other, 2)
	if slices.Equal(other.Weights(), whole.Weights()) {
		t.Error("another seed gives the same weights")
	}
}

// crowd is race for three seats, each with an evaluation: what it is expected to get.
type crowd struct{ race }

func (g *crowd) Seats() int { return 3 }
func (g *crowd) Seat() int {
	if g.race.Seat() < 0 {
		return -1
	}
	return len(g.line) % 3
}

func (g *crowd) Make(m search.Move) {
	seat := g.Seat()
	g.race.Make(m)
	g.taken[m] = seat + 1
}

func (g *crowd) SeatFeatures(seat int, to []int32) []int32 {
	for i, by := range g.taken {
		if by == seat+1 {
			to = append(to, int32(i))
		}
	}
	return append(to, int32(tokens+len(g.line))) // what is still to come
}

func (g *crowd) Scores(values []float64) {
	clear(values)
	for seat := range values {
		for _, f := range g.SeatFeatures(seat, nil) {
			if g.Seat() < 0 {
				values[seat] += worth * float64(f%tokens) // without the last feature, the number of all tokens
				continue
			}
			for phase, share := range g.Stage() {
				values[seat] += share * float64(g.weights[fit.Phases*int(f)+phase]) / unit
			}
		}
	}
}

// TestSeatTraining has training find what the tokens are worth to each of three seats,
// in batches of another size.
func TestSeatTraining(t *testing.T) {
	const batch = 64
	m := model(60 * batch)
	m.Settings.Batch = batch
	m.Settings.Rate, m.Settings.Noise = 400, 200 // with almost random choices no seat can expect to catch up
	m.Starts, m.SeatStarts = nil, func(w []int16) func(*rand.Rand) fit.SeatPosition {
		return func(*rand.Rand) fit.SeatPosition { return &crowd{race{weights: w, top: tokens - 1}} }
	}
	training := fit.New(m)
	first, last := train(training, 2)
	if training.Games() != 60*batch {
		t.Errorf("%d games, want %d", training.Games(), 60*batch)
	}
	if last > first*2/3 {
		t.Errorf("the error goes from %.1f to %.1f", first, last)
	}
	value := func(token int) (v float64) {
		for phase, share := range new(race).Stage() {
			v += share * float64(training.Weights()[fit.Phases*token+phase]) / unit
		}
		return v
	}
	if d := value(tokens-1) - value(1); d < 40 {
		t.Errorf("the last token is worth %.0f more than the second", d)
	}
}

// A file gives back the weights and how they were made, and nothing else is read.
func TestFile(t *testing.T) {
	m, want := model(100), []int16{0, 1, -1, 63, -64, 64, math.MaxInt16, math.MinInt16}
	file := fit.Encode(m, want)
	got, how, err := fit.Decode(file, "race")
	if err != nil || !slices.Equal(got, want) || how != m.Settings {
		t.Errorf("read %v, %+v, %v", got, how, err)
	}
	for name, bad := range map[string][]byte{
		"another game":      []byte(strings.Replace(string(file), `"race"`, `"rings"`, 1)),
		"another format":    []byte(strings.Replace(string(file), `"format":1`, `"format":2`, 1)),
		"a truncated file":  file[:len(file)-1],
		"more than weights": append(slices.Clone(file), 0),
		"no file":           nil,
		"too large numbers": append(bytes.Replace(file[:bytes.IndexByte(file, '\n')+1], []byte(`:8}`), []byte(`:1}`), 1), 0xff, 0xff, 0x7f),
	} {
		if _, _, err := fit.Decode(bad, "race"); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// TestPacked adds up packed weights of either sign, up to the limits.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var was [fit.Phases]int
	var sum fit.Packed
	for range 10_000 {
		var next [fit.Phases]int
		for phase := range next {
			next[phase] = []int{-fit.MaxSum, fit.MaxSum, r.IntN(2*fit.MaxSum) - fit.MaxSum}[r.IntN(3)]
		}
		sum += fit.Pack(next[0]-was[0], next[1]-was[1], next[2]-was[2])
		if got := [fit.Phases]int{sum.Opening(), sum.Middle(), sum.End()}; got != next {
			t.Fatalf("the phases are %v, want %v", got, next)
		}
		was = next
	}
}
