package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"castellan/bot/discord/gateway"
	"castellan/storage"
)

// The names of leases. Every process that can hold shards has a lease whose name
// begins with gatewayPrefix. The holder of planName decides on the number of shards;
// the note of that lease is a gateway.Plan.
const (
	shardPrefix       = "shards/" // number of shards, slash, shard
	planName          = "shards"
	checkName         = "shards/check" // has run out; asks the deciding process to ask Discord
	abandonPrefix     = "shards/abandon/"
	gatewayPrefix     = "gateways/"
	identifyPrefix    = "identify/"
	interactionPrefix = "interaction/"
)

// claimTime is the duration of a claim to an interaction: the lifetime of its token.
const claimTime = 15 * time.Minute

// Sharding implements gateway.Cluster: each shard belongs to the process that has its
// lease. Processes have equally many. Use Cluster.Sharding.
type Sharding struct {
	*Cluster
	number int // configured; 0 means as many as Discord recommends
}

var _ gateway.Cluster = (*Sharding)(nil)

// Sharding returns what divides so many shards among the processes. 0 means as many as Discord recommends.
func (c *Cluster) Sharding(number int) *Sharding {
	return &Sharding{Cluster: c, number: number}
}

// session is the note of a shard's lease.
type session struct {
	ID       string `json:"id,omitempty"`
	Address  string `json:"address,omitempty"`
	Sequence int64  `json:"sequence,omitempty"`
	Ready    bool   `json:"ready,omitempty"`
	Guilds   int    `json:"guilds,omitempty"`
	From     string `json:"from,omitempty"` // the process that handed it over
}

func (s session) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("cluster: encoding a session: %v", err)) // texts and a number
	}
	return string(text)
}

func parseSession(note string) (s session) {
	_ = json.Unmarshal([]byte(note), &s) // without a session the shard identifies
	return s
}

// leases are what the database says at a time.
type leases []storage.Lease

func (c *Cluster) readLeases(ctx context.Context, prefixes ...string) (all leases, err error) {
	ctx, cancel := c.config.WithTimeout(ctx, leaseTime-safety)
	defer cancel()
	err = c.config.Store.View(ctx, func(r storage.Reader) error {
		all = nil
		for _, p := range prefixes {
			some, err := r.Leases(p)
			if err != nil {
				return err
			}
			all = append(all, some...)
		}
		return nil
	})
	return all, err
}

// find returns a lease, the zero value if there is none.
func (l leases) find(name string) storage.Lease {
	i := slices.IndexFunc(l, func(l storage.Lease) bool { return l.Name == name })
	if i < 0 {
		return storage.Lease{}
	}
	return l[i]
}

func (l leases) shard(of, id int) storage.Lease { return l.find(shardName(of, id)) }

func (l leases) ready(shards int) bool {
	for id := range shards {
		if s := l.shard(shards, id); s.Left <= 0 || !parseSession(s.Note).Ready {
			return false
		}
	}
	return shards > 0
}

func shardName(of, id int) string { return shardPrefix + strconv.Itoa(of) + "/" + strconv.Itoa(id) }

// Holders implements gateway.Cluster.
func (s *Sharding) Holders() (holders []gateway.Shard) {
	ctx, cancel := s.config.WithTimeout(context.Background(), time.Second)
	defer cancel()
	all, err := s.readLeases(ctx, planName)
	if err != nil {
		return nil
	}
	plan := parsePlan(all.find(planName).Note)
	for _, of := range []int{plan.Serving, plan.Next} {
		for id := range of {
			h := gateway.Shard{ID: id, Shards: of, Elsewhere: true}
			if l := all.shard(of, id); l.Left > 0 {
				note := parseSession(l.Note)
				h.Process, h.Connected, h.Guilds, h.Heard = l.Holder, note.Ready, note.Guilds, heard(l)
			}
			holders = append(holders, h)
		}
	}
	return holders
}

// Connected reports whether all shards are held and connected.
func (c *Cluster) Connected(ctx context.Context) bool {
	all, err := c.readLeases(ctx, planName)
	return err == nil && all.ready(parsePlan(all.find(planName).Note).Serving)
}

// AwaitConnected waits until all shards are held and connected.
func (c *Cluster) AwaitConnected(ctx context.Context) error {
	for !c.Connected(ctx) {
		if err := c.config.Sleep(ctx, c.config.Poll); err != nil {
			return err
		}
	}
	return nil
}

// Admit implements gateway.Cluster.
func (s *Sharding) Admit(ctx context.Context, bucket int, limit, pause time.Duration) (done func(time.Time), err error) {
	name := identifyPrefix + strconv.Itoa(bucket)
	for {
		l, err := s.config.Store.AcquireLease(ctx, name, s.config.Process, "", 2*limit)
		if err == nil {
			return func(sent time.Time) {
				ctx, cancel := s.config.WithTimeout(context.WithoutCancel(ctx), time.Second)
				defer cancel()
				left := sent.Add(pause).Sub(s.config.Now())
				if left > 0 {
					_, err = s.config.Store.RenewLease(ctx, l, left)
				} else {
					err = s.config.Store.ReleaseLease(ctx, l)
				}
				if err != nil {
					s.log.Warn("others have to wait before they identify", "bucket", bucket, "error", err)
				}
			}, nil
		}
		if !errors.Is(err, storage.ErrHeld) {
			return nil, err
		}
		if err := s.config.Sleep(ctx, s.config.Poll); err != nil {
			return nil, err
		}
	}
}

// Claim implements gateway.Cluster. Without the database it claims the interaction,
// since the update that it leads to finds out whether it was processed.
func (s *Sharding) Claim(interaction string) bool {
	ctx, cancel := s.config.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := s.config.Store.AcquireLease(ctx, interactionPrefix+interaction, s.config.Process, "", claimTime)
	return !errors.Is(err, storage.ErrHeld)
}
