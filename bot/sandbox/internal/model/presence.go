package model

import (
	"errors"
	"fmt"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/gateway"
)

// presence is what a member's client shows ("Presence Update").
type presence struct {
	status     string // "offline" for "invisible"
	activities []map[string]any
}

// presenceOf returns the presence of a person or the bot in Discord's shape, nil
// if they are offline. A person is online while a page shows them, the bot while
// it is connected.
func (s *Model) presenceOf(g *Guild, userID string) map[string]any {
	p := presence{status: "online"}
	switch {
	case userID == s.World.Application.ID:
		p = s.botPresence
	case !s.watching(userID):
		return nil
	}
	if p.status == "offline" || p.status == "" {
		return nil
	}
	return s.presenceObject(g, userID, p)
}

func (s *Model) presenceObject(g *Guild, userID string, p presence) map[string]any {
	client := map[string]any{}
	if p.status != "offline" {
		client["web"] = p.status
	}
	return map[string]any{
		"user": map[string]any{"id": userID}, "guild_id": g.ID, "status": p.status, "activities": api.OrEmpty(p.activities), "client_status": client,
	}
}

// watching reports whether a page shows a person.
func (s *Model) watching(userID string) bool {
	for st := range s.streams {
		if slices.Contains(st.users, userID) {
			return true
		}
	}
	return false
}

// presences lists the presences of a guild's members who are online.
func (s *Model) presences(g *Guild) []any {
	out := []any{}
	for _, id := range append([]string{s.World.Application.ID}, g.Members...) {
		if p := s.presenceOf(g, id); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// announcePresence sends PRESENCE_UPDATE for each guild of a person or the bot.
func (s *Model) announcePresence(userID string, p presence) {
	for _, g := range s.Guilds {
		if s.IsMember(g, userID) {
			s.dispatch(g, api.IntentGuildPresences, "PRESENCE_UPDATE", s.presenceObject(g, userID, p))
		}
	}
	s.wake()
}

// SetPresence sets the bot's presence and announces it.
func (s *Model) SetPresence(status string, activities []map[string]any) {
	if status == "invisible" {
		status = "offline"
	}
	s.botPresence = presence{status, activities}
	s.announcePresence(s.World.Application.ID, s.botPresence)
}

// BotPresence returns the bot's status and its activities as the bot set them
// last. It takes the lock.
func (s *Model) BotPresence() (status string, activities []map[string]any) {
	s.Lock()
	defer s.Unlock()
	return s.botPresence.status, slices.Clone(s.botPresence.activities)
}

// Members lists a guild's members for the gateway, the bot first.
func (s *Model) Members(guildID string) []gateway.Member {
	g := s.GuildByID(guildID)
	var out []gateway.Member
	for _, id := range append([]string{s.World.Application.ID}, g.Members...) {
		u, _ := s.UserByID(id)
		names := []string{u.Username}
		if u.GlobalName != nil {
			names = append(names, *u.GlobalName)
		}
		object := s.Member(g, id, true)
		if nick, ok := object["nick"].(string); ok {
			names = append(names, nick)
		}
		out = append(out, gateway.Member{ID: id, Names: names, Object: object, Presence: s.presenceOf(g, id)})
	}
	return out
}

// JoinVoice moves the bot to a voice channel, or out of it if channelID is "".
// The sandbox has no voice: VOICE_SERVER_UPDATE names no endpoint, as Discord
// sends it while no server is available. A channel without voice is ignored.
func (s *Model) JoinVoice(guildID, channelID string, mute, deaf bool) {
	const voice, stage = 2, 13
	g, ch := s.GuildByID(guildID), s.Channels[channelID]
	var channel any
	if channelID != "" {
		if ch == nil || ch.Guild != g || ch.Type != voice && ch.Type != stage || s.BotMay(channelID, 0) != nil {
			return
		}
		channel = channelID
	}
	bot := s.World.Application.ID
	s.dispatchEach(g, api.IntentVoiceStates, "VOICE_STATE_UPDATE", func(se *gateway.Session) any {
		return map[string]any{
			"guild_id": guildID, "channel_id": channel, "user_id": bot, "member": s.Member(g, bot, true), "session_id": se.ID(),
			"deaf": false, "mute": false, "self_deaf": deaf, "self_mute": mute, "self_video": false, "suppress": false, "request_to_speak_timestamp": nil,
		}
	})
	if channel != nil {
		s.dispatch(g, 0, "VOICE_SERVER_UPDATE", map[string]any{"guild_id": guildID, "token": "sandbox", "endpoint": nil})
	}
}

// Type shows that a person is typing in a channel.
func (p *Person) Type(channelID string) error {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.Exists(); err != nil {
		return err
	}
	ch := s.Channels[channelID]
	switch {
	case ch == nil:
		return fmt.Errorf("there is no channel %q", channelID)
	case !s.May(channelID, p.id, api.PermissionSendMessages):
		return errors.New("you may not write in this channel")
	}
	s.AnnounceTyping(ch, p.id)
	return nil
}

// AnnounceTyping sends TYPING_START to the bot if it can see the channel.
func (s *Model) AnnounceTyping(ch *Channel, userID string) {
	if !s.May(ch.ID, s.World.Application.ID, 0) {
		return
	}
	data := map[string]any{"channel_id": ch.ID, "user_id": userID, "timestamp": s.Now().Unix()}
	intent := api.IntentDirectTyping
	if ch.Guild != nil {
		intent = api.IntentGuildTyping
		data["guild_id"], data["member"] = ch.Guild.ID, s.Member(ch.Guild, userID, true)
	}
	s.dispatch(ch.Guild, intent, "TYPING_START", data)
}
