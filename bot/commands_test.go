package bot

import (
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"castellan/bot/command"
	"castellan/bot/discord"
	"castellan/bot/host/hosttest"
	"castellan/bot/interaction"
	"castellan/bot/publish"
	"castellan/engine"

	"github.com/bwmarrin/discordgo"
)

// newHandlers returns handlers on a store in memory, without Discord.
func newHandlers(t *testing.T) (*handlers, *hosttest.World) {
	t.Helper()
	w := hosttest.New(t, hosttest.Options{})
	return &handlers{
		host: w.Host, games: w.Games, texts: w.Texts, renderer: hosttest.Renderer{}, log: slog.New(slog.DiscardHandler),
		invite: func() string { return "" },
	}, w
}

// RoutesAndCommands returns what a bot answers, for tests of the whole bot.
func RoutesAndCommands(t *testing.T) ([]interaction.Route, []discord.Command) {
	h, _ := newHandlers(t)
	return h.routes(), h.commands()
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
		if strings.Contains(s, "⟨") {
			t.Errorf("%s: %s", where, s)
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
			if (o.Type == discord.OptionSubcommand) != (len(o.Options) > 0) || deep > 1 {
				t.Errorf("%s: options below options", at)
			}
			options(at, o.Options, deep+1)
		}
	}
	names := map[string]bool{}
	for _, c := range h.commands() {
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
		guild := []string{"leaderboard", "profile", "settings"}
		if want := map[bool][]int{true: {0}, false: {0, 1, 2}}[slices.Contains(guild, c.Name)]; !reflect.DeepEqual(c.Contexts, want) {
			t.Errorf("%s is offered in %v", c.Name, c.Contexts)
		}
	}
	if len(names) != 25 {
		t.Errorf("commands %v", names)
	}
}

// Every registered command and every option with autocomplete has a route.
func TestEveryCommandHasItsRoute(t *testing.T) {
	h, _ := newHandlers(t)
	router, err := interaction.NewRouter(h.routes()...)
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
	for _, c := range h.commands() {
		if c.Type == discord.CommandUser {
			c.Name = "user/" + strings.ToLower(c.Name)
		}
		walk(c.Name, c.Options)
	}
}

// /help mentions every command, in every language.
func TestHelpMentionsEveryCommand(t *testing.T) {
	h, _ := newHandlers(t)
	for _, lang := range h.texts.Languages() {
		say, all := h.texts.Printer(lang), ""
		for _, key := range []string{"turn", "wait", "claim", "hint", "more", "manage"} {
			all += say.T("help."+key, "Matches", "")
		}
		for _, c := range h.commands() {
			if c.Name != "help" && c.Name != "end" && c.Type != discord.CommandUser && !strings.Contains(all, "`/"+c.Name+"`") {
				t.Errorf("in %s, /help does not mention /%s", lang, c.Name)
			}
		}
	}
}

func TestGameOptionOf(t *testing.T) {
	numbers := func(from, to, step int) (out []discord.Choice) {
		for n := from; n <= to; n += step {
			out = append(out, discord.Choice{Name: fmt.Sprint(n), Value: n})
		}
		return out
	}
	for _, c := range []struct {
		name string
		in   engine.Option
		want discord.Option
	}{
		{"few numbers", engine.Option{Kind: engine.Int, Min: 5, Max: 21, Step: 2}, discord.Option{Type: discord.OptionInteger, Choices: numbers(5, 21, 2)}},
		{"25 numbers", engine.Option{Kind: engine.Int, Min: 1, Max: 25}, discord.Option{Type: discord.OptionInteger, Choices: numbers(1, 25, 1)}},
		{"26 numbers", engine.Option{Kind: engine.Int, Min: 1, Max: 26}, discord.Option{Type: discord.OptionInteger, MinValue: new(1), MaxValue: new(26)}},
		{"yes or no", engine.Option{Kind: engine.Bool}, discord.Option{Type: discord.OptionBoolean}},
		{"a choice", engine.Option{Kind: engine.Choice, Choices: []string{"a", "b"}}, discord.Option{Type: discord.OptionString, Choices: []discord.Choice{{Name: "a", Value: "a"}, {Name: "b", Value: "b"}}}},
		{"a set", engine.Option{Kind: engine.Set, Choices: []string{"a", "b"}}, discord.Option{Type: discord.OptionString, Autocomplete: true, MaxLength: 200}},
	} {
		c.in.Key, c.want.Name, c.want.Description = "key", "key", "words"
		if got := command.GameOption(c.in, "words"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestShortDescription(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "abc": "abc", strings.Repeat("ä", 100): strings.Repeat("ä", 100), strings.Repeat("ä", 101): strings.Repeat("ä", 99) + "…",
	} {
		if got := command.ShortDescription(in); got != want {
			t.Errorf("%d characters became %q", len([]rune(in)), got)
		}
	}
}

// Every route has the right class: Typing for suggestions, Leaving for routes that
// end or give up something, and Reading for those that change nothing.
func TestRouteClasses(t *testing.T) {
	h, _ := newHandlers(t)
	leaving := []string{
		"challenge/{challenge}/decline", "challenge/{challenge}/cancel", "challenge/{challenge}/leave", "resign", "claim",
		"match/{match}/{seq}/resign", "match/{match}/{seq}/stay", "match/{match}/{seq}/claim", "match/{match}/{seq}/claimed", "match/{match}/{seq}/wait", "privacy/forget",
	}
	reading := []string{
		"hint", "help", "help/{level}", "games", "games/{verb}/{list}/{page}", "leaderboard", "leaders/{verb}/{game}/{list}/{scope}/{page}",
		"profile", "profile/{person}/{game}/{list}", "rules", "rules/{game}/{page}", "rules/{game}/{page}/open",
		"match/{match}/{seq}/look/{button}/{turn}", "record", "record/{button}/{turn}",
		"privacy", "privacy/export", "privacy/ask", "privacy/keep", "replay", "match/{match}/{seq}/replay", "match/{match}/{seq}/replay/post",
	}
	for _, r := range h.routes() {
		want := interaction.Ordinary
		switch {
		case r.Kind == interaction.Autocomplete:
			want = interaction.Typing
		case slices.Contains(leaving, r.Pattern):
			want = interaction.Leaving
		case slices.Contains(reading, r.Pattern):
			want = interaction.Reading
		}
		if r.Class != want || r.Handler == nil {
			t.Errorf("%s %s has class %d, want %d", r.Kind, r.Pattern, r.Class, want)
		}
	}
}

// Unexpected events of the gateway neither block nor panic.
func TestHandleEvent(t *testing.T) {
	b := &Bot{firstReady: make(chan *discordgo.Ready, 1), publisher: &publish.Publisher{}}
	for range 3 {
		b.handleEvent(&discordgo.Ready{})
	}
	b.handleEvent(&discordgo.GuildDelete{})
	b.handleEvent(nil)
	if len(b.firstReady) != 1 {
		t.Error("the first READY is lost")
	}
}
