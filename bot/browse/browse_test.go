package browse_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/browse"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

var (
	anna, ben, chloe = hosttest.Anna, hosttest.Ben, hosttest.Chloe

	must = hosttest.Must
	here = hosttest.Here
)

type world struct{ *hosttest.World }

func newWorld(t *testing.T) world { return world{hosttest.New(t, hosttest.Options{})} }

// begin starts a match of these people.
func (w world) begin(p host.Proposal, people ...storage.Person) *host.View {
	w.T.Helper()
	p.Place, p.Opponents = here, people[1:]
	ch, err := w.Host.CreateChallenge(w.T.Context(), w.Actor(people[0]), p)
	must(w.T, err)
	_, v := w.Join(ch, people[1:]...)
	return v
}

// beat plays a match of trails that one person wins against another.
func (w world) beat(winner, loser storage.Person) *host.View {
	w.T.Helper()
	v := w.begin(host.Proposal{Game: "trails", Options: map[string]string{"size": "5", "towers": "1"}}, winner, loser)
	v = w.Act(v, "right", "left")
	return w.Resign(v, v.SeatOf(loser.ID))
}

func TestLeaders(t *testing.T) {
	w := newWorld(t)
	var people []storage.Person
	for i := range 23 {
		people = append(people, storage.Person{ID: string(rune('a' + i)), Name: "Name"})
	}
	for i := 1; i < len(people); i++ {
		w.Advance(time.Hour)
		w.beat(people[i-1], people[i])
	}
	for _, c := range []struct {
		person, guild             string
		page, at, pages, rows, no int
	}{
		{"a", "", 1, 1, 3, 10, 23},
		{"w", "1", 2, 2, 3, 10, 23},
		{"w", "1", 3, 3, 3, 3, 23},
		{"w", "1", 9, 3, 3, 3, 23},
		{"w", "", -4, 1, 3, 10, 23},
		{"stranger", "", 1, 1, 3, 10, 23},
		{"a", "another", 1, 1, 1, 0, 0},
	} {
		l, err := w.Browse.Leaders(t.Context(), c.person, "trails", storage.PeopleList, c.guild, c.page, 10)
		must(t, err)
		if l.Page != c.at || l.Pages != c.pages || len(l.Rows) != c.rows || l.Total != c.no || l.Game.Key() != "trails" {
			t.Errorf("%+v: page %d of %d with %d rows of %d", c, l.Page, l.Pages, len(l.Rows), l.Total)
		}
		if known := c.no > 0 && c.person != "stranger"; (l.OwnRow != nil) != known || known && l.OwnRow.Person.ID != c.person {
			t.Errorf("%+v: own row %+v", c, l.OwnRow)
		}
		for i, row := range l.Rows {
			if i > 0 && row.Mean > l.Rows[i-1].Mean {
				t.Errorf("%+v: row %d is not in order", c, i)
			}
		}
	}
	_, err := w.Browse.Leaders(t.Context(), "a", "hopscotch", storage.PeopleList, "", 1, 10)
	if !errors.Is(err, host.ErrUnknownGame) {
		t.Error(err)
	}
}

func TestProfile(t *testing.T) {
	w := newWorld(t)
	profile := func(viewer, guild, person string) browse.Profile {
		t.Helper()
		p, err := w.Browse.Profile(t.Context(), viewer, guild, person)
		must(t, err)
		return p
	}
	if p := profile(anna.ID, here.Guild, ben.ID); len(p.Games)+len(p.Recent)+p.BestStreak+p.CurrentStreak.Length+p.HeadToHead.Total() != 0 {
		t.Errorf("of who has not played: %+v", p)
	}
	w.beat(anna, ben)
	w.beat(anna, chloe)
	w.beat(ben, anna)
	w.beat(anna, ben)
	w.beat(anna, ben)
	v := w.begin(host.Proposal{Game: "sample", Unrated: true}, anna, ben, chloe)
	v = w.Resign(v, v.SeatOf(chloe.ID))
	v = w.Resign(v, v.SeatOf(anna.ID))
	if v.Record.Results != nil {
		t.Fatalf("a match that was called off has results %+v", v.Record.Results)
	}

	p := profile(ben.ID, here.Guild, anna.ID)
	trails := p.Games[0]
	if len(p.Games) != 1 || trails.Game.Key() != "trails" || trails.Tally != (browse.Tally{Won: 4, Lost: 1}) || trails.Rating == nil || !trails.Provisional || trails.Rating.Matches != 5 {
		t.Errorf("trails: %+v", trails)
	}
	if p.BestStreak != 2 || p.HeadToHead.Won != 3 {
		t.Errorf("best %d, against Ben %+v", p.BestStreak, p.HeadToHead)
	}
	if len(p.Recent) != 5 || p.Recent[0].Record.EndNumber < p.Recent[4].Record.EndNumber {
		t.Errorf("recent: %d matches", len(p.Recent))
	}
	if own := profile(anna.ID, "", anna.ID); own.HeadToHead.Total() != 0 || len(own.Recent) != 5 {
		t.Errorf("one's own: %+v, %d recent", own.HeadToHead, len(own.Recent))
	}
	if far := profile("stranger", "another", anna.ID); len(far.Recent) != 0 || len(far.Games) != len(p.Games) {
		t.Errorf("from elsewhere: %d recent, %d games", len(far.Recent), len(far.Games))
	}
	history, err := w.Browse.RatingHistory(t.Context(), "trails", storage.PeopleList, anna.ID)
	must(t, err)
	for i, c := range history {
		if i > 0 && c.Before != history[i-1].After {
			t.Errorf("change %d goes on from %+v after %+v", i, c.Before, history[i-1].After)
		}
	}
	if len(history) != 5 {
		t.Errorf("a history of %d", len(history))
	}
}

