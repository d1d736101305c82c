package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// minRefusalPause and maxRefusalPause bound how long nothing is sent to a
	// channel after a 403 there. Each further 403 doubles the pause.
	minRefusalPause = time.Minute
	maxRefusalPause = time.Hour

	// permissionsLifetime is how long the bot relies on the permissions that came
	// with an interaction. A gateway event that changes them ends this earlier
	// (see ForgetPermissions). The limit is for changes without an event, such as
	// those made while the connection is lost.
	permissionsLifetime = 10 * time.Minute

	// maxProbeWait is the longest wait of a request to a channel in which no post
	// has succeeded yet. It waits for the result of the first request there, so
	// that a forbidden channel causes one 403 and not several.
	maxProbeWait = time.Second

	// maxIdleChannels is the number of remembered channels from which on those
	// without current information are dropped.
	maxIdleChannels = 1000
)

// access stops requests to channels in which they would fail, because every 403
// counts towards a ban of the address (see budget). It remembers the bot's
// permissions, which interactions report, and the last refusal in each channel.
// A channel causes at most one 403 a minute.
type access struct {
	mu       sync.Mutex
	now      func() time.Time
	report   func(channel string, code int, permissions int64) // told of every refusal, unless nil
	channels map[string]*channelAccess
}

// channelAccess is the bot's access to one channel, as far as it is known. The
// mutex of access guards it.
type channelAccess struct {
	guild       string    // empty if unknown
	permissions int64     // the bot's permissions; valid until knownUntil
	knownUntil  time.Time // the zero time if the permissions are unknown

	proven bool          // the last post succeeded
	probe  chan struct{} // closed when the first request to an unproven channel has ended; nil without such a request

	refusal   *Error // the last 403; nil after a success
	required  int64  // the permissions that the refused request required
	refusals  int    // refusals in a row
	refusedAt time.Time
	changed   bool // the permissions may have changed since the refusal
}

func newAccess() *access {
	return &access{now: time.Now, channels: map[string]*channelAccess{}}
}

// SetPermissions records the bot's permissions in a channel as an interaction
// reports them. In a thread, the caller sets PermissionSendMessages if the bot
// may send messages in threads.
func (c *Client) SetPermissions(guild, channel string, permissions int64) {
	a := c.access
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.channel(channel)
	if now := a.now(); permissions != s.permissions || !now.Before(s.knownUntil) {
		s.changed = true
	}
	s.guild, s.permissions, s.knownUntil = guild, permissions, a.now().Add(permissionsLifetime)
}

// ForgetPermissions makes the bot's permissions in the channels of a guild
// unknown, after an event says that they may have changed.
func (c *Client) ForgetPermissions(guild string) {
	c.access.forget(func(s *channelAccess) bool { return s.guild == guild || s.guild == "" })
}

func (a *access) forget(in func(*channelAccess) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.channels {
		if in(s) {
			s.knownUntil, s.changed = time.Time{}, true
		}
	}
}

// CheckPost returns the *Error that posting a picture in a channel would return
// now without sending a request, or nil if the request would be sent.
func (c *Client) CheckPost(channel string) error {
	a := c.access
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.channels[channel]; s != nil {
		return s.check(a.now(), postPermissions|PermissionAttachFiles)
	}
	return nil
}

const postPermissions = PermissionViewChannel | PermissionSendMessages

// requiredPermissions returns the channel of a request, and the permissions
// without which Discord refuses the request. The channel is empty if the path
// names none.
func requiredPermissions(method, path string, files bool) (channel string, permissions int64) {
	parts := segments(path)
	if len(parts) < 3 || parts[1] != "channels" {
		return "", 0
	}
	permissions = PermissionViewChannel
	switch route := strings.Join(parts[3:], "/"); {
	case method == http.MethodPost && (route == "messages" && files || route == "typing"):
		permissions = postPermissions | PermissionAttachFiles
	case method == http.MethodPost && route == "messages", method == http.MethodPatch && route == "":
		permissions = postPermissions
	case method == http.MethodPost && strings.HasSuffix(route, "/threads"):
		permissions = PermissionViewChannel | PermissionCreatePublicThreads
	}
	return parts[2], permissions
}

