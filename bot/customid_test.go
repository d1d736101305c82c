package bot

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"castellan/storage"
)

// Custom ids of any bytes, clicked by somebody who plays in no match: refused
// privately, logged, without a panic, and nothing changes.
func FuzzCustomID(f *testing.F) {
	r := newRig(f)
	v := r.act(r.start("trails", nil), "right")
	open := r.offer("trails", nil)
	r.bot.settle(context.Background(), v.Record.ID) // no click has anything to make good
	r.take()
	for _, s := range []string{
		"", "/", "match", "match/1/1/act/up", "match/1/1/act/", "match/1/0/act/up", "match/1/1/act/⟨up⟩", "match/1/1/act/\x00\xff",
		"match/1/-1/act/up", "match/0/1/act/up", "match/-1/1/act/up", "match/99999999999999999999/1/act/up", "match/1/99999999999999999999/resign",
		"match/1/1/resign", "match/x/y/stay", "match//1/stay", "challenge/2/accept", "challenge/2/decline", "challenge/2/cancel", "challenge/-2/accept",
		"challenge/1/accept", "challenge/99/accept", "challenge/2/accept/", "challenge/+2/accept", "challenge/ 2/accept", "challenge/٢/accept",
		"match/1/1/act/" + strings.Repeat("up ", 60), strings.Repeat("ä", 100), strings.Repeat("/", 100), "move", "../../x", "{match}", "\r\n level=ERROR msg=forged",
	} {
		f.Add(s)
	}
	stored := func() (s struct {
		entries []storage.Entry
		boards  []storage.Board
		open    storage.Challenge
	}) {
		must(r.t, r.store.View(context.Background(), func(tx storage.Reader) (err error) {
			if s.entries, err = tx.Entries(v.Record.ID); err != nil {
				return err
			}
			if s.boards, err = tx.Boards(v.Record.ID); err != nil {
				return err
			}
			s.open, err = tx.Challenge(open.ID)
			return err
		}))
		return s
	}
	before := stored()
	f.Fuzz(func(t *testing.T, id string) {
		r.t, r.book.t = t, t
		r.book.take()
		r.bot.serve(context.Background(), r.click(chloe, "8000", id))
		got, log := r.take(), r.book.take()
		if strings.Contains("\n"+log, "\nERROR") {
			t.Fatalf("log: %s", log)
		}
		if inShort(got) == "callback 7" && strings.HasSuffix(id, "/stay") {
			return // "keep playing" concerns nobody else and changes nothing
		}
		if inShort(got) != "callback 4" || !got[0].private() || got[0].text() == "" || !strings.Contains(log, "refused") {
			t.Fatalf("%q: %s %s, log %s", id, inShort(got), got, log)
		}
		if after := stored(); !reflect.DeepEqual(before, after) {
			t.Fatalf("%q changed %+v to %+v", id, before, after)
		}
	})
}

func TestForeignCustomIDIsLoggedAsAWarning(t *testing.T) {
	r := newRig(t)
	for _, id := range []string{"poll:yes", "challenge/x/accept", "match/1/x/act/up", "match/x/1/resign", "match/x/1/stay", strings.Repeat("x", 101)} {
		got := r.serve(r.click(anna, "8000", id))
		if inShort(got) != "callback 4" || !strings.Contains(got[0].text(), "do not know this button") {
			t.Errorf("%q: %s", id, got)
		}
		if log := r.book.take(); !strings.Contains(log, "WARN refused") || !strings.Contains(log, "person=11") {
			t.Errorf("%q: log %s", id, log)
		}
	}
}

func TestCleanKeepsTheLogReadable(t *testing.T) {
	for in, want := range map[string]string{
		"match/1": "match/1", "": "", "a\xffb": "a�b",
		strings.Repeat("x", 200):                      strings.Repeat("x", maxPath),
		strings.Repeat("x", maxPath-1) + "ä":          strings.Repeat("x", maxPath-1) + "�",
		strings.Repeat("x", maxPath-2) + "ä" + "more": strings.Repeat("x", maxPath-2) + "ä",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}
