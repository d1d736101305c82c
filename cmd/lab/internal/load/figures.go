package load

import (
	"math"
	"slices"
	"time"
)

// Figures holds the measurements of one bot.
type Figures struct {
	Interactions int     `json:"interactions"` // begun
	Lost         int     `json:"lost"`         // without an answer
	Seconds      float64 `json:"seconds"`      // from the first beginning to the last
	Matches      int     `json:"matches"`      // completed
	Posts        int     `json:"posts"`        // challenges and boards
	// Invalid counts the requests of the bot that were answered 401, 403 or 429.
	// Worst is the most of them in one channel within a minute.
	Invalid int            `json:"invalid"`
	Worst   int            `json:"invalid_channel"`
	All     Waits          `json:"all"`
	By      map[Kind]Waits `json:"by"`

	replies []time.Duration // of the computer: from a person's move until they are to move again
}

// Waits summarises times to the first answer, in milliseconds.
type Waits struct {
	Answered int     `json:"answered"`
	P50      float64 `json:"p50_ms"` // 0 if Answered is 0, as the others
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
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

func (m *measured) figures(took time.Duration, lost int) Figures {
	f := Figures{
		Interactions: m.begun, Lost: lost, Seconds: math.Round(took.Seconds()*10) / 10,
		Matches: m.matches, Posts: m.posts, By: map[Kind]Waits{}, replies: slices.Clone(m.replies),
	}
	var all []time.Duration
	for k, w := range m.waits {
		f.By[k] = summarise(w)
		all = append(all, w...)
	}
	f.All = summarise(all)
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
	ms := func(percent int) float64 { return math.Round(float64(quantile(all, percent))/1e4) / 100 }
	return Waits{Answered: len(all), P50: ms(50), P99: ms(99), Max: ms(100)}
}

// quantile sorts the values and returns the smallest that percent of them do not
// exceed (the nearest rank), or 0 if there are none.
func quantile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	rank := (len(all)*percent + 99) / 100
	return all[max(rank, 1)-1]
}
