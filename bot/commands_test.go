package bot

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/engine"
	"castellan/storage"
)

// challengeData is /challenge trails with the opponent resolved, as Discord
// sends it.
func challengeData(opponent storage.Person, options map[string]any) discordgo.ApplicationCommandInteractionData {
	all := []*discordgo.ApplicationCommandInteractionDataOption{
		{Name: "opponent", Type: discordgo.ApplicationCommandOptionUser, Value: opponent.ID},
	}
	for name, v := range options {
		all = append(all, &discordgo.ApplicationCommandInteractionDataOption{Name: name, Value: v})
	}
	return discordgo.ApplicationCommandInteractionData{
		Name:    "challenge",
		Options: []*discordgo.ApplicationCommandInteractionDataOption{{Name: "trails", Type: discordgo.ApplicationCommandOptionSubCommand, Options: all}},
		Resolved: &discordgo.ApplicationCommandInteractionDataResolved{Users: map[string]*discordgo.User{
			opponent.ID: {ID: opponent.ID, Username: opponent.Name},
		}},
	}
}

// Discord's limits:
// https://docs.discord.com/developers/interactions/application-commands
func TestCommandsKeepWithinDiscordsLimits(t *testing.T) {
	r := newRig(t)
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
				t.Errorf("%s: a name that is not allowed, or there twice", at)
			}
			seen[o.Name] = true
			total += characters(o.Name)
			text(at, o.Description)
			if o.Required && optional {
				t.Errorf("%s is required and stands behind one that is not", at)
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
	for _, c := range r.bot.commands() {
		total = 0
		if c.Type == discord.CommandUser { // which may have capitals, and has no description
			if !name.MatchString(c.Name) || c.Description != "" || len(c.Options) > 0 {
				t.Errorf("%+v", c)
			}
			continue
		}
		if !name.MatchString(c.Name) || c.Name != strings.ToLower(c.Name) || names[c.Name] {
			t.Errorf("%s: a name that is not allowed, or there twice", c.Name)
		}
		names[c.Name] = true
		total += characters(c.Name)
		text(c.Name, c.Description)
		options(c.Name, c.Options, 0)
		if total > 8000 {
			t.Errorf("%s has %d characters", c.Name, total)
		}
		server := []string{"leaderboard", "profile"} // which are about a server
		if want := map[bool][]int{true: {0}, false: {0, 1, 2}}[slices.Contains(server, c.Name)]; !reflect.DeepEqual(c.Contexts, want) {
			t.Errorf("%s is offered in %v", c.Name, c.Contexts)
		}
	}
	if len(names) != 15 {
		t.Errorf("commands %v", names)
	}
}

// Everything that is registered is answered.
func TestEveryCommandHasItsRoute(t *testing.T) {
	r := newRig(t)
	var walk func(path string, options []discord.Option)
	walk = func(path string, options []discord.Option) {
		subcommands := false
		for _, o := range options {
			if o.Type == discord.OptionSubcommand {
				subcommands = true
				walk(path+"/"+o.Name, o.Options)
			}
			if _, _, ok := r.bot.router.find(onSuggest, path+"/"+o.Name); o.Autocomplete && !ok {
				t.Errorf("%s %s: autocomplete is %v, its route %v", path, o.Name, o.Autocomplete, ok)
			}
		}
		if _, _, ok := r.bot.router.find(onCommand, path); ok == subcommands {
			t.Errorf("%s: route %v", path, ok)
		}
	}
	for _, c := range r.bot.commands() {
		if c.Type == discord.CommandUser {
			c.Name = "user/" + strings.ToLower(c.Name)
		}
		walk(c.Name, c.Options)
	}
}

