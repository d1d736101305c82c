package handlers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/account"
	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/storage"
)

func TestOpenTable(t *testing.T) {
	robot := &discordgo.User{ID: "99", Username: "Robot", Bot: true}
	for _, c := range []struct {
		name     string
		options  map[string]any
		posts    string // beginning of the post; empty if the challenge is refused
		says     string // text of the response
		notifies string
	}{
		{"nobody named: as many seats as possible", map[string]any{},
			"**Anna** opens a table for **Counters** · 1 of 6 seats taken\n● <@11>\n◆ *free*\n▲ *free*\n■ *free*\n✚ *free*\n▼ *free*\n", "I’ve posted your table", ""},
		{"more seats than people named", map[string]any{"opponent2": "22", "players": 4.0, "counters": 7.0},
			"**Anna** opens a table for **Counters** · 1 of 4 seats taken\n● <@11>\n◆ reserved for <@22>\n▲ *free*\n■ *free*\n-# 2 piles of 7 · rated · starts when every seat is taken, or when Anna presses Start; the order of play is random", "I’ve posted your table", "22"},
		{"one opponent alone is challenged", map[string]any{"opponent": "22"}, "**Anna** challenges <@22> to **Counters**", "Ben has been asked", "22"},
		{"a bot", map[string]any{"opponent": "22", "opponent2": "99"}, "", "You can’t challenge other bots", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bottest.New(t, bottest.Options{})
			got := r.Serve(r.Subcommand(anna, "challenge", "sample", c.options, bottest.User(anna), bottest.User(ben), robot))
			answer := got[len(got)-1]
			if !answer.Private() || !strings.Contains(answer.Text(), c.says) {
				t.Errorf("answer: %s", answer.Text())
			}
			if c.posts == "" {
				if len(got) != 1 {
					t.Errorf("%v", got)
				}
				return
			}
			users := `"allowed_mentions":{"parse":[]`
			if c.notifies != "" {
				users += `,"users":["` + strings.ReplaceAll(c.notifies, " ", `","`) + `"]`
			}
			if len(got) != 2 || !strings.HasPrefix(got[0].Text(), c.posts) || got[0].Files != 1 || !strings.Contains(got[0].Body, users+"}") {
				t.Errorf("%v: %s", got, got[0].Body)
			}
		})
	}
}

// table opens a table of Anna's whose message is 9001.
func table(r *bottest.Rig, seats int, invited ...storage.Person) storage.Challenge {
	r.T.Helper()
	ch, err := r.Bot.Publisher.ShowChallenge(r.T.Context(), r.Table(seats, invited...).ID)
	must(r.T, err)
	r.Take()
	return ch
}

func challengeID(ch storage.Challenge, verb string) string {
	return fmt.Sprintf("challenge/%d/%s", ch.ID, verb)
}

// Two clicks on a table at the same time are answered in order: the second waits
// until the response to the first has been sent.
func TestTableResponsesAreSentInOrder(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	ch := table(r, 6)
	for range 20 {
		done := make(chan struct{})
		for _, p := range []storage.Person{ben, chloe, dora, emil} {
			for _, verb := range []string{"join", "leave"} {
				i := r.Click(p, "9001", challengeID(ch, verb))
				go func() { r.Bot.Serve(t.Context(), i); done <- struct{}{} }()
			}
		}
		for range 8 {
			<-done
		}
		var last discordtest.Request
		for _, s := range r.Take() {
			if s.Type == 7 {
				last = s
			}
		}
		now, err := r.Host.FindChallenge(t.Context(), ch.ID)
		must(t, err)
		if want := fmt.Sprintf("%d of 6 seats taken", len(now.Joined)); now.ShownRevision != now.Revision || last.Body != "" && !strings.Contains(last.Text(), want) {
			t.Fatalf("revision %d of %d is shown; %s; want %s", now.ShownRevision, now.Revision, last.Text(), want)
		}
	}
}

