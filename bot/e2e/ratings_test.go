package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// elsewhere is another channel of the world's server.
func (w *world) elsewhere() storage.Place {
	all := sandbox.DefaultWorld()
	return storage.Place{Guild: all.Guild.ID, Channel: all.Channels[2].ID}
}

// beat has one person win against another in another channel, without Discord.
func (w *world) beat(game string, winner, loser storage.Person) {
	w.t.Helper()
	ctx := w.t.(*testing.T).Context()
	by := func(p storage.Person) host.Actor {
		return host.Actor{Person: p, Interaction: fmt.Sprint("past-", w.seed())}
	}
	ch, err := w.host.CreateChallenge(ctx, by(winner), host.Proposal{Place: w.elsewhere(), Opponents: []storage.Person{loser}, Game: game})
	must(w.t, err)
	_, v, err := w.host.Accept(ctx, by(loser), ch.ID)
	must(w.t, err)
	for range 2 {
		p, _ := v.ToMove()
		for moves := v.Match.Seat(); v.Match.Seat() == moves; {
			v, err = w.host.Act(ctx, by(p), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String())
			must(w.t, err)
		}
	}
	_, err = w.host.Resign(ctx, by(loser), v.Record.ID, host.AnySeq)
	must(w.t, err)
}

// turnTo presses a button of a private message and returns the message
// afterwards.
func (w *world) turnTo(p *sandbox.Person, label string) sandbox.Message {
	w.t.Helper()
	m := w.private(p)
	w.answered(p.Click(w.channel, m.ID, w.press(m, label)))
	after := w.private(p)
	if after.ID != m.ID {
		w.t.Fatalf("pressing %q made another message\n%s", label, w.transcript(p))
	}
	return after
}

// pictured returns the address of the first picture of a message, and its
// description.
func pictured(m sandbox.Message) (url, description string) {
	each(m, func(c sandbox.Component) {
		for _, item := range c.Items {
			url = item.Media.URL
			if item.Description != nil {
				description = *item.Description
			}
		}
	})
	return url, description
}

// TestLeaderboard reads a leaderboard of three pages: every page has the
// reader's own row, and the response is private.
func TestLeaderboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := []storage.Person{}
	for i := range 24 {
		people = append(people, storage.Person{ID: fmt.Sprint(2000 + i), Name: fmt.Sprintf("Player_%02d", i)})
	}
	people = append(people, storage.Person{ID: w.benID, Name: "Ben"})
	for i := 1; i < len(people); i++ {
		w.advanceClock(time.Hour)
		w.beat("trails", people[i-1], people[i])
	}
	before := len(w.anna.Messages(w.channel))

	w.answered(w.ben.Command(w.channel, "leaderboard", sandbox.Opt("game", "trails")))
	m := w.private(w.ben)
	rows := func(m sandbox.Message) int { return strings.Count(text(m), "Player\\_") }
	if s := text(m); rows(m) != 10 || !strings.Contains(s, "25 players") || !strings.Contains(s, "page 1 of 3") ||
		!strings.Contains(s, "Your row:\n**– Ben** (you)") || !strings.Contains(s, "? provisional") {
		t.Errorf("the first page:\n%s", s)
	}
	if _, ok := buttons(m)["‹ Back"]; ok {
		t.Error("before the first page is another")
	}
	if m = w.turnTo(w.ben, "Next"); rows(m) != 10 || !strings.Contains(text(m), "page 2 of 3") || !strings.Contains(text(m), "Your row:") {
		t.Errorf("the second page:\n%s", text(m))
	}
	if m = w.turnTo(w.ben, "Next"); rows(m) != 4 || !strings.Contains(text(m), "page 3 of 3") ||
		strings.Contains(text(m), "Your row:") || strings.Count(text(m), "**– Ben** (you)") != 1 {
		t.Errorf("the third page:\n%s", text(m))
	}
	if _, ok := buttons(m)["Next ›"]; ok {
		t.Error("after the last page is another")
	}
	if m = w.turnTo(w.ben, "Back"); !strings.Contains(text(m), "page 2 of 3") {
		t.Errorf("back again:\n%s", text(m))
	}
	if m = w.turnTo(w.ben, "Everywhere"); !strings.Contains(text(m), "Everywhere · 25 players") || !strings.Contains(text(m), "page 1 of 3") {
		t.Errorf("everywhere:\n%s", text(m))
	}
	if m = w.turnTo(w.ben, "Rings"); !strings.Contains(text(m), "Nobody has a rating") || !strings.Contains(text(m), "You have no rating") {
		t.Errorf("another game:\n%s", text(m))
	}
	// Without the option game, it is the game that the person has played last.
	w.answered(w.ben.Command(w.channel, "leaderboard"))
	if s := text(w.private(w.ben)); !strings.Contains(s, "Trails") || !strings.Contains(s, "In this server") {
		t.Errorf("without a game:\n%s", s)
	}
	if after := len(w.anna.Messages(w.channel)); after != before {
		t.Errorf("others see %d messages more", after-before)
	}
}

