package sandbox

// InteractionToken returns the token that the bot gets with an interaction.
func (s *Sandbox) InteractionToken(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interactions[id].Token
}
