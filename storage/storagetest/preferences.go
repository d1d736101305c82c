package storagetest

import (
	"testing"

	"castellan/storage"
)

var preferencesTests = []test{
	{"who has chosen nothing has the zero value", func(t *testing.T, s storage.Store) {
		if p := preferencesOf(t, s, "anna"); p != (storage.Preferences{Person: "anna"}) {
			t.Errorf("preferences %+v", p)
		}
	}},
	{"what is set replaces what was", func(t *testing.T, s storage.Store) {
		for _, want := range []storage.Preferences{
			{Person: "anna", ManualEndTurn: true},
			{Person: "anna", ConfirmTurn: true},
			{Person: "anna", ManualEndTurn: true, ConfirmTurn: true},
			{Person: "anna"},
		} {
			update(t, s, func(tx storage.Tx) error { return tx.SetPreferences(want) })
			if p := preferencesOf(t, s, "anna"); p != want {
				t.Errorf("preferences %+v, want %+v", p, want)
			}
			if p := preferencesOf(t, s, "ben"); p != (storage.Preferences{Person: "ben"}) {
				t.Errorf("Ben's preferences became %+v", p)
			}
		}
	}},
}

func preferencesOf(t *testing.T, s storage.Store, person string) storage.Preferences {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Preferences, error) { return r.Preferences(person) })
}
