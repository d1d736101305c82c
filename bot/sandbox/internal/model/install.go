package model

import (
	"errors"
	"slices"

	"castellan/bot/sandbox/internal/api"
)

// MaxUserInstallFollowUps is the number of follow-ups of an interaction if the
// application is installed to the user only ("Followup Messages").
const MaxUserInstallFollowUps = 5

// Install installs the application to the person, who then has its commands
// everywhere, also in direct messages with others.
func (p *Person) Install() error { return p.setInstalled(true) }

// Uninstall undoes Install.
func (p *Person) Uninstall() error { return p.setInstalled(false) }

func (p *Person) setInstalled(installed bool) error {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return err
	}
	if p.s.Installed[p.id] == installed {
		return errors.New("the application is already installed to you, or not installed")
	}
	p.s.Installed[p.id] = installed
	p.s.worldChanged()
	return nil
}

// contextOf returns the interaction context of a channel.
func (s *Model) contextOf(ch *Channel) int {
	switch {
	case ch.Guild != nil:
		return api.ContextGuild
	case s.isBotDM(ch):
		return api.ContextBotDM
	}
	return api.ContextPrivate
}

// installs lists how the application is installed for a user in a channel: to
// the guild, to the user, or both. In the bot's direct messages a shared guild
// counts.
func (s *Model) installs(ch *Channel, userID string) []int {
	var out []int
	switch {
	case ch.Guild != nil && ch.Guild.HasBot, s.isBotDM(ch) && s.SharesGuild(userID):
		out = append(out, api.InstallGuild)
	}
	if s.Installed[userID] {
		out = append(out, api.InstallUser)
	}
	return out
}

// commandInstalls lists the installs that offer a command to a user in a
// channel; if there are none, it is not offered.
func (s *Model) commandInstalls(cmd *api.ApplicationCommand, ch *Channel, userID string) []int {
	if cmd.GuildID != "" && cmd.GuildID != ch.GuildID() {
		return nil
	}
	context := s.contextOf(ch)
	contexts := cmd.Contexts
	if contexts == nil { // then the older dm_permission applies
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
	for _, how := range s.installs(ch, userID) {
		if slices.Contains(cmd.IntegrationTypes, how) {
			out = append(out, how)
		}
	}
	return out
}

// owners returns authorizing_integration_owners: the guild's id, or "0" in the
// bot's direct messages, and the user's id.
func owners(ch *Channel, userID string, installs []int) map[string]string {
	out := map[string]string{}
	for _, how := range installs {
		switch {
		case how == api.InstallUser:
			out["1"] = userID
		case ch.Guild != nil:
			out["0"] = ch.Guild.ID
		default:
			out["0"] = "0"
		}
	}
	return out
}

// UserInstallOnly reports whether the application is installed to the user
// only. Then follow-ups are limited, and the bot can only answer in the
// channel.
func (i *StoredInteraction) UserInstallOnly() bool {
	_, byServer := i.owners["0"]
	return !byServer
}

// ForcedEphemeral reports whether all answers are ephemeral: the application
// is installed to the user only, who may not use external apps in the guild
// (USE_EXTERNAL_APPS).
func (s *Model) ForcedEphemeral(i *StoredInteraction) bool {
	return i.UserInstallOnly() && i.Channel.Guild != nil && !s.May(i.Channel.ID, i.UserID, api.PermissionUseExternalApps)
}

// ownersOf returns the owners for an interaction with a component: those of
// its message's interaction, or of the channel if the bot sent the message on
// its own.
func (s *Model) ownersOf(ch *Channel, on *StoredMessage) map[string]string {
	if meta := on.Msg.InteractionMetadata; meta != nil {
		return meta.AuthorizingIntegrationOwners
	}
	return owners(ch, "", []int{api.InstallGuild})
}

// reachesBot reports whether a message's components still reach the bot: it is
// in the guild, or the message came by a user's install.
func (s *Model) reachesBot(ch *Channel, on *StoredMessage, userID string) bool {
	_, byUser := s.ownersOf(ch, on)["1"]
	return byUser || len(s.installs(ch, userID)) > 0
}
