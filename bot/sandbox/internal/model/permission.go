package model

import (
	"errors"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// PermissionsOf returns a member's permissions in the guild: those of
// @everyone and of the member's roles; all for the owner and administrators
// ("Permission Hierarchy"). Others have none.
func (s *Model) PermissionsOf(g *Guild, userID string) int64 {
	if !s.IsMember(g, userID) {
		return 0
	}
	if userID == g.OwnerID {
		return api.PermissionsAll
	}
	all := g.roles[0].Permissions
	for _, r := range s.rolesOf(g, userID) {
		all |= r.Permissions
	}
	if all&api.PermissionAdministrator != 0 {
		return api.PermissionsAll
	}
	return all
}

// permissionsIn returns a user's permissions in a channel. A thread has its
// parent's overwrites. In direct messages the recipients have the default
// permissions.
func (s *Model) permissionsIn(ch *Channel, userID string) int64 {
	switch {
	case ch == nil:
		return 0
	case ch.Type == api.ChannelDM:
		if !slices.Contains(ch.Recipients, userID) {
			return 0
		}
		return api.DefaultPermissions
	case ch.Thread != nil:
		if !s.inThread(ch, userID) {
			return 0
		}
		return s.permissionsIn(ch.Thread.Parent, userID)
	}
	all := s.PermissionsOf(ch.Guild, userID)
	if all&api.PermissionAdministrator != 0 {
		return all
	}
	return s.applyOverwrites(ch, userID, all)
}

// applyOverwrites applies a channel's overwrites in order: @everyone, then all
// denials and all allowances of the member's roles, then the member
// ("Permission Overwrites").
func (s *Model) applyOverwrites(ch *Channel, userID string, all int64) int64 {
	if all == 0 {
		return 0
	}
	roles := s.rolesOf(ch.Guild, userID)
	var everyone, member world.Overwrite
	var allow, deny int64
	for _, o := range ch.overwrites {
		switch {
		case o.Member && o.ID == userID:
			member = o
		case !o.Member && o.ID == ch.Guild.ID:
			everyone = o
		case !o.Member && slices.ContainsFunc(roles, func(r world.Role) bool { return r.ID == o.ID }):
			allow |= o.Allow
			deny |= o.Deny
		}
	}
	all = all&^everyone.Deny | everyone.Allow
	all = all&^deny | allow
	return all&^member.Deny | member.Allow
}

// inThread reports whether a user has access to a thread: a private one is for
// its members and for those who manage threads ("Threads", "Permissions").
func (s *Model) inThread(ch *Channel, userID string) bool {
	if ch.Type != api.ChannelPrivateThread {
		return true
	}
	_, member := ch.Thread.Member(userID)
	return member || s.permissionsIn(ch.Thread.Parent, userID)&api.PermissionManageThreads != 0
}

// May reports whether a user has every permission of a set in a channel.
// Without access to a channel a user has no permissions in it ("Implicit
// Permissions"). In threads, sending messages is a permission of its own
// ("Threads", "Permissions").
func (s *Model) May(channelID, userID string, permissions int64) bool {
	return s.lacks(channelID, userID, permissions) == 0
}

// lacks returns which of a set of permissions a user does not have in a channel.
func (s *Model) lacks(channelID, userID string, permissions int64) int64 {
	ch := s.Channels[channelID]
	if ch == nil {
		return permissions | api.PermissionViewChannel
	}
	needed := permissions | api.PermissionViewChannel
	if ch.Thread != nil && needed&api.PermissionSendMessages != 0 {
		needed = needed&^api.PermissionSendMessages | api.PermissionSendInThreads
	}
	return needed &^ s.permissionsIn(ch, userID)
}

// BotMay checks the bot's permissions in a channel: 10003 for an unknown
// channel, 50001 for one that the bot cannot see, 50013 if it lacks another
// permission.
func (s *Model) BotMay(channelID string, permissions int64) error {
	me := s.World.Application.ID
	if s.Channels[channelID] == nil {
		return api.ErrUnknownChannel
	}
	if !s.May(channelID, me, 0) {
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
func (s *Model) appPermissions(ch *Channel, userID string) int64 {
	switch {
	case ch.Guild == nil && s.isBotDM(ch):
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone | api.PermissionExternalEmoji
	case ch.Guild == nil:
		return api.PermissionAttachFiles | api.PermissionEmbedLinks | api.PermissionMentionEveryone
	case !ch.Guild.HasBot:
		return s.permissionsIn(ch, userID)
	}
	return s.permissionsIn(ch, s.World.Application.ID)
}

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
	if ch.Guild != nil && ch.Guild.commands || s.isBotDM(ch) && s.SharesGuild(userID) {
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
	_, byGuild := i.owners["0"]
	return !byGuild
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
