package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
)

// Member is a member of a guild as members are searched and listed.
type Member struct {
	ID     string
	Names  []string       // the username, the display name and the nickname
	Object map[string]any // the member with its user
}

// requests are the opcodes that a ready session may send besides heartbeats.
// They report whether the payload is valid.
var requests = map[int]func(*Gateway, *Session, json.RawMessage) bool{
	api.OpPresence:       (*Gateway).setPresence,
	api.OpRequestMembers: (*Gateway).requestMembers,
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

// maxPresences is how often a session may update its presence in presencePeriod
// ("Update Presence" on the page "Gateway", rate limits).
const (
	maxPresences   = 5
	presencePeriod = 20 * time.Second
)

// presenceLimited counts an update of a presence, and reports whether there are too
// many.
func (gw *Gateway) presenceLimited(se *Session) bool {
	now := gw.c.Now()
	se.updates = slices.DeleteFunc(append(se.updates, now), func(t time.Time) bool { return now.Sub(t) >= presencePeriod })
	return gw.c.Strict && len(se.updates) > maxPresences
}

// Limits of a request for members ("Request Guild Members", "Guild Members
// Chunk").
const (
	maxChunk = 1000
	maxFound = 100
	maxNonce = 32 // bytes; a longer nonce is ignored
)

func (gw *Gateway) requestMembers(se *Session, data json.RawMessage) bool {
	var d struct {
		GuildID oneOrMore `json:"guild_id"` // with intents, one alone
		Query   *string   `json:"query"`
		Limit   int       `json:"limit"`
		UserIDs oneOrMore `json:"user_ids"`
		Nonce   string    `json:"nonce"`
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
	gw.sendChunks(se, found, out)
	return true
}

func (gw *Gateway) sendChunks(se *Session, found []Member, out map[string]any) {
	chunks := slices.Collect(slices.Chunk(found, maxChunk))
	if len(chunks) == 0 {
		chunks = [][]Member{nil}
	}
	out["chunk_count"] = len(chunks)
	for i, chunk := range chunks {
		members := []any{}
		for _, m := range chunk {
			members = append(members, m.Object)
		}
		out["chunk_index"], out["members"] = i, members
		gw.send(se, "GUILD_MEMBERS_CHUNK", out)
	}
}

// oneOrMore is an id or a list of ids.
type oneOrMore []api.Text

// UnmarshalJSON reads either.
func (o *oneOrMore) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
		return nil
	case bytes.HasPrefix(raw, []byte("[")):
		return json.Unmarshal(raw, (*[]api.Text)(o))
	}
	var one api.Text
	err := json.Unmarshal(raw, &one)
	*o = oneOrMore{one}
	return err
}
