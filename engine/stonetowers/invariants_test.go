package stonetowers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"

	"pgregory.net/rapid"
)

// game is a game drawn by rapid, far enough into the fight that castles fall.
type game struct {
	width, height, turns int
}

func drawGame(t *rapid.T) game {
	width := rapid.IntRange(4, 9).Draw(t, "width")
	height := rapid.IntRange(4, 9).Draw(t, "height")
	if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
		width, height = 7+width, 7+height
	}
	return game{width, height, rapid.IntRange(5, 60).Draw(t, "turns")}
}

func (g game) start(t *rapid.T) (*stonetowers.Position, *plain) {
	p, err := start(fmt.Sprintf("width=%d height=%d turns=%d", g.width, g.height, g.turns))
	if err != nil {
		t.Fatal(err)
	}
	return p, newPlain(g.width, g.height, g.turns)
}

// choose draws a legal action, in most turns the fiercest of a few.
func choose(t *rapid.T, p *stonetowers.Position) stonetowers.Action {
	random := xorshift(rapid.Uint64Min(1).Draw(t, "choice"))
	return fierce(p, 1+random.IntN(5), &random)
}

// What the rules page says of every game.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		p, _ := g.start(t)
		for p.Seat() != engine.Nobody {
			if p.Turns() >= 2*g.turns {
				t.Fatalf("%d turns of %d each", p.Turns(), g.turns)
			}
			checkStable(t, p)
			a := choose(t, p)
			next, err := p.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			q := next.(*stonetowers.Position)
			checkTurn(t, p, a, q)
			p = q
		}
		checkStable(t, p)
		if p.Turns() != 2*g.turns || p.TurnsPlayed(red) != g.turns || p.TurnsPlayed(blue) != g.turns {
			t.Fatalf("over after %d turns, not %d each", p.Turns(), g.turns)
		}
		r, _ := p.Result()
		reds, blues := p.SquareCount(red), p.SquareCount(blue)
		if !slices.Equal(r.Scores, []int{reds, blues}) || (reds == blues) != (len(r.Winners) == 0) {
			t.Fatalf("scores %v, winners %v", r.Scores, r.Winners)
		}
		if len(r.Winners) == 1 && p.SquareCount(r.Winners[0]) <= p.SquareCount(3-r.Winners[0]) {
			t.Fatalf("%v wins with %v", r.Winners, r.Scores)
		}
	})
}

// checkStable: the position between turns is always stable, a castle has a
// level from 1 to 3 and an owner, and every square counts once.
func checkStable(t *rapid.T, p *stonetowers.Position) {
	owned := [3]int{}
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			owner, level := p.Owner(s), p.Level(s)
			reds, blues := p.Influence(red, s), p.Influence(blue, s)
			owned[owner]++
			switch {
			case reds > blues && owner != red, blues > reds && owner != blue:
				t.Fatalf("%v is not stable\n%s", s, draw(p))
			case level < 0 || level > 3 || level > 0 && owner == engine.Nobody:
				t.Fatalf("a castle of level %d on %v of seat %d", level, s, owner)
			case owner == engine.Nobody && reds+blues > 0:
				t.Fatalf("%v is unowned, but Red has influence %d, Blue %d\n%s", s, reds, blues, draw(p))
			case p.Lead(s) != reds-blues:
				t.Fatalf("the lead on %v is %d, not %d\n%s", s, p.Lead(s), reds-blues, draw(p))
			}
		}
	}
	if owned[red] != p.SquareCount(red) || owned[blue] != p.SquareCount(blue) {
		t.Fatalf("the scores are %d and %d, not %v", p.SquareCount(red), p.SquareCount(blue), owned)
	}
	legal := legalTokens(p)
	if pass := slices.Contains(legal, "pass"); pass && len(legal) > 1 {
		t.Fatalf("pass is not alone: %v", legal)
	}
}

