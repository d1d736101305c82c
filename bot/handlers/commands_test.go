package handlers

import (
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"castellan/bot/discord"
	"castellan/bot/host/hosttest"
	"castellan/bot/interaction"
	"castellan/engine"
)

// newHandlers returns handlers on a store in memory, without Discord.
func newHandlers(t *testing.T) (*Handlers, *hosttest.World) {
	t.Helper()
	w := hosttest.New(t, hosttest.Options{})
	return &Handlers{
		Host: w.Host, Games: w.Games, Texts: w.Texts, Renderer: hosttest.Renderer{}, Log: slog.New(slog.DiscardHandler),
		Invite: func() string { return "" }, CommandID: func(string, string) string { return "" },
	}, w
}

// RoutesAndCommands returns what a bot answers, for tests of the whole bot.
func RoutesAndCommands(t *testing.T) ([]interaction.Route, []discord.Command) {
	h, _ := newHandlers(t)
	return h.Routes(), h.Commands()
}

// Discord's limits:
// https://docs.discord.com/developers/interactions/application-commands
func TestCommandLimits(t *testing.T) {
	h, _ := newHandlers(t)
	name := regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
	characters := func(s string) int { return len([]rune(s)) }
	total := 0
	text := func(where, s string) {
		t.Helper()
		if n := characters(s); n < 1 || n > 100 {
			t.Errorf("%s: a description of %d characters: %s", where, n, s)
		}
		total += characters(s)
	}
	var options func(where string, all []discord.Option, deep int)
	options = func(where string, all []discord.Option, deep int) {
		if len(all) > 25 {
			t.Errorf("%s has %d options", where, len(all))
		}
		seen, optional := map[string]bool{}, false
		for _, o := range all {
			at := where + " " + o.Name
			if !name.MatchString(o.Name) || o.Name != strings.ToLower(o.Name) || seen[o.Name] {
				t.Errorf("%s: a name that is not allowed or occurs twice", at)
			}
			seen[o.Name] = true
			total += characters(o.Name)
			text(at, o.Description)
			if o.Required && optional {
				t.Errorf("%s is required and follows one that is not", at)
			}
			optional = optional || !o.Required
			if len(o.Choices) > 25 || len(o.Choices) > 0 && o.Autocomplete {
				t.Errorf("%s: %d choices, autocomplete %v", at, len(o.Choices), o.Autocomplete)
			}
			for _, c := range o.Choices {
				text(at, c.Name)
				switch v := c.Value.(type) {
				case string:
					text(at, v)
				case int:
					if o.Type != discord.OptionInteger {
						t.Errorf("%s: %T for type %d", at, v, o.Type)
					}
				default:
					t.Errorf("%s: a value of type %T", at, v)
				}
			}
			if (o.MinValue != nil || o.MaxValue != nil) && o.Type != discord.OptionInteger || o.MaxLength > 6000 || o.MaxLength != 0 && o.Type != discord.OptionString {
				t.Errorf("%s has limits of another type", at)
			}
			if o.Type != discord.OptionSubcommand && len(o.Options) > 0 || deep > 1 {
				t.Errorf("%s: options below options", at)
			}
			options(at, o.Options, deep+1)
		}
	}
	names := map[string]bool{}
	for _, c := range h.Commands() {
		total = 0
		if c.Type == discord.CommandUser { // its name may have capitals, and it has no description
			if !name.MatchString(c.Name) || c.Description != "" || len(c.Options) > 0 {
				t.Errorf("%+v", c)
			}
			continue
		}
		if !name.MatchString(c.Name) || c.Name != strings.ToLower(c.Name) || names[c.Name] {
			t.Errorf("%s: a name that is not allowed or occurs twice", c.Name)
		}
		names[c.Name] = true
		total += characters(c.Name)
		text(c.Name, c.Description)
		options(c.Name, c.Options, 0)
		if total > 8000 {
			t.Errorf("%s has %d characters", c.Name, total)
		}
		guild := []string{"leaderboard", "profile", "settings", "organise", "tournament"}
		if want := map[bool][]int{true: {0}, false: {0, 1, 2}}[slices.Contains(guild, c.Name)]; !reflect.DeepEqual(c.Contexts, want) {
			t.Errorf("%s is offered in %v", c.Name, c.Contexts)
		}
	}
	if len(names) != 26 {
		t.Errorf("commands %v", names)
	}
}

// The options of the games say what applies if they are left empty, in every language.
func TestOptionsSayTheirDefaults(t *testing.T) {
	h, _ := newHandlers(t)
	for _, lang := range h.Texts.Languages() {
		locale := lang
		if lang == "en" {
			locale = "en-US"
		}
		for _, c := range h.Commands()[0].Options {
			g, _ := h.Games.Lookup(c.Name)
			for _, o := range g.Options() {
				i := slices.IndexFunc(c.Options, func(d discord.Option) bool { return d.Name == o.Key })
				says := c.Options[i].Description
				for in, translated := range c.Options[i].DescriptionLocalizations {
					if strings.HasPrefix(in, locale) {
						says = translated
					}
				}
				_, explained := g.Texts()[g.Key()+".option."+o.Key+".help"]
				if explained && o.Kind == engine.Int && (!strings.Contains(says, " "+o.Default) && !strings.Contains(says, "なら"+o.Default) || !strings.Contains(says, o.First)) {
					t.Errorf("%s: /challenge %s %s: %q does not say %s", lang, c.Name, o.Key, says, o.Default)
				}
			}
		}
	}
}

// Every registered command and every option with autocomplete has a route. Suggestions,
// which come with every letter, have a budget of their own.
func TestEveryCommandHasItsRoute(t *testing.T) {
	h, _ := newHandlers(t)
	for _, r := range h.Routes() {
		if r.Handler == nil || (r.Kind == interaction.Autocomplete) != (r.Class == interaction.Typing) {
			t.Errorf("%s %s has class %d", r.Kind, r.Pattern, r.Class)
		}
	}
	router, err := interaction.NewRouter(h.Routes()...)
	hosttest.Must(t, err)
	var walk func(path string, options []discord.Option)
	walk = func(path string, options []discord.Option) {
		subcommands := false
		for _, o := range options {
			if o.Type == discord.OptionSubcommand {
				subcommands = true
				walk(path+"/"+o.Name, o.Options)
			}
			if _, _, ok := router.Find(interaction.Autocomplete, path+"/"+o.Name); o.Autocomplete && !ok {
				t.Errorf("%s %s: autocomplete is %v, its route %v", path, o.Name, o.Autocomplete, ok)
			}
		}
		if _, _, ok := router.Find(interaction.Command, path); ok == subcommands {
			t.Errorf("%s: route %v", path, ok)
		}
	}
	for _, c := range h.Commands() {
		if c.Type == discord.CommandUser {
			c.Name = "user/" + strings.ToLower(c.Name)
		}
		walk(c.Name, c.Options)
	}
}

// /help mentions every command, in every language.
func TestHelpMentionsEveryCommand(t *testing.T) {
	h, _ := newHandlers(t)
	for _, lang := range h.Texts.Languages() {
		say, all := h.Texts.Printer(lang), ""
		for _, key := range []string{"turn", "wait", "claim", "hint", "more", "manage"} {
			all += say.T("help."+key, "Matches", "")
		}
		for _, c := range h.Commands() {
			if c.Name != "help" && c.Name != "end" && c.Type != discord.CommandUser && !strings.Contains(all, "`/"+c.Name+"`") {
				t.Errorf("in %s, /help does not mention /%s", lang, c.Name)
			}
		}
	}
}
