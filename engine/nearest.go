package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxNearest is how many characters of a text are looked at: no token is
// longer, and people can paste anything.
const maxNearest = 64

// Nearest is at most n tokens of legal actions that a text which is no action
// may have been meant for, nearest first: those that begin with the text, in
// the order of legal, then those that few slips of the keyboard turn into it.
// Case, accents and white space do not count. It is empty where nothing is
// near.
func Nearest(legal []Action, text string, n int) []string {
	asked := fold(text)
	if len(asked) == 0 || n <= 0 {
		return nil
	}
	type candidate struct {
		token    string
		distance int // 0 for the same text, 1 for a beginning, then 1 more than the slips
	}
	var near []candidate
	for _, a := range legal {
		token := a.String()
		if d, ok := distance(asked, fold(token)); ok {
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

// distance says how far a folded text is from a folded token, and whether that
// is near. One slip in three characters is near, if anything is left in common;
// so is a token with more behind it, "upwards".
func distance(asked, token []rune) (d int, near bool) {
	switch {
	case slices.Equal(asked, token):
		return 0, true
	case len(asked) < len(token) && slices.Equal(asked, token[:len(asked)]):
		return 1, true
	}
	longest := max(len(asked), len(token))
	if s := slips(asked, token); s <= (longest+1)/3 && s < longest {
		return 1 + s, true
	}
	if len(token) >= 2 && len(asked) > len(token) && slices.Equal(asked[:len(token)], token) {
		return 1 + longest, true
	}
	return 0, false
}

// slips is the least number of characters added, left out, replaced or swapped
// with their neighbour that turn one text into the other (optimal string
// alignment).
func slips(a, b []rune) int {
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

// fold is the characters that count: lower case, without accents and white
// space.
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
