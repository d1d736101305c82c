package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
	"castellan/bot/sandbox/internal/world"
)

// memberIDs lists the ids of a guild's members, the bot's too, in order.
func (s *API) memberIDs(g *model.Guild) []string {
	ids := slices.Clone(g.Members)
	if g.HasBot {
		ids = append(ids, s.ApplicationID())
	}
	slices.SortFunc(ids, api.CompareIDs)
	return ids
}

func (s *API) listMembers(c *call) (int, any, error) {
	out := []any{}
	for _, id := range s.memberIDs(c.guild) {
		if len(out) < c.limit(1) && api.CompareIDs(id, cmp.Or(c.query("after"), "0")) > 0 {
			out = append(out, s.Member(c.guild, id, true))
		}
	}
	return http.StatusOK, out, nil
}

// searchMembers lists members whose user name or nickname begins with a text
// ("Search Guild Members").
func (s *API) searchMembers(c *call) (int, any, error) {
	out := []any{}
	text := strings.ToLower(c.query("query"))
	for _, m := range s.Members(c.guild.ID) {
		if len(out) < c.limit(1) && slices.ContainsFunc(m.Names, func(n string) bool { return strings.HasPrefix(strings.ToLower(n), text) }) {
			out = append(out, m.Object)
		}
	}
	return http.StatusOK, out, nil
}

// editMember changes the nickname and the roles of a member ("Modify Guild
// Member").
func (s *API) editMember(c *call) (int, any, error) {
	id := s.memberParam(c)
	if !s.IsMember(c.guild, id) {
		return 0, nil, api.ErrUnknownMember
	}
	var form struct {
		Nick  *string        `json:"nick"`
		Roles []payload.Text `json:"roles"`
	}
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	for _, field := range []string{"mute", "deaf", "channel_id", "communication_disabled_until", "flags", "avatar", "banner", "bio"} {
		if c.form.Field(field).IsSet() {
			return 0, nil, api.NotBuilt(field + " of a member")
		}
	}
	if c.form.Field("nick").Present {
		need := int64(api.PermissionManageNicknames)
		if id == s.ApplicationID() {
			need = api.PermissionChangeNickname
		}
		if err := s.BotMayInGuild(c.guild, need); err != nil {
			return 0, nil, err
		}
		nick := ""
		if form.Nick != nil {
			nick = *form.Nick
		}
		s.SetNick(c.guild, id, nick)
	}
	if c.form.Field("roles").IsSet() {
		roles := payload.Strings(form.Roles)
		if err := s.mayGive(c.guild, roles...); err != nil {
			return 0, nil, err
		}
		s.SetMemberRoles(c.guild, id, roles)
	}
	return http.StatusOK, s.Member(c.guild, id, true), nil
}

// mayGive checks whether the bot may give or take roles: 10011 for an unknown
// one.
func (s *API) mayGive(g *model.Guild, roles ...string) error {
	for _, id := range roles {
		if _, ok := g.RoleByID(id); !ok {
			return api.ErrUnknownRole
		}
		if id == g.ID {
			return api.ErrInvalidRole
		}
	}
	return s.BotMayInGuild(g, api.PermissionManageRoles)
}

func (s *API) addMemberRole(c *call) (int, any, error) {
	return s.changeMemberRoles(c, append(s.RoleIDs(c.guild, c.param("user_id")), c.param("role_id")))
}

func (s *API) removeMemberRole(c *call) (int, any, error) {
	return s.changeMemberRoles(c, slices.DeleteFunc(s.RoleIDs(c.guild, c.param("user_id")), func(id string) bool { return id == c.param("role_id") }))
}

func (s *API) changeMemberRoles(c *call, roles []string) (int, any, error) {
	if !s.IsMember(c.guild, c.param("user_id")) {
		return 0, nil, api.ErrUnknownMember
	}
	if err := s.mayGive(c.guild, c.param("role_id")); err != nil {
		return 0, nil, err
	}
	s.SetMemberRoles(c.guild, c.param("user_id"), roles)
	return http.StatusNoContent, nil, nil
}

