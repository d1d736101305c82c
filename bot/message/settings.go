package message

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/imaging/draw"
	"castellan/storage"
)

// MenuChoice stands in the custom ID of a menu for the picked value.
const MenuChoice = "menu"

// NoClock is the option of a challenge for no clock.
const NoClock = "none"

// noValue is the value of an option for the empty text, because values of menus
// are never empty.
const noValue = "default"

// settingValues lists the values of each setting that has a menu; the first is the
// default. Languages are those of the catalogue.
var settingValues = map[string][]string{
	"theme":       append([]string{""}, draw.Themes()[1:]...),
	"clock":       host.ClockChoices(),
	"leaderboard": {string(storage.LeaderboardForAll), string(storage.LeaderboardForPlayers), string(storage.LeaderboardForNobody)},
	"zone":        zones(),
}

// SettingValue returns the value that a person has picked in a menu; ok is false if
// the menu does not have it.
func SettingValue(texts *catalogue.Catalogue, name, picked string) (value string, ok bool) {
	values := settingValues[name]
	if name == "language" {
		values = append([]string{""}, texts.Languages()...)
	}
	if picked == noValue {
		picked = ""
	}
	return picked, slices.Contains(values, picked)
}

// SettingsData is what the message of /settings shows.
type SettingsData struct {
	storage.GuildSettings
	Texts   *catalogue.Catalogue
	Threads bool // threads can be chosen
}

// Settings shows the settings of a guild with menus to change them.
func Settings(say *catalogue.Printer, d SettingsData) discord.Message {
	parts := []discord.Component{
		discord.TextDisplay{Content: say.T("settings.title")},
		discord.TextDisplay{Content: say.T("settings.channels")},
		discord.ChannelSelect{CustomID: "settings/channels/" + MenuChoice, Placeholder: say.T("settings.channels.all"), Channels: d.Channels},
	}
	add := func(key, name, current string, label func(value string) string) {
		parts = append(parts, discord.TextDisplay{Content: say.T(key)}, settingMenu("settings/"+name, d.Texts, name, current, label))
	}
	add("settings.clock", "clock", d.Clock, func(clock string) string { return clockChoice(say, clock) })
	parts = append(parts, onOff(say, say.T("settings.rated"), "settings/rated", !d.Unrated)...)
	if d.Threads {
		parts = append(parts, onOff(say, say.T("settings.threads"), "settings/threads", !d.NoThreads)...)
	}
	add("settings.theme", "theme", d.Theme, func(theme string) string { return themeName(say, theme) })
	add("settings.language", "language", d.Locale, func(language string) string {
		return languageName(say, d.Texts, "settings.language.auto", language)
	})
	add("settings.leaderboard", "leaderboard", string(d.Leaderboard), func(who string) string { return say.T("settings.leaderboard." + cmp.Or(who, "all")) })
	parts = append(parts, discord.TextDisplay{Content: say.T("settings.organiser")},
		discord.RoleSelect{CustomID: "settings/organiser/" + MenuChoice, Placeholder: say.T("settings.organiser.none"), Role: d.Organiser})
	return containerMessage(parts...)
}

// PreferencesData is what the message of /preferences shows.
type PreferencesData struct {
	storage.Preferences
	Daily    time.Time // of the next daily message; zero if they get none
	Vacation account.Vacation
	Texts    *catalogue.Catalogue
	Now      time.Time
}

// Preferences shows a person's preferences with menus and buttons to change them.
func Preferences(say *catalogue.Printer, d PreferencesData) discord.Message {
	parts := []discord.Component{discord.TextDisplay{Content: say.T("preferences.title")}}
	parts = append(parts, onOff(say, say.T("preferences.ends"), "preferences/ends", d.ManualEndTurn)...)
	parts = append(parts, onOff(say, say.T("preferences.confirms"), "preferences/confirms", d.ConfirmTurn)...)
	parts = append(parts, onOff(say, say.T("preferences.side"), "preferences/side", d.OwnSide)...)
	text := func(key string) { parts = append(parts, discord.TextDisplay{Content: say.T(key)}) }
	menu := func(name, current string, label func(value string) string) {
		parts = append(parts, settingMenu("preferences/"+name, d.Texts, name, current, label))
	}
	text("preferences.theme")
	menu("theme", d.Theme, func(theme string) string { return themeName(say, theme) })
	text("preferences.language")
	menu("language", d.Locale, func(language string) string { return languageName(say, d.Texts, "preferences.language.auto", language) })
	text("preferences.reminders")
	parts = append(parts, reminderRow(say, d.Preferences))
	daily := say.T("preferences.daily")
	if !d.Daily.IsZero() {
		daily = say.T("preferences.daily.on", "Date", discord.DateTime(d.Daily))
	}
	parts = append(parts, onOff(say, daily, "preferences/daily", !d.Daily.IsZero())...)
	text("preferences.quiet")
	menu("zone", d.Zone, func(zone string) string { return zoneName(zone, d.Now) })
	quiet := d.QuietFrom != d.QuietTo
	from := hours(say, "preferences.quiet.from", "from", quiet, d.QuietFrom)
	from.Options = append([]discord.SelectOption{{Label: say.T("preferences.quiet.off"), Value: noValue, Default: !quiet}}, from.Options...)
	parts = append(parts, from)
	if quiet {
		parts = append(parts, hours(say, "preferences.quiet.to", "to", quiet, d.QuietTo))
	}
	parts = append(parts, vacationParts(say, d.Vacation)...)
	return containerMessage(parts...)
}

