package e2e_test

import (
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// alone is the name under which a stage keeps Anna's match against the computer.
const alone = "computer"

// matchAlone is Anna's match against the computer, with Anna to move; ok is
// false where it could not be had.
func (s *stage) matchAlone() (v *host.View, ok bool) {
	s.t.Helper()
	s.rested()
	if id := s.matches[alone]; id != 0 {
		v = s.view(id)
		if p, goes := v.ToMove(); goes && !host.IsComputer(p) {
			return v, true
		}
	}
	ch, ok := s.offers("trails", sandbox.Opt("opponent", s.chat.ApplicationID()), sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("rated", false))
	if !ok || ch.Match == 0 {
		return nil, false
	}
	s.matches[alone] = ch.Match
	return s.view(ch.Match), true
}

// turnAgainstComputer has Anna play a turn, and the computer the next.
func (s *stage) turnAgainstComputer() {
	if v, ok := s.matchAlone(); ok {
		s.turn(v)
		s.rested()
	}
}

// asksForHint has Anna ask what a strong computer would play.
func (s *stage) asksForHint() {
	if v, ok := s.matchAlone(); ok {
		s.command(s.anna, "hint", sandbox.Opt("match", int(v.Record.ID)))
	}
}

// lobbyWithComputer is a table at which a computer takes a seat, leaves it and
// takes it again, and a match against it that is called off.
func (s *stage) lobbyWithComputer() {
	ch, ok := s.offers("rings", sandbox.Opt("players", 3), sandbox.Opt("side", 3))
	if !ok {
		return
	}
	seats := func(n int) func(storage.Challenge) bool {
		return func(ch storage.Challenge) bool { return len(ch.Joined) == n || ch.State == storage.ChallengeAccepted }
	}
	s.picks(ch, "casual", func(storage.Challenge) bool { return true })
	s.picks(ch, "none", func(storage.Challenge) bool { return true })
	s.picks(ch, "newcomer", seats(2))
	s.at(s.anna, ch, "start", in(storage.ChallengeAccepted))
	s.rested()
	s.leaves(s.anna, ch.ID, "abort ")
}

// picks has Anna pick in the menu of a table until it was delivered.
func (s *stage) picks(ch storage.Challenge, value string, is func(storage.Challenge) bool) {
	s.t.Helper()
	for came := false; !came; {
		s.repair()
		m, ok := s.shown(s.anna, ch.Message)
		if !ok {
			return // Discord said that it is gone
		}
		custom := ""
		each(m, func(c sandbox.Component) {
			if c.Type == sandbox.ComponentStringSelect {
				custom = c.CustomID
			}
		})
		if custom == "" {
			s.t.Fatalf("the table has no menu: %s", text(m))
		}
		_, came = s.ask(func() (sandbox.Interaction, error) { return s.anna.Select(m.ChannelID, m.ID, custom, value) })
		s.wants(came, "a table, after "+value, func(r storage.Reader) (bool, error) {
			now, err := r.Challenge(ch.ID)
			return is(now), err
		})
	}
}