func (s *API) kick(c *call) (int, any, error) {
	id := c.param("user_id")
	if _, ok := s.User(id); !ok || !s.IsMember(c.guild, id) {
		return 0, nil, api.ErrUnknownMember
	}
	if err := s.BotMayInGuild(c.guild, api.PermissionKickMembers); err != nil {
		return 0, nil, err
	}
	if id == c.guild.OwnerID {
		return 0, nil, api.ErrMissingPermissions
	}
	s.Kick(c.guild, id)
	return http.StatusNoContent, nil, nil
}

func (s *API) leaveGuild(c *call) (int, any, error) {
	s.Leave(c.guild)
	return http.StatusNoContent, nil, nil
}

func (s *API) getRole(c *call) (int, any, error) {
	r, ok := c.guild.RoleByID(c.param("role_id"))
	if !ok {
		return 0, nil, api.ErrUnknownRole
	}
	return http.StatusOK, s.RoleObject(c.guild, r), nil
}

func (s *API) countRoleMembers(c *call) (int, any, error) {
	return http.StatusOK, c.guild.MemberCounts(), nil
}

// readRole reads the properties of a role. The bot cannot give permissions that
// it does not have.
func (s *API) readRole(c *call) (func(*world.Role), error) {
	var form struct {
		Name        *string       `json:"name"`
		Permissions *payload.Text `json:"permissions"`
		Color       *int          `json:"color"`
		Colors      *struct {
			Primary int `json:"primary_color"`
		} `json:"colors"`
		Hoist       *bool `json:"hoist"`
		Mentionable *bool `json:"mentionable"`
	}
	if err := c.form.Decode(&form); err != nil {
		return nil, err
	}
	if err := s.BotMayInGuild(c.guild, api.PermissionManageRoles); err != nil {
		return nil, err
	}
	var permissions *int64
	if form.Permissions != nil {
		permissions = new(model.ParsePermissionBits(string(*form.Permissions)))
		if err := s.BotMayInGuild(c.guild, *permissions); err != nil {
			return nil, err
		}
	}
	return func(r *world.Role) {
		assign(&r.Name, form.Name)
		assign(&r.Permissions, permissions)
		assign(&r.Color, form.Color)
		if form.Colors != nil {
			r.Color = form.Colors.Primary
		}
		assign(&r.Hoist, form.Hoist)
		assign(&r.Mentionable, form.Mentionable)
	}, nil
}

func (s *API) createRole(c *call) (int, any, error) {
	change, err := s.readRole(c)
	if err != nil {
		return 0, nil, err
	}
	r, err := s.AddRole(c.guild, change)
	return http.StatusOK, s.RoleObject(c.guild, r), err
}

func (s *API) editRole(c *call) (int, any, error) {
	change, err := s.readRole(c)
	if err != nil {
		return 0, nil, err
	}
	r, ok := s.EditRole(c.guild, c.param("role_id"), change)
	if !ok {
		return 0, nil, api.ErrUnknownRole
	}
	return http.StatusOK, s.RoleObject(c.guild, r), nil
}

func (s *API) moveRoles(c *call) (int, any, error) {
	var form []struct {
		ID       payload.Text `json:"id"`
		Position *int         `json:"position"`
	}
	if err := cmp.Or(c.form.Decode(&form), s.BotMayInGuild(c.guild, api.PermissionManageRoles)); err != nil {
		return 0, nil, err
	}
	for _, r := range form {
		if r.Position != nil && !s.MoveRole(c.guild, string(r.ID), *r.Position) {
			return 0, nil, api.ErrUnknownRole
		}
	}
	return http.StatusOK, s.RoleObjects(c.guild), nil
}

func (s *API) deleteRole(c *call) (int, any, error) {
	if err := s.BotMayInGuild(c.guild, api.PermissionManageRoles); err != nil {
		return 0, nil, err
	}
	switch _, known := c.guild.RoleByID(c.param("role_id")); {
	case !known:
		return 0, nil, api.ErrUnknownRole
	case !s.RemoveRole(c.guild, c.param("role_id")): // @everyone, or the bot's own
		return 0, nil, api.ErrInvalidRole
	}
	return http.StatusNoContent, nil, nil
}

