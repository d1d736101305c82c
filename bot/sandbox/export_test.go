package sandbox

// InteractionToken is what the bot gets with an interaction.
func (s *Sandbox) InteractionToken(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interactions[id].token
}
