package handlers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

func (h *Handlers) settingsRoutes() []route {
	return []route{
		{command, "preferences", private(h.preferences), ordinary, anyone},
		{component, "preferences/{name}/{choice}", update(h.changePreference), ordinary, anyone},
		{command, "settings", private(h.showSettings), ordinary, checked},
		{component, "settings/{name}/{choice}", update(h.changeSetting), ordinary, checked},
	}
}

var errNotManager = errors.New("the person may not manage the guild")

// channelError reports that the settings of a guild allow no game in a channel.
type channelError struct{ allowed []string }

// mentionChannels returns links to channels.
func mentionChannels(channels []string) (all []string) {
	for _, c := range channels {
		all = append(all, discord.MentionChannel(c))
	}
	return all
}

func (*channelError) Error() string { return "games may not be started in this channel" }

type leaderboardError struct{ access storage.LeaderboardAccess }

func (*leaderboardError) Error() string { return "the person may not see the leaderboard" }

// checkLeaderboard returns why a person may not see the leaderboard of the guild of
// a request, or nil.
func (h *Handlers) checkLeaderboard(ctx context.Context, r *interaction.Request) error {
	g, err := h.Account.Settings(ctx, r.Place.Guild)
	if err != nil || g.Leaderboard == storage.LeaderboardForAll {
		return err
	}
	if g.Leaderboard == storage.LeaderboardForPlayers {
		if played, err := h.Account.PlayedIn(ctx, r.Person.ID, r.Place.Guild); played || err != nil {
			return err
		}
	}
	return &leaderboardError{g.Leaderboard}
}

// checkManager returns why a person may not change the settings of the guild of a
// request, or nil. Discord hides the command from others; an administrator of the
// guild can change that, and a message stays open after its person lost the
// permission.
func (h *Handlers) checkManager(r *interaction.Request) error {
	if err := checkPostable(r); err != nil {
		return err
	}
	if !manages(r) {
		return errNotManager
	}
	return nil
}

func manages(r *interaction.Request) bool {
	return r.MemberPermissions&(discord.PermissionManageGuild|discord.PermissionAdministrator) != 0
}

func (h *Handlers) showSettings(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	if err := h.checkManager(r); err != nil {
		return m, err
	}
	g, err := h.forgetDeletedChannels(ctx, r.Place.Guild, false)
	return h.settingsMessage(r, g), err
}

// forgetDeletedChannels removes channels that were deleted from those in which the
// settings of a guild allow matches, and returns the settings. If one is enough, it
// stops at the first channel that exists.
func (h *Handlers) forgetDeletedChannels(ctx context.Context, guild string, oneIsEnough bool) (g storage.GuildSettings, err error) {
	if g, err = h.Account.Settings(ctx, guild); err != nil {
		return g, err
	}
	gone := map[string]bool{}
	for _, c := range g.Channels {
		_, err := h.Client.GetChannel(ctx, c)
		gone[c] = discord.HasCode(err, discord.CodeUnknownChannel)
		if oneIsEnough && !gone[c] {
			break
		}
	}
	isGone := func(c string) bool { return gone[c] }
	if !slices.ContainsFunc(g.Channels, isGone) {
		return g, nil
	}
	return h.Account.ChangeSettings(ctx, guild, func(g *storage.GuildSettings) { g.Channels = slices.DeleteFunc(g.Channels, isGone) })
}

// blindError reports that the bot may not write in channels.
type blindError struct{ channels []string }

func (*blindError) Error() string { return "the bot may not write in the channel" }

// checkWritable returns why matches cannot be played in channels, or nil.
func (h *Handlers) checkWritable(ctx context.Context, channels []string) error {
	var blind []string
	for _, c := range channels {
		if err := h.Client.TriggerTyping(ctx, c); discord.HasCode(err, discord.CodeMissingAccess, discord.CodeMissingPermissions) {
			blind = append(blind, c)
		}
	}
	if len(blind) > 0 {
		return &blindError{blind}
	}
	return nil
}