// overwriteForm is an overwrite in a request.
type overwriteForm struct {
	ID    payload.Text  `json:"id"`
	Type  *int          `json:"type"`
	Allow *payload.Text `json:"allow"`
	Deny  *payload.Text `json:"deny"`
}

func (o overwriteForm) overwrite() world.Overwrite {
	out := world.Overwrite{ID: string(o.ID), Member: o.Type != nil && *o.Type == 1}
	if o.Allow != nil {
		out.Allow = model.ParsePermissionBits(string(*o.Allow))
	}
	if o.Deny != nil {
		out.Deny = model.ParsePermissionBits(string(*o.Deny))
	}
	return out
}

// channelForm has the properties of a channel that a bot can set.
type channelForm struct {
	Name       *string          `json:"name"`
	Type       *int             `json:"type"`
	Topic      *string          `json:"topic"`
	NSFW       *bool            `json:"nsfw"`
	Slowmode   *int             `json:"rate_limit_per_user"`
	Parent     *payload.Text    `json:"parent_id"`
	Position   *int             `json:"position"`
	Overwrites *[]overwriteForm `json:"permission_overwrites"`
}

func (f channelForm) apply(ch *model.Channel) {
	assign(&ch.Name, f.Name)
	assign(&ch.Topic, f.Topic)
	assign(&ch.NSFW, f.NSFW)
	assign(&ch.Slowmode, f.Slowmode)
	assign(&ch.ParentID, (*string)(f.Parent))
	if f.Overwrites != nil {
		for _, o := range slices.Clone(ch.Overwrites()) {
			ch.RemoveOverwrite(o.ID)
		}
		for _, o := range *f.Overwrites {
			ch.Overwrite(o.overwrite())
		}
	}
}

func (s *API) createChannel(c *call) (int, any, error) {
	var form channelForm
	if err := cmp.Or(c.form.Decode(&form), s.BotMayInGuild(c.guild, api.PermissionManageChannels)); err != nil {
		return 0, nil, err
	}
	kind := api.ChannelText
	assign(&kind, form.Type)
	if !slices.Contains(api.GuildChannels, kind) {
		return 0, nil, api.NotBuilt("channels of type " + strconv.Itoa(kind))
	}
	ch, err := s.AddChannel(c.guild, kind, form.apply)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, s.ChannelObject(ch), nil
}

// editGuildChannel edits a channel that is no thread.
func (s *API) editGuildChannel(c *call) (int, any, error) {
	var form channelForm
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	need := int64(api.PermissionManageChannels)
	if form.Overwrites != nil {
		need |= api.PermissionManageRoles
	}
	if err := s.BotMay(c.channel.ID, need); err != nil {
		return 0, nil, err
	}
	if c.form.Field("parent_id").Present && form.Parent == nil {
		c.channel.ParentID = ""
	}
	assign(&c.channel.Type, form.Type)
	form.apply(c.channel)
	if form.Position != nil {
		c.channel.Move(*form.Position)
	}
	s.AnnounceChannel(c.channel)
	return http.StatusOK, s.ChannelObject(c.channel), nil
}

func (s *API) setOverwrite(c *call) (int, any, error) {
	var form overwriteForm
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	if c.channel.Guild == nil || c.channel.Thread != nil {
		return 0, nil, api.ErrChannelType
	}
	if err := s.BotMay(c.channel.ID, api.PermissionManageRoles); err != nil {
		return 0, nil, err
	}
	form.ID = payload.Text(c.param("overwrite_id"))
	c.channel.Overwrite(form.overwrite())
	s.AnnounceChannel(c.channel)
	return http.StatusNoContent, nil, nil
}

func (s *API) deleteOverwrite(c *call) (int, any, error) {
	if err := s.BotMay(c.channel.ID, api.PermissionManageRoles); err != nil {
		return 0, nil, err
	}
	if !c.channel.RemoveOverwrite(c.param("overwrite_id")) {
		return 0, nil, api.ErrUnknownOverwrite
	}
	s.AnnounceChannel(c.channel)
	return http.StatusNoContent, nil, nil
}