// onUser returns a choice in the context menu of a user.
func onUser(r *bottest.Rig, p, target storage.Person, bot bool) *discordgo.Interaction {
	i := r.Of(p, discordgo.InteractionApplicationCommand)
	i.Data = discordgo.ApplicationCommandInteractionData{
		Name: "Challenge", CommandType: discordgo.UserApplicationCommand, TargetID: target.ID,
		Resolved: &discordgo.ApplicationCommandInteractionDataResolved{Users: map[string]*discordgo.User{
			target.ID: {ID: target.ID, Username: target.Name, Bot: bot},
		}, Members: map[string]*discordgo.Member{target.ID: {}}},
	}
	return i
}

func TestChallengeFromContextMenu(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	slash := storage.Person{ID: "1120000000000000012", Name: "Ben / *B*"}
	got := r.Serve(onUser(r, anna, slash, false))
	if len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), `play against **Ben / \*B\***?`) {
		t.Fatalf("%v: %s", got, got[0].Body)
	}
	id := "duel/trails/" + slash.ID + "/" + slash.Name
	if !strings.Contains(got[0].Body, `"`+id+`"`) {
		t.Fatalf("no button %s: %s", id, got[0].Body)
	}
	got = r.Serve(r.Click(anna, "8000", id))
	if discordtest.Summary(got) != postHere+", callback 7" || !strings.Contains(got[0].Text(), "**Anna** challenges <@"+slash.ID+"> to **Trails") ||
		!strings.Contains(got[0].Body, `"users":["`+slash.ID+`"]`) || !strings.Contains(got[1].Text(), `Ben / \*B\* has been asked`) {
		t.Errorf("%v: %s\n%s", got, got[0].Body, got[1].Body)
	}
	for want, i := range map[string]*discordgo.Interaction{
		"You can’t challenge yourself":   onUser(r, anna, anna, false),
		"You can’t challenge other bots": onUser(r, anna, storage.Person{ID: "99", Name: "Robot"}, true),
		"There’s no such game":           r.Click(anna, "8000", "duel/chess/22/Ben"),
	} {
		if got := r.Serve(i); len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), want) {
			t.Errorf("%v: %s, want %s", got, got[0].Text(), want)
		}
	}
}

// opened has Anna make n open challenges, whose messages are 9101 and so on.
func opened(r *bottest.Rig, n int) (all []storage.Challenge) {
	r.T.Helper()
	for i := range n {
		r.Plan(discordtest.Created(fmt.Sprint(9101 + i)))
		ch, err := r.Bot.Publisher.ShowChallenge(r.T.Context(), r.Table(4).ID)
		must(r.T, err)
		all = append(all, ch)
	}
	r.Take()
	return all
}

// A challenge whose message was deleted does not keep its maker from another one.
func TestChallengesWithoutMessage(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	open := opened(r, 9)
	r.Advance(time.Hour) // those made within the window do not count
	open = append(open, opened(r, 1)...)
	challenge := func() discordtest.Request { return r.ServeLast(r.Subcommand(anna, "challenge", "trails", nil)) }
	if got := challenge(); !strings.Contains(got.Text(), "10 of your challenges are waiting") {
		t.Fatalf("%s", got.Text())
	}
	r.Plan(discordtest.OK, discordtest.UnknownMessage, discordtest.BadGateway)
	if got := challenge(); !strings.Contains(got.Text(), "I’ve posted your open challenge") {
		t.Fatalf("%s", got.Text())
	}
	for i, want := range map[int]storage.ChallengeState{0: storage.ChallengeOpen, 1: storage.ChallengeCancelled, 2: storage.ChallengeOpen} {
		if ch, err := r.Host.FindChallenge(t.Context(), open[i].ID); err != nil || ch.State != want {
			t.Errorf("challenge %d is %s (%v), want %s", i, ch.State, err, want)
		}
	}
	// One that cannot be edited is withdrawn, too.
	ch, _ := r.Join(open[3], ben)
	r.Plan(discordtest.UnknownMessage)
	_, err := r.Bot.Publisher.ShowChallenge(t.Context(), ch.ID)
	must(t, err)
	if ch, err = r.Host.FindChallenge(t.Context(), ch.ID); err != nil || ch.State != storage.ChallengeCancelled {
		t.Errorf("it is %s (%v)", ch.State, err)
	}
}

