package bot

import (
	"fmt"
	"strings"
)

// Roles are what a process of the bot does. Several processes on one database can
// share the roles, in any combination; some can have the same.
type Roles struct {
	Gateway bool // receives interactions and events over the gateway
	HTTP    bool // receives interactions over HTTP
	Poster  bool // posts what is due, and ends what is overdue
	Worker  bool // plays the computers' turns
}

var roleNames = []string{"gateway", "http", "poster", "worker"}

// ParseRoles returns the roles with the given names.
func ParseRoles(names []string) (r Roles, err error) {
	roles := map[string]*bool{"gateway": &r.Gateway, "http": &r.HTTP, "poster": &r.Poster, "worker": &r.Worker}
	for _, n := range names {
		has, ok := roles[strings.TrimSpace(n)]
		if !ok {
			return r, fmt.Errorf("there is no role %q: a process has any of %s, or all if none is named", n, strings.Join(roleNames, ", "))
		}
		*has = true
	}
	return r, nil
}

// Receives reports whether a process receives interactions.
func (r Roles) Receives() bool { return r.Gateway || r.HTTP }

// Names returns the names of the roles.
func (r Roles) Names() (names []string) {
	for i, has := range []bool{r.Gateway, r.HTTP, r.Poster, r.Worker} {
		if has {
			names = append(names, roleNames[i])
		}
	}
	return names
}

// String returns the names of the roles, separated by commas.
func (r Roles) String() string { return strings.Join(r.Names(), ",") }
