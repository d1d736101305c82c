package sandbox

import (
	"castellan/bot/sandbox/api"
	"context"
	"io"
	"strings"
	"time"
)

// worldChanged makes every page load its state again.
func (s *Sandbox) worldChanged() {
	s.emitAll(map[string]any{"type": "world"})
	s.wake()
}

// faultsChanged tells the pages that the plan of faults has changed.
func (s *Sandbox) faultsChanged() {
	s.emitAll(map[string]any{"type": "faults"})
	s.wake()
}

// gatewayChanged tells the pages, if online is not nil, that the bot has come
// or gone.
func (s *Sandbox) gatewayChanged(online *bool) {
	if online != nil {
		s.emitAll(map[string]any{"type": "online", "online": *online})
	}
	s.wake()
}

// ApplicationID returns the id of the bot's application and of its bot user.
func (s *Sandbox) ApplicationID() string { return s.o.World.Application.ID }

// pollInterval is how often Wait polls its condition if nothing changes.
const pollInterval = 50 * time.Millisecond

// Wait returns when cond is true. It calls cond at once, after every change of
// the sandbox's state and in short intervals, because the condition may depend
// on state outside the sandbox. cond may call any method. The error is the
// context's, or io.ErrClosedPipe after Close.
func (s *Sandbox) Wait(ctx context.Context, cond func() bool) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		s.mu.Lock()
		changed, closed := s.changed, s.closed
		s.mu.Unlock()
		if cond() {
			return nil
		}
		if closed {
			return io.ErrClosedPipe
		}
		select {
		case <-changed:
		case <-poll.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wake makes Wait check its condition.
func (s *Sandbox) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Sandbox) user(id string) (User, bool) {
	for _, u := range s.o.World.Users {
		if u.ID == id {
			return u, true
		}
	}
	return User{}, false
}

func (s *Sandbox) userByID(id string) (api.User, bool) {
	if id == s.o.World.Application.ID {
		return s.botUser(), true
	}
	u, ok := s.user(id)
	if !ok {
		return api.User{}, false
	}
	out := api.User{ID: u.ID, Username: u.Username, Discriminator: "0"}
	if u.GlobalName != "" {
		out.GlobalName = &u.GlobalName
	}
	return out, true
}

func (s *Sandbox) botUser() api.User {
	return api.User{ID: s.o.World.Application.ID, Username: s.o.World.Application.Name, Discriminator: "0", Bot: true}
}

// Base returns the URL of the sandbox, "" while it is not known.
func (s *Sandbox) Base() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// setBase sets the URL of the sandbox if it is not known yet. It takes the
// lock.
func (s *Sandbox) setBase(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url == "" {
		s.url = url
	}
}

func (s *Sandbox) gatewayURL() string { return "ws" + strings.TrimPrefix(s.url, "http") + "/gateway/" }