// TestProfile checks ratings with a plot, results, streaks, the balance between
// two people, and the last matches.
func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anna, ben, chloe := storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.benID, Name: "Ben"}, storage.Person{ID: w.chloeID, Name: "Chloé"}
	for _, pair := range [][2]storage.Person{{anna, ben}, {ben, anna}, {ben, chloe}, {anna, ben}, {ben, anna}, {ben, anna}} {
		w.advanceClock(30 * time.Hour)
		w.beat("trails", pair[0], pair[1])
	}
	w.beat("towers", ben, chloe)
	w.answered(w.chloe.Command(w.channel, "profile"))
	if url, _ := pictured(w.private(w.chloe)); url != "" { // she has played each game once
		t.Errorf("the plot of a single match: %s", url)
	}
	w.beat("towers", ben, chloe)

	w.answered(w.anna.Command(w.channel, "profile", sandbox.Opt("user", w.benID)))
	m := w.private(w.anna)
	s := text(m)
	for _, want := range []string{
		"<@" + w.benID + ">", "4 won, 0 drawn, 2 lost", "2 won, 0 drawn, 0 lost", "Won the last 4 matches", "longest winning streak: 4",
		"Against you they finished ahead 3×, level 0×, behind 2×", "Last matches", "Rating in Towers, after 2 matches", " → ",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not in\n%s", want, s)
		}
	}
	url, description := pictured(m)
	if !strings.Contains(url, "rating-towers-") || !strings.Contains(description, "Towers over time: now 1") {
		t.Errorf("picture %s: %s", url, description)
	}
	if m = w.turnTo(w.anna, "Trails"); !strings.Contains(text(m), "Rating in Trails and Towers, after 6 matches") {
		t.Errorf("the other game:\n%s", text(m))
	}
	if url, _ = pictured(m); !strings.Contains(url, "rating-trails-") {
		t.Errorf("picture %s", url)
	}
	// A person's own profile, and the profile of a person who has not played.
	w.answered(w.ben.Command(w.channel, "profile"))
	if s := text(w.private(w.ben)); !strings.Contains(s, "<@"+w.benID+">") || strings.Contains(s, "Against you") {
		t.Errorf("one's own:\n%s", s)
	}
	w.answered(w.chloe.Command(w.channel, "profile", sandbox.Opt("user", sandbox.DefaultWorld().Users[3].ID)))
	if s := text(w.private(w.chloe)); !strings.Contains(s, "No finished matches yet") {
		t.Errorf("of who has not played:\n%s", s)
	}
}

