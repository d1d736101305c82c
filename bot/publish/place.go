package publish

import (
	"context"
	"sync"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// HandleEvent handles an event of the gateway. If the bot may have become able to
// post in a place, pending posts there are tried again. If a thread was locked,
// its match moves to the channel. HandleEvent does not block.
func (p *Publisher) HandleEvent(event any) {
	if e, ok := event.(*discordgo.ThreadUpdate); ok && e.ThreadMetadata != nil && e.ThreadMetadata.Locked {
		p.locked.add(storage.Place{Guild: e.GuildID, Channel: e.ID})
		p.Wake()
		return
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
	waiting, err := p.host.RetryPlace(uncancelled(ctx), place)
	switch {
	case err != nil:
		p.log.Warn("retrying what waits for a place", "guild", place.Guild, "channel", LoggedChannel(place), "error", err)
	case waiting:
		p.Wake()
	}
}

// placeSet is a set of places. The zero value is ready.
type placeSet struct {
	mu     sync.Mutex
	places map[storage.Place]bool
}

func (s *placeSet) add(place storage.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		s.places = map[storage.Place]bool{}
	}
	s.places[place] = true
}

// take empties the set and returns what was in it.
func (s *placeSet) take() map[storage.Place]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.places
	s.places = nil
	return all
}
