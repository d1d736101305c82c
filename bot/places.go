package bot

import (
	"context"
	"sync"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// placeOf is where the bot may be able to post again, by an event of the
// gateway: it is in a server, or what it may do in a channel has changed. All
// of these events come with the guilds intent.
func placeOf(event any) (place storage.Place, ok bool) {
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

// hear leaves it to the reconciler to post what waits in a place of which the
// gateway tells. It does not wait.
func (b *Bot) hear(event any) {
	if place, ok := placeOf(event); ok {
		b.heard.add(place)
		b.rouse()
	}
}

// rouse has the reconciler look without waiting for its tick.
func (b *Bot) rouse() {
	select {
	case b.wake <- struct{}{}:
	default: // it has been told already
	}
}

// reachable says that somebody uses the bot in a place, or that the bot is in
// a server: what could not be posted there is tried at once.
func (b *Bot) reachable(ctx context.Context, place storage.Place) {
	waits, err := b.host.RetryPlace(record(ctx), place)
	switch {
	case err != nil:
		b.log.Warn("hastening what waits for a place", "server", place.Guild, "channel", place.Channel, "error", err)
	case waits:
		b.rouse()
	}
}

// placeSet is a set of places. The zero value is ready.
type placeSet struct {
	mu  sync.Mutex
	all map[storage.Place]bool
}

func (p *placeSet) add(place storage.Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[storage.Place]bool{}
	}
	p.all[place] = true
}

// take empties the set.
func (p *placeSet) take() map[storage.Place]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.all
	p.all = nil
	return all
}
