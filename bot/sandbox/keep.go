package sandbox

import "slices"

// mostInteractions is how many interactions are kept where Options.Keep bounds
// them.
func (s *Sandbox) mostInteractions() int { return s.keep * len(s.world.Channels) }

// letGo drops what Options.Keep leaves no room for in a channel: its oldest
// messages, as if nobody scrolled up that far.
func (s *Sandbox) letGo(channelID string) {
	list := s.posts[channelID]
	if s.keep <= 0 || len(list) <= s.keep {
		return
	}
	// By a tenth at a time, so that not every message has all others moved.
	n := len(list) - s.keep + s.keep/10
	for _, p := range list[:n] {
		s.forget(p)
		if key := nonceKey(p.msg.Nonce); s.nonces[key] == p {
			delete(s.nonces, key)
		}
	}
	s.posts[channelID] = slices.Clone(list[n:])
}

// forgetOld drops interactions that nobody can need any more once there are
// many, the oldest first: those whose token died long ago, and where Keep
// bounds them those that are answered or given up.
func (s *Sandbox) forgetOld() {
	const many = 4096
	for len(s.interactions) >= many && len(s.began) > 0 {
		i := s.began[0]
		old := s.now().Sub(i.created) > 2*tokenLife
		spare := s.keep > 0 && len(s.began) > s.mostInteractions() && (i.State == StateAnswered || i.State == StateFailed)
		if !old && !spare {
			return
		}
		s.began = s.began[1:]
		s.forgotten[i.State]++
		delete(s.interactions, i.ID)
		delete(s.tokens, i.token)
	}
}
