package towers_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/towers"

	"pgregory.net/rapid"
)

// What the rules page says of every game, on games drawn by rapid. Rapid draws
// the options and a seed: numbers of its own choice are small ones mostly, and
// games would be over after two passes.
func TestInvariants(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		options, err := towers.Game{}.Options().Options(map[string]string{
			"size":  rapid.SampledFrom([]string{"5", "6", "7", "10"}).Draw(t, "size"),
			"rules": rapid.SampledFrom([]string{"none", "tower-out", "lock-after-move", "lock-split-tower+tower-out", "import-first", "no-master-win"}).Draw(t, "rules"),
		})
		if err != nil {
			t.Fatal(err)
		}
		start, err := towers.Game{}.New(options, 2)
		if err != nil {
			t.Fatal(err)
		}
		random := xorshift(rapid.Uint32().Draw(t, "seed"))*0x9e3779b97f4a7c15 + 1
		p := start.(*towers.Position)
		turn := p // the position at the start of the turn
		for n := 0; n < 300 && p.Seat() != engine.Nobody; n++ {
			a := choose(p, &random)
			next, err := p.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			q := next.(*towers.Position)
			met[checkAction(t, p, a, q)]++
			checkPosition(t, q)
			if q.Turns() > p.Turns() {
				checkTurn(t, turn, q)
				turn = q
			}
			p = q
		}
	})
	t.Log(met)
	for _, what := range []string{"move", "raise", "attack", "capture", "take-out", "import", "end"} {
		if met[what] == 0 {
			t.Errorf("no %s was met: nothing is known of it", what)
		}
	}
}

// census is what a position holds.
type census struct {
	pawns   int    // of both, on the board and in reserve
	of      [3]int // by seat
	masters [3]int
	locked  int
}

func count(p *towers.Position) (c census) {
	for seat := engine.Seat(1); seat <= 2; seat++ {
		c.of[seat] = p.Reserve(seat)
	}
	for y := range p.Size() {
		for x := range p.Size() {
			s := towers.Square{X: x, Y: y}
			at := p.At(s)
			c.of[at.Owner] += at.Height
			if at.Master {
				c.masters[at.Owner]++
			}
			if p.Locked(s) {
				c.locked++
			}
		}
	}
	c.pawns = c.of[1] + c.of[2]
	return c
}

// checkPosition looks at a position by itself.
func checkPosition(t *rapid.T, p *towers.Position) {
	c := count(p)
	for seat := engine.Seat(1); seat <= 2; seat++ {
		at, ok := p.Master(seat)
		if ok != (c.masters[seat] == 1) || c.masters[seat] > 1 {
			t.Fatalf("seat %d has %d masters, on the board %t", seat, c.masters[seat], ok)
		}
		if tower := p.At(at); ok && (!tower.Master || tower.Owner != seat) {
			t.Fatalf("the master of seat %d is not on %v", seat, at)
		}
		// "the master tower is always of height 1 during the opponent's turn"
		if tower := p.At(at); ok && p.Seat() == 3-seat && tower.Height != 1 {
			t.Fatalf("the master of seat %d is %d high though it is not his turn", seat, tower.Height)
		}
	}
	left, of := p.MovePoints()
	if left < 0 || left > of {
		t.Fatalf("%d of %d points are left", left, of)
	}
	if p.Seat() != engine.Nobody && left > p.Reserve(p.Seat()) {
		t.Fatalf("more points, %d, than pawns in reserve, %d", left, p.Reserve(p.Seat()))
	}
	for y := range p.Size() {
		for x := range p.Size() {
			if s := (towers.Square{X: x, Y: y}); p.Locked(s) && p.At(s).Height == 0 {
				t.Fatalf("%v is locked and empty", s)
			}
		}
	}
}

// checkAction looks at a legal action a from p to q, and says what it is.
func checkAction(t *rapid.T, p *towers.Position, a towers.Action, q *towers.Position) string {
	before, after := count(p), count(q)
	mover, other := p.Seat(), 3-p.Seat()
	from, to := p.At(a.From()), p.At(a.To())
	left, _ := p.MovePoints()
	now, _ := q.MovePoints()
	attack := to.Owner == other && (a.Kind() == towers.Move || a.Kind() == towers.TakeOut)

	// Pawns are conserved but by attack; a capture gives them to the mover.
	lost := 0
	if attack && (a.Kind() == towers.TakeOut || !from.Master) {
		lost = to.Height
	}
	if after.pawns != before.pawns-lost {
		t.Fatalf("%v: %d pawns, then %d", a, before.pawns, after.pawns)
	}
	if attack && lost == 0 && after.of[mover] != before.of[mover]+to.Height {
		t.Fatalf("%v captures %d, and the mover has %d pawns, then %d", a, to.Height, before.of[mover], after.of[mover])
	}
	if !attack && after.of != before.of {
		t.Fatalf("%v is no attack, and the pawns go from %v to %v", a, before.of, after.of)
	}
	if a.Kind() == towers.End {
		if after.locked != 0 {
			t.Fatalf("%d locks after the end of the turn", after.locked)
		}
		if q.Seat() != other && q.Seat() != engine.Nobody {
			t.Fatalf("after seat %d comes seat %d", mover, q.Seat())
		}
		return "end"
	}
	if now >= left {
		t.Fatalf("%v leaves %d of %d points", a, now, left)
	}
	if a.Kind() == towers.Import {
		if left-now != a.Count() || p.Reserve(mover)-q.Reserve(mover) != a.Count() {
			t.Fatalf("%v costs %d points and %d of the reserve", a, left-now, p.Reserve(mover)-q.Reserve(mover))
		}
		return "import"
	}
	// Neither the source nor the target may be locked, and an occupied target is.
	if p.Locked(a.From()) || p.Locked(a.To()) {
		t.Fatalf("%v from %t to %t, which is locked", a, p.Locked(a.From()), p.Locked(a.To()))
	}
	if to.Height > 0 && !q.Locked(a.To()) {
		t.Fatalf("%v does not lock its target", a)
	}
	if q.At(a.To()).Owner != mover {
		t.Fatalf("%v: the target holds %v", a, q.At(a.To()))
	}
	if end, over := q.Result(); over != (attack && to.Master) || over && end.Reason != "master" {
		t.Fatalf("%v onto %v: over %t by %q", a, to, over, end.Reason)
	}
	switch {
	case attack && lost == 0:
		return "capture"
	case attack:
		return "attack"
	case a.Kind() == towers.TakeOut:
		return "take-out"
	case to.Owner == mover:
		return "raise"
	}
	return "move"
}

