package prepared

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"castellan/engine"
	"castellan/engine/match"
)

// Any is the condition that every turn fulfils, and also the retirement of the
// seat before.
const Any = "*"

const (
	MaxDepth = 60  // turns after each other, of both sides
	MaxNodes = 300 // turns in all
	maxTurn  = 400 // bytes
)

var (
	// ErrTooMuch reports that a tree exceeds the limits.
	ErrTooMuch = errors.New("too many turns are prepared")
	// ErrCondition reports that a condition has no reply, or a reply no condition.
	ErrCondition = errors.New("a condition needs a reply")
	errText      = errors.New("this is not the text of prepared turns")
	errOpen      = errors.New("the turn is not complete")
)

// Node is a turn in a tree: in turn a condition, which is the turn of the seat
// before the player's, and a turn of the player.
type Node struct {
	Turn string // tokens, without the end of turn that follows from the rest; Any for a condition
	Then []Node
}

// Tree holds the conditional turns of one seat. The zero value has none.
type Tree struct {
	// Turns is the number of completed turns of the match that the tree follows. If
	// the seat was to move, the first level holds turns that it considered.
	Turns int
	Nodes []Node
}

// Canonical returns a turn without the end of turn that follows from the rest.
func Canonical(t match.Turn) string { return canonical(engine.Tokens(t.Actions)) }

func canonical(tokens []string) string {
	if n := len(tokens); n > 1 && tokens[n-1] == engine.End {
		tokens = tokens[:n-1]
	}
	return strings.Join(tokens, " ")
}

// String returns the text that Parse reads: a line for each node, with a tab for
// each level above it.
func (t Tree) String() string {
	var b strings.Builder
	var write func(nodes []Node, depth int)
	write = func(nodes []Node, depth int) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("\t", depth), n.Turn)
			write(n.Then, depth+1)
		}
	}
	write(t.Nodes, 0)
	return b.String()
}

// Parse reads the text of a tree that follows a number of turns. It fails if the
// tree exceeds the limits.
func Parse(turns int, text string) (Tree, error) {
	t := Tree{Turns: turns}
	var line []string
	for row := range strings.Lines(text) {
		turn := strings.TrimLeft(strings.TrimSuffix(row, "\n"), "\t")
		depth := len(strings.TrimSuffix(row, "\n")) - len(turn)
		if turn == "" || depth > len(line) || turn != strings.Join(strings.Fields(turn), " ") {
			return Tree{}, errText
		}
		line = append(line[:depth], turn)
		if t.Has(line) {
			return Tree{}, errText
		}
		t.Nodes = added(t.Nodes, line)
	}
	return t, t.check()
}

// check fails with ErrTooMuch if the tree exceeds the limits.
func (t Tree) check() error {
	count := 0
	var fits func(nodes []Node, depth int) bool
	fits = func(nodes []Node, depth int) bool {
		count += len(nodes)
		return !slices.ContainsFunc(nodes, func(n Node) bool {
			return depth > MaxDepth || len(n.Turn) > maxTurn || !fits(n.Then, depth+1)
		})
	}
	if !fits(t.Nodes, 1) || count > MaxNodes {
		return ErrTooMuch
	}
	return nil
}

func (t Tree) Empty() bool { return len(t.Nodes) == 0 }

// Has reports whether a line leads to a node.
func (t Tree) Has(line []string) bool {
	_, ok := t.follow(line)
	return ok
}

func (t Tree) After(line []string) []Node {
	nodes, _ := t.follow(line)
	return nodes
}

// follow returns the nodes after a line; ok is false if the tree lacks the line.
func (t Tree) follow(line []string) (nodes []Node, ok bool) {
	nodes = t.Nodes
	for _, turn := range line {
		i := find(nodes, turn)
		if i < 0 {
			return nil, false
		}
		nodes = nodes[i].Then
	}
	return nodes, true
}

func find(nodes []Node, turn string) int {
	return slices.IndexFunc(nodes, func(n Node) bool { return n.Turn == turn })
}

// own reports whether the first level holds turns of the player: every line ends
// with one.
func (t Tree) own() (own bool) {
	for nodes := t.Nodes; len(nodes) > 0; nodes = nodes[0].Then {
		own = !own
	}
	return own
}

// Lines returns the lines to the last turns, in order.
func (t Tree) Lines() (lines [][]string) {
	var walk func(nodes []Node, line []string)
	walk = func(nodes []Node, line []string) {
		for _, n := range nodes {
			if on := append(slices.Clip(line), n.Turn); len(n.Then) == 0 {
				lines = append(lines, on)
			} else {
				walk(n.Then, on)
			}
		}
	}
	walk(t.Nodes, nil)
	return lines
}

// With returns the tree with a line, which ends with a turn of the player. own
// says that the line begins with one too. A condition has one reply: another one
// is replaced, with all that follows it. With fails with ErrCondition or
// ErrTooMuch.
func (t Tree) With(line []string, own bool) (Tree, error) {
	if len(line) < 2 || own != (len(line)%2 == 1) {
		return t, ErrCondition
	}
	for i := range line {
		if isOwn := (i%2 == 0) == own; isOwn && i > 0 && !t.Has(line[:i+1]) {
			t = t.without(line[:i]) // the reply differs
		}
	}
	t.Nodes = added(t.Nodes, line)
	return t, t.check()
}