func (h *Handlers) settingsMessage(r *interaction.Request, g storage.GuildSettings) discord.Message {
	return message.Settings(r.Say, message.SettingsData{GuildSettings: g, Texts: h.Texts, Threads: !h.NoThreads})
}

func (h *Handlers) changeSetting(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	if err := h.checkManager(r); err != nil {
		return m, err
	}
	name, value, on, ok := h.settingChoice(r)
	change, known := map[string]func(*storage.GuildSettings){
		"channels":    func(g *storage.GuildSettings) { g.Channels = r.Picks },
		"clock":       func(g *storage.GuildSettings) { g.Clock = value },
		"rated":       func(g *storage.GuildSettings) { g.Unrated = !on },
		"threads":     func(g *storage.GuildSettings) { g.NoThreads = !on },
		"theme":       func(g *storage.GuildSettings) { g.Theme = value },
		"language":    func(g *storage.GuildSettings) { g.Locale = value },
		"organiser":   func(g *storage.GuildSettings) { g.Organiser = strings.Join(r.Picks, "") },
		"leaderboard": func(g *storage.GuildSettings) { g.Leaderboard = storage.LeaderboardAccess(value) },
	}[name]
	switch name {
	case "organiser":
		ok = r.Values["choice"] == message.MenuChoice && len(r.Picks) <= 1
	case "channels":
		ok = r.Values["choice"] == message.MenuChoice && len(r.Picks) <= discord.MaxSelectOptions
	}
	if !ok || !known {
		return m, interaction.ErrBadCustomID
	}
	if name == "channels" {
		if err := h.checkWritable(ctx, r.Picks); err != nil {
			return m, err
		}
	}
	g, err := h.Account.ChangeSettings(ctx, r.Place.Guild, change)
	return h.settingsMessage(r, g), err
}

// settingChoice returns the setting that a button or menu changes: value is what was
// picked in a menu, on what a button says. ok is false if there is no such choice.
func (h *Handlers) settingChoice(r *interaction.Request) (name, value string, on, ok bool) {
	name = r.Values["name"]
	if r.Values["choice"] != message.MenuChoice {
		on, ok = map[string]bool{"on": true, "off": false}[r.Values["choice"]]
		ok = ok && slices.Contains([]string{"ends", "confirms", "side", "daily", "rated", "threads"}, name)
		return name, "", on, ok
	}
	if len(r.Picks) == 1 {
		value, ok = message.SettingValue(h.Texts, name, r.Picks[0])
	}
	return name, value, false, ok
}

func (h *Handlers) preferences(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	p, err := h.Account.Preferences(ctx, r.Person.ID)
	if err != nil {
		return m, err
	}
	vacation, err := h.Account.Vacation(ctx, r.Person.ID)
	if err != nil {
		return m, err
	}
	daily, err := h.Account.NextDaily(ctx, r.Person.ID)
	return message.Preferences(r.Say, message.PreferencesData{Preferences: p, Daily: daily, Vacation: vacation, Texts: h.Texts, Now: h.Host.Now()}), err
}

// usualNight is how many hours the quiet hours last that a person starts by
// picking their beginning.
const usualNight = 9