func TestOption(t *testing.T) {
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
		{"few numbers", engine.Option{Kind: engine.Int, Least: 5, Most: 21, Step: 2}, discord.Option{Type: discord.OptionInteger, Choices: numbers(5, 21, 2)}},
		{"25 numbers", engine.Option{Kind: engine.Int, Least: 1, Most: 25}, discord.Option{Type: discord.OptionInteger, Choices: numbers(1, 25, 1)}},
		{"26 numbers", engine.Option{Kind: engine.Int, Least: 1, Most: 26}, discord.Option{Type: discord.OptionInteger, MinValue: ref(1), MaxValue: ref(26)}},
		{"yes or no", engine.Option{Kind: engine.Bool}, discord.Option{Type: discord.OptionBoolean}},
		{"a choice", engine.Option{Kind: engine.Choice, Choices: []string{"a", "b"}}, discord.Option{Type: discord.OptionString, Choices: []discord.Choice{{Name: "a", Value: "a"}, {Name: "b", Value: "b"}}}},
		{"a set", engine.Option{Kind: engine.Set, Choices: []string{"a", "b"}}, discord.Option{Type: discord.OptionString, Autocomplete: true, MaxLength: 200}},
	} {
		c.in.Key, c.want.Name, c.want.Description = "key", "key", "words"
		if got := option(c.in, "words"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "abc": "abc", strings.Repeat("ä", 100): strings.Repeat("ä", 100), strings.Repeat("ä", 101): strings.Repeat("ä", 99) + "…",
	} {
		if got := short(in); got != want {
			t.Errorf("%d characters became %q", len([]rune(in)), got)
		}
	}
}

func TestReadingInteractions(t *testing.T) {
	r := newRig(t)
	read := func(i *discordgo.Interaction) *Request {
		t.Helper()
		q, err := r.bot.read(i)
		must(t, err)
		return q
	}
	i := r.interaction(anna, discordgo.InteractionApplicationCommand)
	data := challengeData(ben, map[string]any{"size": 7.0, "rated": true, "first": "me"})
	data.Resolved.Members = map[string]*discordgo.Member{ben.ID: {Nick: "Benny"}}
	i.Data = data
	q := read(i)
	if q.path != "challenge/trails" || q.kind != onCommand || q.Person != anna || q.Place != here || q.Cause().Interaction != i.ID {
		t.Errorf("%+v", q)
	}
	if q.text("size") != "7" || q.text("rated") != "true" || q.text("first") != "me" || q.text("opponent") != ben.ID || q.text("none") != "" {
		t.Errorf("options %v", q.options)
	}
	if p := q.people[ben.ID]; p.Name != "Benny" || p.bot {
		t.Errorf("%+v", p)
	}
	if q := read(r.suggest(ben, "move", "match", "7", "turn", "u")); q.path != "move/turn" || q.kind != onSuggest {
		t.Errorf("%s %s", q.kind, q.path)
	}
	if q := read(r.click(ben, "8000", "match/1")); q.path != "match/1" || q.Message != "8000" {
		t.Errorf("%s on %s", q.path, q.Message)
	}
	direct := r.click(ben, "", "x")
	direct.Member, direct.User, direct.Message = nil, &discordgo.User{ID: "44", GlobalName: "Dora", Username: "dora_1"}, nil
	if q := read(direct); q.Person != (storage.Person{ID: "44", Name: "Dora"}) || q.Message != "" {
		t.Errorf("%+v", q)
	}
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct{ nick, global, user, want string }{
		{"Nick", "Global", "user", "Nick"}, {"", "Global", "user", "Global"}, {" ", "\n", "user", "user"}, {"", "", "", "5"},
	} {
		if got := nameOf(&discordgo.User{ID: "5", GlobalName: c.global, Username: c.user}, c.nick); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestNumbersInPathsAndOptions(t *testing.T) {
	q := &Request{values: map[string]string{}, options: map[string]any{}}
	if _, given, err := q.match(); given || err != nil {
		t.Errorf("no number: %v %v", given, err)
	}
	for s, want := range map[string]int64{
		"7": 7, "9223372036854775807": 1<<63 - 1, "0": 0, "-1": 0, "9223372036854775808": 0, "x": 0, "1.5": 0, " 1": 0, "٣": 0,
	} {
		q.values = map[string]string{"match": s, "challenge": s}
		id, _, err := q.match()
		ch, errChallenge := q.challenge()
		if int64(id) != want || int64(ch) != want || (err != nil) != (want == 0) || (errChallenge != nil) != (want == 0) {
			t.Errorf("%q: %d %v, %d %v", s, id, err, ch, errChallenge)
		}
	}
	for s, want := range map[string]int{"0": 0, "12": 12, "-1": -1, "x": -1, "": -1, "99999999999999999999": -1} {
		q.values = map[string]string{"match": "3", "seq": s}
		if id, n, err := q.moment(); (err != nil) != (want < 0) || err == nil && (id != 3 || n != want) {
			t.Errorf("seq %q: match %d, %d, %v", s, id, n, err)
		}
	}
	q.values, q.options["match"] = nil, 7.0
	if id, given, err := q.match(); id != 7 || !given || err != nil {
		t.Errorf("as an option: %d %v %v", id, given, err)
	}
}
