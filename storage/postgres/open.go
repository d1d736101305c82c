package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"castellan/storage"
	"castellan/storage/postgres/migrations"
)

// config holds the options.
type config struct {
	connections int
	patience    time.Duration
	onRerun     func(error)
	onSignal    func(k storage.SignalKind, sent bool)
	readOnly    bool
}

// Option changes how a database is opened.
type Option func(*config)

// Connections sets how many updates can run at a time, and how many views; 8 by
// default. Two reports can run besides.
func Connections(n int) Option { return func(c *config) { c.connections = max(n, 1) } }

// Patience sets how long an Update that has lost its connection waits for the
// server to return; 5 seconds by default.
func Patience(d time.Duration) Option { return func(c *config) { c.patience = d } }

// OnRerun calls fn before an Update runs again, with the reason. fn must be safe
// for concurrent use.
func OnRerun(fn func(error)) Option { return func(c *config) { c.onRerun = fn } }

// OnSignal calls fn for each signal that this process has sent, or heard from another
// one. fn must be safe for concurrent use.
func OnSignal(fn func(k storage.SignalKind, sent bool)) Option {
	return func(c *config) { c.onSignal = fn }
}

// ReadOnly opens a database that has this program's schema without changing it.
// Updates fail with storage.ErrReadOnly.
func ReadOnly() Option { return func(c *config) { c.readOnly = true } }

// reporters is how many reports can run at a time.
const reporters = 2

// Open opens the database of a URL, postgres://user:password@host/name?parameters,
// as libpq understands it. It creates the schema in an empty database and updates
// an older one. Several processes can do so at the same time.
//
// A database that a later version has updated is opened if programs of this version
// can still use it. Open fails with storage.ErrForeign if the database belongs to
// another program, storage.ErrNewerSchema if a later version has changed it more,
// storage.ErrUnreachable if there is no connection, or another error. Each error is
// one sentence that names the database without its password.
func Open(ctx context.Context, address string, opts ...Option) (*Store, error) {
	c := config{connections: 8, patience: 5 * time.Second, onRerun: func(error) {}, onSignal: func(storage.SignalKind, bool) {}}
	for _, o := range opts {
		o(&c)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errors.New("cannot open the database: its address is not of the form postgres://user@host/name")
	}
	s, err := open(ctx, address, c)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", name(u), err)
	}
	return s, nil
}

// name returns a URL without what may be secret.
func name(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, User: url.User(u.User.Username()), Host: u.Host, Path: u.Path}).String()
}

func open(ctx context.Context, address string, c config) (_ *Store, err error) {
	parsed, err := pgx.ParseConfig(address)
	if err != nil { // it may quote the password
		return nil, errors.New("its parameters are not valid, see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS")
	}
	if err := CheckTLS(parsed); err != nil {
		return nil, err
	}
	if parsed.RuntimeParams["application_name"], err = migrations.Application(cmp.Or(parsed.RuntimeParams["application_name"], "castellan")); err != nil {
		return nil, err
	}
	if c.readOnly {
		onConnect(parsed, "SET default_transaction_read_only = on")
	}
	parsed.DialFunc = dialer().DialContext
	if !strings.Contains(address, "connect_timeout=") {
		parsed.ConnectTimeout = cutOff
	}
	s := &Store{config: c, address: address, parsed: parsed, clock: clock{own: time.Now}, process: rand.Text(), silence: silence}
	s.stopping, s.stop = context.WithCancel(context.Background())
	for _, pool := range []struct {
		db   **sql.DB
		size int
	}{{&s.updates, c.connections}, {&s.views, c.connections}, {&s.reports, reporters}} {
		*pool.db = stdlib.OpenDB(*parsed)
		(*pool.db).SetMaxOpenConns(pool.size)
		(*pool.db).SetMaxIdleConns(pool.size)
	}
	defer func() {
		if err != nil {
			err = errors.Join(explain(err), s.close())
		}
	}()
	if err := checkSessions(ctx, s.reports); err != nil {
		return nil, err
	}
	if err := inspect(ctx, s.reports, c.readOnly); err != nil {
		return nil, err
	}
	if err := s.measureClock(ctx); err != nil {
		return nil, err
	}
	s.background.Go(s.keepClock)
	if c.readOnly {
		return s, nil
	}
	if err := migrate(ctx, parsed.Copy()); err != nil {
		return nil, err
	}
	// A later version can have updated the schema meanwhile.
	if err := inspect(ctx, s.reports, false); err != nil {
		return nil, err
	}
	return s, s.Prune(ctx)
}

