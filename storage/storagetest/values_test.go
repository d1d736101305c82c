package storagetest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/storage"
	"castellan/storage/storagetest"
)

// awkward lists names that programs often mishandle.
var awkward = []string{
	"Zoë", "日本語の名前", "محمد", "👩‍👩‍👧‍👦", "e\u0301", "a\u200bb", "\u202eevil", "O'Brien", `"quoted"`,
	"'; DROP TABLE matches; --", "**bold** @everyone", "a\nb\tc", "%_$1?:x", " ", strings.Repeat("é", 4000),
}

// times lists times that drivers often store wrongly.
var times = []time.Time{
	time.Date(2026, 7, 8, 9, 10, 11, 123456789, time.FixedZone("east", 5*3600+45*60)),
	time.Date(1800, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(2200, 12, 31, 23, 59, 59, 999999999, time.UTC),
	time.Unix(0, 0), time.Unix(-1, 0),
}

var valueTests = []test{
	{"Text", func(t *testing.T, s storage.Store) {
		for _, text := range awkward {
			person := storage.Person{ID: text, Name: text, Level: text}
			m := newMatch()
			m.Place.Channel, m.Options, m.Seats = text, text, []storage.Person{person, bob, person}
			m.ID = insertMatch(t, s, m)
			m.ShownSeq, m.Root, m.Head = -1, storage.Root(m), storage.Root(m)
			if got := matchOf(t, s, m.ID); !reflect.DeepEqual(got, m) {
				t.Errorf("match %+v, want %+v", got, m)
			}
			c := newChallenge()
			c.Challenger, c.Options, c.Joined, c.Invited, c.Message = person, text, []storage.Person{person}, nil, text
			c.ID = insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(c) })
			c.ShownRevision, c.Challenger.Level = -1, "" // challengers are people
			got := view(t, s, func(r storage.Reader) (storage.Challenge, error) { return r.Challenge(c.ID) })
			if !reflect.DeepEqual(got, c) {
				t.Errorf("challenge %+v, want %+v", got, c)
			}
			running := view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.RunningMatches(text, text) })
			if len(running) != 1 || running[0].ID != m.ID {
				t.Errorf("the matches of %q are %+v", text, running)
			}
		}
	}},
	{"UnstorableText", func(t *testing.T, s storage.Store) {
		for _, text := range []string{"a\x00b", "a\xffb"} {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				_ = tx.SetLocale(text, "de")
				return nil
			})
			if err == nil {
				t.Errorf("%q is written", text)
			}
			err = s.View(context.Background(), func(r storage.Reader) error { return errorOf(r.Locale(text)) })
			if err == nil {
				t.Errorf("%q is looked for", text)
			}
		}
	}},
	{"LongLog", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch())
		var want []storage.Entry
		for i, text := range append(append([]string{"", "a2"}, awkward...), awkward...) {
			want = append(want, storage.Entry{Seq: i + 1, Kind: "kind", Seat: i % 7, Text: text, At: times[i%len(times)], Interaction: fmt.Sprint(i)})
		}
		update(t, s, func(tx storage.Tx) error { return storagetest.Append(tx, id, want[:1]) })
		update(t, s, func(tx storage.Tx) error { return storagetest.Append(tx, id, want[1:]) })
		before := storage.Root(newMatch())
		for i := range want {
			before = before.Next(want[i])
			want[i].At, want[i].Digest = want[i].At.UTC(), before
		}
		got := view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(id) })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("entries\n%+v, want\n%+v", got, want)
		}
		m := matchOf(t, s, id)
		if err := storage.CheckLog(m, got); err != nil {
			t.Errorf("check: %v", err)
		}
		got[7].Text += "!"
		var altered *storage.AlteredError
		if err := storage.CheckLog(m, got); !errors.As(err, &altered) || *altered != (storage.AlteredError{Match: id, Seq: 8}) {
			t.Errorf("check of an altered log: %v", err)
		}
		// Without a person it fits as well, or as little, as with them.
		for _, altered := range []error{storage.CheckLog(m, got), nil} {
			if altered == nil {
				got = view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(id) })
			}
			after, log := storage.Pseudonymize(m, got, alice.ID, former(0))
			if err := storage.CheckLog(after, log); fmt.Sprint(err) != fmt.Sprint(altered) {
				t.Errorf("check without a person: %v, want %v", err, altered)
			}
			if after.Seats[0] != former(0) || log[1].Interaction != "former-2" || log[2].Interaction != "2" || after.Root == m.Root {
				t.Errorf("without a person: %+v, %+v", after, log[:3])
			}
		}
		m.Seats[1].Name = "Mallory"
		if after, _ := storage.Pseudonymize(m, got, alice.ID, former(0)); storage.CheckLog(after, got) == nil {
			t.Error("a settings digest that did not fit fits now")
		}
	}},
	{"TimesAndSeeds", func(t *testing.T, s storage.Store) {
		for i, at := range times {
			m := newMatch()
			m.Seed = []uint64{math.MaxUint64, 1 << 63, 1<<63 - 1, 1, 0}[i]
			m.CreatedAt, m.CheckAt, m.ComputerTurnSince = at, at, at
			m.Seats = nil
			m.ID = insertMatch(t, s, m)
			m.ShownSeq, m.CreatedAt, m.CheckAt, m.ComputerTurnSince, m.Root, m.Head = -1, at.UTC(), at.UTC(), at.UTC(), storage.Root(m), storage.Root(m)
			if got := matchOf(t, s, m.ID); !reflect.DeepEqual(got, m) {
				t.Errorf("match %+v, want %+v", got, m)
			}
			update(t, s, func(tx storage.Tx) error { return tx.EndMatch(m.ID, "rules", at) })
			if got := matchOf(t, s, m.ID).EndedAt; got != at.UTC() {
				t.Errorf("ended at %v, want %v", got, at.UTC())
			}
			p := storage.ProcessedInteraction{Interaction: fmt.Sprint(i), At: at, Match: m.ID, Seq: 7}
			update(t, s, func(tx storage.Tx) error { return tx.MarkProcessed(p) })
			p.At = at.UTC()
			got := view(t, s, func(r storage.Reader) (storage.ProcessedInteraction, error) {
				return r.ProcessedInteraction(p.Interaction)
			})
			if got != p {
				t.Errorf("interaction %+v, want %+v", got, p)
			}
		}
	}},
	{"TwoSeatsOfOneLevelAreOneMatch", func(t *testing.T, s storage.Store) {
		m := newMatch()
		m.Seats = []storage.Person{casual, alice, casual}
		id := insertMatch(t, s, m)
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(id, "rules", minute(1)) })
		err := s.View(context.Background(), func(r storage.Reader) error {
			page, total, err := r.EndedMatches(casual.ID, 0, 5)
			if len(page) != 1 || total != 1 {
				t.Errorf("%d of %d ended matches, want 1 of 1", len(page), total)
			}
			return err
		})
		wantClass(t, "view", err, nil)
	}},
}
