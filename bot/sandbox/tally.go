package sandbox

import (
	"maps"
	"slices"
	"strings"
)

// Request is a kind of request to the REST API and of its answer.
type Request struct {
	Method string
	Route  string // as in Exchange; "" for an unknown path
	Status int    // 0: the connection was cut by a fault
}

// Notification is a user told of a created message that mentions them.
type Notification struct {
	UserID    string
	ChannelID string
	MessageID string // may have been deleted since
}

// Tally is what has happened in a sandbox so far, in numbers.
type Tally struct {
	// Interactions by state. StateDeferred is those that still show
	// "thinking…", StateWaiting those without an answer whose three seconds
	// still run, StateFailed those that were never answered.
	Interactions map[string]int
	// Messages by channel, without private ones, that were not deleted.
	Messages map[string]int
	// Requests to the REST API that were answered or cut.
	Requests map[Request]int
	// Notifications ever by user and channel: what Person.Mentions says.
	Notifications map[string]map[string]int
}

// Tally counts what has happened so far, at one moment. What is zero is not in
// its maps.
func (s *Model) Tally() Tally {
	s.Lock()
	defer s.Unlock()
	t := Tally{
		Interactions: maps.Clone(s.trimmed), Messages: map[string]int{}, Requests: maps.Clone(s.requests),
		Notifications: map[string]map[string]int{},
	}
	for _, i := range s.interactions {
		t.Interactions[i.State]++
	}
	for channel, list := range s.messages {
		if n := len(publicMessages(list)); n > 0 {
			t.Messages[channel] = n
		}
	}
	for key, m := range s.unread {
		if user, channel := key[0], key[1]; m.notifications > 0 {
			if t.Notifications[user] == nil {
				t.Notifications[user] = map[string]int{}
			}
			t.Notifications[user][channel] = m.notifications
		}
	}
	return t
}

// Notifications lists every notification ever, in the order of their messages
// and of the world's users; where Options.Keep bounds them, the last ones.
func (s *Model) Notifications() []Notification {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.notifications)
}

// Interactions lists the interactions in any of the states, without any in
// every state, the oldest first: what a test shows of those that should not
// be. Of many, those older than half an hour are forgotten.
func (s *Model) Interactions(states ...string) []Interaction {
	s.Lock()
	defer s.Unlock()
	var out []Interaction
	for _, i := range s.interactions {
		if len(states) == 0 || slices.Contains(states, i.State) {
			out = append(out, i.snapshot())
		}
	}
	slices.SortFunc(out, func(a, b Interaction) int {
		if n := len(a.ID) - len(b.ID); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// count notes a request and its answer.
func (s *Model) recordRequest(ex Exchange) {
	s.Lock()
	defer s.Unlock()
	s.requests[Request{ex.Method, ex.Route, ex.Status}]++
	s.recordExchange(ex)
	s.wake()
}
