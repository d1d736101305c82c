// Package fit fits the weights of evaluations to games that a program plays
// against itself.
//
// An evaluation is a sum of weights, one for every feature of the position, in
// phases between which it goes over from the opening to the end. Training begins
// with some weights and plays batches of games, each turn being the best by the
// evaluation a turn later, with noise. Then it moves every evaluation of the game
// towards those that followed and the result (temporal differences, TD(λ)), with a
// step of its own for each weight (Adagrad).
//
// Training is deterministic: the same settings give the same weights, on any
// number of threads.
package fit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"

	"castellan/engine/search"
)

// Phases is the number of weights of a feature: in the opening, in the middle and
// at the end of a game.
const Phases = 3

// Position is a position of two seats whose evaluation is a sum of weights.
type Position interface {
	search.Evaluator
	// Features appends the numbers of the features, seen by the seat to move. A
	// number can occur more than once.
	Features(to []int32) []int32
	// Stage returns the shares of the phases in the evaluation, which add up to 1.
	Stage() [Phases]float64
	// Margin returns, at the end of the game, by how much seat 0 has won, in units
	// of the evaluation.
	Margin() float64
}

// Model is the evaluation of a game that can be trained.
type Model struct {
	// Game is the key of the game.
	Game string
	// Weights holds the weights to begin with: feature n has those from Phases*n
	// on.
	Weights []float64
	// Unit is the number of units of the weights in one of the evaluation.
	Unit float64
	// Point is the number of units of the evaluation in what is counted at the end of
	// the game, such as a square.
	Point float64
	// Starts returns a function that draws a first position, whose evaluation has
	// those weights. It may be called from several goroutines.
	Starts func(weights []int16) func(*rand.Rand) Position
	// SeatStarts, if not nil, is Starts of a game in which each seat has an evaluation.
	SeatStarts func(weights []int16) func(*rand.Rand) SeatPosition
	// Settings holds the settings that made the weights in use.
	Settings Settings
	// InUse holds the file of the weights in use.
	InUse []byte
	// Player returns the player of the strongest level with those weights.
	Player func(weights []int16) search.Player
}

// Settings says how to train.
type Settings struct {
	Games   int     `json:"games"`           // wanted; Rounded says how many are played
	Seed    uint64  `json:"seed"`            // determines everything
	Rate    float64 `json:"rate"`            // first step of a weight
	Lambda  float64 `json:"lambda"`          // share of what comes later against the next evaluation, from 0 to 1
	Noise   float64 `json:"noise"`           // temperature of the choice among moves, in units of the evaluation
	Opening int     `json:"opening"`         // random moves at the start of each game
	Batch   int     `json:"batch,omitempty"` // games between two changes of the weights, a multiple of 16; 0 for 256
}

// Batch is the usual number of games between two changes of the weights. They are played
// in chunks, whose sums are added in order, so that threads make no difference.
const (
	Batch  = 256
	chunks = 16
)

// batch returns the number of games between two changes of the weights.
func (s Settings) batch() int { return cmp.Or(s.Batch, Batch) }

// Rounded returns the number of games that are played: those wanted, rounded up to
// complete batches.
func (s Settings) Rounded() int { return (s.Games + s.batch() - 1) / s.batch() * s.batch() }

// rising is the number of batches in which the step grows to its full size.
const rising = 20

// Training is the state of a training.
type Training struct {
	model   Model
	weights []float64
	squares []float64 // sums of the squares of the gradients
	played  int
}

// New returns a training that has not begun.
func New(m Model) *Training {
	return &Training{model: m, weights: append([]float64(nil), m.Weights...), squares: make([]float64, len(m.Weights))}
}

func (t *Training) Games() int { return t.played }

// Done reports whether all games have been played.
func (t *Training) Done() bool { return t.played >= t.model.Settings.Rounded() }

// Weights returns the weights rounded.
func (t *Training) Weights() []int16 {
	all := make([]int16, len(t.weights))
	for i, w := range t.weights {
		all[i] = int16(max(-math.MaxInt16, min(math.MaxInt16, math.Round(w))))
	}
	return all
}

// saved is the stored form of a training.
type saved struct {
	Game             string
	Settings         Settings
	Played           int
	Weights, Squares []float64
}

// Save writes the state, with which Resume continues, after its checksum.
func (t *Training) Save(w io.Writer) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(saved{t.model.Game, t.model.Settings, t.played, t.weights, t.squares}); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	_, err := w.Write(append(sum[:], b.Bytes()...))
	return err
}

// Resume returns a training as it was saved. It fails if the state is damaged, if it
// has more games than are wanted, or if it was saved with other settings.
func Resume(m Model, r io.Reader) (*Training, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading the state of a training: %w", err)
	}
	var s saved
	if len(file) < sha256.Size || sha256.Sum256(file[sha256.Size:]) != [sha256.Size]byte(file[:sha256.Size]) {
		return nil, errors.New("the state of the training is damaged")
	}
	if err := gob.NewDecoder(bytes.NewReader(file[sha256.Size:])).Decode(&s); err != nil {
		return nil, fmt.Errorf("reading the state of a training: %w", err)
	}
	s.Settings.Games = m.Settings.Games
	switch {
	case s.Game != m.Game:
		return nil, fmt.Errorf("this is a training of %s, not of %s", s.Game, m.Game)
	case s.Settings.Seed != m.Settings.Seed:
		return nil, fmt.Errorf("this training has the seed %d, not %d", s.Settings.Seed, m.Settings.Seed)
	case s.Settings != m.Settings || len(s.Weights) != len(m.Weights) || len(s.Squares) != len(m.Weights):
		return nil, errors.New("this training was begun by another version of the program, with other settings or features")
	case s.Played > m.Settings.Rounded():
		return nil, fmt.Errorf("this training has played %d games already, more than the %d wanted", s.Played, m.Settings.Rounded())
	}
	return &Training{m, s.Weights, s.Squares, s.Played}, nil
}

