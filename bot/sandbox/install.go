package sandbox

import (
	"errors"
	"slices"
)

// Where an interaction happens ("Interaction Context Types").
const (
	ContextGuild   = 0
	ContextBotDM   = 1
	ContextPrivate = 2 // direct messages without the bot
)

// How an application is installed ("Installation Context").
const (
	InstallGuild = 0
	InstallUser  = 1
)

// maxForeignFollowUps is how many follow-ups an interaction has where the
// application is installed to the user alone ("Followup Messages").
const maxUserInstallFollowUps = 5

// Install installs the application to the person, who then has its commands
// everywhere, direct messages with others included.
func (p *Person) Install() error { return p.setInstalled(true) }

// Uninstall takes that back.
func (p *Person) Uninstall() error { return p.setInstalled(false) }

func (p *Person) setInstalled(installed bool) error {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return err
	}
	if p.s.installed[p.id] == installed {
		return errors.New("nothing changes: the application is installed to you already, or not at all")
	}
	p.s.installed[p.id] = installed
	p.s.worldChanged()
	return nil
}

// contextOf is where an interaction in a place happens.
func (s *Model) contextOf(p *place) int {
	switch {
	case p.guild != nil:
		return ContextGuild
	case s.isBotDM(p):
		return ContextBotDM
	}
	return ContextPrivate
}

// installs says how the application is there for somebody in a place: to the
// server, to the user, or both. In the bot's direct messages a server that is
// shared counts.
func (s *Model) installs(p *place, userID string) []int {
	var out []int
	switch {
	case p.guild != nil && p.guild.hasBot, s.isBotDM(p) && s.sharesGuild(userID):
		out = append(out, InstallGuild)
	}
	if s.installed[userID] {
		out = append(out, InstallUser)
	}
	return out
}

// applies lists by which installs a command is there for somebody in a place:
// none, and it is not offered.
func (s *Model) commandInstalls(cmd *ApplicationCommand, p *place, userID string) []int {
	if cmd.GuildID != "" && cmd.GuildID != p.guildID() {
		return nil
	}
	context := s.contextOf(p)
	contexts := cmd.Contexts
	if contexts == nil { // the older dm_permission counts then
		contexts = []int{ContextGuild, ContextBotDM, ContextPrivate}
		if cmd.DMPermission != nil && !*cmd.DMPermission {
			contexts = []int{ContextGuild, ContextPrivate}
		}
		if cmd.GuildID != "" {
			contexts = []int{ContextGuild}
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
func owners(p *place, userID string, installs []int) map[string]string {
	out := map[string]string{}
	for _, how := range installs {
		switch {
		case how == InstallUser:
			out["1"] = userID
		case p.guild != nil:
			out["0"] = p.guild.ID
		default:
			out["0"] = "0"
		}
	}
	return out
}

// foreign says whether the application is there by its user's install alone:
// then follow-ups are few, and the bot reaches the place by answers only.
func (i *interaction) userInstallOnly() bool {
	_, byServer := i.owners["0"]
	return !byServer
}

// hushed says whether an answer is private whatever it asks for: the
// application is there by its user's install alone, in a server where that
// user may not use external apps ("USE_EXTERNAL_APPS").
func (s *Model) forcedEphemeral(i *interaction) bool {
	return i.userInstallOnly() && i.channel.guild != nil && !s.may(i.channel.ID, i.UserID, PermissionUseExternalApps)
}

// ownersOf is what an interaction with a component says: what its message's
// interaction did, or for a message that the bot wrote by itself its place.
func (s *Model) ownersOf(at *place, on *post) map[string]string {
	if meta := on.msg.InteractionMetadata; meta != nil {
		return meta.AuthorizingIntegrationOwners
	}
	return owners(at, "", []int{InstallGuild})
}

// inReach says whether components of a message still reach the bot: it is in
// the server, or its message came by a user's install.
func (s *Model) reachesBot(at *place, on *post, userID string) bool {
	_, byUser := s.ownersOf(at, on)["1"]
	return byUser || len(s.installs(at, userID)) > 0
}
