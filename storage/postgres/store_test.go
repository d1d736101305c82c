package postgres_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/migrations"
	"castellan/storage/postgres/pgtest"
	"castellan/storage/storagetest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a database.
func open(t testing.TB, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opts...)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// insertMatch inserts a match.
func insertMatch(t testing.TB, s storage.Store) (id storage.MatchID) {
	t.Helper()
	must(t, s.Update(t.Context(), func(tx storage.Tx) (err error) {
		id, err = tx.InsertMatch(storage.Match{Game: "g", CreatedAt: noon, Seats: []storage.Person{{ID: "1"}, {ID: "2"}}})
		return err
	}))
	return id
}

// appendEntry appends an entry to a match with a number of entries.
func appendEntry(tx storage.Tx, id storage.MatchID, after int) error {
	return storagetest.Append(tx, id, []storage.Entry{{Seq: after + 1, Kind: "action", At: noon}})
}

// seqOf returns the number of entries of a match.
func seqOf(t testing.TB, s storage.Store, id storage.MatchID) (seq int) {
	t.Helper()
	must(t, s.View(t.Context(), func(r storage.Reader) error {
		m, err := r.Match(id)
		seq = m.Seq
		return err
	}))
	return seq
}

// raw opens a database without the store.
func raw(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// waitFor asks until a query returns true.
func waitFor(t testing.TB, db *sql.DB, query string) {
	t.Helper()
	for done := false; !done; runtime.Gosched() {
		must(t, db.QueryRowContext(t.Context(), query).Scan(&done))
	}
}

// An update that conflicts again and again runs alone in the end.
func TestAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s, db := open(t, url), raw(t, url)
	id := insertMatch(t, s)
	other := func() error {
		return s.Update(context.WithoutCancel(t.Context()), func(tx storage.Tx) error {
			m, err := tx.Match(id)
			return errors.Join(err, appendEntry(tx, id, m.Seq))
		})
	}
	runs, waiting := 0, make(chan error, 1)
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		m, err := tx.Match(id)
		if runs++; runs <= 2 {
			err = errors.Join(err, other())
		} else {
			go func() { waiting <- other() }()
			waitFor(t, db, "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE relation = to_regclass('updates') AND NOT granted)")
		}
		return errors.Join(err, appendEntry(tx, id, m.Seq))
	}))
	must(t, <-waiting)
	if seq := seqOf(t, s, id); runs != 3 || seq != 4 {
		t.Errorf("%d runs and %d entries, want 3 and 4", runs, seq)
	}
}

// A connection that is lost before the commit is replaced, and the update runs again.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s, db := open(t, url+"&application_name=victim"), raw(t, url)
	id := insertMatch(t, s)
	lose := func() {
		_, err := db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name LIKE 'victim %'")
		must(t, err)
	}
	runs := 0
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		if err := appendEntry(tx, id, 0); err != nil {
			return err
		}
		if runs++; runs == 1 {
			lose()
		}
		_ = tx.SetLocale("1", "de")
		return nil
	}))
	if seq := seqOf(t, s, id); runs != 2 || seq != 1 {
		t.Errorf("%d runs and %d entries, want 2 and 1", runs, seq)
	}
	lose() // connections that nobody uses
	seqOf(t, s, id)
	err := s.View(t.Context(), func(r storage.Reader) error {
		lose()
		_, err := r.Match(id)
		return err
	})
	if !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("a view without its connection: %v, want ErrUnreachable", err)
	}
}

// proxy passes on what a client and the server send to each other, until the client
// commits.
type proxy struct {
	net.Listener
	server  string
	forward bool                           // pass on the commit
	startup func(*pgproto3.StartupMessage) // sees what a connection begins with; optional
	wait    bool                           // for the server's answer, which is not passed on
	shared  bool                           // all connections have one session, as with some poolers
	gone    bool                           // accept no further connections
	done    atomic.Bool
}

