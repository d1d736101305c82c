package storagetest_test

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"castellan/storage"
)

func (m *model) Blocks(person string) ([]storage.Block, error) {
	own := filter(m.blocks, func(b storage.Block) bool { return b.Person == person })
	return sorted(own, func(a, b storage.Block) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Blocked.ID, b.Blocked.ID))
	}), nil
}

func (m *model) block(person, blocked string) (*storage.Block, error) {
	return find(m.blocks, func(b storage.Block) bool { return b.Person == person && b.Blocked.ID == blocked })
}

func (m *model) HasBlock(person, other string) (bool, error) {
	_, err := m.block(person, other)
	_, err2 := m.block(other, person)
	return err == nil || err2 == nil, nil
}

func (m *model) SetBlock(b storage.Block) error {
	if old, err := m.block(b.Person, b.Blocked.ID); err == nil {
		old.Blocked.Name = b.Blocked.Name
		return nil
	}
	m.blocks = append(m.blocks, b)
	return nil
}

func (m *model) DeleteBlock(person, blocked string) error {
	m.blocks = slices.DeleteFunc(m.blocks, func(b storage.Block) bool { return b.Person == person && b.Blocked.ID == blocked })
	return nil
}

func (m *model) Acts(guild string, from time.Time) ([]storage.Act, error) {
	return filter(m.acts, func(a storage.Act) bool { return a.Guild == guild && !a.At.Before(from) }), nil
}

func (m *model) ActsOn(target string) ([]storage.Act, error) {
	return filter(m.acts, func(a storage.Act) bool { return a.Guild != "" && a.Target == target }), nil
}

func (m *model) Freezes(guild string, from time.Time) ([]storage.Act, error) {
	all, err := m.Acts(guild, from)
	return filter(all, func(a storage.Act) bool { return a.Kind == storage.ActFreeze || a.Kind == storage.ActThaw }), err
}

func (m *model) Banned() (banned []string, _ error) {
	last := map[string]storage.ActKind{}
	for _, a := range m.acts {
		if a.Kind == storage.ActBan || a.Kind == storage.ActUnban {
			last[a.Target] = a.Kind
		}
	}
	for target, kind := range last {
		if kind == storage.ActBan {
			banned = append(banned, target)
		}
	}
	slices.Sort(banned)
	return banned, nil
}

func (m *model) AddAct(a storage.Act) error {
	m.acts = append(m.acts, a)
	return nil
}

func (m *model) SetDeparture(guild, person string, at time.Time) error {
	key := [2]string{guild, person}
	if !at.IsZero() {
		m.departures[key] = at
		maps.DeleteFunc(m.players, func(p guildPlayer, _ bool) bool { return p.guild == guild && p.person == person })
		return nil
	}
	if _, left := m.departures[key]; left {
		delete(m.departures, key)
		for _, e := range m.matches {
			if e.Place.Guild == guild && e.Results != nil && seated(e.Match, person) {
				m.players[guildPlayer{guild, e.Game, person}] = true
			}
		}
	}
	return nil
}

// CheckLease and Leases do nothing: leases are no part of updates.
func (m *model) CheckLease(storage.Lease) error { return nil }

func (m *model) CheckDeliveryLease(storage.DeliveryLease, bool) error { return nil }

func (m *model) Leases(string) ([]storage.Lease, error) { return nil, nil }

// PersonData returns nothing: the model has no tables.
func (m *model) PersonData(string) ([]storage.PersonTable, error) { return nil, nil }

// PersonCounts returns nothing, like PersonData.
func (m *model) PersonCounts(string) (map[string]int, error) { return nil, nil }

// rename replaces a person in a list.
func rename(people []storage.Person, person string, as storage.Person) []storage.Person {
	people = slices.Clone(people)
	for i, p := range people {
		if p.ID == person {
			people[i] = as
		}
	}
	return people
}

// onlyPerson reports whether a person is the only one in a list that is not a
// computer.
func onlyPerson(people []storage.Person, person string) bool {
	return !slices.ContainsFunc(people, func(p storage.Person) bool { return p.Level == "" && p.ID != person })
}

func (m *model) ForgetPerson(person string, as storage.Person, now time.Time) error {
	m.forgotten++
	for i := range m.matches {
		match := &m.matches[i]
		if !seated(match.Match, person) {
			continue
		}
		direct := match.Place.Guild == "" && onlyPerson(match.Seats, person)
		if direct {
			match.Place.Channel, match.ShownSeq = "", -1
		}
		for i := range m.boards {
			if b := &m.boards[i]; b.Match != match.ID {
				continue
			} else if direct {
				b.Place.Channel, b.Message, b.Attempts, b.NextAttempt = "", "", 0, time.Time{}
				b.State = cmp.Or(map[storage.BoardState]storage.BoardState{
					storage.BoardDue: storage.BoardPosted, storage.BoardSuperseded: storage.BoardCollapsed,
				}[b.State], b.State)
				if b.State != storage.BoardSkipped {
					match.ShownSeq = max(match.ShownSeq, b.Seq)
				}
			} else if b.State == storage.BoardPosted && b.Message != "" {
				b.NeedsRedraw, b.Attempts, b.NextAttempt = true, 0, now
			}
		}
		m.prepared[match.ID] = filter(m.prepared[match.ID], func(p storage.Prepared) bool {
			return p.Seat > len(match.Seats) || match.Seats[p.Seat-1].ID != person
		})
		match.Match, m.entries[match.ID] = storage.Pseudonymize(match.Match, m.entries[match.ID], person, as)
	}
	for i := range m.challenges {
		c := &m.challenges[i]
		people := slices.Concat([]storage.Person{c.Challenger}, c.Joined, c.Invited)
		switch {
		case !slices.ContainsFunc(people, func(p storage.Person) bool { return p.ID == person }):
			continue
		case c.Place.Guild == "" && c.Challenger.ID == person && onlyPerson(people[1:], person):
			c.Place.Channel, c.Message, c.ShownRevision, c.Attempts, c.NextAttempt = "", "", c.Revision, 0, time.Time{}
		case c.Message != "":
			c.Revision, c.Attempts, c.NextAttempt = c.Revision+1, 0, now
		}
		c.Joined, c.Invited = rename(c.Joined, person, as), rename(c.Invited, person, as)
		c.Challenger = rename(people[:1], person, as)[0]
	}
	m.forgetTournaments(person, as, now)
	for i := range m.ratings {
		if r := &m.ratings[i]; r.Person.ID == person {
			provisional := m.provisional[keyOf(*r)]
			r.Person = as
			m.provisional[keyOf(*r)] = provisional
		}
	}
	for i := range m.changes {
		if c := &m.changes[i]; c.Person.ID == person {
			c.Person = as
		}
	}
	for p := range m.players {
		if p.person == person {
			delete(m.players, p)
			m.players[guildPlayer{p.guild, p.game, as.ID}] = true
		}
	}
	banned, _ := m.Banned()
	for i := range m.acts {
		a := &m.acts[i]
		if a.Operator == person {
			a.Operator = as.ID
		}
		if a.Target == person && !slices.Contains(banned, person) {
			a.Target = as.ID
		}
	}
	delete(m.prefs, person)
	delete(m.daily, person)
	delete(m.locales, person)
	maps.DeleteFunc(m.departures, func(key [2]string, _ time.Time) bool { return key[1] == person })
	m.vacations = filter(m.vacations, func(v storage.Vacation) bool { return v.Person != person })
	m.blocks = slices.DeleteFunc(m.blocks, func(b storage.Block) bool { return b.Person == person || b.Blocked.ID == person })
	return nil
}
