package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Block records that a person wants to have nothing to do with another.
type Block struct {
	Person  string
	Blocked Person // named as when they were blocked
	At      time.Time
}

// FormerPrefix begins the identifiers of people whose data was deleted. The
// identifiers of Discord are numbers.
const FormerPrefix = "former-"

// IsFormer reports whether a player is a person whose data was deleted.
func (p Person) IsFormer() bool { return strings.HasPrefix(p.ID, FormerPrefix) }

// PersonTable holds the rows of one table that concern a person, see
// Reader.PersonData.
type PersonTable struct {
	Name string
	// Rows hold the values by column: nil, bool, int64, float64, string or
	// time.Time.
	Rows []map[string]any
}

// Pseudonymize returns a match and its whole log without a person: another
// sits in their seats, and the identifiers of their interactions are replaced.
// The digests are computed again. A digest that did not fit stays as it is, so
// that CheckLog still finds what was altered before.
func Pseudonymize(m Match, log []Entry, person string, as Person) (Match, []Entry) {
	before, fits := m.Root, m.Root == Root(m)
	own := map[int]bool{} // seats
	m.Seats = slices.Clone(m.Seats)
	for i, p := range m.Seats {
		if p.ID == person {
			m.Seats[i], own[i+1] = as, true
		}
	}
	if fits {
		m.Root = Root(m)
	}
	replaced := map[string]string{}
	for _, e := range log {
		if own[e.Seat] && e.Interaction != "" && replaced[e.Interaction] == "" {
			replaced[e.Interaction] = fmt.Sprint(FormerPrefix, e.Seq)
		}
	}
	log = slices.Clone(log)
	after := m.Root
	for i := range log {
		e := &log[i]
		stored := e.Digest
		fits = before.Next(*e) == stored
		e.Interaction = cmp.Or(replaced[e.Interaction], e.Interaction)
		if fits {
			e.Digest = after.Next(*e)
		}
		before, after = stored, e.Digest
	}
	return m, log
}
