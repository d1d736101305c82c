package metrics

import (
	"context"
	"time"

	"castellan/storage"
)

// Outcomes of chores, besides outcomeDone and outcomeFailed. An interrupted one is
// repeated by another process, or after the next start.
const outcomeInterrupted = "interrupted"

// WrapChores returns chores that are counted and timed.
func (m *Metrics) WrapChores(all []storage.Chore) (wrapped []storage.Chore) {
	for _, c := range all {
		for _, outcome := range []string{outcomeDone, outcomeFailed, outcomeInterrupted} {
			m.chores.WithLabelValues(c.Name, outcome)
		}
		m.chore.WithLabelValues(c.Name)
		counted := c
		counted.Run = func(ctx context.Context) (string, error) {
			began := time.Now()
			result, err := c.Do(ctx)
			outcome := outcomeDone
			switch {
			case err != nil && ctx.Err() != nil:
				outcome = outcomeInterrupted
			case err != nil:
				outcome = outcomeFailed
			}
			m.chores.WithLabelValues(c.Name, outcome).Inc()
			m.chore.WithLabelValues(c.Name).Observe(time.Since(began).Seconds())
			return result, err
		}
		wrapped = append(wrapped, counted)
	}
	return wrapped
}

// ObserveSignal counts a signal that was sent to the other processes, or heard from
// one.
func (m *Metrics) ObserveSignal(k storage.SignalKind, sent bool) {
	direction := "heard"
	if sent {
		direction = "sent"
	}
	m.signals.WithLabelValues(string(k), direction).Inc()
}
