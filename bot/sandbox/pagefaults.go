package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pageFault is a fault as the page plans it.
type pageFault struct {
	Kind       FaultKind `json:"kind"`
	Method     string    `json:"method"`
	Route      string    `json:"route"`
	Event      string    `json:"event"`
	Skip       int       `json:"skip"`
	Count      int       `json:"count"`
	After      bool      `json:"after"`
	Status     int       `json:"status"`
	Code       int       `json:"code"`
	Message    string    `json:"message"`
	Scope      string    `json:"scope"`
	RetryAfter float64   `json:"retry_after"` // seconds
	Op         int       `json:"op"`
	Resumable  bool      `json:"resumable"`
}

// longestRetry is the longest rate limit that the page can plan.
const longestRetry = 24 * time.Hour

func (f pageFault) fault() (Fault, error) {
	if f.RetryAfter < 0 || f.RetryAfter > longestRetry.Seconds() {
		return Fault{}, fmt.Errorf("a rate limit of %v s: want 0 to %v", f.RetryAfter, longestRetry.Seconds())
	}
	return Fault{
		Kind: f.Kind, Method: f.Method, Route: f.Route, Event: f.Event, Skip: f.Skip, Count: f.Count, After: f.After,
		Status: f.Status, Code: f.Code, Message: f.Message, Scope: f.Scope,
		RetryAfter: time.Duration(f.RetryAfter * float64(time.Second)), Op: f.Op, Resumable: f.Resumable,
	}, nil
}

// pagePlanned is a planned fault as the page shows it.
type pagePlanned struct {
	pageFault
	ID   int `json:"id"`
	Hits int `json:"hits"`
	Held int `json:"held"`
	Left int `json:"left"` // below 0: until removed
}

func (p *Planned) page() pagePlanned {
	f := p.fault
	return pagePlanned{ID: p.id, Hits: p.hits, Held: len(p.held), Left: p.left, pageFault: pageFault{
		Kind: f.Kind, Method: f.Method, Route: f.Route, Event: f.Event, Skip: f.Skip, Count: f.Count, After: f.After,
		Status: f.Status, Code: f.Code, Message: f.Message, Scope: f.Scope, RetryAfter: f.RetryAfter.Seconds(), Op: f.Op, Resumable: f.Resumable,
	}}
}

// classNames are the classes of faults, as the page knows them.
var classNames = map[class]string{classRequest: "request", classEvent: "event", classConnection: "connection"}

// botEvents are the types of the events that the sandbox dispatches.
var botEvents = []string{
	"INTERACTION_CREATE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "GUILD_CREATE", "GUILD_DELETE",
	"THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "THREAD_MEMBERS_UPDATE",
}

// pageDenials are the permissions that the page can take from the bot.
var deniablePermissions = []struct {
	Name string `json:"name"`
	Bit  int64  `json:"bit"`
}{
	{"View Channel", PermissionViewChannel}, {"Send Messages", PermissionSendMessages}, {"Embed Links", PermissionEmbedLinks},
	{"Attach Files", PermissionAttachFiles}, {"Read Message History", PermissionReadHistory},
	{"Create Public Threads", PermissionPublicThreads}, {"Send Messages in Threads", PermissionSendInThreads},
}