func TestStreaks(t *testing.T) {
	w := newWorld(t)
	now := ""
	for _, winner := range "aababbbaa" {
		if winner == 'a' {
			w.beat(anna, ben)
		} else {
			w.beat(ben, anna)
		}
		p, err := w.Browse.Profile(t.Context(), anna.ID, "", anna.ID)
		must(t, err)
		now += fmt.Sprintf("%s%d/%d ", p.CurrentStreak.Result, p.CurrentStreak.Length, p.BestStreak)
	}
	if want := "won1/1 won2/2 lost1/2 won1/2 lost1/2 lost2/2 lost3/2 won1/2 won2/2 "; now != want {
		t.Errorf("streaks %s, want %s", now, want)
	}
}

func numbers(p browse.Page) string {
	var all []string
	for _, v := range p.Matches {
		all = append(all, fmt.Sprint(v.Record.ID))
	}
	return fmt.Sprintf("%s (%d/%d of %d)", strings.Join(all, " "), p.Page, p.Pages, p.Total)
}

// Matches in which it is the person's turn come first, the oldest turn first.
func TestListOwn(t *testing.T) {
	w := newWorld(t)
	var all []*host.View
	for range 5 {
		w.Advance(time.Minute)
		v := w.Start("trails") // Anna is to move
		all = append(all, v)
	}
	w.Advance(time.Minute)
	all[1] = w.Act(all[1], "right")
	w.Advance(time.Minute)
	all[0] = w.Act(all[0], "right")
	w.Advance(time.Minute)
	all[3] = w.Act(all[3], "right", "left")
	list := func(person string, page, size int) string {
		t.Helper()
		p, err := w.Browse.ListOwn(t.Context(), person, page, size)
		must(t, err)
		return numbers(p)
	}
	for _, c := range []struct {
		person     string
		page, size int
		want       string
	}{
		{anna.ID, 1, 10, "3 5 4 1 2 (1/1 of 5)"},
		{ben.ID, 1, 10, "2 1 4 5 3 (1/1 of 5)"},
		{anna.ID, 2, 2, "4 1 (2/3 of 5)"},
		{anna.ID, 7, 2, "2 (3/3 of 5)"},
		{chloe.ID, 1, 2, " (1/1 of 0)"},
	} {
		if got := list(c.person, c.page, c.size); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	inChannel, err := w.Browse.ListChannel(t.Context(), here.Channel, 2, 3)
	must(t, err)
	if got := numbers(inChannel); got != "5 3 (2/2 of 5)" {
		t.Errorf("of the channel: %s", got)
	}
	if none, err := w.Browse.ListChannel(t.Context(), "3", 1, 3); err != nil || numbers(none) != " (1/1 of 0)" {
		t.Errorf("of another channel: %s, %v", numbers(none), err)
	}
}

func TestListFinished(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.beat(anna, ben)
	}
	w.beat(ben, chloe)
	p, err := w.Browse.ListFinished(t.Context(), anna.ID, 1, 2)
	must(t, err)
	if got := numbers(p); got != "3 2 (1/2 of 3)" {
		t.Errorf("finished: %s", got)
	}
	for _, v := range p.Matches {
		if len(v.RatingChanges) != 2 || v.Record.Results == nil {
			t.Errorf("match %d: %+v", v.Record.ID, v.Record)
		}
	}
	if p, err = w.Browse.ListFinished(t.Context(), anna.ID, 5, 2); err != nil || numbers(p) != "1 (2/2 of 3)" {
		t.Errorf("beyond the end: %s, %v", numbers(p), err)
	}
}
