package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"castellan/bot/internal/facts"
	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/endpoint"
	"castellan/bot/sandbox/internal/fault"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

// maxBody is the maximum size of a request in bytes. Valid requests are smaller.
const maxBody = 26 << 20

// Config configures the REST API. Observe may be nil.
type Config struct {
	*model.Model
	Plan           *fault.Plan
	Endpoint       *endpoint.Endpoint
	Token          string
	Observe        func(fault.Exchange)
	Log            *slog.Logger
	Shards         func() int // that are recommended
	MaxConcurrency int
	Rates          func() time.Time // the clock of the rate limits
}

// API is the REST API.
type API struct {
	Config
	limiter *limiter
	routes  map[string]*route // by Discord's method and template
}

// New returns the REST API, to be served under /api.
func New(c Config) *API {
	s := &API{Config: c, routes: map[string]*route{}, limiter: &limiter{
		now: c.Rates, limits: c.Limits, quotas: map[string]*quota{}, invalid: quota{rate: rate{c.Limits.Invalid, invalidPeriod}},
	}}
	for _, rt := range routes {
		s.routes[rt.method+" "+rt.template] = &rt
	}
	return s
}

// call is a request to the REST API that has been read completely.
type call struct {
	route     *route
	operation *facts.Operation
	params    map[string]string // of the path
	query     func(key string) string
	version   int
	json      []byte
	files     []api.File
	form      payload.Node

	// The objects that the path names, which the bot can access.
	guild       *model.Guild
	channel     *model.Channel
	command     *api.ApplicationCommand
	webhook     *model.Webhook
	interaction *model.StoredInteraction // of a webhook
	message     *model.StoredMessage     // of the channel, never ephemeral; or of the interaction
}

// param returns a parameter of the path.
func (c *call) param(name string) string { return c.params[name] }

// ServeHTTP answers a request by its route.
func (s *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ex := fault.Exchange{Method: r.Method, Path: r.URL.RequestURI(), RequestHeader: r.Header.Clone()}
	a := s.answer(&ex, w, r)
	if a.body != nil {
		raw, err := json.Marshal(a.body)
		if err != nil {
			s.Log.Error("response cannot be marshalled", "route", ex.Route, "err", err)
			http.Error(w, "500", http.StatusInternalServerError)
			return
		}
		ex.ResponseBody = raw
		w.Header().Set("Content-Type", "application/json")
	}
	if a.page != "" {
		ex.ResponseBody = []byte(a.page)
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	}
	ex.Status, ex.Invalid = a.status, isInvalid(a)
	if ex.Invalid && s.Strict {
		s.limiter.countInvalid()
	}
	s.RecordRequest(ex)
	if s.Observe != nil {
		s.Observe(ex)
	}
	if a.cut {
		panic(http.ErrAbortHandler) // net/http closes the connection without a response
	}
	s.setRateLimit(w.Header(), &ex, a)
	w.WriteHeader(a.status)
	if _, err := w.Write(ex.ResponseBody); err != nil && a.status != http.StatusNoContent {
		s.Log.Info("response not delivered", "route", ex.Route, "err", err)
	}
}

// answer reads a request, and handles it unless a limit is exceeded.
func (s *API) answer(ex *fault.Exchange, w http.ResponseWriter, r *http.Request) response {
	if s.Strict {
		if refusal := s.limiter.admitAddress(); refusal != nil {
			return *refusal
		}
	}
	c, err := s.receive(ex, w, r)
	if err != nil {
		return s.errorResponse(ex, err)
	}
	if !s.Strict {
		return s.perform(ex, r, c)
	}
	b, refusal := s.limiter.admit(c)
	if refusal == nil {
		a := s.perform(ex, r, c)
		refusal = &a
	}
	refusal.bucket = b
	return *refusal
}

// perform handles a request, and applies the fault that it meets.
func (s *API) perform(ex *fault.Exchange, r *http.Request, c *call) response {
	p := s.claimFault(ex)
	if p != nil && !p.Fault().After {
		if a, done := s.applyFault(r.Context(), p, ex); done {
			return a
		}
	}
	status, body, err := s.handle(c)
	a := response{status: status, body: body}
	if err != nil {
		a = s.errorResponse(ex, err)
	}
	if p != nil && p.Fault().After {
		if faulty, done := s.applyFault(r.Context(), p, ex); done {
			return faulty
		}
	}
	return a
}

// receive reads a request and checks its token.
func (s *API) receive(ex *fault.Exchange, w http.ResponseWriter, r *http.Request) (*call, error) {
	version, path, ok := apiVersion(r.URL.EscapedPath())
	if !ok {
		return nil, api.ErrNotFound
	}
	ex.Version = version
	name, op := facts.Discord().Find(r.Method, path)
	rt := s.routes[name]
	if rt == nil {
		return nil, s.noRoute(r, path, name, op)
	}
	ex.Route = rt.template
	c := &call{route: rt, operation: op, version: version, params: pathParams(rt.template, path), query: r.URL.Query().Get}
	if err := readBody(ex, c, w, r); err != nil {
		return nil, err
	}
	if !rt.public && r.Header.Get("Authorization") != "Bot "+s.Token {
		return nil, api.ErrUnauthorized
	}
	return c, nil
}

// pathParams returns the parameters of a template in a path that matches it.
func pathParams(template, path string) map[string]string {
	out := map[string]string{}
	values := strings.Split(path, "/")
	for i, part := range strings.Split(template, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			value, err := url.PathUnescape(values[i])
			if err != nil {
				value = values[i]
			}
			out[strings.TrimSuffix(name, "}")] = value
		}
	}
	return out
}

