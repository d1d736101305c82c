package publish

import (
	"context"
	"sync"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// HandleEvent handles an event of the gateway. If the bot may have become able to
// post in a place, pending posts there are tried again. If a thread was locked or
// deleted, its match moves to the channel. If a channel or guild is gone, clocks stand
// still. HandleEvent does not block.
func (p *Publisher) HandleEvent(event any) {
	switch e := event.(type) {
	case *discordgo.ThreadUpdate:
		if e.ThreadMetadata != nil && e.ThreadMetadata.Locked {
			p.locked.add(storage.Place{Guild: e.GuildID, Channel: e.ID})
			p.Wake()
			return
		}
	case *discordgo.ThreadDelete:
		p.deleted.add(storage.Place{Guild: e.GuildID, Channel: e.ID})
		p.Wake()
	case *discordgo.ChannelDelete:
		p.deleted.add(storage.Place{Guild: e.GuildID, Channel: e.ID})
		p.Wake()
	case *discordgo.GuildDelete:
		switch {
		case e.Guild == nil:
		case e.Unavailable:
			p.unavailable.add(storage.Place{Guild: e.ID})
		default:
			p.deleted.add(storage.Place{Guild: e.ID})
		}
		p.Wake()
	}
	if place, ok := reachablePlace(event); ok {
		p.client.ForgetPermissions(place.Guild)
		p.reachable.add(place)
		p.Wake()
	}
}

// reachablePlace returns the place in which the bot may be able to post again
// after an event, because it has joined the guild or permissions have changed.
// All of these events come with the guilds intent.
func reachablePlace(event any) (place storage.Place, ok bool) {
	switch e := event.(type) {
	case *discordgo.GuildCreate:
		return storage.Place{Guild: e.ID}, true
	case *discordgo.GuildRoleUpdate:
		return storage.Place{Guild: e.GuildID}, true
	case *discordgo.ChannelUpdate:
		return storage.Place{Guild: e.GuildID, Channel: e.ID}, true
	case *discordgo.ThreadUpdate:
		return storage.Place{Guild: e.GuildID, Channel: e.ID}, true
	}
	return storage.Place{}, false
}

// RetryPlace makes posts that failed in a place due now. It is called when
// somebody uses the bot there, and after events of the place. It does nothing if
// the bot is known to be unable to post in the channel.
func (p *Publisher) RetryPlace(ctx context.Context, place storage.Place) {
	if place.Channel != "" && p.client.CheckPost(place.Channel) != nil {
		return
	}
	waiting, err := p.host.RetryPlace(context.WithoutCancel(ctx), place)
	switch {
	case err != nil:
		p.log.Warn("retrying what waits for a place", "guild", place.Guild, "channel", LoggedChannel(place), "error", err)
	case waiting:
		p.Wake()
	}
}

// pending is a set of what is to be done, in the order in which it came. The zero value
// is ready.
type pending[T comparable] struct {
	mu    sync.Mutex
	known map[T]bool
	all   []T
}

func (s *pending[T]) add(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[v] {
		return
	}
	if s.known == nil {
		s.known = map[T]bool{}
	}
	s.known[v] = true
	s.all = append(s.all, v)
}

func (s *pending[T]) take() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.known, s.all = nil, nil
	return all
}
