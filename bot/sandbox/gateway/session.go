package gateway

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
)

// maxReplay is how many events a session keeps for a resume, maxSessions how
// many sessions are kept. A bot that has missed more must identify again.
const (
	maxReplay   = 1000
	maxSessions = 16
)

// Session is an identified bot. It outlives its connection: a bot that loses
// the connection resumes and gets the events it missed ("Resuming").
type Session struct {
	id      string
	shard   int
	shards  int
	Intents int
	seq     int64
	events  []event // the last maxReplay, in order
	conn    *conn
	created time.Time

	resumed int
	updates []time.Time // of its presence, the latest
}

type event struct {
	seq int64
	raw []byte
}

// dispatch numbers an event, keeps it for a resume, and sends it if the bot is
// connected.
func (se *Session) dispatch(kind string, data any) error {
	d, err := json.Marshal(data)
	if err != nil {
		return err
	}
	se.seq++
	seq := se.seq
	raw, err := json.Marshal(frame{Op: api.OpDispatch, Data: d, Seq: &seq, Type: &kind})
	if err != nil {
		return err
	}
	se.events = append(se.events, event{seq, raw})
	if len(se.events) > maxReplay {
		se.events = slices.Clone(se.events[len(se.events)-maxReplay:])
	}
	if se.conn != nil {
		se.conn.send(raw)
	}
	return nil
}

// identify starts a session: it sends READY, and GUILD_CREATE for each guild of
// the shard if the intents include guilds. It reports whether the connection
// stays open.
func (gw *Gateway) identify(c *conn, data json.RawMessage) bool {
	var d struct {
		Token      string          `json:"token"`
		Intents    *int            `json:"intents"`
		Shard      []int           `json:"shard"`
		Properties json.RawMessage `json:"properties"`
		Compress   any             `json:"compress"` // Oceanic sends the name of its transport compression
		Presence   json.RawMessage `json:"presence"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return c.close(api.CloseDecodeError, "Error while decoding payload.")
	}
	if !gw.validToken(d.Token) {
		return c.close(api.CloseBadToken, "Authentication failed.")
	}
	if d.Intents == nil || *d.Intents < 0 || *d.Intents&^api.IntentsAll != 0 {
		return c.close(api.CloseInvalidIntents, "Invalid intent(s).")
	}
	if *d.Intents&gw.c.Disabled != 0 {
		return c.close(api.CloseDisallowedIntents, "Disallowed intent(s).")
	}
	if done, open := gw.handshakeFault(c, ""); done {
		return open
	}
	se := &Session{id: strings.ToLower(rand.Text()), shards: 1, Intents: *d.Intents, conn: c, created: gw.c.Now()}
	if d.Shard != nil {
		if len(d.Shard) != 2 || d.Shard[1] < 1 || d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1] {
			return c.close(api.CloseInvalidShard, "Invalid shard.")
		}
		se.shard, se.shards = d.Shard[0], d.Shard[1]
	}
	guilds := []any{}
	for _, id := range gw.c.Directory.GuildIDs() {
		if gw.covers(Scope{GuildID: id}, se) {
			guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
		}
	}
	if len(guilds) > gw.c.MaxGuilds {
		return c.close(api.CloseShardingRequired, "Sharding required.")
	}
	if gw.identifyLimited(se.shard) {
		c.push(api.OpInvalidSession, false)
		return true
	}
	// discord.py asks for both kinds of compression. Discord then compresses the
	// transport alone.
	if d.Compress == true && c.stream == "" {
		c.compressed.Store(true)
	}
	if !gw.setPresence(se, d.Presence) {
		return c.close(api.CloseDecodeError, "Error while decoding payload.")
	}
	wasOnline := gw.Connected()
	gw.sessions[se.id] = se
	gw.dropOldSessions()
	bot := gw.c.Directory.BotUser()
	ready := map[string]any{
		"v": c.version, "user": gw.c.Directory.Me(), "guilds": guilds, "session_id": se.id,
		"resume_gateway_url": gw.c.URL(),
		"application":        map[string]any{"id": bot.ID, "flags": 0},
		"private_channels":   []any{}, "_trace": []string{"sandbox"},
	}
	if d.Shard != nil {
		ready["shard"] = d.Shard
	}
	if !gw.send(se, "READY", ready) {
		return false
	}
	for _, id := range gw.c.Directory.GuildIDs() {
		if gw.covers(Scope{GuildID: id}, se) && se.Intents&api.IntentGuilds != 0 && !gw.send(se, "GUILD_CREATE", gw.c.Directory.GuildCreate(id, se.Intents)) {
			return false
		}
	}
	gw.deliverAgain(se)
	gw.reportChange(wasOnline)
	return true
}

// identifyEvery is the time between two identifies of one rate limit bucket.
const identifyEvery = 5 * time.Second

// identifyLimited reports whether a shard identifies too early. Shards with the
// same remainder by max_concurrency share a bucket ("Sharding", "Max
// Concurrency"). Such an identify is answered by "invalid session".
func (gw *Gateway) identifyLimited(shard int) bool {
	if gw.c.Concurrency == 0 {
		return false
	}
	bucket := shard % gw.c.Concurrency
	if last, ok := gw.identified[bucket]; ok && gw.c.Now().Sub(last) < identifyEvery {
		return true
	}
	gw.identified[bucket] = gw.c.Now()
	return false
}

// resume continues a session: it sends the missed events, then RESUMED. For a
// session that is unknown or too far behind it sends "invalid session".
func (gw *Gateway) resume(c *conn, data json.RawMessage) bool {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return c.close(api.CloseDecodeError, "Error while decoding payload.")
	}
	if !gw.validToken(d.Token) {
		return c.close(api.CloseBadToken, "Authentication failed.")
	}
	if done, open := gw.handshakeFault(c, d.SessionID); done {
		return open
	}
	se := gw.sessions[d.SessionID]
	if se == nil || len(se.events) > 0 && d.Seq < se.events[0].seq-1 {
		c.push(api.OpInvalidSession, false)
		return true
	}
	if d.Seq > se.seq || d.Seq < 0 {
		delete(gw.sessions, se.id)
		return c.close(api.CloseInvalidSeq, "Invalid seq.")
	}
	if se.conn != nil { // the new connection takes over the session
		se.conn.close(api.CloseUnknown, "")
	}
	wasOnline := gw.Connected()
	se.conn = c
	se.resumed++
	for _, e := range se.events {
		if e.seq > d.Seq {
			c.send(e.raw)
		}
	}
	if !gw.send(se, "RESUMED", map[string]any{"_trace": []string{"sandbox"}}) {
		return false
	}
	gw.deliverAgain(se)
	gw.reportChange(wasOnline)
	return true
}

// validToken reports whether a token is the bot's, with or without "Bot ".
func (gw *Gateway) validToken(token string) bool {
	return strings.TrimPrefix(token, "Bot ") == gw.c.Token
}

func (gw *Gateway) dropOldSessions() {
	for len(gw.sessions) > maxSessions {
		var oldest *Session
		for _, se := range gw.sessions {
			if se.conn == nil && (oldest == nil || se.created.Before(oldest.created)) {
				oldest = se
			}
		}
		if oldest == nil {
			return
		}
		delete(gw.sessions, oldest.id)
	}
}
