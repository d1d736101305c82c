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
	// Invalid counts the requests of the bot that were answered 401, 403 or 429.
	// Worst is the most of them in one channel within a minute.
	Invalid, Worst int
	All            Waits
	By             map[Kind]Waits
	Replies        Waits // of the computer: from a person's move until they are to move again
}

// Waits summarises the times to the first answer.
type Waits struct {
	Answered           int
	P50, P95, P99, Max time.Duration // 0 if Answered is 0
}

// measured collects measurements. The crowd's lock guards it.
type measured struct {
	waits          map[Kind][]time.Duration
	replies        []time.Duration
	begun          int
	matches, posts int
	invalid        map[string][]time.Time // by channel, "" for none
}

func newMeasured() *measured {
	return &measured{waits: map[Kind][]time.Duration{}, invalid: map[string][]time.Time{}}
}

func (m *measured) add(k Kind, d time.Duration) { m.waits[k] = append(m.waits[k], d) }

func (m *measured) figures(took time.Duration) Figures {
	f := Figures{Interactions: m.begun, Took: took, Matches: m.matches, Posts: m.posts, By: map[Kind]Waits{}}
	var all []time.Duration
	for k, w := range m.waits {
		f.By[k] = summarise(w)
		all = append(all, w...)
	}
	f.All, f.Replies = summarise(all), summarise(m.replies)
	for channel, times := range m.invalid {
		f.Invalid += len(times)
		for i, first := range times {
			within := slices.IndexFunc(times[i:], func(t time.Time) bool { return t.Sub(first) >= time.Minute })
			if within < 0 {
				within = len(times) - i
			}
			if channel != "" {
				f.Worst = max(f.Worst, within)
			}
		}
	}
	return f
}

func summarise(all []time.Duration) Waits {
	if len(all) == 0 {
		return Waits{}
	}
	sorted := slices.Sorted(slices.Values(all))
	return Waits{Answered: len(sorted), P50: quantile(sorted, 50), P95: quantile(sorted, 95), P99: quantile(sorted, 99), Max: sorted[len(sorted)-1]}
}

// quantile returns the smallest value that percent of the values do not exceed
// (the nearest rank).
func quantile(sorted []time.Duration, percent int) time.Duration {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}