// Without returns the tree without a line and all that follows it. A condition
// does not stay without its reply, nor a turn that was considered without a
// condition.
func (t Tree) Without(line []string, own bool) Tree {
	if n := len(line); n > 1 && own == (n%2 == 1) {
		line = line[:n-1]
	}
	t = t.without(line)
	if own {
		t.Nodes = slices.DeleteFunc(slices.Clone(t.Nodes), func(n Node) bool { return len(n.Then) == 0 })
	}
	return t
}

func (t Tree) without(line []string) Tree {
	t.Nodes = removed(t.Nodes, line)
	return t
}

func added(nodes []Node, line []string) []Node {
	if len(line) == 0 {
		return nodes
	}
	nodes = slices.Clone(nodes)
	i := find(nodes, line[0])
	if i < 0 {
		i = len(nodes)
		nodes = append(nodes, Node{Turn: line[0]})
	}
	nodes[i].Then = added(nodes[i].Then, line[1:])
	return nodes
}

// removed returns nodes without the one at the end of a line.
func removed(nodes []Node, line []string) []Node {
	if len(line) == 0 {
		return nodes
	}
	i := find(nodes, line[0])
	switch {
	case i < 0:
		return nodes
	case len(line) == 1:
		return slices.Concat(nodes[:i], nodes[i+1:])
	}
	nodes = slices.Clone(nodes)
	nodes[i].Then = removed(nodes[i].Then, line[1:])
	return nodes
}

// At returns what is left of the tree in a match: what follows the turns that were
// completed since. If the seat is to move, the first level holds its reply.
func (t Tree) At(m *match.Match, seat engine.Seat) Tree {
	turns := m.Turns()
	left := Tree{Turns: len(turns)}
	if len(turns) < t.Turns || !m.Playing(seat) {
		return left
	}
	left.Nodes = t.Nodes
	for n := t.Turns; n <= len(turns); n++ {
		at := m.Open()
		if n < len(turns) {
			at = turns[n]
		}
		if at.Seat != seat {
			continue
		}
		if n > t.Turns || !t.own() {
			var before *match.Turn
			if n > t.Turns && at.Follows {
				before = &turns[n-1]
			}
			left.Nodes = fulfilled(left.Nodes, before)
		}
		if n < len(turns) {
			left.Nodes = then(left.Nodes, func(turn string) bool { return same(turn, at) })
		}
	}
	return left
}

// fulfilled returns what follows the condition that a turn fulfils; nil stands for
// a retirement.
func fulfilled(nodes []Node, before *match.Turn) []Node {
	if before != nil {
		if i := slices.IndexFunc(nodes, func(n Node) bool { return same(n.Turn, *before) }); i >= 0 {
			return nodes[i].Then
		}
	}
	return then(nodes, func(turn string) bool { return turn == Any })
}

// then returns what follows the first node whose turn is accepted.
func then(nodes []Node, accept func(turn string) bool) []Node {
	if i := slices.IndexFunc(nodes, func(n Node) bool { return accept(n.Turn) }); i >= 0 {
		return nodes[i].Then
	}
	return nil
}

// same reports whether a turn is written as the text, or leads to the position to
// which the text would lead: actions of a turn can often be played in another
// order.
func same(text string, t match.Turn) bool {
	if text == Canonical(t) {
		return true
	}
	want, ok := apply(t.Before, strings.Fields(text))
	if !ok {
		return false
	}
	got, ok := apply(t.Before, engine.Tokens(t.Actions))
	return ok && got.Hash() == want.Hash() && got.Turns() == want.Turns() && got.Seat() == want.Seat()
}

// apply returns the position after a whole turn, whose end may be left out.
func apply(p engine.Position, tokens []string) (engine.Position, bool) {
	before := p.Turns()
	for _, token := range append(slices.Clip(tokens), engine.End) {
		_, over := p.Result()
		if over || p.Turns() > before {
			return p, token == engine.End
		}
		a, err := p.Parse(token)
		if err != nil {
			return nil, false
		}
		if p, err = p.Apply(a); err != nil {
			return nil, false
		}
	}
	return p, true
}

// Reply returns the turn that is prepared for the seat to move; ok is false if
// there is none or if the turn has begun.
func (t Tree) Reply(m *match.Match) (turn string, ok bool) {
	seat := m.Seat()
	if seat == engine.Nobody || len(m.Turns()) <= t.Turns && t.own() || len(m.Open().Actions) > 0 {
		return "", false
	}
	if left := t.At(m, seat); len(left.Nodes) > 0 {
		return left.Nodes[0].Turn, true
	}
	return "", false
}

// Play returns the entries of a prepared turn of the seat to move. It fails like
// match.Match.Act, and if the turn is not complete.
func Play(m *match.Match, turn string, cause match.Cause) ([]match.Entry, error) {
	entries, err := m.Act(m.Seat(), turn, cause)
	if err != nil {
		return nil, err
	}
	if complete, err := completes(m, entries); complete || err != nil {
		return entries, err
	}
	if entries, err = m.Act(m.Seat(), turn+" "+engine.End, cause); err != nil {
		return nil, fmt.Errorf("%w: %w", errOpen, err)
	}
	if complete, err := completes(m, entries); !complete || err != nil {
		return nil, errors.Join(errOpen, err)
	}
	return entries, nil
}

func completes(m *match.Match, entries []match.Entry) (bool, error) {
	after, err := m.With(entries...)
	return err == nil && len(after.Turns()) > len(m.Turns()), err
}
