package bot

import (
	"context"
	"math"
	"time"

	"castellan/bot/discord/gateway"
)

// Status describes a running bot, for metrics and checks.
type Status struct {
	Roles      Roles
	Connection gateway.State // to the gateway, of all shards together
	Ready      bool          // the bot has been connected, and its commands are registered
	// SinceContact is how long ago Discord last answered a request or sent an
	// interaction over HTTP: the longest duration before that and while the bot stops.
	SinceContact time.Duration
	// SinceReconcile is how long ago the reconciler last finished a run, or started its
	// first; negative before that.
	SinceReconcile time.Duration
	// ClockSkew is how many posts and edits were done before their planned time, because
	// the clock had gone back.
	ClockSkew  uint64
	Unreadable int // matches that cannot be rebuilt
	// ShortResignations counts matches, see host.Host.
	ShortResignations int
	InProgress        int // interactions
	InvalidRequests   int // answers of 401, 403 and 429 in the last ten minutes
	Searches          int // computers' turns and hints being computed
	HintsWaiting      int
}

// Status returns the present status. It can be called at any time.
func (b *Bot) Status() Status {
	s := Status{
		Roles: b.config.Roles, Connection: b.gateway.State(), SinceContact: math.MaxInt64, SinceReconcile: -1,
		ClockSkew: b.Publisher.ClockSkews(), Unreadable: b.config.Host.Unreadable(), ShortResignations: b.config.Host.ShortResignations(),
		InProgress: b.Interactions.InProgress(), InvalidRequests: b.client.InvalidRequests(),
	}
	select {
	case <-b.ready:
		s.Ready = true
	default:
	}
	if !b.stopping.Load() {
		s.SinceContact = b.client.SinceContact()
	}
	if since, ok := b.Publisher.SinceRun(); ok {
		s.SinceReconcile = since
	}
	s.Searches, s.HintsWaiting = b.Computer.Load()
	return s
}

// Shards describes the connections to Discord's gateway, shard by shard. Of several
// processes it asks the database.
func (b *Bot) Shards() gateway.Report { return b.gateway.Report() }

// CheckShards asks Discord in the background whether it recommends more shards.
// Otherwise the bot asks once a day.
func (b *Bot) CheckShards() { b.gateway.CheckShards() }

// DeliveryLag returns how long the oldest pending post or edit has been due:
// some seconds if all is well.
func (b *Bot) DeliveryLag(ctx context.Context) (time.Duration, error) {
	return b.config.Host.DeliveryLag(ctx)
}
