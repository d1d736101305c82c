package gateway

import (
	"strconv"
	"sync"

	"github.com/bwmarrin/discordgo"
)

// guildSet holds the guilds of which the bot is a member. An application can
// also be added to a guild without its bot. The zero value is ready to use.
type guildSet struct {
	mu     sync.Mutex
	listed map[[2]int]bool // the shards whose guilds a READY event has listed, with the number of shards
	ids    map[uint64]bool
}

// update adds and removes guilds as an event of a shard says. READY names all
// guilds of the shard, including unavailable ones.
func (s *guildSet) update(shard, shards int, event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.listed, s.ids = map[[2]int]bool{}, map[uint64]bool{}
	}
	switch e := event.(type) {
	case *discordgo.Ready:
		s.listed[[2]int{shard, shards}] = true
		for id := range s.ids {
			if shardOf(id, shards) == shard {
				delete(s.ids, id)
			}
		}
		for _, g := range e.Guilds {
			s.ids[number(g.ID)] = true
		}
	case *discordgo.GuildCreate:
		s.ids[number(e.ID)] = true
	case *discordgo.GuildDelete:
		if e.Guild != nil && !e.Unavailable {
			delete(s.ids, number(e.ID))
		}
	}
}

// has reports whether the bot is a member of a guild, or may be one because no
// READY event of the guild's shard has arrived yet.
func (s *guildSet) has(guild string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := number(guild)
	if s.ids[id] {
		return true
	}
	for of := range s.listed {
		if shardOf(id, of[1]) == of[0] {
			return false
		}
	}
	return true
}

// count returns the numbers of guilds by shard.
func (s *guildSet) count(shards int) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := make([]int, shards)
	for id := range s.ids {
		n[shardOf(id, shards)]++
	}
	return n
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // an ID of Discord's
	return n
}
