package apispec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"castellan/bot/sandbox/api"
)

// Mismatch is one difference between an exchange and the description.
type Mismatch struct {
	Key  string // method and route, with the callback type if there is one
	Part string // "request" or "answer 200"
	Violation
}

// Error says where the violation is and what it is.
func (f *Mismatch) Error() string {
	where := f.Pointer
	if where == "" {
		where = "whole body"
	}
	return fmt.Sprintf("%s: %s: %s: %s", f.Key, f.Part, where, f.Problem)
}

// Checker checks exchanges and counts what it has checked. It is safe for
// concurrent use.
type Checker struct {
	spec *Spec

	mu     sync.Mutex
	counts map[string]int // of exchanges, by key
}

// NewChecker returns a checker of Discord's API.
func NewChecker() *Checker { return &Checker{spec: Discord(), counts: map[string]int{}} }

// Check returns the violations of an exchange, each a *[Mismatch], and counts it.
func (c *Checker) Check(x api.Exchange) []error {
	route, op := c.spec.Find(x.Method, x.Route)
	if op == nil {
		key := strings.ToUpper(x.Method) + " " + x.Route
		return []error{&Mismatch{Key: key, Part: "request", Violation: Violation{Problem: "there is no such operation"}}}
	}
	key := keyOf(route, x.RequestJSON)
	var errs []error
	add := func(part string, violations []Violation) {
		for _, f := range violations {
			errs = append(errs, &Mismatch{key, part, f})
		}
	}
	add("request", c.checkRequest(op, x))
	add(fmt.Sprintf("answer %d", x.Status), c.checkAnswer(op, x))

	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[key]++
	return errs
}

func (c *Checker) checkRequest(op *Operation, x api.Exchange) []Violation {
	empty := len(bytes.TrimSpace(x.RequestJSON)) == 0
	switch {
	case op.Body == nil && (!empty || len(x.Files) > 0):
		return whole("the operation takes no body")
	case len(x.Files) > 0 && !op.Files:
		return whole("the operation takes no files")
	case empty && op.BodyRequired && len(x.Files) == 0:
		return whole("the operation needs a body")
	case empty:
		return nil
	}
	var value any
	if err := api.Decode(bytes.NewReader(x.RequestJSON), &value); err != nil {
		return whole("not JSON: %v", err)
	}
	return c.spec.CheckAll(op.Body, value)
}

func (c *Checker) checkAnswer(op *Operation, x api.Exchange) []Violation {
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
	var value any
	if err := api.Decode(bytes.NewReader(x.ResponseBody), &value); err != nil {
		return whole("not JSON: %v", err)
	}
	return c.spec.Check(s, value)
}

func whole(format string, args ...any) []Violation {
	return []Violation{{Problem: fmt.Sprintf(format, args...)}}
}

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

// Count returns how many exchanges were checked under a key: method and route,
// such as "POST /channels/{channel_id}/messages", and for interaction callbacks
// the type, such as "POST /interactions/{id}/{token}/callback type 7". The names
// of the parameters do not matter.
func (c *Checker) Count(key string) int {
	name, kind, typed := strings.Cut(key, " type ")
	method, path, _ := strings.Cut(name, " ")
	if route, op := c.spec.Find(method, path); op != nil {
		key = route
		if typed {
			key += " type " + kind
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[key]
}
