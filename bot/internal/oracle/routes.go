package oracle

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Content types of bodies.
const (
	plain     = "application/json"
	multipart = "multipart/form-data"
)

// callbackRoute is the route of first answers to interactions.
const callbackRoute = "/interactions/{interaction_id}/{interaction_token}/callback"

// route is one operation of the description.
type route struct {
	method    string // in capitals
	template  string
	segments  []string
	pointer   pointer        // where the operation stands in the description
	operation map[string]any // what stands there
}

func (r route) key() string { return r.method + " " + r.template }

// routesOf lists the operations of a description, sorted by key.
func routesOf(doc map[string]any) ([]route, error) {
	paths, ok := doc["paths"].(map[string]any)
	if !ok || len(paths) == 0 {
		return nil, errors.New("it has no paths")
	}
	var routes []route
	for template, item := range paths {
		operations, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("path %s is no object", template)
		}
		for name, value := range operations {
			method := strings.ToUpper(name)
			if !slices.Contains(methods(), method) {
				continue // parameters and the like
			}
			operation, ok := value.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s %s is no object", method, template)
			}
			routes = append(routes, route{
				method:    method,
				template:  template,
				segments:  strings.Split(template, "/"),
				pointer:   pointer{"paths", template, name},
				operation: operation,
			})
		}
	}
	slices.SortFunc(routes, func(a, b route) int { return strings.Compare(a.key(), b.key()) })
	return routes, nil
}

func methods() []string {
	return []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete}
}

// find gives the operation that a method and a route mean. Parameters match by
// place, not by name; where several operations match (".../messages/@original"
// and ".../messages/{message_id}"), the one that shares most literal segments
// is meant.
func (o *Oracle) find(method, path string) (route, bool) {
	var best route
	most := -1
	segments := strings.Split(path, "/")
	for _, r := range o.routes {
		if r.method != strings.ToUpper(method) {
			continue
		}
		if n := literals(r.segments, segments); n > most {
			best, most = r, n
		}
	}
	return best, most >= 0
}

// literals counts the segments that template and path share word by word, or
// is -1 when the path does not fit the template.
func literals(template, path []string) int {
	if len(template) != len(path) {
		return -1
	}
	n := 0
	for i, t := range template {
		switch {
		case parameter(t):
			if path[i] == "" {
				return -1
			}
		case t == path[i]:
			n++
		default:
			return -1
		}
	}
	return n
}

func parameter(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
}

// answer finds the description of a status: "200" before "2XX", as OpenAPI has
// it. It follows the reference that stands in its place. The description is nil
// when there is none.
func (o *Oracle) answer(r route, status int) (pointer, map[string]any) {
	code := strconv.Itoa(status)
	for _, name := range []string{code, code[:1] + "XX"} {
		at := r.pointer.append("responses", name)
		found, ok := member(r.operation, "responses", name).(map[string]any)
		if !ok {
			continue
		}
		if ref, ok := found["$ref"].(string); ok {
			at = parsePointer(strings.TrimPrefix(ref, "#"))
			found, _ = member(o.doc, at...).(map[string]any)
		}
		return at, found
	}
	return nil, nil
}

// member follows keys into nested objects; nil when there is nothing.
func member(object map[string]any, keys ...string) any {
	var value any = object
	for _, k := range keys {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[k]
	}
	return value
}

// pointer is a JSON pointer (RFC 6901), unescaped.
type pointer []string

// append gives a new pointer that goes further down.
func (p pointer) append(keys ...string) pointer {
	return append(slices.Clone(p), keys...)
}

func (p pointer) String() string {
	var b strings.Builder
	for _, k := range p {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(k))
	}
	return b.String()
}

func parsePointer(s string) pointer {
	var p pointer
	for _, k := range strings.Split(strings.TrimPrefix(s, "/"), "/") {
		p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(k))
	}
	return p
}

// fragment escapes a JSON pointer for use after the # of a URL.
func fragment(p string) string {
	return (&url.URL{Fragment: p}).EscapedFragment()
}