// CheckTLS fails if a connection to another machine might have no TLS, and nobody has said
// that this is wanted: by default libpq goes on without if the server, or somebody who
// passes for it, offers none.
func CheckTLS(c *pgx.ConnConfig) error {
	with, without := false, false
	for _, to := range append([]*pgconn.FallbackConfig{{Host: c.Host, TLSConfig: c.TLSConfig}}, c.Fallbacks...) {
		ip := net.ParseIP(to.Host)
		if strings.HasPrefix(to.Host, "/") || strings.HasPrefix(to.Host, "@") || to.Host == "localhost" || ip != nil && ip.IsLoopback() {
			continue
		}
		with, without = with || to.TLSConfig != nil, without || to.TLSConfig == nil
	}
	if with && without { // with sslmode=disable there would be none at all
		return errors.New("the connection might have no TLS; add sslmode=verify-full to the parameters of the address (or sslmode=require, if the server's certificate cannot be checked; or sslmode=disable, if nobody else can get between)")
	}
	return nil
}

// Pool opens further connections to the database, at most size at a time, for others
// who keep tables in it. The caller closes it.
func (s *Store) Pool(ctx context.Context, size int32) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(s.address)
	if err != nil { // it may quote the password
		return nil, errors.New("the parameters of the database's URL are not valid for a pool")
	}
	c.ConnConfig, c.MaxConns = s.parsed.Copy(), size
	return pgxpool.NewWithConfig(ctx, c)
}

// migrate updates the schema.
func migrate(ctx context.Context, c *pgx.ConnConfig) (err error) {
	onConnect(c, "SET lock_timeout = '300ms'") // see migrations.Up
	db := stdlib.OpenDB(*c)
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrations.Up(ctx, db)
}

// onConnect has each connection execute a statement first. As a parameter of the
// connection's start, PgBouncer would refuse the setting.
func onConnect(c *pgx.ConnConfig, statement string) {
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		return conn.Exec(ctx, statement).Close()
	}
}

// checkSessions fails if two connections have one session of the server: they go
// through a pooler that gives sessions away after each transaction, in which nothing
// is heard and nothing stays locked. A busy pooler can escape it.
func checkSessions(ctx context.Context, db *sql.DB) (err error) {
	var pids [2]int
	for i := range pids {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.QueryRowContext(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pids[i]); err != nil {
			return err
		}
	}
	if pids[0] == pids[1] {
		return errors.New("a connection pooler is between, which shares sessions of the server: set pool_mode = session in PgBouncer, or name the server itself")
	}
	return nil
}

// inspect checks, without changing anything, that the server is suitable and the
// database Castellan's, or empty or of an older version if it is to be updated.
func inspect(ctx context.Context, db *sql.DB, readOnly bool) error {
	var (
		encoding, commit  string
		version           int
		tables            int
		hasVersion, isOur bool
	)
	err := db.QueryRowContext(ctx, `
SELECT current_setting('server_encoding'), current_setting('synchronous_commit'), CAST(current_setting('server_version_num') AS BIGINT),
    (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()), to_regclass('goose_db_version') IS NOT NULL,
    to_regclass('entries') IS NOT NULL AND to_regclass('updates') IS NOT NULL`).Scan(&encoding, &commit, &version, &tables, &hasVersion, &isOur)
	switch {
	case err != nil:
		return err
	case version < 140000:
		return fmt.Errorf("the server is older than PostgreSQL 14")
	case encoding != "UTF8":
		return fmt.Errorf("its encoding is %s; create it with ENCODING 'UTF8'", encoding)
	case commit == "off":
		return errors.New("the server loses commits when it crashes; add ?synchronous_commit=on to the URL")
	case tables > 0 && (!hasVersion || tables > 1 && !isOur): // with one table it is being created
		return fmt.Errorf("%w; name an empty database, or one that Castellan has made", storage.ErrForeign)
	}
	latest, err := migrations.Latest()
	if err != nil {
		return err
	}
	current, err := migrations.Version(ctx, db)
	switch {
	case err != nil:
	case readOnly && current == 0:
		err = fmt.Errorf("%w: it is empty", storage.ErrForeign)
	case readOnly && current < latest:
		err = fmt.Errorf("its schema is version %d and this program's is %d; start this program's bot with it once, which updates it", current, latest)
	case current > latest:
		var oldest int64
		if oldest, err = migrations.Oldest(ctx, db); err == nil && oldest > latest {
			err = fmt.Errorf("%w (its schema is version %d, this program knows up to %d); run that version, or name another database", storage.ErrNewerSchema, current, latest)
		}
	}
	return err
}

// explain turns an error of opening a database into one line.
func explain(err error) error {
	err = classify(err)
	if text := err.Error(); strings.Contains(text, "\n") {
		return oneLine{err, strings.Join(strings.Fields(text), " ")}
	}
	return err
}

// oneLine is an error whose text is a single line.
type oneLine struct {
	error
	text string
}

func (e oneLine) Error() string { return e.text }

func (e oneLine) Unwrap() error { return e.error }