// servePageFaults is what the panel of faults asks: GET /sandbox/faults, and
// POST of everything else below /sandbox/faults, gateway, bot and channels.
// False: the path is none of these.
func (s *Sandbox) servePageFaults(w http.ResponseWriter, r *http.Request, parts []string) bool {
	if !slices.Contains([]string{"faults", "gateway", "bot", "channels"}, parts[1]) {
		return false
	}
	if r.Method == http.MethodGet && len(parts) == 2 && parts[1] == "faults" {
		pageJSON(w, http.StatusOK, s.faultsState())
		return true
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		pageError(w, http.StatusMethodNotAllowed, "this needs a POST")
		return true
	}
	var req struct {
		pageFault
		Permissions string `json:"permissions"`
		GuildID     string `json:"guild_id"` // "": the world's first
	}
	err := readPageJSON(w, r, &req)
	if err == nil {
		switch {
		case len(parts) == 2 && parts[1] == "faults":
			err = s.planFault(req.pageFault)
		case len(parts) == 4 && parts[1] == "faults":
			err = s.releaseOrRemoveFault(parts[2], parts[3])
		case len(parts) == 3 && parts[1] == "gateway":
			err = s.actOnGateway(parts[2])
		case len(parts) == 3 && parts[1] == "bot":
			err = s.addOrRemoveBot(parts[2], req.GuildID)
		case len(parts) == 4 && parts[1] == "channels":
			err = s.denyOrRemoveChannel(parts[2], parts[3], req.Permissions)
		default:
			pageError(w, http.StatusNotFound, "there is nothing here")
			return true
		}
	}
	if err != nil {
		pageError(w, http.StatusBadRequest, err.Error())
		return true
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// faultsState is everything that the panel shows.
func (s *Sandbox) faultsState() map[string]any {
	counts := s.Tally().Interactions
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds, routes, plan, denied := []any{}, []any{}, []pagePlanned{}, map[string]string{}
	for _, c := range faultClasses {
		kinds = append(kinds, map[string]any{"kind": c.kind, "class": classNames[c.class]})
	}
	for _, rt := range s.routes.routes {
		routes = append(routes, map[string]any{"method": rt.method, "route": rt.template})
	}
	for _, p := range slices.Backward(s.plan) {
		plan = append(plan, p.page())
	}
	for _, p := range s.channels {
		if bits := p.deniedTo(s.world.Application.ID); bits != 0 {
			denied[p.id] = strconv.FormatInt(bits, 10)
		}
	}
	return map[string]any{
		"kinds": kinds, "routes": routes, "events": botEvents, "plan": plan, "installed": s.firstGuild().hasBot,
		"permissions": deniablePermissions, "denied": denied, "interactions": counts,
	}
}

func (s *Sandbox) planFault(f pageFault) error {
	fault, err := f.fault()
	if err != nil {
		return err
	}
	_, err = s.Plan(fault)
	return err
}

func (s *Sandbox) releaseOrRemoveFault(id, what string) error {
	n, err := strconv.Atoi(id)
	if err != nil {
		return fmt.Errorf("there is no fault %q", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.plan, func(p *Planned) bool { return p.id == n })
	if i < 0 {
		return errors.New("this fault is not planned any more")
	}
	switch p := s.plan[i]; what {
	case "release":
		p.release()
	case "remove":
		p.remove()
	default:
		return fmt.Errorf("a fault can be released or removed, not %q", what)
	}
	return nil
}

func (s *Sandbox) actOnGateway(how string) error {
	switch how {
	case "drop":
		s.DropGateway()
	case "silence":
		s.SilenceGateway()
	case "reconnect":
		s.Reconnect()
	case "invalid":
		s.InvalidateSessions(false)
	case "resumable":
		s.InvalidateSessions(true)
	default:
		return fmt.Errorf("the gateway knows no %q", how)
	}
	return nil
}

func (s *Sandbox) addOrRemoveBot(how, guildID string) error {
	if guildID == "" {
		guildID = s.world.Guild.ID
	}
	switch how {
	case "remove":
		return s.RemoveBotFrom(guildID)
	case "add":
		return s.AddBotTo(guildID)
	}
	return fmt.Errorf("a bot can be removed or added, not %q", how)
}

func (s *Sandbox) denyOrRemoveChannel(id, how, permissions string) error {
	switch how {
	case "remove":
		return s.RemoveChannel(id)
	case "deny":
		bits, ok := parsePermissions(permissions)
		if !ok {
			return fmt.Errorf("%q is no set of permissions", permissions)
		}
		return s.Deny(id, s.world.Application.ID, bits)
	}
	return fmt.Errorf("a channel can be removed or denied to the bot, not %q", how)
}
