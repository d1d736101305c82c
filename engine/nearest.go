package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxNearest is the number of characters of a text that Nearest compares. No
// token is longer, and people can paste anything.
const maxNearest = 64

// Nearest returns at most n of the tokens that a person may have meant by a
// mistyped text: first those that start with it, in their order, then those
// within a small edit distance, nearest first. It ignores case, accents and white
// space.
func Nearest(tokens []string, text string, n int) []string {
	typed := fold(text)
	if len(typed) == 0 || n <= 0 {
		return nil
	}
	type candidate struct {
		token    string
		distance int
	}
	var near []candidate
	for _, token := range tokens {
		if d, ok := distance(typed, fold(token)); ok {
			near = append(near, candidate{token, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, c := range near[:min(n, len(near))] {
		out = append(out, c.token)
	}
	return out
}

// NearestOnBoard returns the tokens of at most n legal actions that are nearest
// on the board to an action that is not legal; by its spelling if the position
// is no Surveyor.
func NearestOnBoard(p Position, a Action, n int) []string {
	s, ok := p.(Surveyor)
	if !ok {
		return Nearest(Tokens(p.Legal()), a.String(), n)
	}
	legal := p.Legal()
	slices.SortStableFunc(legal, func(x, y Action) int { return cmp.Compare(s.Distance(a, x), s.Distance(a, y)) })
	return Tokens(legal[:min(n, len(legal))])
}

// Spread returns at most n of the actions in their order. If there are more it
// prefers notable ones, and takes each as far as possible from those before; if
// the position is no Surveyor it takes them at equal intervals.
func Spread(p Position, actions []Action, n int) []Action {
	if len(actions) <= n {
		return actions
	}
	taken := make([]bool, len(actions))
	if s, ok := p.(Surveyor); ok {
		spread(s, actions, taken, n)
	} else {
		for i := range n {
			taken[i*len(actions)/n] = true
		}
	}
	out := make([]Action, 0, n)
	for i, a := range actions {
		if taken[i] {
			out = append(out, a)
		}
	}
	return out
}

func spread(s Surveyor, actions []Action, taken []bool, n int) {
	notable, gap := make([]bool, len(actions)), make([]int, len(actions))
	for i, a := range actions {
		notable[i], gap[i] = s.Notable(a), math.MaxInt
	}
	for range n {
		best := -1
		for i := range actions {
			switch {
			case taken[i]:
			case best < 0, notable[i] && !notable[best], notable[i] == notable[best] && gap[i] > gap[best]:
				best = i
			}
		}
		taken[best] = true
		for i, a := range actions {
			gap[i] = min(gap[i], s.Distance(actions[best], a))
		}
	}
}

// distance ranks a folded token by how near it is to a folded text: 0 if they are
// equal, 1 if the text is a prefix, otherwise more than their edit distance. A
// token is near if it needs at most one edit in three characters and not all of
// them change, or if the text only continues it, as "upwards" does "up".
func distance(typed, token []rune) (d int, near bool) {
	switch {
	case slices.Equal(typed, token):
		return 0, true
	case len(typed) < len(token) && slices.Equal(typed, token[:len(typed)]):
		return 1, true
	}
	longest := max(len(typed), len(token))
	if n := edits(typed, token); n <= (longest+1)/3 && n < longest {
		return 1 + n, true
	}
	if len(token) >= 2 && len(typed) > len(token) && slices.Equal(typed[:len(token)], token) {
		return 1 + longest, true
	}
	return 0, false
}

// edits returns the edit distance of two texts by optimal string alignment:
// Levenshtein's, with a swap of neighbours as one edit.
func edits(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	now := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		now[0] = i + 1
		for j := range b {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			now[j+1] = min(replace, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}

// fold returns a text in lower case without accents and white space, cut to
// maxNearest characters.
func fold(text string) []rune {
	if len(text) > 8*maxNearest { // room for several marks on each character
		text = text[:8*maxNearest]
	}
	var out []rune
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) {
			continue
		}
		if out = append(out, r); len(out) == maxNearest {
			break
		}
	}
	return out
}
