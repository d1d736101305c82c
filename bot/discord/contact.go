package discord

import (
	"context"
	"math"
	"time"
)

const (
	// contactLifetime is how long the bot counts as being in contact with Discord
	// after it has last heard from it.
	contactLifetime = 20 * time.Second
	// contactTimeout bounds the request that looks whether Discord answers.
	contactTimeout = 5 * time.Second
)

// RecordContact records that Discord has just been heard from.
func (c *Client) RecordContact() {
	now := c.access.now()
	c.contact.Store(&now)
}

// SinceContact returns how long ago Discord last answered a request, even with a
// refusal, or RecordContact was called. It returns the longest duration if neither
// has happened.
func (c *Client) SinceContact() time.Duration {
	last := c.contact.Load()
	if last == nil {
		return math.MaxInt64
	}
	return c.access.now().Sub(*last)
}

// InContact reports whether Discord has been heard from recently. It asks Discord
// if it has not.
func (c *Client) InContact(ctx context.Context) bool {
	recent := func() bool { return c.SinceContact().Abs() < contactLifetime }
	if recent() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, contactTimeout)
	defer cancel()
	_, _ = c.GetApplication(ctx) // a refusal is contact, too
	return recent()
}
