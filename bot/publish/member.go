package publish

import (
	"context"
	"sync"
	"time"
)

// memberInterval is how long the bot relies on what Discord has said of a member.
const memberInterval = time.Hour

// CheckMember asks Discord whether a person is a member of a guild, unless that was done
// within the last hour, and has their matches there say so if they have left it.
// Otherwise nothing tells the bot, which has no intent for members.
func (p *Publisher) CheckMember(ctx context.Context, guild, person string) {
	if !p.members.begin(guild, person, p.host.Now()) {
		return
	}
	member, err := p.client.IsMember(ctx, guild, person)
	if err == nil {
		_, err = p.host.NoteMember(context.WithoutCancel(ctx), guild, person, member)
	}
	if err == nil && !member {
		p.members.forget(guild, person) // they may be back at any time
	}
	if err != nil && ctx.Err() == nil {
		p.log.Info("looking whether a player is still a member of a guild", "guild", guild, "error", err)
	}
}

// HasLeft reports whether a person has left a guild, as far as Discord and the database
// can say so.
func (p *Publisher) HasLeft(ctx context.Context, guild, person string) bool {
	p.CheckMember(ctx, guild, person)
	left, err := p.host.HasLeft(ctx, guild, person)
	return err == nil && left
}

// NotePresence notes that a person uses the bot in a guild, so is a member of it. The
// next run of the reconciler records it.
func (p *Publisher) NotePresence(guild, person string) {
	if guild != "" && p.members.begin(guild, person, p.host.Now()) {
		p.present.add(member{guild, person})
	}
}

// recordPresence records that a person is a member of a guild, and has their matches
// there say so if they had left it.
func (p *Publisher) recordPresence(ctx context.Context, m member) {
	if _, err := p.host.NoteMember(context.WithoutCancel(ctx), m.guild, m.person, true); err != nil {
		p.log.Info("recording that a player is back in a guild", "guild", m.guild, "error", err)
	}
}

// LookForMembers has CheckMember called for people of a guild, but not now.
func (p *Publisher) LookForMembers(guild string, people []string) {
	for _, person := range people {
		p.lookFor.add(member{guild, person})
	}
}

// member is a person in a guild.
type member struct{ guild, person string }

// members remembers when people were last known to be members. The zero value is ready.
type members struct {
	mu    sync.Mutex
	known map[member]time.Time
}

// begin reports whether it is time to look for a person, and notes that it is done.
func (m *members) begin(guild, person string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := member{guild, person}
	if last, ok := m.known[key]; ok && now.Sub(last).Abs() < memberInterval {
		return false
	}
	if m.known == nil || len(m.known) >= maxChannelSet {
		m.known = map[member]time.Time{}
	}
	m.known[key] = now
	return true
}

func (m *members) forget(guild, person string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, member{guild, person})
}