// enter waits until a request to a channel may be sent. It fails with an *Error
// if Discord would refuse the request. While no post has succeeded in the
// channel, a request waits up to maxProbeWait for the outcome of the one before
// it, so that not all are refused at once. The caller must call leave with the
// request's outcome.
func (a *access) enter(ctx context.Context, channel string, permissions int64) (leave func(error), err error) {
	if channel == "" {
		return func(error) {}, nil
	}
	var waited <-chan time.Time
	for {
		a.mu.Lock()
		s := a.channel(channel)
		if err := s.check(a.now(), permissions); err != nil {
			a.mu.Unlock()
			return nil, err
		}
		other := s.probe
		if other == nil && !s.proven {
			s.probe = make(chan struct{})
		}
		own := s.probe
		a.mu.Unlock()
		if other == nil {
			return func(err error) { a.leave(channel, s, own, permissions, err) }, nil
		}
		if waited == nil {
			waited = time.After(maxProbeWait)
		}
		select {
		case <-other:
		case <-waited:
			return func(err error) { a.leave(channel, s, nil, permissions, err) }, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// leave records the outcome of a request, and writes into the error of a refused
// one how long nothing will be sent to the channel. probe is the channel to close
// if other requests wait for this one, and nil otherwise.
func (a *access) leave(channel string, s *channelAccess, probe chan struct{}, permissions int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if probe != nil {
		close(probe)
		s.probe = nil
	}
	var refused *Error
	switch {
	case err == nil:
		s.proven = s.proven || permissions&postPermissions == postPermissions
		if permissions&s.required == s.required {
			s.refusal, s.refusals = nil, 0
		}
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden && !refused.unsent:
		s.refuse(refused, permissions, a.now())
		refused.RetryAfter = s.pause()
		if a.report != nil {
			a.report(channel, refused.Code, permissions)
		}
	}
}

func (s *channelAccess) refuse(refused *Error, permissions int64, now time.Time) {
	s.refusals++
	s.proven, s.refusal, s.required, s.refusedAt, s.changed = false, refused, permissions, now, false
}

// check returns the error with which a request would fail, or nil.
func (s *channelAccess) check(now time.Time, permissions int64) error {
	if now.Before(s.knownUntil) && s.permissions&PermissionAdministrator == 0 && s.permissions&permissions != permissions {
		e := &Error{Status: http.StatusForbidden, Code: CodeMissingPermissions, RetryAfter: s.knownUntil.Sub(now), unsent: true}
		if s.permissions&PermissionViewChannel == 0 {
			e.Code = CodeMissingAccess
		}
		e.Message = "the bot lacks " + permissionNames(permissions&^s.permissions) + " in the channel"
		return e
	}
	if s.refusal == nil {
		return nil
	}
	left := s.refusedAt.Add(s.pause()).Sub(now)
	if left <= 0 {
		return nil
	}
	e := *s.refusal
	e.RetryAfter, e.unsent, e.paused = left, true, true
	return &e
}

// pause returns how long nothing is sent to the channel after the last refusal.
func (s *channelAccess) pause() time.Duration {
	if s.changed {
		return minRefusalPause
	}
	return min(minRefusalPause<<min(s.refusals-1, 10), maxRefusalPause)
}

func (a *access) channel(id string) *channelAccess {
	s := a.channels[id]
	if s == nil {
		a.evict()
		s = &channelAccess{}
		a.channels[id] = s
	}
	return s
}

// evict drops the channels about which nothing current is known, if there are
// many.
func (a *access) evict() {
	if len(a.channels) < maxIdleChannels {
		return
	}
	now := a.now()
	for id, s := range a.channels {
		if s.probe == nil && !now.Before(s.knownUntil) && (s.refusal == nil || now.Sub(s.refusedAt) > maxRefusalPause) {
			delete(a.channels, id)
		}
	}
}
