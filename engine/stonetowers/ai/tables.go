package ai

import "castellan/engine/stonetowers"

// tapered is a tapered score: the value in the opening in the upper half, that
// in the endgame in the lower half. Tapered scores add and subtract like
// numbers.
type tapered int64

func newTapered(start, end int) tapered { return tapered(start)<<32 + tapered(end) }

func (p tapered) opening() int { return int(int32((p + 1<<31) >> 32)) }
func (p tapered) endgame() int { return int(int32(p)) }

// captureFlag marks a score after which a castle falls. It is far above every
// opening score, and five of them can still be added.
const captureFlag tapered = 1 << 58

// evalTables holds the scores of squares by their packed form, for Red.
type evalTables struct {
	value [squares]tapered
	// influenceGain is the player's gain when their influence on a square
	// rises by one, plus captureFlag if a castle falls.
	influenceGain [2][squares]tapered
	// buildGain is the player's gain on the square where they build or
	// fortify.
	buildGain [2][squares]tapered
	// tempo is the score of having the move.
	tempo tapered
	// openingTurns is the number of turns left, of both players together
	// and for every hundred squares, from which the opening scores apply in
	// full.
	openingTurns int
}

// unit is the number of score units in a value of one.
const unit = 4

// weights holds the score of an owned square for its owner, by place, level of
// the castle and lead from 0 to mostLead.
type weights struct {
	square       [stonetowers.Places][4][mostLead + 1][2]int // at the start and at the end
	tempo        [2]int
	openingTurns int
}

// mostLead is the greatest lead that the scores tell apart.
const mostLead = 7

func newEvalTables(w *weights) *evalTables {
	t := &evalTables{tempo: newTapered(w.tempo[0], w.tempo[1]), openingTurns: w.openingTurns}
	for q := range square(squares) {
		o := q.Owner()
		if o == stonetowers.Free || o == stonetowers.Outside || q.Place() >= stonetowers.Places {
			continue
		}
		player := int(o - stonetowers.Red)
		lead := q.Lead() * stonetowers.Sign(player)
		if lead < 0 {
			continue
		}
		v := w.square[q.Place()][q.Level()][min(lead, mostLead)]
		t.value[q] = newTapered(v[0]*stonetowers.Sign(player), v[1]*stonetowers.Sign(player))
	}
	for player := range t.influenceGain {
		to := tapered(stonetowers.Sign(player))
		for q := range square(squares) {
			stronger, ok := q.Strengthen(player)
			if !ok || q.Owner() == stonetowers.Outside {
				continue
			}
			next := stronger
			if next.FlipsTo(player) {
				next = next.With(stonetowers.OwnerOf(player), 0)
				if q.Level() > 0 {
					t.influenceGain[player][q] += captureFlag
				}
			}
			t.influenceGain[player][q] += to * (t.value[next] - t.value[q])
			switch q.Owner() {
			case stonetowers.Free:
				t.buildGain[player][q] = to * t.value[stronger.With(stonetowers.OwnerOf(player), 1)]
			case stonetowers.OwnerOf(player):
				if q.Level() < 3 {
					t.buildGain[player][q] = to * (t.value[stronger.With(q.Owner(), q.Level()+1)] - t.value[q])
				}
			}
		}
	}
	return t
}
