package message

import (
	"slices"
	"strings"
	"testing"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host/hosttest"
	"castellan/storage/sqlstore"
)

// The summary of /privacy mentions every table of the export, also one that it has
// no sentence for.
func TestPrivacy(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	shown := func(rows map[string]int) string {
		m := Privacy(w.Texts.Printer(), account.Summary{Running: 3, Challenges: 1, Rows: rows})
		return m.Components[0].(discord.Container).Components[0].(discord.TextDisplay).Content
	}
	all := map[string]int{"matches": 7, "seats": 7, "entries": 90, "letters": 5}
	for _, l := range keptLines {
		all[l.counted] = 8
	}
	if m := w.Texts.Printer().T("privacy.ask", "Running", 1, "Challenges", 0, "Ended", 0); !strings.Contains(m, "Where three or more play, the others go on without you.") {
		t.Errorf("%s", m)
	}
	text := shown(all)
	for _, want := range []string{"3 running", "**Challenges:** 8, of which 1 open", "**Vacations:** 8", "prepared turns:** 8", "language", "**letters:** 5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n- "); n != len(keptLines)+1 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	known, covered := sqlstore.PersonTables(), []string{"boards"} // of which the export has nothing
	for _, l := range keptLines {
		for _, table := range append(slices.Clone(l.covered), l.counted) {
			if covered = append(covered, table); table != "" && !slices.Contains(known, table) {
				t.Errorf("%s counts %s, which is no table", l.key, table)
			}
		}
	}
	for _, table := range known {
		if !slices.Contains(covered, table) {
			t.Errorf("no line says what %s is", table)
		}
	}
	if text := shown(nil); strings.Count(text, "\n- ") != 1 {
		t.Errorf("of a stranger it says:\n%s", text)
	}
}
