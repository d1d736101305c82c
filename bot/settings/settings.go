// Package settings answers /settings, by which people who may manage a guild choose
// how it plays, and /preferences, by which people choose for themselves. It also
// tells other handlers what a guild has chosen.
package settings

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

// Handlers answers the two commands.
type Handlers struct {
	Host      *host.Host
	Account   *account.Service
	Texts     *catalogue.Catalogue
	Client    *discord.Client
	NoThreads bool // matches have no threads, whatever a guild prefers
	// Say returns the printer for messages to a person.
	Say func(ctx context.Context, guild, person string) *catalogue.Printer
	// CheckPostable returns why the bot cannot post where a request comes from.
	CheckPostable func(*interaction.Request) error
}

// errNotManager reports that a person may not change a guild's settings.
var errNotManager = errors.New("the person may not manage the guild")

// channelError reports that the settings of a guild allow no game in a channel.
type channelError struct{ allowed []string }

func (*channelError) Error() string { return "games may not be started in this channel" }

// Explain explains an error of this package: what the settings of a guild refuse. ok is
// false for other errors.
func Explain(r *interaction.Request, err error) (sentence string, ok bool) {
	var channel *channelError
	var leaders *leaderboardError
	switch {
	case errors.Is(err, account.ErrNoVacation):
		return r.Say.T("error.vacation"), true
	case errors.Is(err, errNotManager):
		return r.Say.T("error.manager"), true
	case errors.As(err, &channel):
		var links []string
		for _, c := range channel.allowed {
			links = append(links, discord.MentionChannel(c))
		}
		return r.Say.T("error.settings.channel", "Channels", strings.Join(links, " ")), true
	case errors.As(err, &leaders):
		return r.Say.T("error.leaderboard." + string(leaders.access)), true
	}
	return "", false
}

// leaderboardError reports that a person may not see the leaderboard of a guild.
type leaderboardError struct{ access storage.LeaderboardAccess }

func (*leaderboardError) Error() string { return "the person may not see the leaderboard" }

// CheckLeaderboard returns why a person may not see the leaderboard of the guild of
// a request, or nil.
func (h *Handlers) CheckLeaderboard(ctx context.Context, r *interaction.Request) error {
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
	if err := h.CheckPostable(r); err != nil {
		return err
	}
	if !Manages(r) {
		return errNotManager
	}
	return nil
}

// Manages reports whether a person may manage the guild in which they are.
func Manages(r *interaction.Request) bool {
	return r.MemberPermissions&(discord.PermissionManageGuild|discord.PermissionAdministrator) != 0
}

// Show handles /settings.
func (h *Handlers) Show(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := h.checkManager(r); err != nil {
		return interaction.Response{}, err
	}
	g, err := h.Account.Settings(ctx, r.Place.Guild)
	return interaction.Private(h.settingsMessage(r, g)), err
}

func (h *Handlers) settingsMessage(r *interaction.Request, g storage.GuildSettings) discord.Message {
	return guildMessage(r.Say, guildData{GuildSettings: g, Texts: h.Texts, Threads: !h.NoThreads})
}

