package trails_test

import (
	"testing"

	"castellan/engine"
	"castellan/engine/trails"

	"pgregory.net/rapid"
)

// What the rules page says of every game, on games drawn by rapid.
func TestInvariants(t *testing.T) {
	fitting := boards()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(fitting).Draw(t, "board")
		p, err := start(b.String())
		if err != nil {
			t.Fatal(err)
		}
		straight := rapid.Bool().Draw(t, "straight")
		for p.Seat() != engine.Nobody {
			// A move occupies a square at least, so that no game is longer than
			// the squares that are not occupied at the start.
			if p.Turns() > b.size*b.size-2 {
				t.Fatalf("%d moves on %s", p.Turns(), b)
			}
			legal := p.Legal()
			d := rapid.SampledFrom(legal).Draw(t, "move").(trails.Direction)
			if last, ok := p.LastDirection(p.Seat()); ok && straight {
				if _, can := p.Target(last); can {
					d = last
				}
			}
			next, err := p.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			q := next.(*trails.Position)
			checkMove(t, p, d, q)
			p = q
		}
		r, over := p.Result()
		if !over || len(r.Winners) != 1 {
			t.Fatalf("over %t, winners %v: a game has exactly one", over, r.Winners)
		}
	})
}

// checkMove looks at a legal move d from p to q.
func checkMove(t *rapid.T, p *trails.Position, d trails.Direction, q *trails.Position) {
	mover, opponent := p.Seat(), 3-p.Seat()
	if q.Turns() != p.Turns()+1 || q.Seat() != opponent && q.Seat() != engine.Nobody {
		t.Fatalf("after seat %d comes seat %d, turn %d", mover, q.Seat(), q.Turns())
	}
	target, _ := p.Target(d)
	if p.Owner(target) != engine.Nobody || q.Owner(target) != mover || q.Head(mover) != target {
		t.Fatalf("%v to %v: the head is on %v", d, target, q.Head(mover))
	}
	last, moved := p.LastDirection(mover)
	boost := 0
	if moved && last == d {
		boost = p.Boost(mover) + 1
	}
	if got := q.Boost(mover); got != boost {
		t.Fatalf("%v after %v with %d: boost %d", d, last, p.Boost(mover), got)
	}
	if now, ok := q.LastDirection(mover); !ok || now != d {
		t.Fatalf("the last direction is %v, not %v", now, d)
	}
	if q.Head(opponent) != p.Head(opponent) || q.Boost(opponent) != p.Boost(opponent) || q.Taken(opponent) != p.Taken(opponent) {
		t.Fatalf("%v changes the opponent", d)
	}

	from := p.Head(mover)
	towers := map[trails.Square]bool{}
	for _, tower := range p.Towers() {
		towers[tower.Square] = true
	}
	taken := [3]int{}
	for y := range p.Size() {
		for x := range p.Size() {
			s := trails.Square{X: x, Y: y}
			before, after := p.Owner(s), q.Owner(s)
			// Between the head and the target, both included.
			way := min(from.X, target.X) <= x && x <= max(from.X, target.X) && min(from.Y, target.Y) <= y && y <= max(from.Y, target.Y)
			switch {
			case before != engine.Nobody && after != before:
				t.Fatalf("%v, occupied by seat %d, goes to seat %d", s, before, after)
			case before == engine.Nobody && after != engine.Nobody && (!way || after != mover):
				t.Fatalf("%v %v to %v occupies %v for seat %d", from, d, target, s, after)
			case before == engine.Nobody && way && !towers[s] && after != mover:
				t.Fatalf("%v %v to %v leaves %v free", from, d, target, s)
			case before == engine.Nobody && way && towers[s] && s != target && after != engine.Nobody:
				t.Fatalf("%v %v to %v takes the tower on the way, %v", from, d, target, s)
			}
			if towers[s] {
				taken[after]++
			}
		}
	}
	for seat := engine.Seat(1); seat <= 2; seat++ {
		if q.Taken(seat) != taken[seat] {
			t.Fatalf("seat %d has taken %d, but owns %d towers", seat, q.Taken(seat), taken[seat])
		}
		if q.Owner(q.Head(seat)) != seat || q.Owner(q.Base(seat)) != seat {
			t.Fatalf("the head %v or the base of seat %d is not his", q.Head(seat), seat)
		}
	}
	if towers[target] && boost == 0 {
		t.Fatalf("the tower on %v is taken without a boost", target)
	}
}

// Positions that differ in anything but their history have different hashes.
func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	random := xorshift(5)
	for _, b := range boards() {
		for p := position(t, b.String()); ; {
			text := draw(p)
			if before, ok := seen[p.Hash()]; ok && before != text {
				t.Fatalf("one hash:\n%s%s", before, text)
			}
			seen[p.Hash()] = text
			legal := p.Legal()
			if len(legal) == 0 {
				break
			}
			p = apply(t, p, legal[random.IntN(len(legal))])
		}
	}
	if len(seen) < 5000 {
		t.Errorf("only %d positions were compared", len(seen))
	}
}

// The last direction and the boost are part of the position.
func TestHashCoversDirectionAndBoost(t *testing.T) {
	const text = `
towers=1 move=red blue=right:0 red=up:0
 5 b b b B .
 4 . . . . .
 3 . . T . .
 2 . . . . R
 1 . . . . r`
	want := read(t, text).Hash()
	for _, change := range []struct{ from, to string }{
		{"blue=right:0", "blue=up:0"},
		{"blue=right:0", "blue=right:1"},
		{"red=up:0", "red=up:1"},
		{" red=up:0", ""},
		{"move=red", "move=blue"},
		{"b b b B", "b b r B"},
		{"b b b B", "b b B b"},
		{" 4 .", " 4 b"},
	} {
		if read(t, replaceOnce(t, text, change.from, change.to)).Hash() == want {
			t.Errorf("%q instead of %q has the same hash", change.to, change.from)
		}
	}
	if read(t, text).Hash() != want {
		t.Error("equal positions have different hashes")
	}
}
