package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

type pageFault struct {
	faults.Fault
	RetryAfter float64 `json:"retry_after"` // seconds
}

type pagePlanned struct {
	pageFault
	faults.State
}

// maxRetryAfter is the longest rate limit that the page can plan.
const maxRetryAfter = 24 * time.Hour

// botEvents are the types of events that the sandbox dispatches.
var botEvents = []string{
	"INTERACTION_CREATE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "GUILD_CREATE", "GUILD_DELETE",
	"THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_MEMBERS_UPDATE",
}

// deniablePermissions are the permissions that the page can deny the bot.
var deniablePermissions = []struct {
	Name string `json:"name"`
	Bit  int64  `json:"bit"`
}{
	{"View Channel", api.PermissionViewChannel}, {"Send Messages", api.PermissionSendMessages}, {"Embed Links", api.PermissionEmbedLinks},
	{"Attach Files", api.PermissionAttachFiles}, {"Read Message History", api.PermissionReadHistory},
	{"Create Public Threads", api.PermissionPublicThreads}, {"Send Messages in Threads", api.PermissionSendInThreads},
}

type faultRequest struct {
	pageFault
	Permissions string `json:"permissions"`
	GuildID     string `json:"guild_id"` // "": the world's first
	Shard       *int   `json:"shard"`    // whose connection is dropped; nil means all
	Shards      int    `json:"shards"`   // a number of shards to recommend or require
	Seconds     int    `json:"seconds"`  // by which the clock is moved; 0: to what is due next
}

func (s *Sandbox) change(do func(*http.Request, faultRequest) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var req faultRequest
		err := readPageJSON(w, r, &req)
		if err == nil {
			err = do(r, req)
		}
		if err != nil {
			pageError(w, http.StatusBadRequest, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Sandbox) serveFaults(w http.ResponseWriter, _ *http.Request) {
	counts, sessions := s.Tally().Interactions, s.Gateway.Sessions()
	s.mu.Lock()
	kinds, plan, denied := []any{}, []pagePlanned{}, map[string]string{}
	for _, c := range faults.Kinds {
		kinds = append(kinds, map[string]any{"kind": c.Kind, "class": c.Class})
	}
	for _, p := range slices.Backward(s.plan.All()) {
		plan = append(plan, pagePlanned{pageFault{p.Fault(), p.Fault().RetryAfter.Seconds()}, s.plan.State(p)})
	}
	for _, ch := range s.channels {
		if bits := ch.denied[s.ApplicationID()]; bits != 0 {
			denied[ch.ID] = strconv.FormatInt(bits, 10)
		}
	}
	state := map[string]any{
		"kinds": kinds, "routes": s.plan.Routes(), "events": botEvents, "plan": plan, "installed": s.guilds[0].HasBot,
		"permissions": deniablePermissions, "denied": denied, "interactions": counts,
		"sessions": sessions, "shards": s.Gateway.Recommended(),
	}
	s.mu.Unlock()
	pageJSON(w, http.StatusOK, state)
}

func (s *Sandbox) moveTime(r *http.Request, req faultRequest) error {
	return s.MoveClock(r.Context(), time.Duration(req.Seconds)*time.Second)
}

func (s *Sandbox) planFault(_ *http.Request, req faultRequest) error {
	if req.RetryAfter < 0 || req.RetryAfter > maxRetryAfter.Seconds() {
		return fmt.Errorf("a rate limit of %v s: want 0 to %v", req.RetryAfter, maxRetryAfter.Seconds())
	}
	req.Fault.RetryAfter = time.Duration(req.RetryAfter * float64(time.Second))
	_, err := s.plan.Add(req.Fault)
	return err
}

func (s *Sandbox) changeFault(r *http.Request, _ faultRequest) error {
	id, action := r.PathValue("id"), r.PathValue("action")
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.plan.All(), func(p *faults.Planned) bool { return strconv.Itoa(s.plan.State(p).ID) == id })
	if i < 0 {
		return errors.New("this fault is not planned any more")
	}
	switch p := s.plan.All()[i]; action {
	case "release":
		s.plan.Release(p)
	case "remove":
		s.plan.Remove(p)
	default:
		return fmt.Errorf("a fault can be released or removed, not %q", action)
	}
	return nil
}

func (s *Sandbox) changeGateway(r *http.Request, req faultRequest) error {
	gw := s.Gateway
	change := map[string]func() error{
		"drop":      func() error { gw.Drop(); return nil },
		"recommend": func() error { return gw.Recommend(req.Shards) },
		"require":   func() error { return gw.Require(req.Shards) },
		"silence":   func() error { gw.Silence(); return nil },
		"reconnect": func() error { gw.Reconnect(); return nil },
		"invalid":   func() error { gw.InvalidateSessions(false); return nil },
		"resumable": func() error { gw.InvalidateSessions(true); return nil },
	}[r.PathValue("action")]
	switch {
	case change == nil:
		return fmt.Errorf("the gateway has no action %q", r.PathValue("action"))
	case req.Shard != nil:
		return gw.DropShard(*req.Shard)
	}
	return change()
}

func (s *Sandbox) changeBot(r *http.Request, req faultRequest) error {
	switch action := r.PathValue("action"); action {
	case "remove":
		return s.RemoveBotFrom(req.GuildID)
	case "add":
		return s.AddBotTo(req.GuildID)
	default:
		return fmt.Errorf("a bot can be removed or added, not %q", action)
	}
}

func (s *Sandbox) changeChannel(r *http.Request, req faultRequest) error {
	id := r.PathValue("id")
	switch action := r.PathValue("action"); action {
	case "remove":
		return s.RemoveChannel(id)
	case "deny":
		bits, ok := api.ParsePermissions(req.Permissions)
		if !ok {
			return fmt.Errorf("%q is not a set of permissions", req.Permissions)
		}
		return s.Deny(id, s.ApplicationID(), bits)
	default:
		return fmt.Errorf("a channel can be removed or denied to the bot, not %q", action)
	}
}