// Set handles a choice in the message of /settings.
func (h *Handlers) Set(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := h.checkManager(r); err != nil {
		return interaction.Response{}, err
	}
	name, value, on, ok := h.choice(r)
	change, known := map[string]func(*storage.GuildSettings){
		"channels":    func(g *storage.GuildSettings) { g.Channels = r.Picks },
		"clock":       func(g *storage.GuildSettings) { g.Clock = value },
		"rated":       func(g *storage.GuildSettings) { g.Unrated = !on },
		"threads":     func(g *storage.GuildSettings) { g.NoThreads = !on },
		"theme":       func(g *storage.GuildSettings) { g.Theme = value },
		"language":    func(g *storage.GuildSettings) { g.Locale = value },
		"leaderboard": func(g *storage.GuildSettings) { g.Leaderboard = storage.LeaderboardAccess(value) },
	}[name]
	if name == "channels" {
		ok = r.Values["choice"] == menuChoice && len(r.Picks) <= discord.MaxSelectOptions
	}
	if !ok || !known {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	g, err := h.Account.ChangeSettings(ctx, r.Place.Guild, change)
	return interaction.Update(h.settingsMessage(r, g)), err
}

// choice returns the setting that a button or menu changes: value is what was
// picked in a menu, on what a button says. ok is false if there is no such choice.
func (h *Handlers) choice(r *interaction.Request) (name, value string, on, ok bool) {
	name = r.Values["name"]
	if r.Values["choice"] != menuChoice {
		on, ok = map[string]bool{"on": true, "off": false}[r.Values["choice"]]
		ok = ok && slices.Contains([]string{"ends", "confirms", "side", "daily", "rated", "threads"}, name)
		return name, "", on, ok
	}
	if len(r.Picks) == 1 {
		value, ok = settingValue(h.Texts, name, r.Picks[0])
	}
	return name, value, false, ok
}

// ShowPreferences handles /preferences.
func (h *Handlers) ShowPreferences(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	m, err := h.preferencesMessage(ctx, r)
	return interaction.Private(m), err
}

func (h *Handlers) preferencesMessage(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	p, err := h.Account.Preferences(ctx, r.Person.ID)
	if err != nil {
		return m, err
	}
	vacation, err := h.Account.Vacation(ctx, r.Person.ID)
	if err != nil {
		return m, err
	}
	daily, err := h.Account.WantsDaily(ctx, r.Person.ID)
	return personMessage(r.Say, personData{Preferences: p, Daily: daily, Vacation: vacation, Texts: h.Texts, Now: h.Host.Now()}), err
}

// usualNight is how many hours the quiet hours last that a person starts by
// picking their beginning.
const usualNight = 9

// SetPreference handles a choice in the message of /preferences.
func (h *Handlers) SetPreference(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if r.Values["name"] == "vacation" {
		return h.setVacation(ctx, r)
	}
	name, value, on, ok := h.choice(r)
	hour := 0
	switch picked := r.Values["choice"] == menuChoice && len(r.Picks) == 1; name {
	case "reminders":
		_, ok = reminderChoices[r.Values["choice"]]
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
		"reminders": func(p *storage.Preferences) { p.Reminders = reminderChoices[r.Values["choice"]] },
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
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	err := h.Account.ChangePreferences(ctx, r.Person.ID, change)
	if err == nil && name == "daily" {
		err = h.Account.SetDaily(ctx, r.Person.ID, on)
	}
	if err != nil {
		return interaction.Response{}, err
	}
	if name == "language" { // the answer is in the new one
		r.Say = h.Say(ctx, "", r.Person.ID)
	}
	m, err := h.preferencesMessage(ctx, r)
	return interaction.Update(m), err
}

// setVacation begins or ends a vacation.
func (h *Handlers) setVacation(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	var err error
	switch days, wrong := strconv.Atoi(strings.Join(r.Picks, " ")); {
	case r.Values["choice"] == "back":
		err = h.Account.EndVacation(ctx, r.Person.ID)
	case wrong != nil || r.Values["choice"] != menuChoice:
		err = interaction.ErrBadCustomID
	default:
		err = h.Account.StartVacation(ctx, r.Person.ID, days)
	}
	if err != nil {
		return interaction.Response{}, err
	}
	m, err := h.preferencesMessage(ctx, r)
	return interaction.Update(m), err
}

// NoClock is the option of a challenge for no clock.
const NoClock = "none"

// Apply sets the clock and the rating of a proposal: the command's options, or else
// the settings of the guild, decide; against computers, only the option has a match
// rated. The note says which settings have decided.
func Apply(r *interaction.Request, guild storage.GuildSettings, p *host.Proposal) (note string) {
	switch clock := r.Option("clock"); {
	case clock == "" && guild.Clock != "":
		p.Clock = guild.Clock
		note += "\n" + r.Say.T("challenge.default.clock", "Clock", message.ClockName(r.Say, p.Clock))
	case clock != NoClock:
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

// Defaults returns the settings of the guild of a request. It fails with a
// *channelError if no game may be started in its channel.
func (h *Handlers) Defaults(ctx context.Context, r *interaction.Request) (g storage.GuildSettings, err error) {
	if err := h.CheckPostable(r); err != nil && !r.Direct {
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
		parent, err := h.Client.GetParent(ctx, r.Place.Channel)
		if err != nil || slices.Contains(g.Channels, parent) {
			return g, err
		}
	}
	return g, &channelError{g.Channels}
}
