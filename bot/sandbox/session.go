package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// maxReplay is how many events a session keeps for a resume, maxSessions how
// many sessions are kept; who has missed more must identify anew.
const (
	maxReplay   = 1000
	maxSessions = 16
)

// session is one identified connection and what outlives it: a client that
// loses its connection resumes and gets what it missed ("Resuming").
type session struct {
	id      string
	shard   int
	shards  int
	intents int
	seq     int64
	events  []event // the last maxReplay, in order
	conn    *gatewayConn
	created time.Time
}

type event struct {
	seq int64
	raw []byte
}

// dispatch numbers an event, keeps it and sends it if somebody is connected.
func (se *session) dispatch(kind string, data any) error {
	d, err := json.Marshal(data)
	if err != nil {
		return err
	}
	se.seq++
	seq := se.seq
	raw, err := json.Marshal(frame{Op: opDispatch, Data: d, Seq: &seq, Type: &kind})
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

// identify starts a session: READY, then the guild, if intents and shard
// allow.
func (s *Sandbox) identify(c *gatewayConn, data json.RawMessage) bool {
	var d struct {
		Token      string          `json:"token"`
		Intents    *int            `json:"intents"`
		Shard      []int           `json:"shard"`
		Properties json.RawMessage `json:"properties"`
		Compress   bool            `json:"compress"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return false
	}
	if !s.validToken(d.Token) {
		c.close(closeBadToken, "Authentication failed.")
		return false
	}
	if d.Intents == nil || *d.Intents < 0 || *d.Intents&^intentsAll != 0 {
		c.close(closeInvalidIntents, "Invalid intent(s).")
		return false
	}
	if done, open := s.handshakeFault(c, ""); done {
		return open
	}
	se := &session{id: strings.ToLower(rand.Text()), shards: 1, intents: *d.Intents, conn: c, created: s.now()}
	if d.Shard != nil {
		if len(d.Shard) != 2 || d.Shard[1] < 1 || d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1] {
			c.close(closeInvalidShard, "Invalid shard.")
			return false
		}
		se.shard, se.shards = d.Shard[0], d.Shard[1]
	}
	if s.identifyLimited(se.shard) {
		c.push(opInvalidSession, false)
		return true
	}
	if d.Compress {
		if _, stream := c.encoder.(*zlibStreamEncoder); stream {
			c.close(closeDecodeError, "Payloads are compressed already, by the transport.")
			return false
		}
		c.compressPayloads()
	}
	wasOnline := s.online()
	s.sessions[se.id] = se
	s.dropOldSessions()
	guilds := []any{}
	for _, sv := range s.guilds {
		if (scope{server: sv}).covers(se) {
			guilds = append(guilds, map[string]any{"id": sv.id, "unavailable": true})
		}
	}
	ready := map[string]any{
		"v": c.version, "user": s.botUser(), "guilds": guilds, "session_id": se.id,
		"resume_gateway_url": s.gatewayURL(),
		"application":        map[string]any{"id": s.world.Application.ID, "flags": 0},
		"private_channels":   []any{}, "_trace": []string{"sandbox"},
	}
	if d.Shard != nil {
		ready["shard"] = d.Shard
	}
	if err := se.dispatch("READY", ready); err != nil {
		s.log.Error("event cannot be written", "type", "READY", "err", err)
		return false
	}
	for _, sv := range s.guilds {
		if !(scope{server: sv}).covers(se) || se.intents&intentGuilds == 0 {
			continue
		}
		if err := se.dispatch("GUILD_CREATE", s.guildCreate(sv, se.intents)); err != nil {
			s.log.Error("event cannot be written", "type", "GUILD_CREATE", "err", err)
			return false
		}
	}
	s.deliverAgain(se)
	s.announceOnline(wasOnline)
	return true
}

// identifyEvery is how long a bucket of shards waits between two identifies.
const identifyEvery = 5 * time.Second

// tooSoon says whether a shard identifies before its bucket may: shards with
// the same remainder by max_concurrency share one ("Sharding", "Max
// Concurrency"). Such an identify is answered by "invalid session".
func (s *Sandbox) identifyLimited(shard int) bool {
	if s.concurrency == 0 {
		return false
	}
	bucket := shard % s.concurrency
	if last, ok := s.identified[bucket]; ok && s.now().Sub(last) < identifyEvery {
		return true
	}
	s.identified[bucket] = s.now()
	return false
}

// pack compresses every payload from now on by itself.
func (c *gatewayConn) compressPayloads() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compressed = true
}

// resume goes on with a session: what was missed, then RESUMED. A session
// that is unknown or too far behind gets "invalid session" and may identify.
func (s *Sandbox) resume(c *gatewayConn, data json.RawMessage) bool {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return false
	}
	if !s.validToken(d.Token) {
		c.close(closeBadToken, "Authentication failed.")
		return false
	}
	if done, open := s.handshakeFault(c, d.SessionID); done {
		return open
	}
	se := s.sessions[d.SessionID]
	if se == nil || len(se.events) > 0 && d.Seq < se.events[0].seq-1 {
		c.push(opInvalidSession, false)
		return true
	}
	if d.Seq > se.seq || d.Seq < 0 {
		delete(s.sessions, se.id)
		c.close(closeInvalidSeq, "Invalid seq.")
		return false
	}
	if se.conn != nil { // the newer connection takes the session over
		se.conn.close(closeUnknown, "")
	}
	wasOnline := s.online()
	se.conn = c
	for _, e := range se.events {
		if e.seq > d.Seq {
			c.send(e.raw)
		}
	}
	if err := se.dispatch("RESUMED", map[string]any{"_trace": []string{"sandbox"}}); err != nil {
		s.log.Error("event cannot be written", "type", "RESUMED", "err", err)
		return false
	}
	s.deliverAgain(se)
	s.announceOnline(wasOnline)
	return true
}

// goodToken compares a token, which a client may send with the word Bot.
func (s *Sandbox) validToken(token string) bool {
	return strings.TrimPrefix(token, "Bot ") == s.token
}

// dropOldSessions forgets the oldest sessions that nobody is connected to.
func (s *Sandbox) dropOldSessions() {
	for len(s.sessions) > maxSessions {
		var oldest *session
		for _, se := range s.sessions {
			if se.conn == nil && (oldest == nil || se.created.Before(oldest.created)) {
				oldest = se
			}
		}
		if oldest == nil {
			return
		}
		delete(s.sessions, oldest.id)
	}
}
