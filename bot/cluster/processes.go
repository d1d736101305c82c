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
	var own storage.Lease
	for c.sleep(ctx, 0) == nil {
		l, err := c.config.Store.AcquireLease(ctx, processPrefix+c.config.Process, c.config.Process, string(note), leaseTime)
		if err == nil {
			own = l
		}
		c.report(ctx, "castellan processes does not show this process", err)
		_ = c.sleep(ctx, renewInterval)
	}
	if own.Name != "" {
		ctx, cancel := c.withTimeout(context.WithoutCancel(ctx), safety)
		defer cancel()
		own.Note = ""
		_ = c.config.Store.ReleaseLease(ctx, own) // otherwise it is overdue, and then gone
	}
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