// noRoute returns the error for a request without a route: one of the sandbox's
// own if Discord has the operation, 405 if the path has other methods, else
// 404. A warning names the operation and who asked for it.
func (s *API) noRoute(r *http.Request, path, name string, op *facts.Operation) error {
	if op != nil {
		s.Log.Warn("the sandbox does not have this operation", "operation", op.ID, "route", name, "client", r.UserAgent())
		return api.NotBuilt(op.ID + " (" + name + ")")
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, op := facts.Discord().Find(method, path); op != nil {
			return api.ErrMethodNotAllowed
		}
	}
	parts := strings.SplitN(path, "/", 4)
	parts = parts[:min(len(parts), 3)] // tokens are further to the right
	s.Log.Warn("Discord has no such route", "method", r.Method, "begins", strings.Join(parts, "/"), "client", r.UserAgent())
	return api.ErrNotFound
}

// handle checks the ids in the path, parses the body and calls the route's
// handler with the lock held.
func (s *API) handle(c *call) (status int, body any, err error) {
	rt := c.route
	for _, m := range idParameter.FindAllStringSubmatch(rt.template, -1) {
		if value := c.param(m[1]); !api.IsSnowflake(value) {
			return 0, nil, payload.InvalidField([]string{m[1]}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", value)
		}
	}
	if err := payload.CheckQuery(c.operation, c.query); err != nil {
		return 0, nil, err
	}
	if c.form, err = payload.ParseForm(c.json); err != nil {
		return 0, nil, err
	}
	if c.operation.Body != nil && len(c.json) > 0 {
		// The documentation has a text where the description has an object.
		if d, ok := c.form.Field("description").Value.(string); ok && c.operation.ID == "update_my_application" {
			c.form.Value.(map[string]any)["description"] = map[string]any{"default": d}
		}
		c.form.Check(c.operation.Body)
	}
	if c.operation.ID == "update_my_application" {
		if err := s.verifyEndpoint(c); err != nil {
			return 0, nil, err
		}
	}
	s.Lock()
	defer s.Unlock()
	s.ArchiveIdle()
	if err := s.resolve(c); err != nil {
		return 0, nil, err
	}
	return rt.handler(s, c)
}

// resolve looks up the objects that the path names. 50001 means that the bot
// cannot access a guild or channel.
func (s *API) resolve(c *call) (err error) {
	rt := c.route
	if id := c.param("application_id"); id != "" && id != s.ApplicationID() {
		return api.ErrForeignApplication
	}
	if id := c.param("guild_id"); id != "" {
		c.guild = s.GuildByID(id)
		switch {
		case c.guild == nil:
			return api.ErrUnknownGuild
		case !c.guild.HasBot && (c.param("application_id") == "" || !c.guild.HasCommands()):
			return api.ErrMissingAccess
		}
	}
	if id := c.param("command_id"); id != "" {
		i := slices.IndexFunc(s.Commands, func(o *api.ApplicationCommand) bool { return o.GuildID == c.param("guild_id") && o.ID == id })
		if i < 0 {
			return api.ErrUnknownCommand
		}
		c.command = s.Commands[i]
	}
	if c.param("webhook_id") != "" && c.param("webhook_id") != s.ApplicationID() {
		return s.resolveWebhook(c)
	}
	if c.param("webhook_id") != "" {
		if rt.method != http.MethodPost && rt.template == webhookPath || rt.template == ownWebhook {
			return api.ErrUnknownWebhook // the webhook of interactions does not belong to the bot
		}
		if c.interaction, err = s.byToken(c); err != nil || rt.template == webhookPath {
			return err
		}
		if c.message = s.responseMessage(c.interaction, c.param("message_id")); c.message == nil {
			return api.ErrUnknownMessage
		}
		return nil
	}
	id := c.param("channel_id")
	if id == "" {
		return nil
	}
	if err := s.BotMay(id, 0); err != nil {
		return err
	}
	c.channel = s.Channels[id]
	if strings.HasPrefix(rt.template, memberPath) && c.channel.Thread == nil {
		return api.ErrChannelType
	}
	if message := c.param("message_id"); message != "" {
		c.message = s.FindMessage(id, message)
		if c.message == nil || c.message.Viewer != "" {
			return api.ErrUnknownMessage
		}
	}
	return nil
}

// apiVersion splits /api/v10/... into 10 and the rest.
func apiVersion(path string) (int, string, bool) {
	for _, v := range []int{9, 10} {
		if rest, ok := strings.CutPrefix(path, fmt.Sprintf("/api/v%d/", v)); ok {
			return v, "/" + rest, true
		}
	}
	return 0, "", false
}

// readBody reads JSON, or multipart with payload_json and files ("Uploading
// Files" on the page "API Reference").
func readBody(ex *fault.Exchange, c *call, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return api.ErrTooLarge
		}
		return fmt.Errorf("read the request: %w", err)
	}
	ex.RequestBody = body
	if len(body) == 0 {
		return nil
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "application/json":
		c.json = body
	case err == nil && kind == "multipart/form-data" && params["boundary"] != "":
		if readParts(c, body, params["boundary"]) != nil {
			return &api.Error{Status: 400, Code: 50035, Message: "Invalid Form Body"}
		}
	default:
		return &api.Error{Status: 400, Code: 50035, Message: `Expected "Content-Type" header to be one of {'application/json', 'multipart/form-data'}.`}
	}
	ex.RequestJSON, ex.Files = c.json, c.files
	return nil
}

func readParts(c *call, body []byte, boundary string) error {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		switch {
		case part.FormName() == "payload_json":
			c.json = data
		case part.FileName() != "":
			c.files = append(c.files, api.File{Field: part.FormName(), Filename: part.FileName(), Data: data})
		}
	}
}
