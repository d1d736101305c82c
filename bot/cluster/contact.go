package cluster

import (
	"context"
	"slices"

	"castellan/storage"
)

// receivePrefix begins the names of the leases of processes that receive interactions
// over HTTP and are in contact with Discord.
const receivePrefix = "http/"

// Connected reports whether all shards are held and connected.
func (c *Cluster) Connected(ctx context.Context) bool {
	all, err := c.readLeases(ctx, planName)
	return err == nil && all.ready(parsePlan(all.find(planName).Note).Serving)
}

// AwaitConnected waits until all shards are held and connected.
func (c *Cluster) AwaitConnected(ctx context.Context) error {
	for !c.Connected(ctx) {
		if err := c.sleep(ctx, c.config.Poll); err != nil {
			return err
		}
	}
	return nil
}

// Receive lets the other processes know, until the context is done, that this one
// receives interactions over HTTP, while it is in contact with Discord.
func (c *Cluster) Receive(ctx context.Context, inContact func(context.Context) bool) {
	for c.sleep(ctx, 0) == nil {
		if inContact(ctx) {
			_, err := c.config.Store.AcquireLease(ctx, receivePrefix+c.config.Process, c.config.Process, "", leaseTime)
			c.report(ctx, "others do not know that interactions are received here", err)
		}
		_ = c.sleep(ctx, renewInterval)
	}
}

// Received reports whether a process that receives interactions over HTTP is in
// contact with Discord.
func (c *Cluster) Received(ctx context.Context) bool {
	all, err := c.readLeases(ctx, receivePrefix)
	return err == nil && slices.ContainsFunc(all, func(l storage.Lease) bool { return l.Left > 0 })
}
