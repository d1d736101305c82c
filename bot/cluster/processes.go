package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"castellan/storage"
)

// processPrefix begins the names of the leases that all processes have. Their notes
// are of the type about.
const processPrefix = "processes/"

// receivePrefix begins the names of the leases of processes that receive interactions
// over HTTP and are in contact with Discord.
const receivePrefix = "http/"

// about is what a process tells of itself.
type about struct {
	Roles   string `json:"roles"`
	Version string `json:"version"`
}

// Process is a process of the bot.
type Process struct {
	Name    string
	Roles   string // separated by commas
	Version string
	// Heard is how long ago it was heard of.
	Heard time.Duration
}

// Overdue reports whether a process should have been heard of since then.
func Overdue(heard time.Duration) bool { return heard > renewInterval+safety }

// gone is the time after which a process that is not heard of is no longer listed.
const gone = 10 * time.Minute

// heard returns how long ago a lease was acquired or renewed.
func heard(l storage.Lease) time.Duration { return max(0, leaseTime-l.Left) }

// Announce lets the others know of this process until the context is done.
func (c *Cluster) Announce(ctx context.Context, roles, version string) {
	note, _ := json.Marshal(about{roles, version}) // two texts
	own := c.advertise(ctx, processPrefix, string(note), "castellan processes does not show this process", func(context.Context) bool { return true })
	if own.Name != "" {
		ctx, cancel := c.config.WithTimeout(context.WithoutCancel(ctx), safety)
		defer cancel()
		own.Note = ""
		_ = c.config.Store.ReleaseLease(ctx, own) // otherwise it is overdue, and then gone
	}
}

// Receive lets the other processes know, until the context is done, that this one
// receives interactions over HTTP, while it is in contact with Discord.
func (c *Cluster) Receive(ctx context.Context, inContact func(context.Context) bool) {
	c.advertise(ctx, receivePrefix, "", "others do not know that interactions are received here", inContact)
}

// advertise keeps a lease of this process while a condition holds, until the context is
// done. It returns the lease, if it has had one.
func (c *Cluster) advertise(ctx context.Context, prefix, note, problem string, cond func(context.Context) bool) (own storage.Lease) {
	for c.config.Sleep(ctx, 0) == nil {
		if cond(ctx) {
			l, err := c.config.Store.AcquireLease(ctx, prefix+c.config.Process, c.config.Process, note, leaseTime)
			if err == nil {
				own = l
			}
			c.report(ctx, problem, err)
		}
		_ = c.config.Sleep(ctx, renewInterval)
	}
	return own
}

// Received reports whether a process that receives interactions over HTTP is in
// contact with Discord.
func (c *Cluster) Received(ctx context.Context) bool {
	all, err := c.readLeases(ctx, receivePrefix)
	return err == nil && slices.ContainsFunc(all, func(l storage.Lease) bool { return l.Left > 0 })
}

// Processes returns the processes on a database, by name. One that has died is listed
// for some minutes.
func Processes(ctx context.Context, store storage.Store) (all []Process, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		all = nil
		leases, err := r.Leases(processPrefix)
		for _, l := range leases {
			var a about
			if heard(l) < gone && json.Unmarshal([]byte(l.Note), &a) == nil {
				all = append(all, Process{strings.TrimPrefix(l.Name, processPrefix), a.Roles, a.Version, heard(l)})
			}
		}
		return err
	})
	slices.SortFunc(all, func(a, b Process) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}