// checkTurn looks at a whole turn: what was locked and imported is gone.
func checkTurn(t *rapid.T, p, q *towers.Position) {
	if q.Turns() != p.Turns()+1 {
		t.Fatalf("%d turns, then %d", p.Turns(), q.Turns())
	}
	if q.Seat() == engine.Nobody {
		return
	}
	if left, of := q.MovePoints(); left != of || of != q.Reserve(q.Seat()) {
		t.Fatalf("a turn begins with %d of %d points and %d in reserve", left, of, q.Reserve(q.Seat()))
	}
	// His reserve never falls over a whole turn but by what was taken out.
	if mover := p.Seat(); q.Reserve(mover)+onBoard(q, mover) < p.Reserve(mover)+onBoard(p, mover) {
		t.Fatalf("seat %d has lost pawns in his own turn", mover)
	}
}

func onBoard(p *towers.Position, seat engine.Seat) int { return count(p).of[seat] - p.Reserve(seat) }

// An import of several pawns is the same as as many imports of one.
func TestImportsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = "size=10"
		o, err := towers.Game{}.Options().Parse(size)
		if err != nil {
			t.Fatal(err)
		}
		start, err := towers.Game{}.New(o, 2)
		if err != nil {
			t.Fatal(err)
		}
		p := start.(*towers.Position)
		for _, token := range []string{"a2-a3", "end"} {
			if p, err = try(p, token); err != nil {
				t.Fatal(err)
			}
		}
		n := rapid.IntRange(1, 6).Draw(t, "n")
		at, _ := p.Master(2)
		one, several := p, p
		for range n {
			if one, err = try(one, "+1"); err != nil {
				t.Fatal(err)
			}
		}
		if several, err = try(several, towers.NewAction(towers.Import, at, at, n).String()); err != nil {
			t.Fatal(err)
		}
		if one.Hash() != several.Hash() || draw(one) != draw(several) {
			t.Fatalf("%d imports of one give\n%sone of %d\n%s", n, draw(one), n, draw(several))
		}
	})
}

// Positions that differ in anything but their history have different hashes.
func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	random := xorshift(5)
	for _, options := range optionSets {
		p, moved := position(t, options), ""
		for range 400 {
			if p.Seat() == engine.Nobody {
				break
			}
			text := moved + draw(p)
			if before, ok := seen[p.Hash()]; ok && before != text {
				t.Fatalf("one hash:\n%s%s", before, text)
			}
			seen[p.Hash()] = text
			a := choose(p, &random)
			switch {
			case a.Kind() == towers.End:
				moved = ""
			case a.Kind() != towers.Import && p.Rules() != nil && containsRule(p, "import-first"):
				moved = "moved "
			}
			p = play(t, p, a.String())
		}
	}
	if len(seen) < 2000 {
		t.Errorf("only %d positions were compared", len(seen))
	}
}

func containsRule(p *towers.Position, name string) bool {
	for _, r := range p.Rules() {
		if r == name {
			return true
		}
	}
	return false
}

// The points left, the reserves, the locks, whose turn it is and whether
// imports are over are part of the position; how the turn began is not.
func TestHashCoversWhatCanBeDone(t *testing.T) {
	const text = `
rules=import-first move=blue points=2/3 reserve=3,1
 5 .  .  R  .  .
 4 .  .  .  .  .
 3 b# .  .  .  .
 2 .  .  .  .  .
 1 .  .  B2 .  .`
	want := read(t, text).Hash()
	for _, change := range []struct{ from, to string }{
		{"points=2/3", "points=1/3"},
		{"reserve=3,1", "reserve=2,1"},
		{"reserve=3,1", "reserve=3,2"},
		{"move=blue", "move=red"},
		{"b#", "b "},
		{"b#", "r#"},
		{"b#", "b2#"},
		{"B2", "B3"},
		{"B2 .", ".  B2"},
		{"rules=import-first", "rules=tower-out"},
		{"rules=import-first", "rules=import-first moved"},
	} {
		if read(t, replaceOnce(t, text, change.from, change.to)).Hash() == want {
			t.Errorf("%q instead of %q has the same hash", change.to, change.from)
		}
	}
	for _, change := range []struct{ from, to string }{{"points=2/3", "points=2/5"}, {"rules", "passed rules"}} {
		if read(t, replaceOnce(t, text, change.from, change.to)).Hash() != want {
			t.Errorf("%q instead of %q, which is history, has another hash", change.to, change.from)
		}
	}
}
