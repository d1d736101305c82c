package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

var (
	dora = storage.Person{ID: "44", Name: "Dora"}
	emil = storage.Person{ID: "55", Name: "Emil"}
)

// table is a lobby of Anna's for the sample game.
func (r *rig) table(seats int, named ...storage.Person) storage.Challenge {
	r.t.Helper()
	ch, err := r.host.Challenge(context.Background(), r.cause(anna), host.Offer{Place: here, Opponents: named, Seats: seats, Game: "sample"})
	must(r.t, err)
	return ch
}

// begun is a match of the first n of Anna, Ben, Chloe, Dora and Emil.
func (r *rig) begun(n int) *host.View {
	r.t.Helper()
	ch := r.table(n)
	var v *host.View
	for _, p := range []storage.Person{ben, chloe, dora, emil}[:n-1] {
		var err error
		_, v, err = r.host.Join(context.Background(), r.cause(p), ch.ID)
		must(r.t, err)
	}
	return v
}

// seatsCommand is /challenge sample with options, people among them resolved.
func seatsCommand(options map[string]any, people ...*discordgo.User) discordgo.ApplicationCommandInteractionData {
	var all []*discordgo.ApplicationCommandInteractionDataOption
	for name, v := range options {
		all = append(all, &discordgo.ApplicationCommandInteractionDataOption{Name: name, Value: v})
	}
	data := discordgo.ApplicationCommandInteractionData{
		Name:     "challenge",
		Options:  []*discordgo.ApplicationCommandInteractionDataOption{{Name: "sample", Type: discordgo.ApplicationCommandOptionSubCommand, Options: all}},
		Resolved: &discordgo.ApplicationCommandInteractionDataResolved{Users: map[string]*discordgo.User{}},
	}
	for _, p := range people {
		data.Resolved.Users[p.ID] = p
	}
	return data
}

func TestTableByCommand(t *testing.T) {
	user := func(p storage.Person) *discordgo.User { return &discordgo.User{ID: p.ID, Username: p.Name} }
	robot := &discordgo.User{ID: "99", Username: "Robot", Bot: true}
	for _, c := range []struct {
		name    string
		options map[string]any
		posts   string // the first lines of the post; empty where it is refused
		says    string // to the person
		tells   string
	}{
		{"nobody named: as many seats as can be", map[string]any{},
			"**Anna** opens a table for **Counters** · 1 of 6 seats taken\n● <@11>\n◆ *free*\n▲ *free*\n■ *free*\n✚ *free*\n▼ *free*\n", "Your table is open", ""},
		{"a seat for each who is named", map[string]any{"opponent": "22", "opponent3": "33"},
			"**Anna** opens a table for **Counters** · 1 of 3 seats taken\n● <@11>\n◆ kept for <@22>\n▲ kept for <@33>\n", "Your table is open", "22 33"},
		{"more seats than are named", map[string]any{"opponent2": "22", "players": 4.0, "counters": 7.0},
			"**Anna** opens a table for **Counters** · 1 of 4 seats taken\n● <@11>\n◆ kept for <@22>\n▲ *free*\n■ *free*\n-# piles 2 · counters 7 · most 3 · rated · who sits where", "Your table is open", "22"},
		{"one opponent alone is asked as ever", map[string]any{"opponent": "22"}, "**Anna** challenges <@22> to **Counters**", "Ben has been asked", "22"},
		{"a bot", map[string]any{"opponent": "22", "opponent2": "99"}, "", "Bots do not play by challenge", ""},
		{"oneself", map[string]any{"opponent": "22", "opponent2": "11"}, "", "cannot challenge yourself", ""},
		{"somebody twice", map[string]any{"opponent": "22", "opponent2": "22"}, "", "somebody twice", ""},
		{"more than seats", map[string]any{"opponent": "22", "opponent2": "33", "players": 2.0}, "", "more people than there are seats", ""},
		{"more players than can be", map[string]any{"players": 7.0}, "", "for 2 to 6 players", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			i := r.command(anna, "challenge")
			i.Data = seatsCommand(c.options, user(anna), user(ben), user(chloe), robot)
			got := r.serve(i)
			answer := got[len(got)-1]
			if !answer.private() || !strings.Contains(answer.text(), c.says) || strings.Contains(answer.text(), "Something went wrong") {
				t.Errorf("answer: %s", answer.text())
			}
			if c.posts == "" {
				if len(got) != 1 {
					t.Errorf("%s", inShort(got))
				}
				return
			}
			users := `"allowed_mentions":{"parse":[]`
			if c.tells != "" {
				users += `,"users":["` + strings.ReplaceAll(c.tells, " ", `","`) + `"]`
			}
			if len(got) != 2 || !strings.HasPrefix(got[0].text(), c.posts) || got[0].files != 1 || !strings.Contains(got[0].body, users+"}") {
				t.Errorf("%s: %s", inShort(got), got[0].body)
			}
		})
	}
}

