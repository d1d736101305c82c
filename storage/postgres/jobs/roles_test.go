package jobs_test

import (
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/jobs"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/storagetest"
)

// With the rights that docs/host/scaling.md lists, the bot works without owning its tables.
func TestRoleWithoutOwnership(t *testing.T) {
	page, err := os.ReadFile("../../../docs/host/scaling.md")
	must(t, err)
	_, rights, _ := strings.Cut(string(page), "    CREATE ROLE castellan_bot LOGIN;\n")
	rights, _, _ = strings.Cut(rights, "\n\n")
	url := pgtest.Database(t)
	owner, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer owner.Close(t.Context())
	run := func(statement string) {
		t.Helper()
		_, err := owner.PgConn().Exec(t.Context(), statement).ReadAll()
		must(t, err)
	}
	run("CREATE ROLE castellan_bot LOGIN")
	defer run("DROP OWNED BY castellan_bot; DROP ROLE castellan_bot")
	run(regexp.MustCompile(`DATABASE castellan`).ReplaceAllString(rights, "DATABASE "+owner.Config().Database))

	open := func(url string) (*postgres.Store, *jobs.Runner) {
		s, err := postgres.Open(t.Context(), url)
		must(t, err)
		t.Cleanup(func() { s.Close() })
		r, err := jobs.Open(t.Context(), jobs.Config{Store: s, Logger: slog.New(slog.DiscardHandler), TestOnly: true, Jobs: []storage.Job{{Name: "ratings"}}})
		must(t, err)
		t.Cleanup(r.Close)
		return s, r
	}
	open(url) // creates the tables
	s, r := open(strings.Replace(url, "castellan@", "castellan_bot@", 1))
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		id, err := tx.InsertMatch(storage.Match{Game: "g", CreatedAt: time.Unix(1, 0), Seats: []storage.Person{{ID: "1"}, {ID: "2"}}})
		if err != nil {
			return err
		}
		_, err = tx.InsertBoard(storage.Board{Match: id})
		if err != nil {
			return err
		}
		if err := storagetest.Append(tx, id, []storage.Entry{{Seq: 1, Kind: "action", At: time.Unix(2, 0)}}); err != nil {
			return err
		}
		return tx.EndMatch(id, "rules", time.Unix(3, 0))
	}))
	must(t, s.Update(t.Context(), func(tx storage.Tx) error { // needs the vacuum's job
		return tx.ForgetPerson("1", storage.Person{ID: storage.FormerPrefix + "1"}, time.Unix(4, 0))
	}))
	l, err := s.AcquireLease(t.Context(), "a", "b", "", time.Minute)
	must(t, err)
	must(t, s.ReleaseLease(t.Context(), l))
	_, err = s.ShareRequests(t.Context(), storage.RequestUse{Limit: 50, Window: time.Second, Wanted: 5})
	must(t, err)
	_, err = s.ClaimPosts(t.Context(), time.Unix(9, 0), 9, time.Minute)
	must(t, err)
	must(t, s.Prune(t.Context()))
	id, err := r.Start(t.Context(), "ratings")
	if all, listErr := r.List(t.Context(), 9); err != nil || listErr != nil || len(all) == 0 {
		t.Errorf("job %d (%v); %+v (%v)", id, err, all, listErr)
	}
	if _, err := owner.Exec(t.Context(), "SET ROLE castellan_bot; DROP TABLE entries"); err == nil {
		t.Error("the role owns the tables")
	}
	run("RESET ROLE")
}
