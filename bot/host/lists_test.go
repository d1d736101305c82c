package host_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// beat plays a match of trails that one person wins against another.
func (w *world) beat(winner, loser storage.Person) *host.View {
	w.t.Helper()
	v := w.begin("trails", false, winner, loser)
	v = w.act(w.act(v, "right"), "left")
	v = w.resign(loser, v)
	return v
}

func TestLeaders(t *testing.T) {
	w := newWorld(t)
	people := crowd(23)
	for i := 1; i < len(people); i++ {
		w.pass(time.Hour)
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
		l, err := w.host.Leaders(t.Context(), c.person, "trails", storage.PeopleList, c.guild, c.page, 10)
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
	_, err := w.host.Leaders(t.Context(), "a", "hopscotch", storage.PeopleList, "", 1, 10)
	refused(t, err, host.ErrUnknownGame)
}

func TestProfile(t *testing.T) {
	w := newWorld(t)
	profile := func(viewer, guild, person string) host.Profile {
		t.Helper()
		p, err := w.host.Profile(t.Context(), viewer, guild, person)
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
	v := w.begin("sample", true, anna, ben, chloe)
	v = w.resign(chloe, v)
	v = w.resign(anna, v)
	if v.Record.Results != nil {
		t.Fatalf("a match that was called off has results %+v", v.Record.Results)
	}

	p := profile(ben.ID, here.Guild, anna.ID)
	trails := p.Games[0]
	if len(p.Games) != 1 || trails.Game.Key() != "trails" || trails.Tally != (host.Tally{Won: 4, Lost: 1}) || trails.Rating == nil || !trails.Provisional || trails.Rating.Matches != 5 {
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
	history, err := w.host.RatingHistory(t.Context(), "trails", storage.PeopleList, anna.ID)
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
		p, err := w.host.Profile(t.Context(), anna.ID, "", anna.ID)
		must(t, err)
		now += fmt.Sprintf("%s%d/%d ", p.CurrentStreak.Result, p.CurrentStreak.Length, p.BestStreak)
	}
	if want := "won1/1 won2/2 lost1/2 won1/2 lost1/2 lost2/2 lost3/2 won1/2 won2/2 "; now != want {
		t.Errorf("streaks %s, want %s", now, want)
	}
}

func numbers(p host.Page) string {
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
		w.pass(time.Minute)
		v := w.start("trails", nil) // Anna is to move
		all = append(all, v)
	}
	w.pass(time.Minute)
	all[1] = w.act(all[1], "right")
	w.pass(time.Minute)
	all[0] = w.act(all[0], "right")
	w.pass(time.Minute)
	all[3] = w.act(w.act(all[3], "right"), "left")
	list := func(person string, page, size int) string {
		t.Helper()
		p, err := w.host.ListOwn(t.Context(), person, page, size)
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
	here1, err := w.host.ListChannel(t.Context(), here.Channel, 2, 3)
	must(t, err)
	if got := numbers(here1); got != "5 3 (2/2 of 5)" {
		t.Errorf("of the channel: %s", got)
	}
	if none, err := w.host.ListChannel(t.Context(), there.Channel, 1, 3); err != nil || numbers(none) != " (1/1 of 0)" {
		t.Errorf("of another channel: %s, %v", numbers(none), err)
	}
}

func TestListFinished(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.beat(anna, ben)
	}
	w.beat(ben, chloe)
	p, err := w.host.ListFinished(t.Context(), anna.ID, 1, 2)
	must(t, err)
	if got := numbers(p); got != "3 2 (1/2 of 3)" {
		t.Errorf("finished: %s", got)
	}
	for _, v := range p.Matches {
		if len(v.RatingChanges) != 2 || v.Record.Results == nil {
			t.Errorf("match %d: %+v", v.Record.ID, v.Record)
		}
	}
	if p, err = w.host.ListFinished(t.Context(), anna.ID, 5, 2); err != nil || numbers(p) != "1 (2/2 of 3)" {
		t.Errorf("beyond the end: %s, %v", numbers(p), err)
	}
}

func TestBrokenMatches(t *testing.T) {
	w := newWorld(t)
	first := w.start("trails", nil)
	w.pass(time.Minute)
	var broken []storage.MatchID
	for _, e := range []storage.Entry{
		{Seq: 1, Kind: "action", Seat: 1, Text: "nowhere"},
		{Seq: 1, Kind: "action", Seat: 2, Text: "up"},
		{Seq: 1, Kind: "action", Seat: 1, Text: "u"},
		{Seq: 1, Kind: "dance", Seat: 1},
		{Seq: 1, Kind: "undo", Seat: 1},
	} {
		broken = append(broken, w.broken(e))
	}
	w.update(func(tx storage.Tx) error {
		for _, m := range []storage.Match{
			{Game: "chess", RulesVersion: 1, Options: ""},
			{Game: "trails", RulesVersion: 2, Options: "size=11 towers=3 distance=1"},
			{Game: "trails", RulesVersion: 1, Options: "size=eleven"},
			{Game: "trails", RulesVersion: 1, Options: "size=5 towers=9 distance=3"},
		} {
			m.Place, m.Seats, m.CreatedAt = here, []storage.Person{anna, ben}, w.clock
			id, err := tx.InsertMatch(m)
			if err != nil {
				return err
			}
			broken = append(broken, id)
		}
		return nil
	})
	w.pass(time.Minute)
	last := w.start("sample", nil)
	for name, find := range map[string]func() ([]*host.View, error){
		"mine": func() ([]*host.View, error) { return w.host.Running(t.Context(), ben.ID, "") },
		"of a channel": func() ([]*host.View, error) {
			p, err := w.host.ListChannel(t.Context(), here.Channel, 1, 100)
			return p.Matches, err
		},
	} {
		views, err := find()
		must(t, err)
		if got := ids(views); len(got) != 2 || got[0] != last.Record.ID || got[1] != first.Record.ID {
			t.Errorf("%s: %v", name, got)
		}
	}
	if n := strings.Count(w.log.String(), "a match cannot be rebuilt"); n != len(broken) || w.host.Unreadable() != n {
		t.Errorf("%d lines in the log:\n%s", n, w.log.String())
	}
	for _, id := range broken {
		w.unchanged(t, id, 0, func() {
			_, err := w.host.Match(t.Context(), id)
			_, errAct := w.host.Act(t.Context(), w.by(anna), id, host.AnySeq, "up")
			_, errRepost := w.host.RepostBoard(t.Context(), w.by(anna), id)
			for _, err := range []error{err, errAct, errRepost} {
				var r *host.Refusal
				if !errors.Is(err, host.ErrCannotReplay) || errors.As(err, &r) {
					t.Errorf("match %d: %v, which must be a fault of ours", id, err)
				}
			}
		})
	}
}

func TestRunning(t *testing.T) {
	w := newWorld(t)
	one := w.start("trails", nil)
	w.pass(time.Minute)
	two := w.start("sample", nil)
	w.pass(time.Minute)
	elsewhere := w.create(chloe, host.Proposal{Place: there, Opponents: []storage.Person{ben}, Game: "trails"})
	three := w.accept(ben, elsewhere)
	for _, c := range []struct {
		person, channel string
		want            []storage.MatchID
	}{
		{anna.ID, "", []storage.MatchID{two.Record.ID, one.Record.ID}},
		{ben.ID, "", []storage.MatchID{three.Record.ID, two.Record.ID, one.Record.ID}},
		{ben.ID, here.Channel, []storage.MatchID{two.Record.ID, one.Record.ID}},
		{ben.ID, there.Channel, []storage.MatchID{three.Record.ID}},
		{chloe.ID, here.Channel, nil},
		{"", "", nil},
	} {
		views, err := w.host.Running(t.Context(), c.person, c.channel)
		must(t, err)
		if got := ids(views); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s in %q: %v, want %v", c.person, c.channel, got, c.want)
		}
	}
	w.pass(time.Minute)
	w.act(one, "right")
	records, err := w.host.RunningIn(t.Context(), here.Channel)
	must(t, err)
	if len(records) != 2 || records[0].ID != one.Record.ID || records[1].ID != two.Record.ID {
		t.Errorf("after a turn in the older one: %v", records)
	}
	v, err := w.host.NewestIn(t.Context(), here.Channel)
	if err != nil || v.Record.ID != one.Record.ID || v.Board.State != storage.BoardDue {
		t.Errorf("the newest: %+v, %v", v, err)
	}
	_, err = w.host.NewestIn(t.Context(), "nowhere")
	refused(t, err, host.ErrNoMatch)
}

func ids(views []*host.View) (out []storage.MatchID) {
	for _, v := range views {
		out = append(out, v.Record.ID)
	}
	return out
}
