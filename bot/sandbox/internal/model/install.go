package model

import (
	"errors"
	"slices"

	"castellan/bot/sandbox/internal/api"
)

// maxForeignFollowUps is how many follow-ups an interaction has where the
// application is installed to the user alone ("Followup Messages").
const MaxUserInstallFollowUps = 5

// Install installs the application to the person, who then has its commands
// everywhere, direct messages with others included.
func (p *Person) Install() error { return p.setInstalled(true) }

// Uninstall takes that back.
func (p *Person) Uninstall() error { return p.setInstalled(false) }

func (p *Person) setInstalled(installed bool) error {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return err
	}
	if p.s.Installed[p.id] == installed {
		return errors.New("nothing changes: the application is installed to you already, or not at all")
	}
	p.s.Installed[p.id] = installed
	p.s.worldChanged()
	return nil
}

// contextOf is where an interaction in a place happens.
func (s *Model) contextOf(p *Channel) int {
	switch {
	case p.Guild != nil:
		return api.ContextGuild
	case s.isBotDM(p):
		return api.ContextBotDM
	}
	return api.ContextPrivate
}

// installs says how the application is there for somebody in a place: to the
// server, to the user, or both. In the bot's direct messages a server that is
// shared counts.
func (s *Model) installs(p *Channel, userID string) []int {
	var out []int
	switch {
	case p.Guild != nil && p.Guild.HasBot, s.isBotDM(p) && s.SharesGuild(userID):
		out = append(out, api.InstallGuild)
	}
	if s.Installed[userID] {
		out = append(out, api.InstallUser)
	}
	return out
}

// applies lists by which installs a command is there for somebody in a place:
// none, and it is not offered.
func (s *Model) commandInstalls(cmd *api.ApplicationCommand, p *Channel, userID string) []int {
	if cmd.GuildID != "" && cmd.GuildID != p.GuildID() {
		return nil
	}
	context := s.contextOf(p)
	contexts := cmd.Contexts
	if contexts == nil { // the older dm_permission counts then
		contexts = []int{api.ContextGuild, api.ContextBotDM, api.ContextPrivate}
		if cmd.DMPermission != nil && !*cmd.DMPermission {
			contexts = []int{api.ContextGuild, api.ContextPrivate}
		}
		if cmd.GuildID != "" {
			contexts = []int{api.ContextGuild}
		}
	}
	if !slices.Contains(contexts, context) {
		return nil
	}
	var out []int
	for _, how := range s.installs(p, userID) {
		if slices.Contains(cmd.IntegrationTypes, how) {
			out = append(out, how)
		}
	}
	return out
}

// owners is authorizing_integration_owners: for a server its id, or "0" in
// the bot's direct messages; for a user theirs.
func owners(p *Channel, userID string, installs []int) map[string]string {
	out := map[string]string{}
	for _, how := range installs {
		switch {
		case how == api.InstallUser:
			out["1"] = userID
		case p.Guild != nil:
			out["0"] = p.Guild.ID
		default:
			out["0"] = "0"
		}
	}
	return out
}

// foreign says whether the application is there by its user's install alone:
// then follow-ups are few, and the bot reaches the place by answers only.
func (i *StoredInteraction) UserInstallOnly() bool {
	_, byServer := i.owners["0"]
	return !byServer
}

// hushed says whether an answer is private whatever it asks for: the
// application is there by its user's install alone, in a server where that
// user may not use external apps ("USE_EXTERNAL_APPS").
func (s *Model) ForcedEphemeral(i *StoredInteraction) bool {
	return i.UserInstallOnly() && i.Channel.Guild != nil && !s.May(i.Channel.ID, i.UserID, api.PermissionUseExternalApps)
}

// ownersOf is what an interaction with a component says: what its message's
// interaction did, or for a message that the bot wrote by itself its place.
func (s *Model) ownersOf(at *Channel, on *StoredMessage) map[string]string {
	if meta := on.Msg.InteractionMetadata; meta != nil {
		return meta.AuthorizingIntegrationOwners
	}
	return owners(at, "", []int{api.InstallGuild})
}

// inReach says whether components of a message still reach the bot: it is in
// the server, or its message came by a user's install.
func (s *Model) reachesBot(at *Channel, on *StoredMessage, userID string) bool {
	_, byUser := s.ownersOf(at, on)["1"]
	return byUser || len(s.installs(at, userID)) > 0
}