// newProxy returns a proxy and the URL of a database through it.
func newProxy(t testing.TB, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	query := u.Query()
	const name = ".s.PGSQL.5432"
	p := &proxy{server: filepath.Join(query.Get("host"), name)}
	dir := t.TempDir()
	p.Listener, err = net.Listen("unix", filepath.Join(dir, name))
	must(t, err)
	t.Cleanup(func() { p.Close() })
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	go func() {
		for {
			client, err := p.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p, u.String()
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.server)
	if err != nil {
		return
	}
	var dropped atomic.Bool
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		defer client.Close()
		buffer := make([]byte, 1<<16)
		for {
			n, err := server.Read(buffer)
			if err != nil || dropped.Load() {
				return
			}
			_, _ = client.Write(buffer[:n])
		}
	}()
	buffer := make([]byte, 1<<16)
	for first := true; ; first = false {
		n, err := client.Read(buffer)
		if first && err == nil && p.startup != nil {
			var m pgproto3.StartupMessage
			if m.Decode(buffer[4:n]) == nil {
				p.startup(&m)
			}
		}
		if err != nil {
			break
		}
		if p.shared {
			copy(buffer[:n], bytes.ReplaceAll(buffer[:n], []byte("SELECT pg_backend_pid()"), []byte("SELECT 7               ")))
		}
		commits := bytes.Contains(buffer[:n], []byte("; COMMIT")) && p.done.CompareAndSwap(false, true)
		dropped.Store(commits)
		if !commits || p.forward {
			_, _ = server.Write(buffer[:n])
		}
		if commits {
			if p.gone {
				p.Close()
			}
			if p.wait {
				<-answers
			}
			break
		}
	}
	server.Close()
}

// PgBouncer refuses connections that begin with other parameters than these.
func TestStartupParameters(t *testing.T) {
	t.Parallel()
	known := []string{"user", "database", "application_name", "client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings"}
	p, url := newProxy(t, pgtest.Database(t))
	var seen atomic.Int32
	p.startup = func(m *pgproto3.StartupMessage) {
		seen.Add(1)
		for name := range m.Parameters {
			if !slices.Contains(known, name) {
				t.Errorf("a connection begins with %s", name)
			}
		}
	}
	for _, opts := range [][]postgres.Option{nil, {postgres.ReadOnly()}} {
		s, err := postgres.Open(t.Context(), url, opts...)
		must(t, err)
		must(t, s.Close())
	}
	if seen.Load() == 0 {
		t.Error("the proxy saw no connection begin")
	}
}

func TestSharedSessions(t *testing.T) {
	t.Parallel()
	p, url := newProxy(t, pgtest.Database(t))
	p.shared = true
	if s, err := postgres.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "pool_mode = session") {
		t.Errorf("%v, %v", s, err)
	}
}

// An update whose connection is lost during the commit takes effect exactly once.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                string
		forward, wait, gone bool
		runs                []int // possible numbers
		err                 error
	}{
		{"before the server has it", false, false, false, []int{2}, nil},
		{"while the server commits", true, false, false, []int{1, 2}, nil},
		{"after the server has committed", true, true, false, []int{1}, nil},
		{"and the server stays away", true, true, true, []int{1}, storage.ErrOutcomeUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := pgtest.Migrated(t)
			direct := open(t, url)
			id := insertMatch(t, direct)
			p, through := newProxy(t, url)
			p.forward, p.wait, p.gone = tt.forward, tt.wait, tt.gone
			s := open(t, through, postgres.Patience(map[bool]time.Duration{true: 1, false: time.Minute}[tt.gone]))
			runs := 0
			err := s.Update(t.Context(), func(tx storage.Tx) error {
				runs++
				return appendEntry(tx, id, 0)
			})
			if !errors.Is(err, tt.err) || tt.err == nil && err != nil || !slices.Contains(tt.runs, runs) {
				t.Errorf("%d runs and error %v, want %v and %v", runs, err, tt.runs, tt.err)
			}
			if seq := seqOf(t, direct, id); seq != 1 {
				t.Errorf("the match has %d entries, want 1", seq)
			}
		})
	}
}

// Without its tables, what the database answers says so.
func TestTablesGone(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE")
	must(t, errors.Join(err, conn.Close(t.Context())))
	_, leased := s.AcquireLease(t.Context(), "a", "b", "", time.Minute)
	for name, err := range map[string]error{
		"update": s.Update(t.Context(), func(tx storage.Tx) error { return tx.SetLocale("1", "de") }),
		"view":   s.View(t.Context(), func(r storage.Reader) error { _, err := r.MatchesAfter(0, 1); return err }),
		"lease":  leased,
	} {
		if !errors.Is(err, storage.ErrNoTables) {
			t.Errorf("%s: %v, want ErrNoTables", name, err)
		}
	}
}