// vacationParts returns the text about a person's vacation, with a menu to begin one or
// a button to end it.
func vacationParts(say *catalogue.Printer, v account.Vacation) []discord.Component {
	switch {
	case !v.Until.IsZero():
		return []discord.Component{
			discord.TextDisplay{Content: say.T("preferences.vacation.now", "Date", discord.DateTime(v.Until))},
			discord.ActionRow{Buttons: []discord.Button{{Style: discord.Primary, Label: say.T("preferences.vacation.back"), CustomID: "preferences/vacation/back"}}},
		}
	case v.Left == 0:
		return []discord.Component{discord.TextDisplay{Content: say.T("preferences.vacation.none")}}
	}
	menu := discord.StringSelect{CustomID: "preferences/vacation/" + MenuChoice, Placeholder: say.T("preferences.vacation.pick")}
	for n := range v.Left {
		menu.Options = append(menu.Options, discord.SelectOption{Label: say.T("clock.days", "Count", n+1), Value: fmt.Sprint(n + 1)})
	}
	return []discord.Component{
		discord.TextDisplay{Content: say.T("preferences.vacation", "Days", say.T("clock.days", "Count", v.Left))}, menu,
	}
}

// AskVacation asks whether to begin a vacation of some days.
func AskVacation(say *catalogue.Printer, days int, until time.Time) discord.Message {
	return question(say.T("vacation.ask", "Days", say.T("clock.days", "Count", days), "Date", discord.DateTime(until)),
		discord.Button{Style: discord.Primary, Label: say.T("vacation.yes"), CustomID: fmt.Sprint("preferences/vacation/", days)},
		discord.Button{Style: discord.Secondary, Label: say.T("panel.back"), CustomID: "preferences/vacation/no"})
}

// onOff returns the text of a setting that is on or off, and its buttons.
func onOff(say *catalogue.Printer, text, id string, on bool) []discord.Component {
	return []discord.Component{
		discord.TextDisplay{Content: text},
		discord.ActionRow{Buttons: []discord.Button{
			choiceButton(say.T("preferences.on"), id+"/on", on),
			choiceButton(say.T("preferences.off"), id+"/off", !on),
		}},
	}
}

// settingMenu returns the menu of a setting. A current value that is not among its
// values, such as a clock that is no longer offered, is shown as none picked.
func settingMenu(id string, texts *catalogue.Catalogue, name, current string, label func(value string) string) discord.StringSelect {
	values := settingValues[name]
	if name == "language" {
		values = append([]string{""}, texts.Languages()...)
	}
	menu := discord.StringSelect{CustomID: id + "/" + MenuChoice}
	for _, v := range values[:min(len(values), discord.MaxSelectOptions)] {
		menu.Options = append(menu.Options, discord.SelectOption{Label: label(v), Value: cmp.Or(v, noValue), Default: v == current})
	}
	return menu
}

func themeName(say *catalogue.Printer, theme string) string {
	return say.T("theme." + cmp.Or(theme, draw.Dark))
}

func languageName(say *catalogue.Printer, texts *catalogue.Catalogue, auto, language string) string {
	if language == "" {
		return say.T(auto)
	}
	return texts.Printer(language).T("language.name")
}

func hours(say *catalogue.Printer, key, name string, quiet bool, current int) discord.StringSelect {
	menu := discord.StringSelect{CustomID: "preferences/" + name + "/" + MenuChoice}
	for h := range 24 {
		menu.Options = append(menu.Options, discord.SelectOption{
			Label: say.T(key, "Hour", fmt.Sprintf("%02d:00", h)), Value: fmt.Sprint(h), Default: quiet && h == current,
		})
	}
	return menu
}

// zones returns the time zones to choose from, one or two for each usual offset,
// from west to east; the empty one is UTC.
func zones() []string {
	return []string{
		"", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York",
		"America/Halifax", "America/Sao_Paulo", "Atlantic/Azores", "Europe/London", "Europe/Berlin", "Africa/Lagos", "Europe/Kyiv",
		"Africa/Nairobi", "Europe/Istanbul", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok",
		"Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Pacific/Auckland",
	}
}

// zoneName returns the time in a zone and its name, by which people recognise it in
// every language.
func zoneName(zone string, now time.Time) string {
	in, err := time.LoadLocation(zone)
	if err != nil {
		return zone
	}
	return now.In(in).Format("15:04") + " · " + cmp.Or(zone, "UTC")
}

func reminderRow(say *catalogue.Printer, p storage.Preferences) (row discord.ActionRow) {
	for _, name := range []string{"channel", "direct", "none"} {
		row.Buttons = append(row.Buttons, choiceButton(say.T("preferences."+name), "preferences/reminders/"+name, p.Reminders == ReminderChoices[name]))
	}
	return row
}

// ReminderChoices are the ways of reminding by their names in custom IDs.
var ReminderChoices = map[string]storage.Reminders{
	"channel": storage.RemindInChannel, "direct": storage.RemindDirectly, "none": storage.RemindNever,
}
