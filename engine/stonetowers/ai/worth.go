package ai

// pair is a worth at the start of the game, in the upper half, and at its end,
// in the lower half. Pairs are added and subtracted as they are.
type pair int64

func pairOf(start, end int) pair { return pair(start)<<32 + pair(end) }

func (p pair) start() int { return int(int32((p + 1<<31) >> 32)) }
func (p pair) end() int   { return int(int32(p)) }

// felling marks in a pair that a castle falls: far above any worth of a start,
// and yet so low that five of them can be added.
const felling pair = 1 << 58

// worth is what the squares are worth to Red, and so to Blue.
type worth struct {
	value [squares]pair
	// more is, by player and to him, what changes when his influence on a square
	// rises by one; felling is added where a castle falls.
	more [2][squares]pair
	// raised is, by player and to him, what changes on the square where he builds
	// or fortifies.
	raised [2][squares]pair
	// tempo is what it is worth to have the move.
	tempo pair
	// fade is the most turns left, of both together, in a hundred squares, at
	// which it is still the start.
	fade int
}

// unit is how many of the units of a worth are one of a value.
const unit = 4

// weights is what an owned square is worth to its owner, in units, by its
// place, the level of its castle and the lead on it, from 0 to mostLead and
// more; and to have the move.
type weights struct {
	square [places][4][mostLead + 1][2]int // at the start and at the end
	tempo  [2]int
	fade   int
}

// mostLead is the lead above which more is worth no more.
const mostLead = 7

// newWorth is the tables for weights.
func newWorth(w *weights) *worth {
	t := &worth{tempo: pairOf(w.tempo[0], w.tempo[1]), fade: w.fade}
	for q := range square(squares) {
		o := q.owner()
		if o == free || o == beyond || q.place() >= places {
			continue
		}
		player := int(o - red)
		lead := q.lead() * sign(player)
		if lead < 0 {
			continue
		}
		v := w.square[q.place()][q.level()][min(lead, mostLead)]
		t.value[q] = pairOf(v[0]*sign(player), v[1]*sign(player))
	}
	for player := range t.more {
		up, to := square(sign(player)), pair(sign(player))
		for q := range square(squares) {
			if q.owner() == beyond || q.lead() < -15 || q.lead()*sign(player) >= 15 {
				continue
			}
			next := q + up
			if next.goesTo(player) {
				next = next.with(of(player), 0)
				if q.level() > 0 {
					t.more[player][q] += felling
				}
			}
			t.more[player][q] += to * (t.value[next] - t.value[q])
			switch q.owner() {
			case free:
				t.raised[player][q] = to * t.value[(q+up).with(of(player), 1)]
			case of(player):
				if q.level() < 3 {
					t.raised[player][q] = to * (t.value[q+up+1<<levelShift] - t.value[q])
				}
			}
		}
	}
	return t
}
