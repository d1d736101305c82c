package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
)

// maxBody is the size of a whole request in bytes: above any legal one.
const maxBody = 26 << 20

// Exchange is one request of the bot to the REST API and its answer.
type Exchange struct {
	Method        string
	Path          string // as sent, query included; may hold an interaction's token
	Route         string // Discord's template without /api/vN; "" for an unknown path
	Version       int    // of the API: 9 or 10
	RequestHeader http.Header
	RequestBody   []byte // raw
	RequestJSON   []byte // the body, or the payload_json part of a multipart one
	Files         []File
	Status        int // 0: the connection was cut by a fault
	ResponseBody  []byte
	Fault         FaultKind // that the request has met; "" is none
}

// call is one request to the REST API, read completely.
type call struct {
	version int
	params  map[string]string
	query   func(key string) string
	json    []byte
	files   []File
	form    node
}

// ServeHTTP serves the REST API under /api, the gateway, the page and its API.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.learnBaseURL(r)
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/api/"):
		s.serveREST(w, r)
	case path == "/gateway" || path == "/gateway/":
		s.serveGateway(w, r)
	default:
		s.servePage(w, r)
	}
}

// learnBase takes the address of the first request as the base if there is
// none yet: the local address of its connection, which is true whatever the
// Host header says.
func (s *Sandbox) learnBaseURL(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base != "" {
		return
	}
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		s.base = "http://" + addr.String()
	}
}

func (s *Sandbox) serveREST(w http.ResponseWriter, r *http.Request) {
	ex := Exchange{Method: r.Method, Path: r.URL.RequestURI(), RequestHeader: r.Header.Clone()}
	a := s.answer(&ex, w, r)
	if a.body != nil {
		raw, err := json.Marshal(a.body)
		if err != nil {
			s.log.Error("answer cannot be written", "route", ex.Route, "err", err)
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
	ex.Status = a.status
	s.recordRequest(ex)
	if s.observe != nil {
		s.observe(ex)
	}
	if a.cut {
		panic(http.ErrAbortHandler) // net/http closes the connection and says nothing
	}
	s.rateHeaders(w.Header(), ex.Route, a)
	w.WriteHeader(a.status)
	if _, err := w.Write(ex.ResponseBody); err != nil && a.status != http.StatusNoContent {
		s.log.Info("answer not delivered", "route", ex.Route, "err", err)
	}
}

// answer finds the route, reads the request and does its work, unless a
// planned fault has it otherwise.
func (s *Sandbox) answer(ex *Exchange, w http.ResponseWriter, r *http.Request) restAnswer {
	rt, c, err := s.receive(ex, w, r)
	if err != nil {
		return s.errorAnswer(ex, err)
	}
	p := s.claimRequest(ex)
	if p != nil && !p.fault.After {
		if a, done := p.apply(r.Context(), ex); done {
			return a
		}
	}
	status, body, err := s.work(rt, c)
	a := restAnswer{status: status, body: body}
	if err != nil {
		a = s.errorAnswer(ex, err)
	}
	if p != nil && p.fault.After {
		if faulty, done := p.apply(r.Context(), ex); done {
			return faulty
		}
	}
	return a
}

// receive finds the route of a request, reads it and checks the token.
func (s *Sandbox) receive(ex *Exchange, w http.ResponseWriter, r *http.Request) (*route, *call, error) {
	version, path, ok := apiVersion(r.URL.Path)
	if !ok {
		return nil, nil, errNotFound
	}
	ex.Version = version
	rt, params, err := s.routes.find(r.Method, path)
	if what, known := missingRoute(r.Method, path); err != nil && known {
		err = notImplemented(what)
	}
	if err != nil {
		return nil, nil, err
	}
	ex.Route = rt.template
	c := &call{version: version, params: params, query: r.URL.Query().Get}
	if err := readBody(ex, c, w, r); err != nil {
		return nil, nil, err
	}
	if !rt.open && r.Header.Get("Authorization") != "Bot "+s.token {
		return nil, nil, errUnauthorized
	}
	return rt, c, nil
}

// work does what a request asks for.
func (s *Sandbox) work(rt *route, c *call) (status int, body any, err error) {
	if err := checkIDs(c.params); err != nil {
		return 0, nil, err
	}
	if c.form, err = parseForm(c.json); err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return rt.handle(c)
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

// checkIDs holds path parameters that are ids against the form of one.
func checkIDs(params map[string]string) error {
	for name, value := range params {
		if strings.HasSuffix(name, "_id") && !isSnowflake(value) {
			return invalidField([]string{name}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", value)
		}
	}
	return nil
}

// readBody reads JSON, or multipart with payload_json and files ("Uploading
// Files" on the page "API Reference").
func readBody(ex *Exchange, c *call, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return errTooLarge
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
		if err := readParts(c, body, params["boundary"]); err != nil {
			return err
		}
	default:
		return &apiError{status: 400, code: 50035, message: `Expected "Content-Type" header to be one of {'application/json', 'multipart/form-data'}.`}
	}
	ex.RequestJSON, ex.Files = c.json, c.files
	return nil
}

func readParts(c *call, body []byte, boundary string) error {
	parts := multipart.NewReader(strings.NewReader(string(body)), boundary)
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &apiError{status: 400, code: 50035, message: "Invalid Form Body"}
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return &apiError{status: 400, code: 50035, message: "Invalid Form Body"}
		}
		switch {
		case part.FormName() == "payload_json":
			c.json = data
		case part.FileName() != "":
			c.files = append(c.files, File{Field: part.FormName(), Filename: part.FileName(), Data: data})
		}
	}
}
