package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"castellan/bot/host"
	"castellan/storage"
)

// starred is six people whose names take as much room as names can.
func starred() (all []storage.Person) {
	for i := range 6 {
		all = append(all, storage.Person{ID: fmt.Sprintf("115000000000000010%d", i), Name: strings.Repeat("*", 32)})
	}
	return all
}

// six begins a match of six people, the nth of whom asks for it.
func (r *rig) six(people []storage.Person, n int) *host.View {
	r.t.Helper()
	place := storage.Place{Guild: "1150000000000000001", Channel: "1150000000000000101"}
	by := people[n%len(people)]
	ch, err := r.host.CreateChallenge(context.Background(), r.cause(by), host.Proposal{Place: place, Seats: len(people), Game: "sample"})
	must(r.t, err)
	var v *host.View
	for _, p := range people {
		if p.ID != by.ID {
			_, v, err = r.host.Join(context.Background(), r.cause(p), ch.ID)
			must(r.t, err)
		}
	}
	_, errv := r.host.BoardPosted(context.Background(), v, v.Board.ID, "1150000000000000999")
	must(r.t, errv)
	return v
}

// Of the longest names and the fullest tables a message never has more
// characters, components or equal identifiers than Discord takes:
// https://docs.discord.com/developers/components/reference
func TestListsKeepWithinDiscordsLimits(t *testing.T) {
	r := newRig(t)
	people := starred()
	var last *host.View
	for n := range 18 {
		last = r.six(people, n)
		for n < 9 && last.Match.Seat() != 0 {
			last = r.act(last, last.Match.Position().Legal()[0].String())
		}
		if n < 9 {
			_, errlast := r.host.BoardPosted(context.Background(), last, last.Board.ID, "1150000000000000999")
			must(t, errlast)
		}
	}
	number := regexp.MustCompile(`"custom_id":"[^"]*"`)
	for _, c := range []struct {
		command []string
		says    string
	}{
		{[]string{"games"}, "page 1 of 2"},
		{[]string{"games", "list", "channel"}, "page 1 of 2"},
		{[]string{"games", "list", "finished"}, "page 1 of 2"},
		{[]string{"leaderboard", "game", "sample", "scope", "everywhere"}, "6 players"},
		{[]string{"profile"}, "Last matches"},
	} {
		i := r.command(people[0], c.command[0], c.command[1:]...)
		i.GuildID, i.ChannelID = last.Record.Place.Guild, last.Record.Place.Channel
		got := r.serve(i)
		if len(got) != 1 || !got[0].private() || !strings.Contains(got[0].text(), c.says) {
			t.Fatalf("%q: %s\n%s", c.command, inShort(got), got[0].text())
		}
		if n := len(utf16.Encode([]rune(got[0].text()))); n > 4000 {
			t.Errorf("%q: %d characters", c.command, n)
		} else {
			t.Logf("%q: %d characters", c.command, n)
		}
		var body any
		must(t, json.Unmarshal([]byte(got[0].body), &body))
		if n := parts(body); n > 40 {
			t.Errorf("%q: %d components", c.command, n)
		}
		ids := map[string]bool{}
		for _, id := range number.FindAllString(got[0].body, -1) {
			if ids[id] || len(id) > len(`"custom_id":""`)+maxPath {
				t.Errorf("%q: %s is there twice, or too long", c.command, id)
			}
			ids[id] = true
		}
	}
}

// parts is how many components there are in a body.
func parts(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["components"].([]any); ok {
			n += len(list)
		}
		for _, e := range v {
			n += parts(e)
		}
	case []any:
		for _, e := range v {
			n += parts(e)
		}
	}
	return n
}

func TestButtonsOfListsThatLeadNowhere(t *testing.T) {
	r := newRig(t)
	for id, want := range map[string]string{
		"leaders/page/sample/people/nowhere/1": "I do not know this button",
		"leaders/page/sample/people/server/x":  "I do not know this button",
		"leaders/page/sample/others/server/1":  "I do not know this button",
		"leaders/page/chess/people/server/1":   "I do not know this game",
		"games/page/others/1":                  "I do not know this button",
		"games/page/mine/":                     "I do not know this button",
	} {
		if got := r.serve(r.click(anna, "9001", id)); len(got) != 1 || !got[0].private() || !strings.Contains(got[0].text(), want) {
			t.Errorf("%s: %s, want %s", id, got[0].text(), want)
		}
	}
	// Pages beyond the ends are the nearest ones; a person of whom nothing is
	// known has an empty profile.
	for id, want := range map[string]string{
		"leaders/page/sample/people/server/-7": "Nobody has a rating",
		"games/page/finished/99":               "You have finished no match",
		"profile/77/sample/people":             "No match has been finished",
	} {
		if got := r.serve(r.click(anna, "9001", id)); len(got) != 1 || !strings.Contains(got[0].text(), want) {
			t.Errorf("%s: %s, want %s", id, got[0].text(), want)
		}
	}
}

// A rating that was changed while the clock had gone back is still drawn.
func TestTheCourseOfARatingNeverGoesBack(t *testing.T) {
	at := func(hour int) storage.RatingChange {
		return storage.RatingChange{
			At:    time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC),
			After: storage.Estimate{Mean: float64(1500 + hour), Deviation: float64(100 + hour)},
		}
	}
	p := course([]storage.RatingChange{at(5), at(12), at(9), at(11), at(13)})
	got := ""
	for _, point := range p.Points {
		got += fmt.Sprintf("%d:%.0f,%t ", point.At.Hour(), point.Mean, point.Provisional)
	}
	if want := "5:1505,false 12:1512,true 12:1509,false 12:1511,true 13:1513,true "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNamesInLists(t *testing.T) {
	for name, want := range map[string]string{
		"Anna":                   "Anna",
		"*x*":                    `\*x\*`,
		strings.Repeat("é", 20):  strings.Repeat("é", 20),
		strings.Repeat("é", 21):  strings.Repeat("é", 19) + "…",
		strings.Repeat("a ", 20): strings.TrimSpace(strings.Repeat("a ", 10)) + "…",
	} {
		if got := nameText(storage.Person{Name: name}); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
