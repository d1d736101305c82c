package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"castellan/bot/discord"
)

// Cluster is what the processes that hold the shards of a bot agree on. Its Assigner
// gives each shard to one of them.
type Cluster interface {
	Assigner

	// Plans sends the present plan and each later one until the context is done.
	// ask asks Discord how many shards it recommends.
	Plans(ctx context.Context, ask func(context.Context) (discord.GatewayInfo, error)) <-chan Plan
	// Check has one of the processes ask Discord how many shards it recommends.
	Check()
	// Holders describes the shards of all processes, first those that serve, by ID; nil
	// if they are not known.
	Holders() []Shard
	// Abandon withdraws the next number of shards, which Discord refuses.
	Abandon(next int)

	// Admit waits until this process may identify in a bucket, at which one process
	// at a time may do so. It may take at most as long as limit. When done is called,
	// with the time of the identify or zero, others may as soon as pause has passed
	// since then.
	Admit(ctx context.Context, bucket int, limit, pause time.Duration) (done func(sent time.Time), err error)
	// Claim reports whether this process is to handle an interaction that Discord may
	// have sent to others as well.
	Claim(interaction string) bool
}

// Plan says into how many shards the bot is divided.
type Plan struct {
	Serving int `json:"serving"` // 0 before the first number is known
	Next    int `json:"next"`    // that will take over; 0 if the number does not change
}

// String returns the plan as JSON.
func (p Plan) String() string { return fmt.Sprintf(`{"serving":%d,"next":%d}`, p.Serving, p.Next) }

// follow does what the plans of the cluster say until the context is done.
func (g *Gateway) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer g.running.Wait()
	defer cancel()
	plans := g.config.Cluster.Plans(ctx, g.identifies.refresh)
	for {
		serving, next := g.generations()
		_, ended, refused := serving.changes()
		_, nextEnded, nextRefused := next.changes()
		select {
		case plan, ok := <-plans:
			if !ok {
				return nil
			}
			g.adopt(ctx, plan)
		case <-ended:
			return serving.err
		case <-nextEnded:
			g.config.Cluster.Abandon(next.shards)
			g.abandon(next, next.err)
		case <-refused:
			g.config.Cluster.Check()
		case <-nextRefused:
			g.config.Cluster.Abandon(next.shards)
		}
	}
}

// adopt starts and ends generations as a plan says.
func (g *Gateway) adopt(ctx context.Context, plan Plan) {
	serving, next := g.generations()
	if next != nil && next.shards != plan.Next && next.shards != plan.Serving {
		g.abandon(next, errors.New("the plan has changed"))
		next = nil
	}
	switch {
	case plan.Serving == 0:
		return
	case serving == nil:
		g.beginFirst(ctx, plan.Serving)
	case serving.shards != plan.Serving:
		if next == nil {
			next = g.beginNext(ctx, plan.Serving)
		}
		g.takeOver(ctx, serving, next)
		next = nil
	}
	if plan.Next > 0 && next == nil {
		g.log.Info("gateway: changing the number of shards", "from", plan.Serving, "to", plan.Next)
		g.beginNext(ctx, plan.Next)
	}
}

// beginFirst starts the generation that serves first.
func (g *Gateway) beginFirst(ctx context.Context, shards int) {
	first := g.newGeneration(ctx, shards)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serving = first
}

// beginNext starts the next generation beside the one that serves.
func (g *Gateway) beginNext(ctx context.Context, shards int) *generation {
	g.mu.Lock()
	g.overlap.begin()
	g.mu.Unlock()
	next := g.newGeneration(ctx, shards)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = next
	return next
}
