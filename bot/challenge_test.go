package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/bottest"
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
			"**Anna** opens a table for **Counters** · 1 of 6 seats taken\n● <@11>\n◆ *free*\n▲ *free*\n■ *free*\n✚ *free*\n▼ *free*\n", "I have posted your table", ""},
		{"a seat for each person named", map[string]any{"opponent": "22", "opponent3": "33"},
			"**Anna** opens a table for **Counters** · 1 of 3 seats taken\n● <@11>\n◆ reserved for <@22>\n▲ reserved for <@33>\n", "I have posted your table", "22 33"},
		{"more seats than people named", map[string]any{"opponent2": "22", "players": 4.0, "counters": 7.0},
			"**Anna** opens a table for **Counters** · 1 of 4 seats taken\n● <@11>\n◆ reserved for <@22>\n▲ *free*\n■ *free*\n-# piles 2 · counters 7 · most 3 · rated · starts when every seat is taken, or when Anna presses Start; the order of play is random", "I have posted your table", "22"},
		{"one opponent alone is challenged", map[string]any{"opponent": "22"}, "**Anna** challenges <@22> to **Counters**", "Ben has been asked", "22"},
		{"a bot", map[string]any{"opponent": "22", "opponent2": "99"}, "", "You cannot challenge other bots", ""},
		{"oneself", map[string]any{"opponent": "22", "opponent2": "11"}, "", "cannot challenge yourself", ""},
		{"somebody twice", map[string]any{"opponent": "22", "opponent2": "22"}, "", "somebody twice", ""},
		{"more people than seats", map[string]any{"opponent": "22", "opponent2": "33", "players": 2.0}, "", "more people than there are seats", ""},
		{"too many players", map[string]any{"players": 7.0}, "", "for 2 to 6 players", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bottest.New(t, bottest.Options{})
			got := r.Serve(r.Subcommand(anna, "challenge", "sample", c.options, bottest.User(anna), bottest.User(ben), bottest.User(chloe), robot))
			answer := got[len(got)-1]
			if !answer.Private() || !strings.Contains(answer.Text(), c.says) || strings.Contains(answer.Text(), "Something went wrong") {
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
	ch, err := r.Bot.Publisher().ShowChallenge(r.T.Context(), r.Table(seats, invited...).ID)
	must(r.T, err)
	r.Take()
	return ch
}

func challengeID(ch storage.Challenge, verb string) string {
	return fmt.Sprintf("challenge/%d/%s", ch.ID, verb)
}

// The response to each click shows the present state of the table.
func TestTableButtons(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	ch := table(r, 3, ben)
	for _, c := range []struct {
		who   storage.Person
		what  string
		sent  string
		lines string // text of the table, or of the refusal
	}{
		{dora, "decline", "callback 4", "No seat is reserved for you"},
		{chloe, "join", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@33>\n▲ reserved for <@22>\n"},
		{dora, "join", "callback 4", "All seats are taken"},
		{dora, "leave", "callback 4", "You have no seat at this table"},
		{dora, "start", "callback 4", "Only Anna can start"},
		{dora, "cancel", "callback 4", "Only Anna can withdraw"},
		{chloe, "join", "callback 4", "You already have a seat"},
		{ben, "decline", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@33>\n▲ *free*\n"},
		{chloe, "leave", "callback 7", "1 of 3 seats taken\n● <@11>\n◆ *free*\n▲ *free*\n"},
		{anna, "start", "callback 4", "Too few seats"},
		{dora, "join", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@44>\n▲ *free*\n"},
		{anna, "start", postHere + ", callback 7", "-# Anna and Dora play Counters: match 1"},
		{chloe, "join", "callback 4", "already begun"},
	} {
		got := r.Serve(r.Click(c.who, "9001", challengeID(ch, c.what)))
		last := got[len(got)-1]
		if discordtest.Summary(got) != c.sent || !strings.Contains(last.Text(), c.lines) || last.Private() != strings.HasSuffix(c.sent, "4") {
			t.Errorf("%s %s: %v, %s", c.who.Name, c.what, got, last.Text())
		}
		if now, err := r.Host.FindChallenge(t.Context(), ch.ID); err != nil || now.ShownRevision != now.Revision || now.Message != "9001" {
			t.Errorf("%s %s: revision %d of %d is shown in message %s, %v", c.who.Name, c.what, now.ShownRevision, now.Revision, now.Message, err)
		}
	}
}

// If the response to a change does not arrive, the reconciler shows the change.
// Another delivery of the same click does not.
func TestTableWhoseResponseIsLost(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	ch := table(r, 4)
	join := r.Click(ben, "9001", challengeID(ch, "join"))
	r.Plan(discordtest.UnknownInteraction)
	r.Serve(join)
	r.Plan(discordtest.AlreadyAcknowledged)
	if got := r.Serve(join); discordtest.Summary(got) != "callback 7" {
		t.Errorf("again: %v", got)
	}
	if now, err := r.Host.FindChallenge(t.Context(), ch.ID); err != nil || now.Revision != 1 || now.ShownRevision != 0 {
		t.Errorf("%+v, %v", now, err)
	}
	r.Bot.Publisher().Reconcile(t.Context())
	got := r.Take()
	if discordtest.Summary(got) != "PATCH /channels/2/messages/9001" || !strings.Contains(got[0].Text(), "2 of 4 seats taken\n● <@11>\n◆ <@22>\n") || got[0].Files != 1 {
		t.Errorf("%v: %s", got, got[0].Body)
	}
	r.Bot.Publisher().Reconcile(t.Context())
	if got := r.Take(); len(got) != 0 {
		t.Errorf("it is shown already: %v", got)
	}
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
		}},
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
}

func TestContextMenuRefusals(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	for _, c := range []struct {
		name string
		do   *discordgo.Interaction
		want string
	}{
		{"oneself", onUser(r, anna, anna, false), "You cannot challenge yourself"},
		{"another bot", onUser(r, anna, storage.Person{ID: "99", Name: "Robot"}, true), "You cannot challenge other bots"},
		{"an unknown game", r.Click(anna, "8000", "duel/chess/22/Ben"), "There is no such game"},
	} {
		if got := r.Serve(c.do); len(got) != 1 || !got[0].Private() || !strings.Contains(got[0].Text(), c.want) {
			t.Errorf("%s: %v: %s", c.name, got, got[0].Text())
		}
	}
}

// A name that contains markdown is shown literally everywhere.
func TestNamesAreHarmless(t *testing.T) {
	r := bottest.New(t, bottest.Options{})
	evil := storage.Person{ID: ben.ID, Name: "**[x](https://e.vil)** <@99> @everyone\n# `z`"}
	var all []discordtest.Request
	for _, i := range []*discordgo.Interaction{
		r.Subcommand(anna, "challenge", "trails", map[string]any{"opponent": evil.ID, "size": 5.0, "towers": 1.0, "distance": 0.0, "first": "me"}, bottest.User(evil)),
		r.Click(anna, "9001", "challenge/1/accept"), // refused: it is for Ben
		r.Click(evil, "9001", "challenge/1/accept"),
		r.Command(evil, "move", "turn", "right"), // refused: Anna's turn
		r.Command(anna, "move", "turn", "right"),
		r.Click(evil, "9001", "match/1/1/act/left"),
		r.Command(anna, "resign"),
		r.Click(anna, "9001", "match/1/2/resign"),
	} {
		all = append(all, r.Serve(i)...)
	}
	names := 0
	for _, s := range all {
		text := s.Text()
		names += strings.Count(text, "e.vil")
		for _, bad := range []string{"**[x]", "](https://e.vil", "<@99>", "\n# ", "`z`"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q in %q", s, bad, text)
			}
		}
		if strings.Contains(s.Body, `"everyone"`) || strings.Contains(s.Body, `"99"`) {
			t.Errorf("%s notifies: %s", s, s.Body)
		}
	}
	if names < 4 {
		t.Errorf("the name was seen %d times: this test looks in the wrong place", names)
	}
	if sent := discordtest.Summary(all); !strings.Contains(sent, "callback 7") || !strings.Contains(sent, postHere) {
		t.Errorf("not everything happened: %s", sent)
	}
}
