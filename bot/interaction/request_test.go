package interaction

import (
	"errors"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/host"
	"castellan/storage"
)

func TestParse(t *testing.T) {
	k := newKit(t, none)
	parse := func(i *discordgo.Interaction) *Request {
		t.Helper()
		r, err := k.parse(i)
		must(t, err)
		return r
	}
	i := k.Subcommand(anna, "challenge", "trails", map[string]any{"opponent": "22", "size": 7.0, "rated": true, "first": "me"},
		&discordgo.User{ID: "22", Username: "Ben"}, &discordgo.User{ID: "99", Username: "Robot", Bot: true})
	i.Data.(discordgo.ApplicationCommandInteractionData).Resolved.Members = map[string]*discordgo.Member{"22": {Nick: "Benny"}}
	r := parse(i)
	if r.Path != "challenge/trails" || r.Kind != Command || r.Person != anna || r.Place != (storage.Place{Guild: "1", Channel: "2"}) ||
		r.Actor().Interaction != i.ID || r.Actor().Person != anna || r.Direct || r.NotMember {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"size": "7", "rated": "true", "first": "me", "opponent": "22", "none": ""} {
		if got := r.Option(name); got != want {
			t.Errorf("option %s is %q", name, got)
		}
	}
	if u := r.Users["22"]; u.Name != "Benny" || u.Bot || !r.Users["99"].Bot {
		t.Errorf("%+v", r.Users)
	}
	if r := parse(k.Suggest(anna, "move", "match", "7", "turn", "u")); r.Path != "move/turn" || r.Kind != Autocomplete {
		t.Errorf("%s %s", r.Kind, r.Path)
	}
	if r := parse(k.Click(anna, "8000", "match/1")); r.Path != "match/1" || r.Message != "8000" || r.Kind != Component {
		t.Errorf("%s on %s", r.Path, r.Message)
	}
	user := k.Of(anna, discordgo.InteractionApplicationCommand)
	user.Data = discordgo.ApplicationCommandInteractionData{Name: "Challenge", CommandType: discordgo.UserApplicationCommand, TargetID: "22"}
	if r := parse(user); r.Path != "user/challenge" || r.Target != "22" {
		t.Errorf("%s of %s", r.Path, r.Target)
	}
}

// Where a request comes from: a guild that has installed the bot or not, direct
// messages with the bot, or people's private channels.
func TestParsePlace(t *testing.T) {
	k := newKit(t, none)
	owners := func(n discordgo.ApplicationIntegrationType) map[discordgo.ApplicationIntegrationType]string {
		return map[discordgo.ApplicationIntegrationType]string{n: "1"}
	}
	for _, c := range []struct {
		name              string
		change            func(*discordgo.Interaction)
		notMember, direct bool
	}{
		{"a guild", func(*discordgo.Interaction) {}, false, false},
		{"a guild that has installed the bot", func(i *discordgo.Interaction) {
			i.AuthorizingIntegrationOwners = owners(discordgo.ApplicationIntegrationGuildInstall)
		}, false, false},
		{"a guild that has not", func(i *discordgo.Interaction) {
			i.AuthorizingIntegrationOwners = owners(discordgo.ApplicationIntegrationUserInstall)
		}, true, false},
		{"direct messages", func(i *discordgo.Interaction) { i.GuildID, i.Context = "", discordgo.InteractionContextBotDM }, false, true},
		{"a private channel", func(i *discordgo.Interaction) { i.GuildID, i.Context = "", discordgo.InteractionContextPrivateChannel }, false, false},
	} {
		i := k.of(Command)
		c.change(i)
		if r, err := k.parse(i); err != nil || r.NotMember != c.notMember || r.Direct != c.direct {
			t.Errorf("%s: not a member %v, direct %v, %v", c.name, r.NotMember, r.Direct, err)
		}
	}
	direct := k.Click(anna, "", "x")
	direct.Member, direct.User, direct.Message = nil, &discordgo.User{ID: "44", GlobalName: "Dora", Username: "dora_1"}, nil
	if r, err := k.parse(direct); err != nil || r.Person != (storage.Person{ID: "44", Name: "Dora"}) || r.Message != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestMatchNumber(t *testing.T) {
	r := &Request{options: map[string]any{}}
	if _, given, err := r.Match(); given || err != nil {
		t.Errorf("no number: %v %v", given, err)
	}
	for s, want := range map[string]int64{
		"7": 7, "9223372036854775807": 1<<63 - 1, "0": 0, "-1": 0, "9223372036854775808": 0, "x": 0, "1.5": 0, " 1": 0, "٣": 0,
	} {
		r.Values = map[string]string{"match": s}
		if id, _, err := r.Match(); int64(id) != want || errors.Is(err, host.ErrNoMatch) != (want == 0) {
			t.Errorf("%q: %d %v", s, id, err)
		}
	}
	r.Values, r.options["match"] = nil, 7.0
	if id, given, err := r.Match(); id != 7 || !given || err != nil {
		t.Errorf("as an option: %d %v %v", id, given, err)
	}
}
