package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/sandbox/internal/api"
)

// Member is a member of a guild as members are searched and listed.
type Member struct {
	ID       string
	Names    []string       // the username, the display name and the nickname
	Object   map[string]any // the member with its user
	Presence map[string]any // nil if the member is offline
}

// requests are the opcodes that a ready session may send besides heartbeats.
// They report whether the payload is valid.
var requests = map[int]func(*Gateway, *Session, json.RawMessage) bool{
	api.OpPresence:       (*Gateway).setPresence,
	api.OpVoiceState:     (*Gateway).joinVoice,
	api.OpRequestMembers: (*Gateway).requestMembers,
	api.OpRequestSounds:  (*Gateway).requestSounds,
}

// setPresence sets the bot's presence ("Update Presence").
func (gw *Gateway) setPresence(_ *Session, data json.RawMessage) bool {
	if len(data) == 0 || string(data) == "null" { // not set by an identify
		return true
	}
	var d struct {
		Status     string           `json:"status"`
		Activities []map[string]any `json:"activities"`
		Game       map[string]any   `json:"game"` // the older form, which discord.py and discordgo identify with
	}
	if json.Unmarshal(data, &d) != nil || !slices.Contains([]string{"", "online", "dnd", "idle", "invisible", "offline"}, d.Status) {
		return false
	}
	if d.Game["name"] != nil && d.Game["name"] != "" && d.Activities == nil {
		d.Activities = append(d.Activities, d.Game)
	}
	gw.c.Directory.SetPresence(cmp.Or(d.Status, "online"), api.OrEmpty(d.Activities))
	return true
}

// joinVoice joins, moves or leaves ("Update Voice State").
func (gw *Gateway) joinVoice(_ *Session, data json.RawMessage) bool {
	var d struct {
		GuildID   snowflake  `json:"guild_id"`
		ChannelID *snowflake `json:"channel_id"`
		SelfMute  bool       `json:"self_mute"`
		SelfDeaf  bool       `json:"self_deaf"`
	}
	if json.Unmarshal(data, &d) != nil || !api.IsSnowflake(string(d.GuildID)) {
		return false
	}
	if id := string(d.GuildID); gw.c.Directory.HasBot(id) {
		var channel snowflake
		if d.ChannelID != nil {
			channel = *d.ChannelID
		}
		gw.c.Directory.JoinVoice(id, string(channel), d.SelfMute, d.SelfDeaf)
	}
	return true
}

// Limits of a request for members ("Request Guild Members", "Guild Members
// Chunk", "Rate Limited").
const (
	maxChunk  = 1000
	maxFound  = 100
	maxNonce  = 32 // bytes; a longer nonce is ignored
	listEvery = 30 * time.Second
)

// requestMembers answers a request for members by GUILD_MEMBERS_CHUNK events.
func (gw *Gateway) requestMembers(se *Session, data json.RawMessage) bool {
	var d struct {
		GuildID   oneOrMore `json:"guild_id"` // with intents, one alone
		Query     *string   `json:"query"`
		Limit     int       `json:"limit"`
		Presences bool      `json:"presences"`
		UserIDs   oneOrMore `json:"user_ids"`
		Nonce     string    `json:"nonce"`
	}
	if json.Unmarshal(data, &d) != nil || len(d.GuildID) != 1 || d.Limit < 0 || (d.Query == nil) == (d.UserIDs == nil) || len(d.UserIDs) > maxFound {
		return false
	}
	guildID := string(d.GuildID[0])
	if !gw.covers(Scope{GuildID: guildID}, se) {
		return true
	}
	out := map[string]any{"guild_id": guildID}
	if d.Nonce != "" && len(d.Nonce) <= maxNonce {
		out["nonce"] = d.Nonce
	}
	var found []Member
	switch all := gw.c.Directory.Members(guildID); {
	case d.Query == nil:
		notFound := []string{}
		for _, id := range d.UserIDs {
			if i := slices.IndexFunc(all, func(m Member) bool { return m.ID == string(id) }); i >= 0 {
				found = append(found, all[i])
			} else {
				notFound = append(notFound, string(id))
			}
		}
		out["not_found"] = notFound
	case *d.Query == "" && se.Intents&api.IntentGuildMembers == 0:
		return true // Discord sends nothing (discord-api-docs #5855)
	case *d.Query == "" && d.Limit == 0:
		if wait := listEvery - gw.c.Now().Sub(se.listed[guildID]); wait > 0 {
			return gw.send(se, "RATE_LIMITED", map[string]any{"opcode": api.OpRequestMembers, "retry_after": wait.Seconds(), "meta": out})
		}
		se.listed[guildID] = gw.c.Now()
		found = all
	default:
		limit := maxFound
		if d.Limit > 0 {
			limit = min(limit, d.Limit)
		}
		for _, m := range all {
			if len(found) < limit && slices.ContainsFunc(m.Names, func(name string) bool {
				return strings.HasPrefix(strings.ToLower(name), strings.ToLower(*d.Query))
			}) {
				found = append(found, m)
			}
		}
	}
	gw.sendChunks(se, found, out, d.Presences && se.Intents&api.IntentGuildPresences != 0)
	return true
}

// sendChunks sends members in chunks, at least one.
func (gw *Gateway) sendChunks(se *Session, found []Member, out map[string]any, presences bool) {
	chunks := slices.Collect(slices.Chunk(found, maxChunk))
	if len(chunks) == 0 {
		chunks = [][]Member{nil}
	}
	out["chunk_count"] = len(chunks)
	for i, chunk := range chunks {
		members, online := []any{}, []any{}
		for _, m := range chunk {
			members = append(members, m.Object)
			if m.Presence != nil {
				online = append(online, m.Presence)
			}
		}
		out["chunk_index"], out["members"] = i, members
		if presences {
			out["presences"] = online
		}
		gw.send(se, "GUILD_MEMBERS_CHUNK", out)
	}
}

// requestSounds sends the sounds of guilds' soundboards, of which the sandbox
// has none ("Request Soundboard Sounds").
func (gw *Gateway) requestSounds(se *Session, data json.RawMessage) bool {
	var d struct {
		GuildIDs []snowflake `json:"guild_ids"`
	}
	if json.Unmarshal(data, &d) != nil || d.GuildIDs == nil {
		return false
	}
	for _, id := range d.GuildIDs {
		if gw.covers(Scope{GuildID: string(id)}, se) {
			gw.send(se, "SOUNDBOARD_SOUNDS", map[string]any{"guild_id": id, "soundboard_sounds": []any{}})
		}
	}
	return true
}

// snowflake is an id. Some libraries send it as a number, which Discord accepts.
type snowflake string

// UnmarshalJSON reads a string or a number.
func (s *snowflake) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return json.Unmarshal(raw, (*string)(s))
	}
	var n uint64
	err := json.Unmarshal(raw, &n)
	*s = snowflake(strconv.FormatUint(n, 10))
	return err
}

// oneOrMore is an id or a list of ids.
type oneOrMore []snowflake

// UnmarshalJSON reads either.
func (o *oneOrMore) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
		return nil
	case bytes.HasPrefix(raw, []byte("[")):
		return json.Unmarshal(raw, (*[]snowflake)(o))
	}
	var one snowflake
	err := json.Unmarshal(raw, &one)
	*o = oneOrMore{one}
	return err
}