// Learn plays a batch of games on that many threads and changes the weights. It
// returns by how much the evaluations missed the results: the root of the mean square,
// in points.
func (t *Training) Learn(threads int) float64 {
	var (
		size   = t.model.Settings.batch()
		batch  = t.played / size
		play   = t.model.player(t.Weights())
		sums   [chunks][]float32
		errs   [chunks]float64
		counts [chunks]int
		next   = make(chan int, chunks)
		group  sync.WaitGroup
	)
	for i := range chunks {
		next <- i
	}
	close(next)
	for range threads {
		group.Go(func() {
			for i := range next {
				sums[i] = make([]float32, len(t.weights))
				for g := range size / chunks {
					r := rand.New(rand.NewPCG(t.model.Settings.Seed, uint64(batch*1_000_000+i*size/chunks+g)))
					e, n := play(r, sums[i])
					errs[i] += e
					counts[i] += n
				}
			}
		})
	}
	group.Wait()
	t.played += size
	t.step(sums[:], t.model.Settings.Rate*min(1, float64(batch+1)/rising))
	e, n := 0.0, 0
	for i := range chunks {
		e, n = e+errs[i], n+counts[i]
	}
	return math.Sqrt(e/float64(max(n, 1))) / t.model.Unit / t.model.Point
}

// player returns a function that plays a game with those weights and learns from it.
func (m *Model) player(weights []int16) func(r *rand.Rand, sum []float32) (squares float64, n int) {
	if m.SeatStarts != nil {
		start := m.SeatStarts(weights)
		return func(r *rand.Rand, sum []float32) (float64, int) { return m.learnSeats(start(r), r, sum) }
	}
	start := m.Starts(weights)
	return func(r *rand.Rand, sum []float32) (float64, int) { return m.learn(start(r), r, sum) }
}

// step changes the weights by the sums of their gradients.
func (t *Training) step(sums [][]float32, rate float64) {
	for f := range t.weights {
		g := 0.0
		for _, s := range sums {
			g += float64(s[f])
		}
		if g != 0 {
			t.squares[f] += g * g
			t.weights[f] += rate * g / (math.Sqrt(t.squares[f]) + 1)
		}
	}
}

// moment is a position of a game as the training sees it.
type moment struct {
	features []int32
	stage    [Phases]float64
	value    float64 // for seat 0, in units of the weights
	seat     int
}

// learn plays a game and adds the gradients of its positions. It returns the sum
// of the squares of the errors and their number.
func (m *Model) learn(p Position, r *rand.Rand, sum []float32) (squares float64, n int) {
	var moments []moment
	var moves []search.Move
	for turn := 0; p.Seat() >= 0; turn++ {
		moves = p.Moves(moves[:0])
		if turn < m.Settings.Opening {
			p.Make(moves[r.IntN(len(moves))])
			continue
		}
		at := moment{features: p.Features(nil), stage: p.Stage(), seat: p.Seat(), value: float64(p.Evaluate()) * m.Unit}
		if at.seat == 1 {
			at.value = -at.value
		}
		moments = append(moments, at)
		p.Make(m.choose(p, moves, r, func(seat int) float64 { return valueFor(p, seat) }))
	}
	result := p.Margin() * m.Unit
	target := result
	for i := len(moments) - 1; i >= 0; i-- {
		at := &moments[i]
		delta := target - at.value
		squares += (result - at.value) * (result - at.value)
		if at.seat == 1 {
			delta = -delta
		}
		for phase, share := range at.stage {
			d := float32(delta * share)
			for _, f := range at.features {
				sum[Phases*int(f)+phase] += d
			}
		}
		target = m.Settings.Lambda*target + (1-m.Settings.Lambda)*at.value
	}
	return squares, len(moments)
}

// valueFor returns the evaluation of a position, or its margin at the end, for a seat.
func valueFor(p Position, seat int) float64 {
	switch next := p.Seat(); {
	case next < 0 && seat == 0:
		return p.Margin()
	case next < 0:
		return -p.Margin()
	case next == seat:
		return float64(p.Evaluate())
	default:
		return -float64(p.Evaluate())
	}
}

// choose returns the best move by the value after it for the seat that makes it, and
// noise, which makes a softmax of the choice.
func (m *Model) choose(p search.State, moves []search.Move, r *rand.Rand, value func(seat int) float64) (chosen search.Move) {
	seat, best := p.Seat(), math.Inf(-1)
	for _, move := range moves {
		p.Make(move)
		v := value(seat)
		p.Unmake()
		u := min(r.Float64()+1e-12, math.Nextafter(1, 0))             // logarithms need 0 < u < 1
		if v -= m.Settings.Noise * math.Log(-math.Log(u)); v > best { // Gumbel's distribution
			best, chosen = v, move
		}
	}
	return chosen
}
