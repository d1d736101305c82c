package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"castellan/bot/internal/facts"
)

// Exchange is one request of a bot to Discord's REST API and its answer.
type Exchange struct {
	Method string
	// Route is the path below /api/vN without a query: a template such as
	// "/channels/{channel_id}/messages", whatever its parameters are called,
	// or a path with values in it.
	Route string
	// RequestJSON is the body, or the part payload_json of a multipart body;
	// empty if the request had none.
	RequestJSON  []byte
	HasFiles     bool // the body was multipart/form-data
	Status       int
	ResponseBody []byte
}

// Fault is one difference between an exchange and the facts.
type Fault struct {
	Key  string // method and route, with the callback type if there is one
	Part string // "request" or "answer 200"
	facts.Fault
}

// Error says where the fault is and what it is.
func (f *Fault) Error() string {
	where := f.Pointer
	if where == "" {
		where = "whole body"
	}
	return fmt.Sprintf("%s: %s: %s: %s", f.Key, f.Part, where, f.Problem)
}

// Oracle checks exchanges and counts what it has checked. It is safe for
// concurrent use.
type Oracle struct {
	facts *facts.Facts

	mu     sync.Mutex
	counts map[string]int // of exchanges, by key
}

// New returns an oracle that knows the facts of Discord's API.
func New() *Oracle { return &Oracle{facts: facts.Discord(), counts: map[string]int{}} }

// Check returns the faults of an exchange, each a *[Fault], and counts it.
func (o *Oracle) Check(x Exchange) []error {
	route, op := o.facts.Find(x.Method, x.Route)
	if op == nil {
		key := strings.ToUpper(x.Method) + " " + x.Route
		return []error{&Fault{Key: key, Part: "request", Fault: facts.Fault{Problem: "there is no such operation"}}}
	}
	key := keyOf(route, x.RequestJSON)
	var errs []error
	add := func(part string, faults []facts.Fault) {
		for _, f := range faults {
			errs = append(errs, &Fault{key, part, f})
		}
	}
	add("request", o.checkRequest(op, x))
	add(fmt.Sprintf("answer %d", x.Status), o.checkAnswer(op, x))

	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[key]++
	return errs
}

func (o *Oracle) checkRequest(op *facts.Operation, x Exchange) []facts.Fault {
	empty := len(bytes.TrimSpace(x.RequestJSON)) == 0
	switch {
	case op.Body == nil && (!empty || x.HasFiles):
		return whole("the operation takes no body")
	case x.HasFiles && !op.Files:
		return whole("the operation takes no files")
	case empty && op.BodyRequired && !x.HasFiles:
		return whole("the operation needs a body")
	case empty:
		return nil
	}
	value, err := decode(x.RequestJSON)
	if err != nil {
		return whole("not JSON: %v", err)
	}
	return o.facts.CheckAll(op.Body, value)
}

func (o *Oracle) checkAnswer(op *facts.Operation, x Exchange) []facts.Fault {
	code := strconv.Itoa(x.Status)
	s, ok := op.Answers[code]
	if !ok {
		s, ok = op.Answers[code[:1]+"XX"]
	}
	empty := len(bytes.TrimSpace(x.ResponseBody)) == 0
	switch {
	case !ok && x.Status >= http.StatusInternalServerError:
		return nil // failures of Discord's own machines are not described
	case !ok:
		return whole("there is no such status")
	case s == nil && !empty:
		return whole("the body must be empty")
	case s == nil:
		return nil
	case empty:
		return whole("the body is empty")
	}
	value, err := decode(x.ResponseBody)
	if err != nil {
		return whole("not JSON: %v", err)
	}
	return o.facts.Check(s, value)
}

func whole(format string, args ...any) []facts.Fault {
	return []facts.Fault{{Problem: fmt.Sprintf(format, args...)}}
}

// decode reads exactly one JSON value.
func decode(b []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the value")
	}
	return value, nil
}

// callbackRoute is the route of first answers to interactions.
const callbackRoute = "POST /interactions/{interaction_id}/{interaction_token}/callback"

// keyOf returns the key under which an exchange is counted: method and template,
// and for interaction callbacks the type.
func keyOf(route string, request []byte) string {
	var callback struct {
		Type json.Number `json:"type"`
	}
	if route == callbackRoute && json.Unmarshal(request, &callback) == nil && callback.Type != "" {
		return route + " type " + callback.Type.String()
	}
	return route
}

// Assert checks an exchange and reports its faults as test errors.
func (o *Oracle) Assert(tb testing.TB, x Exchange) {
	tb.Helper()
	for _, err := range o.Check(x) {
		tb.Error(err)
	}
}

// Count returns how many exchanges were checked under a key: method and route,
// such as "POST /channels/{channel_id}/messages", and for interaction callbacks
// the type, such as "POST /interactions/{id}/{token}/callback type 7". The names
// of the parameters do not matter.
func (o *Oracle) Count(key string) int {
	name, kind, typed := strings.Cut(key, " type ")
	method, path, _ := strings.Cut(name, " ")
	if route, op := o.facts.Find(method, path); op != nil {
		key = route
		if typed {
			key += " type " + kind
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.counts[key]
}

// Require fails the test for every key under which nothing was checked.
func (o *Oracle) Require(tb testing.TB, keys ...string) {
	tb.Helper()
	for _, k := range keys {
		if o.Count(k) == 0 {
			tb.Errorf("no request of this kind was made: %s", k)
		}
	}
}
