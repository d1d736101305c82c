package load

import (
	"slices"
	"time"
)

// Figures holds the measurements of one run.
type Figures struct {
	Interactions int           // begun
	Lost         int           // without an answer
	Took         time.Duration // from the first beginning to the last
	Matches      int           // completed
	Posts        int           // challenges and boards
	All          Waits
	By           map[Kind]Waits
}

// Waits summarises the times to the first answer.
type Waits struct {
	Answered      int
	P50, P99, Max time.Duration // 0 if Answered is 0
}

// measured collects measurements. The crowd's lock guards it.
type measured struct {
	waits          map[Kind][]time.Duration
	begun          int
	matches, posts int
}

func newMeasured() *measured { return &measured{waits: map[Kind][]time.Duration{}} }

func (m *measured) add(k Kind, d time.Duration) { m.waits[k] = append(m.waits[k], d) }

func (m *measured) figures(took time.Duration) Figures {
	f := Figures{Interactions: m.begun, Took: took, Matches: m.matches, Posts: m.posts, By: map[Kind]Waits{}}
	var all []time.Duration
	for k, w := range m.waits {
		f.By[k] = summarise(w)
		all = append(all, w...)
	}
	f.All = summarise(all)
	return f
}

func summarise(all []time.Duration) Waits {
	if len(all) == 0 {
		return Waits{}
	}
	sorted := slices.Sorted(slices.Values(all))
	return Waits{Answered: len(sorted), P50: quantile(sorted, 50), P99: quantile(sorted, 99), Max: sorted[len(sorted)-1]}
}

// quantile returns the smallest value that percent of the values do not exceed
// (the nearest rank).
func quantile(sorted []time.Duration, percent int) time.Duration {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}