func (h *Handlers) changePreference(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	if r.Values["name"] == "vacation" {
		return h.changeVacation(ctx, r)
	}
	name, value, on, ok := h.settingChoice(r)
	hour := 0
	switch picked := r.Values["choice"] == message.MenuChoice && len(r.Picks) == 1; name {
	case "reminders":
		_, ok = message.ReminderChoices[r.Values["choice"]]
	case "from", "to":
		if n, err := strconv.Atoi(strings.Join(r.Picks, "")); err == nil && n >= 0 && n < 24 {
			hour, ok = n, picked
		} else {
			hour, ok = -1, picked && name == "from"
		}
	}
	change, known := map[string]func(*storage.Preferences){
		"ends":      func(p *storage.Preferences) { p.ManualEndTurn = on },
		"confirms":  func(p *storage.Preferences) { p.ConfirmTurn = on },
		"side":      func(p *storage.Preferences) { p.OwnSide = on },
		"theme":     func(p *storage.Preferences) { p.Theme = value },
		"language":  func(p *storage.Preferences) { p.Locale = value },
		"zone":      func(p *storage.Preferences) { p.Zone = value },
		"reminders": func(p *storage.Preferences) { p.Reminders = message.ReminderChoices[r.Values["choice"]] },
		"daily":     func(*storage.Preferences) {},
		"from": func(p *storage.Preferences) {
			switch {
			case hour < 0:
				p.QuietFrom, p.QuietTo = 0, 0
			case p.QuietFrom == p.QuietTo || p.QuietTo == hour:
				p.QuietFrom, p.QuietTo = hour, (hour+usualNight)%24
			default:
				p.QuietFrom = hour
			}
		},
		"to": func(p *storage.Preferences) { p.QuietTo = hour },
	}[name]
	if !ok || !known {
		return m, interaction.ErrBadCustomID
	}
	err = h.Account.ChangePreferences(ctx, r.Person.ID, change)
	if err == nil && name == "daily" {
		err = h.Account.SetDaily(ctx, r.Person.ID, on)
	}
	if err != nil {
		return m, err
	}
	if name == "language" { // the answer is in the new one
		r.Say = h.Locales.Printer(ctx, "", r.Person.ID)
	}
	return h.preferences(ctx, r)
}

func (h *Handlers) changeVacation(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	choice := r.Values["choice"]
	days, wrong := strconv.Atoi(choice)
	switch {
	case choice == "no":
	case choice == "back":
		err = h.Account.EndVacation(ctx, r.Person.ID)
	case choice == message.MenuChoice && len(r.Picks) == 1:
		if days, wrong = strconv.Atoi(r.Picks[0]); wrong == nil && days > 0 && days <= account.VacationDays {
			return message.AskVacation(r.Say, days, h.Host.Now().Add(time.Duration(days)*24*time.Hour)), nil
		}
		err = interaction.ErrBadCustomID
	case wrong != nil:
		err = interaction.ErrBadCustomID
	default:
		err = h.Account.StartVacation(ctx, r.Person.ID, days)
	}
	if err != nil {
		return m, err
	}
	return h.preferences(ctx, r)
}

// applyDefaults sets the clock and the rating of a proposal: the command's options, or else
// the settings of the guild, decide; against computers, only the option has a match
// rated. The note says which settings have decided.
func applyDefaults(r *interaction.Request, guild storage.GuildSettings, p *host.Proposal) (note string) {
	switch clock := r.Option("clock"); {
	case clock == "" && guild.Clock != "":
		p.Clock = guild.Clock
		note += "\n" + r.Say.T("challenge.default.clock", "Clock", message.ClockName(r.Say, p.Clock))
	case clock != message.NoClock:
		p.Clock = clock
	}
	solo := slices.ContainsFunc(p.Opponents, host.IsComputer)
	rated := r.Option("rated")
	p.Unrated = rated == "false" || rated == "" && (solo || guild.Unrated)
	if rated == "" && !solo && guild.Unrated {
		note += "\n" + r.Say.T("challenge.default.unrated")
	}
	return note
}

// guildDefaults returns the settings of the guild of a request. It fails with a
// *channelError if no game may be started in its channel.
func (h *Handlers) guildDefaults(ctx context.Context, r *interaction.Request) (g storage.GuildSettings, err error) {
	if err := checkPostable(r); err != nil && !r.Direct {
		return g, err
	}
	if r.Place.Guild == "" {
		return g, nil
	}
	g, err = h.Account.Settings(ctx, r.Place.Guild)
	if err != nil || len(g.Channels) == 0 || slices.Contains(g.Channels, r.Place.Channel) {
		return g, err
	}
	if r.Permissions&discord.InThread != 0 {
		parent, err := h.Client.GetChannel(ctx, r.Place.Channel)
		if err != nil || slices.Contains(g.Channels, parent) {
			return g, err
		}
	}
	if g, err = h.forgetDeletedChannels(ctx, r.Place.Guild, true); err != nil || len(g.Channels) == 0 {
		return g, err
	}
	return g, &channelError{g.Channels}
}
