package sandbox

// InteractionToken returns the token that the bot gets with an interaction.
func (s *Sandbox) InteractionToken(id string) string {
	s.model.Lock()
	defer s.model.Unlock()
	return s.model.InteractionByID(id).Token
}
