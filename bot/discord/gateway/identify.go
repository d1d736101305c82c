package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"castellan/bot/discord"
)

const (
	// identifyInterval is the least time between two identifies of a bucket.
	// Discord allows one in five seconds ("Gateway", Max Concurrency). The rest
	// is for connections that are not equally fast.
	identifyInterval = 5*time.Second + 250*time.Millisecond

	// infoLifetime is how long an answer about the gateway is used. The shards of
	// a start share one, and the budget is still asked for before an attempt that
	// comes later.
	infoLifetime = 10 * time.Second
)

// identifies admits the identifies of all shards. Of those whose numbers have the
// same remainder by max_concurrency, one identifies at a time and every
// identifyInterval ("Gateway", Max Concurrency). None identifies when the budget
// of the day is used up, because Discord would reset the token ("Gateway", Session
// Start Limit).
type identifies struct {
	g      *Gateway
	asking chan struct{} // holds a value while nobody asks

	mu      sync.Mutex
	info    discord.GatewayInfo
	asked   time.Time              // when info arrived; zero before
	buckets map[int]chan time.Time // each holds when the last identify was sent, while nobody identifies
}

func newIdentifies(g *Gateway) *identifies {
	q := &identifies{g: g, asking: make(chan struct{}, 1), buckets: map[int]chan time.Time{}}
	q.asking <- struct{}{}
	return q
}

// ask returns the gateway's address and limits, asking Discord unless it has just
// answered.
func (q *identifies) ask(ctx context.Context) (discord.GatewayInfo, error) {
	select {
	case <-q.asking:
		defer func() { q.asking <- struct{}{} }()
	case <-ctx.Done():
		return discord.GatewayInfo{}, ctx.Err()
	}
	if info, asked := q.latest(); !asked.IsZero() && q.g.config.Now().Sub(asked).Abs() < infoLifetime {
		return info, nil
	}
	return q.refresh(ctx)
}

// refresh asks Discord.
func (q *identifies) refresh(ctx context.Context) (discord.GatewayInfo, error) {
	ctx, cancel := q.g.config.WithTimeout(ctx, openTimeout)
	defer cancel()
	info, err := q.g.config.GetGateway(ctx)
	var refused *discord.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		return info, &FatalError{Advice: advice[closeAuthenticationFailed], Err: err}
	case err != nil:
		return info, fmt.Errorf("asking for the gateway's address: %w", timeoutCause(ctx, err))
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.info, q.asked = info, q.g.config.Now()
	return info, nil
}

// latest returns Discord's last answer, less the identifies since, and when it
// arrived.
func (q *identifies) latest() (discord.GatewayInfo, time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.info, q.asked
}

// permit allows one identify. The nil permit of a resume does nothing.
type permit struct {
	q        *identifies
	bucket   chan time.Time
	done     func(sent time.Time) // ends the admission by the cluster
	at       time.Time            // when the identify was sent; zero before
	released sync.Once
	mu       sync.Mutex
	last     time.Time // when the last identify of the bucket was sent
}

// sent records that the identify has been sent.
func (p *permit) sent() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.at = p.q.g.config.Now()
		p.last = p.at
	}
}

// release lets others identify. It is called when the session is ready, so that
// Discord has seen the identify, and when the attempt has ended.
func (p *permit) release() {
	if p != nil {
		p.released.Do(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.done != nil {
				p.done(p.at)
			}
			p.bucket <- p.last
		})
	}
}

// acquire waits until a shard may identify.
func (q *identifies) acquire(ctx context.Context, shard int) (*permit, error) {
	info, err := q.ask(ctx)
	if err != nil {
		return nil, err
	}
	n := shard % max(info.SessionStartLimit.MaxConcurrency, 1)
	p := &permit{q: q, bucket: q.bucket(n)}
	select {
	case p.last = <-p.bucket:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err = q.g.config.Sleep(ctx, p.last.Add(identifyInterval).Sub(q.g.config.Now())); err == nil && q.g.config.Cluster != nil {
		p.done, err = q.g.config.Cluster.Admit(ctx, n, openTimeout, identifyInterval)
	}
	if err == nil {
		err = q.spend(ctx)
	}
	if err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// spend takes one of the identifies that are left.
func (q *identifies) spend(ctx context.Context) error {
	if _, err := q.ask(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	limit := &q.info.SessionStartLimit
	if limit.Remaining <= 0 {
		return &startLimitError{limit.ResetAfter - q.g.config.Now().Sub(q.asked)}
	}
	limit.Remaining--
	return nil
}

func (q *identifies) bucket(n int) chan time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.buckets[n] == nil {
		q.buckets[n] = make(chan time.Time, 1)
		q.buckets[n] <- time.Time{}
	}
	return q.buckets[n]
}