// TestMatchLists checks the lists of matches: those that wait for the reader
// come first, with a link to the board.
func TestMatchLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.anna.Command(w.channel, "games"))
	if s := text(w.private(w.anna)); !strings.Contains(s, "You are not playing a match") {
		t.Errorf("at the start:\n%s", s)
	}
	var all []storage.MatchID
	for range 3 {
		w.advanceClock(time.Minute)
		all = append(all, w.startQuick("trails"))
	}
	waits := ""
	for _, id := range all {
		if p, _ := w.view(id).ToMove(); p.ID == w.annaID {
			waits += fmt.Sprintf(" %d", id)
		}
	}
	w.answered(w.anna.Command(w.channel, "games"))
	m := w.private(w.anna)
	var order string
	seen := 0
	for _, line := range strings.Split(text(m), "\n")[1:] {
		at := strings.Index(line, "match ")
		if at < 0 {
			continue
		}
		var id int
		if _, err := fmt.Sscanf(line[at:], "match %d", &id); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		seen++
		if strings.Contains(line, "Your turn") {
			order += fmt.Sprintf(" %d", id)
			if seen != strings.Count(order, " ") {
				t.Errorf("what waits is not first:\n%s", text(m))
			}
		}
		if board := w.view(storage.MatchID(id)).Board; !strings.Contains(line, "/"+board.Message+")") || board.Message == "" {
			t.Errorf("%q does not lead to board %s", line, board.Message)
		}
	}
	if order != waits || seen != 3 {
		t.Errorf("waiting are%s, the list has%s:\n%s", waits, order, text(m))
	}
	w.answered(w.chloe.Command(w.channel, "games", sandbox.Opt("list", "channel")))
	if s := text(w.private(w.chloe)); strings.Count(s, "to move") != 3 || !strings.Contains(s, "Anna") || !strings.Contains(s, "Ben") {
		t.Errorf("of the channel:\n%s", s)
	}
	for range 9 {
		w.advanceClock(11 * time.Minute)
		w.beat("trails", storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.chloeID, Name: "Chloé"})
	}
	if m = w.turnTo(w.anna, "Finished"); strings.Count(text(m), "**won**") != 8 || !strings.Contains(text(m), "page 1 of 2") {
		t.Errorf("finished:\n%s", text(m))
	}
	if m = w.turnTo(w.anna, "Next"); strings.Count(text(m), "**won**") != 1 || !strings.Contains(text(m), "1500? → 1662?") {
		t.Errorf("the second page:\n%s", text(m))
	}
	if m = w.turnTo(w.anna, "This channel"); strings.Count(text(m), "to move") != 3 {
		t.Errorf("of the channel:\n%s", text(m))
	}
}

// TestRatingsOnLastBoard checks that the last board says what a rated match did
// to the ratings, and that it counts less if the two have met often lately.
func TestRatingsOnLastBoard(t *testing.T) {
	const less = "counts 1/2: number 4 of the rated matches between these two within seven days"
	for _, c := range []struct {
		name    string
		before  int // matches of the same two
		options []sandbox.CommandOption
		words   string
		rated   bool
	}{
		{"rated unless told", 0, nil, " · rated · ", true},
		{"unrated", 0, []sandbox.CommandOption{sandbox.Opt("rated", false)}, " · unrated · ", false},
		{"often", 3, nil, " · rated · ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for range c.before {
				w.beat("trails", storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.benID, Name: "Ben"})
			}
			options := append([]sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me")}, c.options...)
			offer := w.offerOf("trails", options...)
			if !strings.Contains(text(offer), c.words) {
				t.Errorf("the challenge does not say%s:\n%s", c.words, text(offer))
			}
			w.answered(w.ben.Click(w.channel, offer.ID, w.press(offer, "Accept")))
			w.click(w.anna, "Right")
			w.click(w.ben, "Left")
			w.answered(w.anna.Command(w.channel, "resign"))
			w.answered(w.anna.Click(w.channel, w.private(w.anna).ID, w.press(w.private(w.anna), "Resign")))
			all := ""
			for _, m := range w.chloe.Messages(w.channel) {
				all += text(m) + "\n"
			}
			n := strings.Count(all, "Ratings: ")
			if first := strings.Contains(all, "<@"+w.benID+"> 1500? → 1662?"); c.rated && n != 1 || !c.rated && n != 0 ||
				first != (c.rated && c.before == 0) || strings.Contains(all, less) != (c.before == 3) {
				t.Errorf("the channel says it %d times:\n%s", n, all)
			}
		})
	}
}
