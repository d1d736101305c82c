package interaction

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of an interaction.
type Kind string

// The kinds of interactions, with how each is deferred.
const (
	// Command is a slash command or a context menu command. A slow one is acknowledged
	// with a private message that says "thinking…".
	Command Kind = "command"
	// Component is a button or a menu of a message. A slow one is acknowledged without a
	// visible change, and its message may be edited later.
	Component Kind = "component"
	// Autocomplete is a request for suggestions while an option is typed, which Discord
	// allows no deferral of.
	Autocomplete Kind = "autocomplete"
	// UnknownKind is that of an interaction that the bot does not answer.
	UnknownKind Kind = "unknown"
)

// Kinds returns every kind.
func Kinds() []Kind { return []Kind{Command, Component, Autocomplete, UnknownKind} }

// Handler carries out a request and returns the response. Its context has a
// deadline.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Class says how requests of a route are counted against flooding.
type Class int

// The classes. Each has a budget of its own; see [Flood].
const (
	// Ordinary requests count against the person's and the channel's budget.
	Ordinary Class = iota
	// Leaving requests end or give up something: resign, claim, decline,
	// cancel. They have a separate budget, so that a person who has used up
	// the ordinary one can still leave.
	Leaving
	// Reading requests change nothing. They count like ordinary ones, and are the
	// first to be rejected when the bot is overloaded.
	Reading
	// Typing requests come with every letter that is typed and are refused
	// silently.
	Typing
)

// Access says who may use a route.
type Access int

const (
	// Anyone may use the route. Its handler decides which matches a person may see.
	Anyone Access = iota
	// Checked routes leave the decision to their use case or handler. The server treats
	// them like Anyone.
	Checked
	// Players means the people who have a seat in the match that the path names.
	// The match is read before the handler is called.
	Players
	// Always means anyone, also those whom Config.CheckBan refuses.
	Always
)

// Route connects a path with its handler and declares the route's properties.
type Route struct {
	Kind Kind
	// Pattern is a path with parameters: parts between slashes. A part in
	// braces matches any text, and one in braces with dots at the end matches
	// the rest of the path. Commands ("challenge/{game}"), custom IDs
	// ("match/{match}/{seq}/act/{token...}") and options that are being typed
	// ("move/turn") use the same grammar. Parameters with the names in numeric
	// match whole numbers only.
	Pattern string
	Handler Handler
	Class   Class
	Access  Access
}

// Router finds the route of a path.
type Router struct{ routes []parsedRoute }

type parsedRoute struct {
	Route
	parts []string
}

// NewRouter returns a router for the routes. It fails if two routes match the
// same path.
func NewRouter(routes ...Route) (*Router, error) {
	r := &Router{}
	for _, route := range routes {
		parts := strings.Split(route.Pattern, "/")
		for _, other := range r.routes {
			if other.Kind == route.Kind && overlap(other.parts, parts) {
				return nil, fmt.Errorf("routes %s and %s match the same %s", other.Pattern, route.Pattern, route.Kind)
			}
		}
		r.routes = append(r.routes, parsedRoute{route, parts})
	}
	return r, nil
}

func overlap(a, b []string) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if matchesRest(a[i]) || matchesRest(b[i]) {
			return true
		}
		if a[i] != b[i] && !isParameter(a[i]) && !isParameter(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func matchesRest(part string) bool { return strings.HasSuffix(part, "...}") }

// numeric lists the parameters that are whole numbers, see Request.Number.
var numeric = []string{"match", "challenge", "seq", "number", "page", "part", "revision", "turn"}

func fits(name, part string) bool {
	_, err := strconv.ParseUint(part, 10, 63)
	return part != "" && (err == nil || !slices.Contains(numeric, name))
}

func isParameter(part string) bool { return strings.HasPrefix(part, "{") }

// Find returns the route of a path and the values of its parameters. ok is
// false if there is none.
func (r *Router) Find(k Kind, path string) (route Route, values map[string]string, ok bool) {
	all := strings.Split(path, "/")
	for _, route := range r.routes {
		parts := all
		if n := len(route.parts); matchesRest(route.parts[n-1]) && len(parts) > n {
			parts = append(slices.Clone(parts[:n-1]), strings.Join(parts[n-1:], "/"))
		}
		if route.Kind != k || len(route.parts) != len(parts) {
			continue
		}
		values, matches := map[string]string{}, true
		for i, p := range route.parts {
			switch name := strings.Trim(p, "{.}"); {
			case isParameter(p) && fits(name, parts[i]):
				values[name] = parts[i]
			case isParameter(p), p != parts[i]:
				matches = false
			}
		}
		if matches {
			return route.Route, values, true
		}
	}
	return Route{}, nil, false
}
