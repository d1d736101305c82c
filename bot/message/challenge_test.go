package message

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

func TestOpponentIDs(t *testing.T) {
	for _, name := range []string{"B", strings.Repeat("🏰", 32), strings.Repeat("é", 32), "a" + strings.Repeat("🏰", 31), strings.Repeat("x", 32)} {
		p := storage.Person{ID: "1120000000000000012", Name: name}
		id := opponentID("stone-towers", p)
		kept := id[strings.LastIndex(id, "/")+1:]
		if len(id) > discord.MaxCustomID || !utf8.ValidString(id) || !strings.HasPrefix(name, kept) || kept == "" {
			t.Errorf("%d bytes: %q", len(id), id)
		}
		if len(id)-len(kept)+len(name) <= discord.MaxCustomID && kept != name {
			t.Errorf("%q was cut to %q", name, kept)
		}
	}
}

// Turns that are too long for a custom ID have no button.
func TestCustomIDLimits(t *testing.T) {
	v := hosttest.New(t, hosttest.Options{}).Start("sample")
	if id, ok := confirmID(v, "a2 b1 end"); !ok || id != "match/1/0/confirm/a2 b1 end" {
		t.Errorf("%s, %v", id, ok)
	}
	if _, ok := confirmID(v, strings.Repeat("a1 ", 30)); ok {
		t.Error("a long turn has an ID")
	}
}

func TestListedName(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	levels := []host.Level{{Key: "newcomer", Number: 1}, {Key: "casual", Number: 2}}
	if got := listedName(w.Say, levels, storage.Person{Name: "Computer (Stufe 7)", Level: "casual"}); got != `Computer \(level 2\)` {
		t.Errorf("a computer is %q", got)
	}
	if got := listedName(w.Say, levels, storage.Person{Name: "Computer (Stufe 7)", Level: "master"}); got != `Computer \(Stufe 7\)` {
		t.Errorf("a computer of a level that does not exist is %q", got)
	}
	for name, want := range map[string]string{
		"Anna":                   "Anna",
		"*x*":                    `\*x\*`,
		strings.Repeat("é", 20):  strings.Repeat("é", 20),
		strings.Repeat("é", 21):  strings.Repeat("é", 19) + "…",
		strings.Repeat("a ", 20): strings.TrimSpace(strings.Repeat("a ", 10)) + "…",
	} {
		if got := listedName(w.Say, levels, storage.Person{Name: name}); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// A former player is named in the language of the reader, in markdown and in pictures.
func TestFormerPlayer(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.Start("trails")
	v.Record.Seats[0] = storage.Person{ID: storage.FormerPrefix + "x", Name: "a former player"}
	texts, err := catalogue.New()
	hosttest.Must(t, err)
	say := texts.Printer("de")
	want := say.T("player.former")
	s := Scene(v, v.Match)
	translateNames(say, v, s.Names)
	for where, got := range map[string]string{
		"markdown": address(say, v.Person(1)), "plain text": PlainName(say, v.Person(1)), "a list": listedName(say, nil, v.Person(1)), "a picture": s.Names[0],
	} {
		if got != want || got == v.Person(1).Name {
			t.Errorf("%s: %q", where, got)
		}
	}
}

// The line about a match against a computer as strong as the person has the name that its
// thread, its boards and the lists have.
func TestComputerFoundForPerson(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	anna, found := storage.Person{ID: "1", Name: "Anna"}, Computer(w.Say, host.Level{Key: "casual", Number: 4})
	v := w.Start("trails")
	v.Record.Seats = []storage.Person{anna, found}
	d := ChallengeData{Challenge: storage.Challenge{Seats: 2, Challenger: anna, Joined: []storage.Person{anna, Computer(w.Say, host.Level{Key: host.EvenLevel})}, State: storage.ChallengeAccepted, Match: 1}, Game: v.Game}
	for _, tt := range []struct {
		view *host.View
		want string
	}{{nil, `Computer \(evenly matched\)`}, {v, `Computer \(level 4\)`}} {
		d.View = tt.view
		raw, err := json.Marshal(Challenge(w.Say, d, discord.File{}).Components)
		if text := string(raw); err != nil || !strings.Contains(strings.ReplaceAll(text, `\\`, `\`), tt.want) {
			t.Errorf("%s (%v) lacks %s", text, err, tt.want)
		}
	}
}
