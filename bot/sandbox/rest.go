package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
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
	Status        int
	ResponseBody  []byte
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

// failure is an answer that FailNext has put in a route's way.
type failure struct {
	method, route string
	err           *apiError
}

// FailNext makes the next request to a route fail with an error of Discord's:
// route is a template as in Exchange, status the HTTP status, code and message
// those of the body. Several calls queue up. Status 429 carries retry_after 1.
func (s *Sandbox) FailNext(method, route string, status, code int, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, failure{method, route, &apiError{status: status, code: code, message: message}})
}

func (s *Sandbox) failureFor(method, route string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.failures {
		if f.method == method && f.route == route {
			s.failures = slices.Delete(s.failures, i, i+1)
			return f.err
		}
	}
	return nil
}

// ServeHTTP serves the REST API under /api, the gateway, the page and its API.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.learnBase(r)
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
func (s *Sandbox) learnBase(r *http.Request) {
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
	status, body, err := s.answer(&ex, w, r)
	var refusal *apiError
	if err != nil {
		if !errors.As(err, &refusal) {
			s.log.Error("request failed", "method", r.Method, "route", ex.Route, "err", err)
			refusal = &apiError{status: 500, message: "500: Internal Server Error"}
		}
		s.log.Info("request refused", "method", r.Method, "route", ex.Route, "status", refusal.status, "code", refusal.code)
		status, body = refusal.status, refusal
	}
	ex.Status = status
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			s.log.Error("answer cannot be written", "route", ex.Route, "err", err)
			http.Error(w, "500", http.StatusInternalServerError)
			return
		}
		ex.ResponseBody = raw
		w.Header().Set("Content-Type", "application/json")
	}
	s.rateHeaders(w.Header(), ex.Route, status)
	if s.observe != nil {
		s.observe(ex)
	}
	w.WriteHeader(status)
	if _, err := w.Write(ex.ResponseBody); err != nil && status != http.StatusNoContent {
		s.log.Info("answer not delivered", "route", ex.Route, "err", err)
	}
}

// answer finds the route, reads the request and runs the handler.
func (s *Sandbox) answer(ex *Exchange, w http.ResponseWriter, r *http.Request) (int, any, error) {
	version, path, ok := apiVersion(r.URL.Path)
	if !ok {
		return 0, nil, errNotFound
	}
	ex.Version = version
	rt, params, err := s.routes.find(r.Method, path)
	if err != nil {
		return 0, nil, err
	}
	ex.Route = rt.template
	c := &call{version: version, params: params, query: r.URL.Query().Get}
	if err := readBody(ex, c, w, r); err != nil {
		return 0, nil, err
	}
	if !rt.open && r.Header.Get("Authorization") != "Bot "+s.token {
		return 0, nil, errUnauthorized
	}
	if err := s.failureFor(rt.method, rt.template); err != nil {
		return 0, nil, err
	}
	if err := checkIDs(params); err != nil {
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
			return formRefusal([]string{name}, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", value)
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

// rateHeaders writes the headers of "Rate Limits": one generous bucket for
// each route, never exhausted.
func (s *Sandbox) rateHeaders(h http.Header, route string, status int) {
	const limit = 50
	reset := s.now().Add(time.Second)
	sum := fnv.New64a()
	io.WriteString(sum, route) //nolint:errcheck // a hash does not fail
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(limit-1))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", "1.000")
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(sum.Sum64(), 16))
	if status == http.StatusTooManyRequests {
		h.Set("X-RateLimit-Remaining", "0")
		h.Set("X-RateLimit-Scope", "user")
		h.Set("Retry-After", "1")
	}
}
