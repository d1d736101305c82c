package ai

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
)

// Model returns the learned evaluation, to train it.
func Model() fit.Model {
	return fit.Model{
		Game: stonetowers.Key, Weights: firstWeights(), Unit: unit, Point: squareValue,
		Starts: func(weights []int16) func(*rand.Rand) fit.Position {
			p := newPatterns(weights)
			return func(r *rand.Rand) fit.Position { return trainee{newLearned(newState(drawStart(r), fittedTables), p)} }
		},
		Settings: fit.Settings{Games: 400_000, Seed: 1, Rate: 8, Lambda: 0.7, Noise: 10, Opening: 4},
		InUse:    learnedWeights,
		Player:   playerWith,
	}
}

// playerWith returns the player of the strongest level with other weights.
func playerWith(weights []int16) search.Player {
	p := newPatterns(weights)
	all := levels()
	player := all[len(all)-1].Player.(levelPlayer)
	player.State = func(position engine.Position) (search.State, error) { return newStateWith(position, p) }
	return player
}

// firstWeights returns the weights with which training begins: those of single
// squares that the other levels use, and nothing for patterns of several.
func firstWeights() []float64 {
	w := make([]float64, phases*features)
	set := func(n int, v tapered) {
		a, b := float64(v.opening()), float64(v.endgame())
		w[phases*n], w[phases*n+1], w[phases*n+2] = a, (a+b)/2, b
	}
	for q := range square(squares) {
		if n := singleNumber(q, 0); n >= 0 && q.Owner() != stonetowers.Free {
			set(n, fittedTables.value[q])
		}
	}
	set(tempoAt, fittedTables.tempo)
	set(tempoAt+1, fittedTables.tempo)
	return w
}

// drawStart draws a first position: three of four are of the usual size.
func drawStart(r *rand.Rand) *stonetowers.Position {
	width, height, turns := 8, 8, 20
	if r.IntN(4) == 0 {
		width, height = 6+r.IntN(5), 6+r.IntN(5)
		turns = width * height * (20 + r.IntN(25)) / 100
	}
	p, err := engine.Start(stonetowers.Game{}, fmt.Sprintf("width=%d height=%d turns=%d", width, height, turns), 2)
	if err != nil {
		panic(err)
	}
	return p.(*stonetowers.Position)
}

// squareValue is what a square counts at the end, in units of the evaluation.
const squareValue = 80

// trainee is the state of a game of the training.
type trainee struct{ *learned }

func (t trainee) Features(to []int32) []int32 { return t.patternsOf(to) }

func (t trainee) Stage() [fit.Phases]float64 {
	a, b, c := t.stage(int(t.Left))
	return [fit.Phases]float64{float64(a) / scale, float64(b) / scale, float64(c) / scale}
}

func (t trainee) Margin() float64 { return squareValue * float64(t.Owned[0]-t.Owned[1]) }
