package gateway

import (
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// guildSet holds the guilds of which the bot is a member. An application can
// also be added to a guild without its bot. The zero value is ready to use.
type guildSet struct {
	mu     sync.Mutex
	listed map[[2]int]bool // the shards whose guilds a READY event has listed, with the number of shards
	ids    map[uint64]bool
	// taken holds the shards with a session that another process began, so that READY
	// has listed nothing here.
	taken map[[2]int]*takenOver
}

// takenOver is a shard whose guilds are only counted.
type takenOver struct {
	guilds int
	at     time.Time
}

// joinTolerance is how long before a shard was taken over the bot can have joined a
// guild that the process before has not counted.
const joinTolerance = 30 * time.Second

// takeOver notes that the session of another process is resumed. What this one knew
// of the guilds of the shard may be old.
func (s *guildSet) takeOver(shard, shards int, from Handover, now time.Time) {
	if from.SessionID == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(shard, shards)
	s.taken[[2]int{shard, shards}] = &takenOver{from.Guilds, now}
}

// forget forgets the guilds of a shard.
func (s *guildSet) forget(shard, shards int) {
	if s.ids == nil {
		s.listed, s.ids, s.taken = map[[2]int]bool{}, map[uint64]bool{}, map[[2]int]*takenOver{}
	}
	for id := range s.ids {
		if shardOf(id, shards) == shard {
			delete(s.ids, id)
		}
	}
	delete(s.listed, [2]int{shard, shards})
	delete(s.taken, [2]int{shard, shards})
}

// update adds and removes guilds as an event of a shard says. READY names all
// guilds of the shard, including unavailable ones.
func (s *guildSet) update(shard, shards int, event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.forget(shard, shards)
	}
	taken := s.taken[[2]int{shard, shards}]
	switch e := event.(type) {
	case *discordgo.Ready:
		s.forget(shard, shards)
		s.listed[[2]int{shard, shards}] = true
		for _, g := range e.Guilds {
			s.ids[number(g.ID)] = true
		}
	case *discordgo.GuildCreate:
		if taken != nil && !s.ids[number(e.ID)] && e.JoinedAt.After(taken.at.Add(-joinTolerance)) {
			taken.guilds++
		}
		s.ids[number(e.ID)] = true
	case *discordgo.GuildDelete:
		if e.Guild != nil && !e.Unavailable {
			if taken != nil {
				taken.guilds = max(0, taken.guilds-1)
			}
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
	for of, taken := range s.taken {
		if of[1] == shards {
			n[of[0]] = taken.guilds
		}
	}
	return n
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64) // an ID of Discord's
	return n
}