// While the server is away, transactions fail, and afterwards they work again.
func TestServerAway(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, "fsync=off")
	s := open(t, c.Migrated(t), postgres.Patience(1))
	id := insertMatch(t, s)
	must(t, c.Kill())
	for name, err := range map[string]error{
		"update": s.Update(t.Context(), func(tx storage.Tx) error { return appendEntry(tx, id, 0) }),
		"view":   s.View(t.Context(), func(r storage.Reader) error { _, err := r.Match(id); return err }),
		"intact": s.Intact(),
	} {
		if !errors.Is(err, storage.ErrUnreachable) {
			t.Errorf("%s: %v, want ErrUnreachable", name, err)
		}
	}
	must(t, c.Start())
	must(t, s.Intact())
	must(t, s.Update(t.Context(), func(tx storage.Tx) error { return appendEntry(tx, id, 0) }))
}

// Who waits for a connection gives up when their context is done or the store closes.
func TestWait(t *testing.T) {
	t.Parallel()
	s := open(t, pgtest.Migrated(t), postgres.Connections(1))
	running, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- s.Update(context.Background(), func(storage.Tx) error {
			close(running)
			<-release
			return nil
		})
	}()
	<-running
	none := func(storage.Tx) error { t.Error("the update runs"); return nil }
	ctx, cancel := context.WithCancel(t.Context())
	second, third, closed := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { second <- s.Update(ctx, none) }()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled update: %v", err)
	}
	go func() { third <- s.Update(context.Background(), none) }()
	go func() { closed <- s.Close() }()
	if err := <-third; !errors.Is(err, storage.ErrClosed) {
		t.Errorf("update of a store that closes: %v", err)
	}
	close(release)
	must(t, <-first)
	must(t, <-closed)
}

// The rows that held a person's data are freed, even if the store closes at once.
func TestForgetVacuums(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s := open(t, url)
	insertMatch(t, s)
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		return tx.ForgetPerson("1", storage.Person{ID: storage.FormerPrefix + "1"}, noon)
	}))
	must(t, s.Close())
	waitFor(t, raw(t, url), "SELECT min(vacuum_count) > 0 FROM pg_stat_user_tables WHERE relname IN ('seats', 'entries', 'vacations')")
}

// A database that cannot be used stays as it is, and no error tells a password.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	foreign, newer := pgtest.Database(t), pgtest.Database(t)
	_, err := raw(t, foreign).ExecContext(t.Context(), "CREATE TABLE notes (text text)")
	must(t, err)
	must(t, migrations.Up(t.Context(), raw(t, newer)))
	_, err = raw(t, newer).ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true); COMMENT ON TABLE goose_db_version IS NULL")
	must(t, err)
	for _, tt := range []struct {
		url, says string
		err       error
	}{
		{foreign, "name an empty database", storage.ErrForeign},
		{newer, "version 9999", storage.ErrNewerSchema},
		{newer + "&synchronous_commit=off", "synchronous_commit=on", nil},
		{"postgres://castellan:hunter2@localhost:1/db", "cannot open postgres://castellan@localhost:1/db", storage.ErrUnreachable},
		{"postgres://castellan@localhost:1/db?password=hunter2", "localhost:1/db", storage.ErrUnreachable},
		{"postgres://castellan:hunter2@localhost:port/db", "postgres://user@host/name", nil},
		{"postgres://castellan:hunter2@localhost/db?sslmode=hunter2", "parameters", nil},
		{"postgres://castellan@database.invalid/db", "sslmode=verify-full", nil},
		{"postgres://castellan@database.invalid/db?sslmode=prefer", "sslmode=verify-full", nil},
		{"postgres://castellan@127.0.0.1:1,database.invalid:1/db?sslmode=allow", "sslmode=verify-full", nil},
		{"postgres://castellan@database.invalid/db?sslmode=disable", "cannot be reached", storage.ErrUnreachable},
		{"postgres://castellan@database.invalid/db?sslmode=require", "cannot be reached", storage.ErrUnreachable},
		{"mysql://castellan:hunter2@localhost/db", "postgres://user@host/name", nil},
		{"castellan.db?hunter2", "postgres://user@host/name", nil},
	} {
		s, err := postgres.Open(t.Context(), tt.url)
		if err == nil {
			t.Errorf("%s is opened", tt.url)
			s.Close()
			continue
		}
		text := err.Error()
		if !strings.Contains(text, tt.says) || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: error %q, want %q", tt.url, text, tt.says)
		}
		if strings.Contains(text, "hunter2") || strings.Contains(text, "\n") || !strings.HasPrefix(text, "cannot open ") {
			t.Errorf("%s: error %q", tt.url, text)
		}
	}
}
