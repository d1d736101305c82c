package metrics

import (
	"context"
	"time"

	"castellan/storage"
)

// Outcomes of jobs, besides outcomeDone and outcomeFailed. An interrupted one is
// repeated by another process, or after the next start.
const outcomeInterrupted = "interrupted"

// WrapJobs returns jobs that are counted and timed.
func (m *Metrics) WrapJobs(all []storage.Job) (wrapped []storage.Job) {
	for _, j := range all {
		for _, outcome := range []string{outcomeDone, outcomeFailed, outcomeInterrupted} {
			m.jobs.WithLabelValues(j.Name, outcome)
		}
		m.job.WithLabelValues(j.Name)
		counted := j
		counted.Run = func(ctx context.Context) (string, error) {
			began := time.Now()
			result, err := j.Do(ctx)
			outcome := outcomeDone
			switch {
			case err != nil && ctx.Err() != nil:
				outcome = outcomeInterrupted
			case err != nil:
				outcome = outcomeFailed
			}
			m.jobs.WithLabelValues(j.Name, outcome).Inc()
			m.job.WithLabelValues(j.Name).Observe(time.Since(began).Seconds())
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