// Games lists a person's own open challenges, which they can withdraw from there.
func TestWithdrawFromGames(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	open := opened(r, 3)
	r.Plan(discordtest.OK, discordtest.UnknownMessage)
	list := r.ServeLast(r.Command(anna, "games"))
	if ids := strings.Join(list.CustomIDs(), " "); strings.Contains(ids, challengeID(open[1], "withdraw")) || !strings.Contains(ids, challengeID(open[2], "withdraw")) {
		t.Errorf("buttons %s", ids)
	}
	for _, c := range []struct {
		by   storage.Person
		want storage.ChallengeState
	}{{ben, storage.ChallengeOpen}, {anna, storage.ChallengeCancelled}, {anna, storage.ChallengeCancelled}} {
		i := r.Click(c.by, "8000", challengeID(open[2], "withdraw"))
		i.ChannelID = "71"
		got := r.ServeLast(i)
		ch, err := r.Host.FindChallenge(t.Context(), open[2].ID)
		must(t, err)
		if got.Type != 7 || !strings.Contains(got.Text(), "Your matches") || ch.State != c.want {
			t.Errorf("%s: it is %s, want %s: %s", c.by.Name, ch.State, c.want, got.Text())
		}
	}
	if ids := strings.Join(r.ServeLast(r.Command(ben, "games")).CustomIDs(), " "); strings.Contains(ids, "withdraw") {
		t.Errorf("Ben sees %s", ids)
	}
}

// Channels that were deleted no longer count, and those in which the bot may not write
// are refused.
func TestAllowedChannels(t *testing.T) {
	gone := discordtest.Refusal(404, discord.CodeUnknownChannel)
	r := bottest.New(t, bottest.Options{})
	manage := func(i *discordgo.Interaction) *discordgo.Interaction {
		i.Member.Permissions = discord.PermissionManageGuild
		return i
	}
	allow := func(channels ...string) {
		_, err := account.New(r.Host).ChangeSettings(t.Context(), "1", func(g *storage.GuildSettings) { g.Channels = channels })
		must(t, err)
	}
	allow("70", "71")
	challenge := func() string { return r.ServeLast(r.Subcommand(anna, "challenge", "trails", nil)).Text() }
	r.Plan(gone, discordtest.OK)
	if got := challenge(); !strings.Contains(got, "They can be started here: <#71>") || strings.Contains(got, "<#70>") {
		t.Errorf("with one channel deleted: %s", got)
	}
	r.Plan(gone)
	if got := challenge(); !strings.Contains(got, "I’ve posted") {
		t.Errorf("with all channels deleted: %s", got)
	}
	pick := func(channel string, answer discordtest.Answer) discordtest.Request {
		r.Plan(answer)
		return r.ServeLast(manage(r.Pick(anna, "8000", "settings/channels/menu", channel)))
	}
	if got := pick("72", discordtest.MissingPermissions); !got.Private() || !strings.Contains(got.Text(), "I may not write in <#72>") {
		t.Errorf("%s", got.Text())
	}
	if got := pick("73", discordtest.NoContent); got.Type != 7 || !strings.Contains(got.Body, `"id":"73"`) {
		t.Errorf("%s", got.Body)
	}
	r.Plan(gone)
	if got := r.ServeLast(manage(r.Command(anna, "settings"))); strings.Contains(got.Body, `"id":"73"`) {
		t.Errorf("the deleted channel is shown: %s", got.Body)
	}
}
