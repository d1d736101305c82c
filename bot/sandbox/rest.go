package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/apispec"
)

// maxBody is the maximum size of a request in bytes. Valid requests are smaller.
const maxBody = 26 << 20

type call struct {
	route     *route
	operation *apispec.Operation
	params    map[string]string // of the path
	query     func(key string) string
	version   int
	json      []byte
	files     []api.File
	form      api.Node
	forward   bool // the message that it creates is a copy of another

	// The objects that the path names, which the bot can access.
	guild       *guildState
	channel     *channelState
	interaction *storedInteraction // of a webhook
	message     *storedMessage     // of the channel, never ephemeral; or of the interaction
}

// flag reports whether a parameter of the query is true; Discord accepts "1" and
// "True", too.
func (c *call) flag(name string) bool {
	b, err := strconv.ParseBool(c.query(name))
	return err == nil && b
}

func (c *call) param(name string) string { return c.params[name] }

func (s *Sandbox) serveAPI(w http.ResponseWriter, r *http.Request) {
	ex := api.Exchange{Method: r.Method, Path: r.URL.RequestURI(), RequestHeader: r.Header.Clone()}
	a := s.answer(&ex, w, r)
	switch s.finish(&ex, a); {
	case a.page != "":
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	case a.body != nil: // discord.js would read JSON from an empty body
		w.Header().Set("Content-Type", "application/json")
	}
	if a.cut {
		panic(http.ErrAbortHandler) // net/http closes the connection without a response
	}
	s.setRateLimit(w.Header(), &ex, a)
	w.WriteHeader(a.status)
	if _, err := w.Write(ex.ResponseBody); err != nil && a.status != http.StatusNoContent {
		s.o.Logger.Info("response not delivered", "route", ex.Route, "err", err)
	}
}

// finish completes an exchange, and counts, records and reports it.
func (s *Sandbox) finish(ex *api.Exchange, a response) {
	ex.Status, ex.Invalid, ex.ResponseBody = a.status, isInvalid(a), []byte(a.page)
	if a.body != nil {
		var err error
		if ex.ResponseBody, err = json.Marshal(a.body); err != nil {
			s.o.Logger.Error("response cannot be marshalled", "route", ex.Route, "err", err)
		}
	}
	if ex.Invalid && s.o.Strict {
		s.limiter.countInvalid()
	}
	s.recordRequest(*ex)
	if s.o.Observe != nil {
		s.o.Observe(*ex)
	}
}

// answer reads a request, and handles it unless a limit is exceeded.
func (s *Sandbox) answer(ex *api.Exchange, w http.ResponseWriter, r *http.Request) response {
	if s.o.Strict {
		if refusal := s.limiter.admitAddress(); refusal != nil {
			return *refusal
		}
	}
	c, err := s.receive(ex, w, r)
	if err != nil {
		return s.errorResponse(ex, err)
	}
	if !s.o.Strict {
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
func (s *Sandbox) perform(ex *api.Exchange, r *http.Request, c *call) response {
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

func (s *Sandbox) receive(ex *api.Exchange, w http.ResponseWriter, r *http.Request) (*call, error) {
	version, path, ok := apiVersion(r.URL.EscapedPath())
	if !ok {
		return nil, api.ErrNotFound
	}
	ex.Version = version
	name, op := apispec.Discord().Find(r.Method, path)
	rt := s.routes[name]
	if rt == nil {
		return nil, s.noRoute(r, path, name, op)
	}
	ex.Route = rt.template
	c := &call{route: rt, operation: op, version: version, params: pathParams(rt.template, path), query: r.URL.Query().Get}
	if err := readBody(ex, c, w, r); err != nil {
		return nil, err
	}
	if !rt.public && r.Header.Get("Authorization") != "Bot "+s.o.Token {
		return nil, api.ErrUnauthorized
	}
	return c, nil
}

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
func (s *Sandbox) noRoute(r *http.Request, path, name string, op *apispec.Operation) error {
	if op != nil {
		s.o.Logger.Warn("the sandbox does not have this operation", "operation", op.ID, "route", name, "client", r.UserAgent())
		return api.NotBuilt(op.ID + " (" + name + ")")
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, op := apispec.Discord().Find(method, path); op != nil {
			return api.ErrMethodNotAllowed
		}
	}
	parts := strings.SplitN(path, "/", 4)
	parts = parts[:min(len(parts), 3)] // tokens are further to the right
	s.o.Logger.Warn("Discord has no such route", "method", r.Method, "begins", strings.Join(parts, "/"), "client", r.UserAgent())
	return api.ErrNotFound
}

// handle checks the ids in the path, parses the body and calls the route's
// handler with the lock held.
func (s *Sandbox) handle(c *call) (status int, body any, err error) {
	rt := c.route
	for _, m := range idParameter.FindAllStringSubmatch(rt.template, -1) {
		if value := c.param(m[1]); !api.IsSnowflake(value) {
			return 0, nil, api.InvalidField([]string{m[1]}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", value)
		}
	}
	if err := checkQuery(c.operation, c.query); err != nil {
		return 0, nil, err
	}
	if c.form, err = api.ParseForm(c.json); err != nil {
		return 0, nil, err
	}
	// The description does not know the type of forwards.
	if ref := c.form.Field("message_reference"); ref.Field("type").Integer() == 1 {
		c.forward = true
		delete(ref.Fields(), "type")
	}
	// The description demands a name of PATCH /users/@me, Discord does not.
	if c.operation.Body != nil && len(c.json) > 0 && rt.template != "/users/@me" {
		c.form.Value = convert(c.form, c.operation.Body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archiveIdle()
	if err := s.resolvePath(c); err != nil {
		return 0, nil, err
	}
	return rt.handler(s, c)
}

// convert returns the value of a request as a schema wants it, and adds the errors
// that Discord finds.
func convert(n api.Node, schema *apispec.Schema) any {
	value, violations := apispec.Discord().Convert(schema, n.Value)
	for _, f := range violations {
		n.At(f.Path()...).AddError(f.Code, "%s", f.Message)
	}
	return value
}

// checkQuery returns the error for the parameters of a query.
func checkQuery(op *apispec.Operation, query func(name string) string) error {
	root := api.NewNode(nil)
	for name, s := range op.Query {
		if field := root.At(name); query(name) != "" && !slices.Contains(s.Type, "array") {
			field.Value = query(name)
			convert(field, s)
		}
	}
	return root.Err()
}

// resolvePath looks up the objects that the path names. 50001 means that the bot
// cannot access a guild or channel.
func (s *Sandbox) resolvePath(c *call) (err error) {
	rt := c.route
	if id := c.param("application_id"); id != "" && id != s.ApplicationID() {
		return api.ErrForeignApplication
	}
	if id := c.param("guild_id"); id != "" {
		c.guild = s.guildByID(id)
		switch {
		case c.guild == nil:
			return api.ErrUnknownGuild
		case !c.guild.HasBot && (c.param("application_id") == "" || !c.guild.commands):
			return api.ErrMissingAccess
		}
	}
	if c.param("webhook_id") != "" {
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
	if err := s.botMay(id, 0); err != nil {
		return err
	}
	c.channel = s.channels[id]
	if message := c.param("message_id"); message != "" {
		c.message = s.findMessage(id, message)
		if c.message == nil || c.message.Viewer != "" {
			return api.ErrUnknownMessage
		}
	}
	return nil
}

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
func readBody(ex *api.Exchange, c *call, w http.ResponseWriter, r *http.Request) error {
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