// checkTurn looks at a legal action a from p to q.
func checkTurn(t *rapid.T, p *stonetowers.Position, a stonetowers.Action, q *stonetowers.Position) {
	mover, opponent := p.Seat(), 3-p.Seat()
	if q.Turns() != p.Turns()+1 || q.TurnsPlayed(mover) != p.TurnsPlayed(mover)+1 || q.Seat() != opponent && q.Seat() != engine.Nobody {
		t.Fatalf("after seat %d comes seat %d, turn %d", mover, q.Seat(), q.Turns())
	}
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			before, after := p.Owner(s), q.Owner(s)
			acted := a.Kind != stonetowers.Pass && a.Square == s
			switch {
			case before == mover && after != mover:
				t.Fatalf("the mover loses %v by his own action\n%s%v\n%s", s, draw(p), a, draw(q))
			case before != after && after != mover:
				t.Fatalf("%v goes from seat %d to seat %d\n%s%v\n%s", s, before, after, draw(p), a, draw(q))
			case acted && (after != mover || q.Level(s) != p.Level(s)+1):
				t.Fatalf("%v leads to level %d of seat %d", a, q.Level(s), after)
			case acted && (a.Kind == stonetowers.Build) != (p.Level(s) == 0):
				t.Fatalf("%v on level %d", a, p.Level(s))
			case !acted && before == after && q.Level(s) != p.Level(s):
				t.Fatalf("%v keeps its owner, but the level changes\n%s%v\n%s", s, draw(p), a, draw(q))
			case !acted && before != after && q.Level(s) != 0:
				t.Fatalf("%v changes hands with its castle\n%s%v\n%s", s, draw(p), a, draw(q))
			case q.Influence(mover, s) < p.Influence(mover, s):
				t.Fatalf("the mover's influence on %v falls\n%s%v\n%s", s, draw(p), a, draw(q))
			case q.Influence(opponent, s) > p.Influence(opponent, s):
				t.Fatalf("the opponent's influence on %v rises\n%s%v\n%s", s, draw(p), a, draw(q))
			}
		}
	}
}

// The result does not depend on the order in which squares are counted: the
// plain rules, counting in one drawn order after the other, always agree with
// the position.
func TestOrderOfCountingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		p, want := g.start(t)
		for p.Seat() != engine.Nobody {
			a := choose(t, p)
			k := slices.Index(legalTokens(p), a.String())
			next, err := p.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			p = next.(*stonetowers.Position)

			played := want.legal()[k]
			want.shuffle(rapid.Uint64Min(1).Draw(t, "order"))
			want.play(played)
			if d := differences(p, want); d != nil {
				t.Fatalf("counted in another order: %v\n%s", d, draw(p))
			}
		}
	})
}

// shuffle changes the order in which squares are counted.
func (p *plain) shuffle(seed uint64) {
	random := xorshift(seed)
	for i := len(p.order) - 1; i > 0; i-- {
		j := random.IntN(i + 1)
		p.order[i], p.order[j] = p.order[j], p.order[i]
	}
}

// Positions that differ in anything but their history have different hashes.
func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	random := xorshift(5)
	for width := 4; width <= 16; width += 3 {
		for height := 4; height <= 16; height += 2 {
			for turns := 5; turns < 50; turns += 11 {
				p := position(t, fmt.Sprintf("width=%d height=%d turns=%d", width, height, turns))
				for {
					text := draw(p)
					if before, ok := seen[p.Hash()]; ok && before != text {
						t.Fatalf("one hash:\n%s%s", before, text)
					}
					seen[p.Hash()] = text
					if p.Seat() == engine.Nobody {
						break
					}
					p = apply(t, p, fierce(p, 2, &random))
				}
			}
		}
	}
	if len(seen) < 5000 {
		t.Errorf("only %d positions were compared", len(seen))
	}
}

// Owners, levels, turns played and turns to play are all part of the position,
// and the way there is not.
func TestHashCoversThePosition(t *testing.T) {
	const text = `
turns=20 played=2
 4 .  r  .  .
 3 r  R1 r  b
 2 .  r  b  B1
 1 .  .  .  b`
	want := read(t, text).Hash()
	for _, change := range []struct{ from, to string }{
		{"turns=20", "turns=21"},
		{"played=2", "played=3"},
		{"played=2", "played=4"},
		{"R1", "R2"},
		{"R1", "R3"},
		{"B1", "B2"},
		{"1 .  .  .", "1 r  .  ."},
		{"1 .  .  .", "1 b  .  ."},
		{"1 .  .  .", "1 .  .  r"},
		{"2 .  r  b", "2 r  r  b"},
	} {
		if read(t, replaceOnce(t, text, change.from, change.to)).Hash() == want {
			t.Errorf("%q instead of %q has the same hash", change.to, change.from)
		}
	}
	one, two := play(t, position(t, ""), "b2 g7 b2 e5 c4"), play(t, position(t, ""), "c4 e5 b2 g7 b2")
	if one.Hash() != two.Hash() || draw(one) != draw(two) {
		t.Errorf("two ways to one position:\n%s%s", draw(one), draw(two))
	}
}
