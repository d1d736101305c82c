package metrics

import (
	"encoding/json"
	"net/http"
	"time"

	"castellan/bot/discord/gateway"
)

// ShardReport describes the bot's shards, as PathShards answers.
type ShardReport struct {
	Shards      []Shard `json:"shards"`      // that serve
	Next        []Shard `json:"next"`        // that will replace them when all are connected; empty unless their number changes
	Recommended int     `json:"recommended"` // number of shards, by Discord's last answer; 0 before one
	// Identifies says how many sessions may be started.
	Identifies struct {
		Remaining    int     `json:"remaining"`
		Total        int     `json:"total"`
		ResetSeconds float64 `json:"reset_seconds"` // until remaining is total again
		Concurrency  int     `json:"max_concurrency"`
	} `json:"identifies"`
}

// Shard describes a shard. Durations that are not known are left out.
type Shard struct {
	ID             int      `json:"id"`
	Shards         int      `json:"shards"` // their number
	Connected      bool     `json:"connected"`
	Guilds         int      `json:"guilds"`
	StateSeconds   *float64 `json:"state_seconds,omitempty"`   // since it was connected or lost the connection
	LatencySeconds *float64 `json:"latency_seconds,omitempty"` // of the last heartbeat
	SessionSeconds *float64 `json:"session_seconds,omitempty"` // since the session began
	EventSeconds   *float64 `json:"event_seconds,omitempty"`   // since the last event
	Connections    int      `json:"connections"`
	Failures       int      `json:"failures"` // in a row
	Reason         string   `json:"reason"`   // why the connection was last lost
	// Process holds the shard, of several processes. Of a shard of another process only
	// Connected, Guilds and HeardSeconds are known.
	Process      string   `json:"process,omitempty"`
	HeardSeconds *float64 `json:"heard_seconds,omitempty"` // since that process was heard of
}

func (s Sources) shards(r gateway.Report, now time.Time) ShardReport {
	out := ShardReport{Shards: listShards(r.Shards, now), Next: listShards(r.Next, now), Recommended: r.Info.Shards}
	limit := r.Info.SessionStartLimit
	out.Identifies.Remaining, out.Identifies.Total, out.Identifies.Concurrency = limit.Remaining, limit.Total, limit.MaxConcurrency
	if !r.Asked.IsZero() {
		out.Identifies.ResetSeconds = max(0, limit.ResetAfter-now.Sub(r.Asked)).Seconds()
	}
	return out
}

func listShards(list []gateway.Shard, now time.Time) []Shard {
	out := make([]Shard, 0, len(list))
	since := func(t time.Time) *float64 {
		if t.IsZero() {
			return nil
		}
		return new(now.Sub(t).Seconds())
	}
	for _, s := range list {
		one := Shard{
			ID: s.ID, Shards: s.Shards, Connected: s.Connected, Guilds: s.Guilds, Connections: s.Connections, Failures: s.Failures, Process: s.Process,
			StateSeconds: since(s.Since), SessionSeconds: since(s.Identified), EventSeconds: since(s.LastEvent),
		}
		if s.Latency > 0 {
			one.LatencySeconds = new(s.Latency.Seconds())
		}
		if s.Elsewhere && s.Process != "" {
			one.HeardSeconds = new(s.Heard.Seconds())
		}
		if s.Reason != nil {
			one.Reason = s.Reason.Error()
		}
		out = append(out, one)
	}
	return out
}

func (s Sources) serveShards(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(s.shards(s.Bot.Shards(), s.Now())) // the client may have gone
}

func (s Sources) checkShards(w http.ResponseWriter, _ *http.Request) {
	s.Bot.CheckShards()
	w.WriteHeader(http.StatusAccepted)
}