// labels is the buttons of a message, those that cannot be pressed in brackets.
func labels(m discord.Message) string {
	var all []string
	for _, c := range m.Components[0].(discord.Container).Components {
		if row, ok := c.(discord.ActionRow); ok {
			for _, b := range row.Buttons {
				if b.Disabled {
					b.Label = "(" + b.Label + ")"
				}
				all = append(all, b.Label)
			}
		}
	}
	return strings.Join(all, " ")
}

func TestLobbyButtons(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		name  string
		table storage.Challenge
		want  string
	}{
		{"alone", r.table(4), "Join Leave (Start) Cancel"},
		{"a seat is kept", r.table(4, ben), "Join Leave (Start) Decline Cancel"},
		{"enough for the game", func() storage.Challenge {
			ch, _, err := r.host.Join(t.Context(), r.cause(ben), r.table(4).ID)
			must(t, err)
			return ch
		}(), "Join Leave Start Cancel"},
	} {
		m, err := r.bot.poster.challengeMessage(t.Context(), c.table)
		must(t, err)
		if got := labels(m); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Every change is the answer to the click; the message shows it at once.
func TestClicksOnATable(t *testing.T) {
	r := newRig(t)
	ch := r.table(3, ben)
	_, err := r.bot.poster.showChallenge(t.Context(), ch.ID)
	must(t, err)
	r.take()
	for _, c := range []struct {
		who   storage.Person
		what  string
		sent  string
		lines string // of the table, or of the refusal
	}{
		{dora, "decline", "callback 4", "No seat is kept for you"},
		{chloe, "join", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@33>\n▲ kept for <@22>\n"},
		{dora, "join", "callback 4", "All seats are taken"},
		{dora, "leave", "callback 4", "You have no seat here"},
		{dora, "start", "callback 4", "Only Anna can start"},
		{dora, "cancel", "callback 4", "Only Anna can withdraw"},
		{chloe, "join", "callback 4", "You have a seat already"},
		{ben, "decline", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@33>\n▲ *free*\n"},
		{chloe, "leave", "callback 7", "1 of 3 seats taken\n● <@11>\n◆ *free*\n▲ *free*\n"},
		{anna, "start", "callback 4", "Too few seats"},
		{dora, "join", "callback 7", "2 of 3 seats taken\n● <@11>\n◆ <@44>\n▲ *free*\n"},
		{anna, "start", "POST /channels/2/messages, callback 7", "-# Anna, Dora play Counters: match 1"},
		{chloe, "join", "callback 4", "begun already"},
	} {
		got := r.serve(r.click(c.who, "9001", challengeID(ch.ID, c.what)))
		last := got[len(got)-1]
		if inShort(got) != c.sent || !strings.Contains(last.text(), c.lines) || last.private() != strings.HasSuffix(c.sent, "4") {
			t.Errorf("%s %s: %s, %s", c.who.Name, c.what, inShort(got), last.text())
		}
		if now, err := r.host.FindChallenge(t.Context(), ch.ID); err != nil || now.Shown != now.Revision || now.Message != "9001" {
			t.Errorf("%s %s: revision %d is shown of %d, in message %s, %v", c.who.Name, c.what, now.Shown, now.Revision, now.Message, err)
		}
	}
}

// A change whose answer does not arrive is brought into the message by the
// reconciler, and by no other delivery of the same click.
func TestTableThatIsBehind(t *testing.T) {
	r := newRig(t)
	ch := r.table(4)
	_, err := r.bot.poster.showChallenge(t.Context(), ch.ID)
	must(t, err)
	join := r.click(ben, "9001", challengeID(ch.ID, "join"))
	r.answers(deadOne)
	r.serve(join)
	r.answers(answeredTwo)
	if got := r.serve(join); inShort(got) != "callback 7" {
		t.Errorf("again: %s", inShort(got))
	}
	now, err := r.host.FindChallenge(t.Context(), ch.ID)
	if err != nil || now.Revision != 1 || now.Shown != 0 {
		t.Errorf("%+v, %v", now, err)
	}
	r.bot.look(t.Context())
	got := r.take()
	if inShort(got) != "PATCH /channels/2/messages/9001" || !strings.Contains(got[0].text(), "2 of 4 seats taken\n● <@11>\n◆ <@22>\n") || got[0].files != 1 {
		t.Errorf("%s: %s", inShort(got), got[0].body)
	}
	r.bot.look(t.Context())
	if got := r.take(); len(got) != 0 {
		t.Errorf("it is shown: %s", inShort(got))
	}
}

// A table that changes before its first post is confirmed is posted and edited:
// the post may be the one of then.
func TestTableThatChangesBeforeItIsPosted(t *testing.T) {
	r := newRig(t)
	ch := r.table(4, ben)
	_, _, err := r.host.Join(t.Context(), r.cause(ben), ch.ID)
	must(t, err)
	r.bot.look(t.Context())
	if got := r.take(); inShort(got) != "POST /channels/2/messages, PATCH /channels/2/messages/9001" || !strings.Contains(got[1].text(), "2 of 4") {
		t.Errorf("%s", inShort(got))
	}
}

// Of two answers to a table that are under way the older cannot arrive last:
// the second click waits until the first one's answer is sent.
func TestAnswersToATableAreSentInOrder(t *testing.T) {
	r := newRig(t)
	ch := r.table(6)
	_, err := r.bot.poster.showChallenge(t.Context(), ch.ID)
	must(t, err)
	for range 20 {
		done := make(chan struct{})
		for _, p := range []storage.Person{ben, chloe, dora, emil} {
			for _, verb := range []string{"join", "leave"} {
				i := r.click(p, "9001", challengeID(ch.ID, verb))
				go func() { r.bot.serve(context.Background(), i); done <- struct{}{} }()
			}
		}
		for range 8 {
			<-done
		}
		var last sent
		for _, s := range r.take() {
			if s.typ == 7 {
				last = s
			}
		}
		now, err := r.host.FindChallenge(t.Context(), ch.ID)
		must(t, err)
		if want := fmt.Sprintf("%d of 6 seats taken", len(now.Joined)); now.Shown != now.Revision || last.body != "" && !strings.Contains(last.text(), want) {
			t.Fatalf("revision %d is shown of %d; %s; want %s", now.Shown, now.Revision, last.text(), want)
		}
	}
}

// Where three or more begin all are told, once; later boards tell the next.
func TestWhoIsToldThatAMatchOfSeveralBegins(t *testing.T) {
	r := newRig(t)
	v := r.begun(4)
	var people []string
	for i, p := range v.Record.Seats {
		people = append(people, v.Game.Colours(4)[i].Mark()+"\u00a0"+mention(p.ID))
	}
	if got := concerned(v, v.Match); !slices.Equal(slices.Sorted(slices.Values(got)), []string{anna.ID, ben.ID, chloe.ID, dora.ID}) {
		t.Errorf("told: %v", got)
	}
	if got, want := r.show(v, true), "The match begins. The order of play: "+strings.Join(people, ", "); !strings.Contains(got, strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(want)) {
		t.Errorf("%s", got)
	}
	// The first board never reached the channel, and is superseded.
	late := r.act(v, "a1 end")
	if got := concerned(late, late.Match); len(got) != 4 {
		t.Errorf("told late: %v", got)
	}
	must(t, r.host.BoardPosted(t.Context(), late.Board.ID, "555"))
	next := r.act(late, "a1 end")
	if got := concerned(next, next.Match); !slices.Equal(got, []string{next.Person(3).ID}) || strings.Contains(r.show(next, true), "begins") {
		t.Errorf("the next: %v", got)
	}
	if two := r.start("sample", nil); len(concerned(two, two.Match)) != 1 {
		t.Error("of two both are told")
	}
}

func TestRetirementIsSaid(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	v := r.begun(4)
	name := func(seat engine.Seat) string { return v.Person(seat).Name }
	id := func(seat engine.Seat) string { return v.Person(seat).ID }
	v = r.resign(v, 3)
	if got, want := status(say, v, v.Match), "● <@"+id(1)+"> to move · <t:1777636800:R>\n-# ▲ "+name(3)+" retired · "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	v = r.act(v, "a1 end")
	v = r.resign(v, 2) // in their own turn
	if got, want := status(say, v, v.Match), "■ <@"+id(4)+"> to move · <t:1777636800:R>\n-# 1. ● "+name(1)+": **a1** · ◆ "+name(2)+" retired · ▲ "+name(3)+" retired · "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	v = r.act(v, "a1 end")
	v = r.resign(v, 4)
	// Everybody is named at the end, with their place.
	got := status(say, v, v.Match)
	want := fmt.Sprintf("■ <@%s> resigned: ● **<@%s>** wins.\nPlaces: 1 ● <@%s> · 2 ■ <@%s> · 3 ◆ <@%s> · 4 ▲ <@%s>\nRatings: ●\u00a0<@%s> 1500? → ", id(4), id(1), id(1), id(4), id(2), id(3), id(1))
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := concerned(v, v.Match); len(got) != 3 || slices.Contains(got, id(4)) {
		t.Errorf("told: %v", got)
	}
	// What became of each board.
	for seq, want := range map[int]string{
		0: "-# ▲ " + name(3) + " retired",
		1: "-# 1. ● " + name(1) + ": **a1**",
		3: "-# ◆ " + name(2) + " retired",
		4: "-# 2. ■ " + name(4) + ": **a1**",
	} {
		if got := collapsed(say, v, seq).Components[0].(discord.TextDisplay).Content; got != want {
			t.Errorf("after entry %d: %q, want %q", seq, got, want)
		}
	}
	if got := collapsed(say, v, 6).Components[0].(discord.TextDisplay).Content; !strings.Contains(got, "resigned") {
		t.Errorf("the end: %q", got)
	}
}

func TestPlaces(t *testing.T) {
	r := newRig(t)
	say := r.bot.texts.Printer()
	three := r.begun(3)
	p := func(seat engine.Seat) string { return three.Person(seat).ID }
	for _, c := range []struct {
		ranks []int
		want  string
	}{
		{[]int{2, 1, 2}, "\nPlaces: 1 ◆ <@" + p(2) + "> · 2 ● <@" + p(1) + "> · 2 ▲ <@" + p(3) + ">"},
		{[]int{1, 1, 1}, "\nPlaces: 1 ● <@" + p(1) + "> · 1 ◆ <@" + p(2) + "> · 1 ▲ <@" + p(3) + ">"},
		{nil, ""},
	} {
		if got := places(say, three, match.Outcome{Result: engine.Result{Ranks: c.ranks}}); got != c.want {
			t.Errorf("%v: %q, want %q", c.ranks, got, c.want)
		}
	}
	two := r.start("sample", nil)
	if got := places(say, two, match.Outcome{Result: engine.Result{Ranks: []int{1, 2}}}); got != "" {
		t.Errorf("of two: %q", got)
	}
}

// One who has left is asked nothing any more.
func TestResigningOfSeveralAsksAndAnswers(t *testing.T) {
	r := newRig(t)
	v := r.begun(3)
	leaver := ben
	for _, c := range []struct {
		do   *discordgo.Interaction
		want string
	}{
		{r.command(leaver, "resign"), "Do you want to leave the match? The others play on without you."},
		{r.click(leaver, "8000", matchID(v.Record.ID, 0, "resign")), "You have left the match. The others play on."},
		{r.command(leaver, "resign"), "You have left this match."},
		{r.command(leaver, "move", "turn", "a1"), "You have left this match."},
		{r.command(anna, "resign"), "Not everybody has moved yet, so the match can be called off"},
	} {
		got := r.serve(c.do)
		if last := got[len(got)-1]; !strings.Contains(last.text(), c.want) {
			t.Errorf("%s, want %s", last.text(), c.want)
		}
	}
	// Of several matches the one that was left is not meant.
	r.start("sample", nil)
	got := r.serve(r.command(leaver, "resign"))
	if text := got[0].text(); !strings.Contains(text, "2 · Counters") || strings.Contains(text, "several") {
		t.Errorf("%s", text)
	}
}
