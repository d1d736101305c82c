package interaction

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"castellan/bot/discord"
)

const (
	// tokenLifetime is how long an interaction's token is used: Discord accepts
	// it for fifteen minutes, and counts refused requests.
	tokenLifetime = 14 * time.Minute
	// maxPrivate bounds the private messages that are remembered.
	maxPrivate = 10_000
)

// privateMessages remembers the private message of each person about each
// subject, so that the next one can replace it. It is lost at a restart, after
// which older messages stay.
type privateMessages struct {
	mu     sync.Mutex
	latest map[privateKey]privateMessage
}

type privateKey struct{ person, subject string }

// privateMessage is a message that can be deleted by the token of an
// interaction, as its original response.
type privateMessage struct {
	interaction discord.Interaction
	id          string    // empty if it has not been clicked yet
	at          time.Time // when the interaction was created, from which Discord counts
}

// replace remembers a message, or none if it has no interaction, and returns the
// earlier one.
func (p *privateMessages) replace(key privateKey, m privateMessage, now time.Time) (earlier privateMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	earlier = p.latest[key]
	delete(p.latest, key)
	if len(p.latest) >= maxPrivate {
		maps.DeleteFunc(p.latest, func(_ privateKey, m privateMessage) bool { return now.Sub(m.at) > tokenLifetime })
	}
	if m.interaction.ID != "" && len(p.latest) < maxPrivate {
		p.latest[key] = m
	}
	return earlier
}

// replacePrivate deletes the earlier private message about the subject of a
// response that has arrived, unless the response has updated that message.
func (s *Server) replacePrivate(ctx context.Context, r *Request, response Response, state deferState, log *slog.Logger) {
	if response.subject == "" {
		return
	}
	now := s.config.Now()
	m := privateMessage{interaction: r.Interaction, at: r.created}
	updated := response.form == messageUpdate && r.Ephemeral
	switch {
	case updated:
		m.id = r.Message
	case response.form == messageUpdate, state != notDeferred && r.Kind == Component:
		m = privateMessage{} // the original response is a public message
	}
	earlier := s.private.replace(privateKey{r.Person.ID, response.subject}, m, now)
	// An interaction that is delivered again by HTTP has the same original response.
	same := updated && (earlier.id == "" || earlier.id == r.Message) || earlier.interaction.ID == r.Interaction.ID
	if same || earlier.interaction.ID == "" || now.Sub(earlier.at) > tokenLifetime {
		return
	}
	if err := s.config.Client.DeleteOriginalResponse(ctx, earlier.interaction); err != nil {
		log.Debug("an earlier private message stays", "error", err) // they may have dismissed it
	}
}
