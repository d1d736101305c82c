package sandbox

import (
	"errors"
	"slices"

	"castellan/bot/sandbox/api"
)

// permissionsOf returns a member's permissions in the guild: those of
// @everyone and of the member's roles; all for the owner and administrators
// ("Permission Hierarchy"). Others have none.
func (s *Sandbox) permissionsOf(g *guildState, userID string) int64 {
	if !s.isMember(g, userID) {
		return 0
	}
	if userID == g.OwnerID {
		return api.PermissionsAll
	}
	all := g.Roles[0].Permissions
	for _, r := range s.rolesOf(g, userID) {
		all |= r.Permissions
	}
	if all&api.PermissionAdministrator != 0 {
		return api.PermissionsAll
	}
	return all
}

// permissionsIn returns a user's permissions in a channel. A thread denies
// what its parent denies. In direct messages the recipients have the default
// permissions.
func (s *Sandbox) permissionsIn(ch *channelState, userID string) int64 {
	switch {
	case ch == nil:
		return 0
	case ch.Type == api.ChannelDM:
		if !slices.Contains(ch.Recipients, userID) {
			return 0
		}
		return api.DefaultPermissions
	case ch.Thread != nil:
		return s.permissionsIn(ch.Thread.Parent, userID)
	}
	all := s.permissionsOf(ch.Guild, userID)
	if all&api.PermissionAdministrator != 0 {
		return all
	}
	return all &^ ch.denied[userID]
}

// may reports whether a user has every permission of a set in a channel.
// Without access to a channel a user has no permissions in it ("Implicit
// Permissions"). In threads, sending messages is a permission of its own
// ("Threads", "Permissions").
func (s *Sandbox) may(channelID, userID string, permissions int64) bool {
	return s.lacks(channelID, userID, permissions) == 0
}

// lacks returns which of a set of permissions a user does not have in a channel.
func (s *Sandbox) lacks(channelID, userID string, permissions int64) int64 {
	ch := s.channels[channelID]
	if ch == nil {
		return permissions | api.PermissionViewChannel
	}
	needed := permissions | api.PermissionViewChannel
	if ch.Thread != nil && needed&api.PermissionSendMessages != 0 {
		needed = needed&^api.PermissionSendMessages | api.PermissionSendInThreads
	}
	return needed &^ s.permissionsIn(ch, userID)
}

// botMay checks the bot's permissions in a channel: 10003 for an unknown
// channel, 50001 for one that the bot cannot see, 50013 if it lacks another
// permission.
func (s *Sandbox) botMay(channelID string, permissions int64) error {
	me := s.ApplicationID()
	if s.channels[channelID] == nil {
		return api.ErrUnknownChannel
	}
	if !s.may(channelID, me, 0) {
		return api.ErrMissingAccess
	}
	if lacks := s.lacks(channelID, me, permissions); lacks != 0 {
		return api.MissingPermissions(lacks)
	}
	return nil
}

// appPermissions returns the app_permissions of an interaction. In direct
// messages they are a fixed set ("Interaction Object"). Discord does not
// document them for a guild without the bot; here they are the user's.
func (s *Sandbox) appPermissions(ch *channelState, userID string) int64 {
	switch {
	case ch.Guild == nil && s.isBotDM(ch):
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone | api.PermissionExternalEmoji
	case ch.Guild == nil:
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone
	case !ch.Guild.HasBot:
		return s.permissionsIn(ch, userID)
	}
	return s.permissionsIn(ch, s.ApplicationID())
}

// maxUserInstallFollowUps is the number of follow-ups of an interaction if the
// application is installed to the user only ("Followup Messages").
const maxUserInstallFollowUps = 5

// Install installs the application to the person, who then has its commands
// everywhere, also in direct messages with others.
func (p *Person) Install() error { return p.setInstalled(true) }

// Uninstall undoes Install.
func (p *Person) Uninstall() error { return p.setInstalled(false) }

func (p *Person) setInstalled(installed bool) error {
	return p.do(func(s *Sandbox) error {
		if s.installed[p.id] == installed {
			return errors.New("the application is already installed to you, or not installed")
		}
		s.installed[p.id] = installed
		s.worldChanged()
		return nil
	})
}

func (s *Sandbox) contextOf(ch *channelState) int {
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
func (s *Sandbox) installs(ch *channelState, userID string) []int {
	var out []int
	if ch.Guild != nil && ch.Guild.commands || s.isBotDM(ch) && s.sharesGuild(userID) {
		out = append(out, api.InstallGuild)
	}
	if s.installed[userID] {
		out = append(out, api.InstallUser)
	}
	return out
}

// commandInstalls lists the installs that offer a command to a user in a
// channel; if there are none, it is not offered.
func (s *Sandbox) commandInstalls(cmd *api.ApplicationCommand, ch *channelState, userID string) []int {
	if cmd.GuildID != "" && cmd.GuildID != ch.GuildID {
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
func owners(ch *channelState, userID string, installs []int) map[string]string {
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

// userInstallOnly reports whether the application is installed to the user
// only. Then follow-ups are limited, and the bot can only answer in the
// channel.
func (i *storedInteraction) userInstallOnly() bool {
	_, byGuild := i.owners["0"]
	return !byGuild
}

// forcedEphemeral reports whether all answers are ephemeral: the application
// is installed to the user only, who may not use external apps in the guild
// (USE_EXTERNAL_APPS).
func (s *Sandbox) forcedEphemeral(i *storedInteraction) bool {
	return i.userInstallOnly() && i.Channel.Guild != nil && !s.may(i.Channel.ID, i.UserID, api.PermissionUseExternalApps)
}

// ownersOf returns the owners for an interaction with a component: those of
// its message's interaction, or of the channel if the bot sent the message on
// its own.
func (s *Sandbox) ownersOf(ch *channelState, on *storedMessage) map[string]string {
	if meta := on.Msg.InteractionMetadata; meta != nil {
		return meta.AuthorizingIntegrationOwners
	}
	return owners(ch, "", []int{api.InstallGuild})
}

// reachesBot reports whether a message's components still reach the bot: it is
// in the guild, or the message came by a user's install.
func (s *Sandbox) reachesBot(ch *channelState, on *storedMessage, userID string) bool {
	_, byUser := s.ownersOf(ch, on)["1"]
	return byUser || len(s.installs(ch, userID)) > 0
}
