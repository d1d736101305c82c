package sandbox

import "slices"

// mostInteractions is how many interactions are kept where Options.Keep bounds
// them.
func (s *Model) maxInteractions() int { return s.keep * len(s.world.Channels) }

// letGo drops what Options.Keep leaves no room for in a channel: its oldest
// messages, as if nobody scrolled up that far.
func (s *Model) trimMessages(channelID string) {
	list := s.messages[channelID]
	if s.keep <= 0 || len(list) <= s.keep {
		return
	}
	// By a tenth at a time, so that not every message has all others moved.
	n := len(list) - s.keep + s.keep/10
	for _, p := range list[:n] {
		s.discard(p)
		if key := nonceKey(p.msg.Nonce); s.nonces[key] == p {
			delete(s.nonces, key)
		}
	}
	s.messages[channelID] = slices.Clone(list[n:])
}

// forgetOld drops interactions that nobody can need any more once there are
// many, the oldest first: those whose token died long ago, and where Keep
// bounds them those that are answered or given up.
func (s *Model) trimInteractions() {
	const many = 4096
	for len(s.interactions) >= many && len(s.interactionOrder) > 0 {
		i := s.interactionOrder[0]
		old := s.now().Sub(i.created) > 2*tokenLifetime
		spare := s.keep > 0 && len(s.interactionOrder) > s.maxInteractions() && (i.State == StateAnswered || i.State == StateFailed)
		if !old && !spare {
			return
		}
		s.interactionOrder = s.interactionOrder[1:]
		s.trimmed[i.State]++
		delete(s.interactions, i.ID)
		delete(s.tokens, i.token)
	}
}
