package load

import (
	"slices"
	"time"
)

// Figures is what was measured.
type Figures struct {
	Interactions int           // begun
	Lost         int           // of them, without any answer
	Took         time.Duration // from the first to the last that was begun
	Matches      int           // that ended
	Posts        int           // of challenges and boards
	All          Waits
	By           map[Kind]Waits
}

// Waits is how long people waited for the first answer.
type Waits struct {
	Answered      int
	P50, P99, Max time.Duration // 0 where nobody was answered
}

// measured collects waits. It belongs to the crowd's lock.
type measured struct {
	waits          map[Kind][]time.Duration
	began          int
	matches, posts int
}

func newMeasured() *measured { return &measured{waits: map[Kind][]time.Duration{}} }

func (m *measured) add(k Kind, d time.Duration) { m.waits[k] = append(m.waits[k], d) }

func (m *measured) figures(took time.Duration) Figures {
	f := Figures{Interactions: m.began, Took: took, Matches: m.matches, Posts: m.posts, By: map[Kind]Waits{}}
	var all []time.Duration
	for k, w := range m.waits {
		f.By[k] = waitsOf(w)
		all = append(all, w...)
	}
	f.All = waitsOf(all)
	return f
}

func waitsOf(all []time.Duration) Waits {
	if len(all) == 0 {
		return Waits{}
	}
	sorted := slices.Sorted(slices.Values(all))
	return Waits{Answered: len(sorted), P50: quantile(sorted, 50), P99: quantile(sorted, 99), Max: sorted[len(sorted)-1]}
}

// quantile is the smallest value that so many of a hundred do not exceed (the
// nearest rank).
func quantile(sorted []time.Duration, of int) time.Duration {
	rank := (len(sorted)*of + 99) / 100
	return sorted[max(rank, 1)-1]
}
