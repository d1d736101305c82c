//go:build unix

package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"castellan/storage/postgres/migrations"
)

// TB is the part of testing.TB that the package uses; tests of properties have it,
// too.
type TB interface {
	Helper()
	Cleanup(fn func())
	Error(args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
}

// Cluster is a PostgreSQL server with its data in a temporary folder. It ends,
// and the folder is removed, with the test binary, however that ends.
type Cluster struct {
	programs string // the folder of initdb and pg_ctl
	dir      string
	owner    *syscall.Credential // nil for the user of this process
	guard    io.Closer           // the input of the process that removes everything
	last     atomic.Int64        // the number of the newest database

	template    sync.Once
	templateErr error

	mu     sync.Mutex
	unused []string // migrated databases
}

var shared struct {
	sync.Once
	cluster *Cluster
	err     error
}

// Database creates an empty database for a test and returns its URL. The database
// is dropped at the end of the test. All tests of a test binary share a cluster,
// which does not survive a crash of the machine.
func Database(tb TB) string {
	tb.Helper()
	return sharedCluster(tb).Database(tb)
}

// Migrated returns the URL of a database with Castellan's newest schema and nothing
// else, like Database. The test must not change tables.
func Migrated(tb TB) string {
	tb.Helper()
	return sharedCluster(tb).Migrated(tb)
}

func sharedCluster(tb TB) *Cluster {
	tb.Helper()
	programs := find(tb)
	shared.Do(func() { shared.cluster, shared.err = start(programs, initialize, "fsync=off", "full_page_writes=off") })
	if shared.err != nil {
		tb.Fatalf("start PostgreSQL: %v", shared.err)
	}
	return shared.cluster
}

// New starts a cluster for one test, which ends with it. It flushes commits to
// the disk as a real one does, and has further settings of the form name=value.
func New(tb TB, settings ...string) *Cluster {
	tb.Helper()
	c, err := start(find(tb), initialize, settings...)
	if err != nil {
		tb.Fatalf("start PostgreSQL: %v", err)
	}
	tb.Cleanup(func() { c.guard.Close() })
	return c
}

// find returns the folder of the server's programs, or skips the test.
func find(tb TB) string {
	tb.Helper()
	if path, err := exec.LookPath("pg_ctl"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil { // the other programs are beside the file
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl") // the pattern is valid
	if len(found) > 0 {
		newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
		return filepath.Dir(newest)
	}
	const missing = "PostgreSQL is missing: apt-get install postgresql"
	if os.Getenv("CI") != "" {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
	return ""
}

// version returns the version in /usr/lib/postgresql/15/bin/pg_ctl.
func version(program string) int {
	n, _ := strconv.Atoi(strings.Split(program, "/")[4])
	return n
}

// start starts a cluster with data that create makes.
func start(programs string, create func(*Cluster) error, settings ...string) (_ *Cluster, err error) {
	c := &Cluster{programs: programs}
	if c.owner, err = unprivileged(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "castellan-pg-"); err != nil {
		return nil, err
	}
	if c.owner != nil {
		if err := os.Chown(c.dir, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(c.dir))
		}
	}
	// The guard's input ends with this process, even if it is killed.
	guard := c.command("sh", "-c", `read -r _; "$1/pg_ctl" -D "$0/data" -m immediate stop; rm -rf "$0"`, c.dir, programs)
	if c.guard, err = guard.StdinPipe(); err == nil {
		err = guard.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	go func() { _ = guard.Wait() }()
	defer func() {
		if err != nil {
			c.guard.Close()
		}
	}()
	if err = create(c); err != nil {
		return nil, err
	}
	if err = c.configure(append(settings, "listen_addresses=", "unix_socket_directories="+c.dir, "max_connections=300", "jit=off")...); err != nil {
		return nil, err
	}
	return c, c.Start()
}

// initialize creates the data of an empty cluster.
func initialize(c *Cluster) error {
	return c.run("initdb", "--no-sync", "--username=castellan", "--auth=trust", "--encoding=UTF8", "--locale=C")
}

// configure adds settings of the form name=value, which apply from the next start or
// reload on.
func (c *Cluster) configure(settings ...string) error {
	conf, err := os.OpenFile(filepath.Join(c.dir, "data/postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		fmt.Fprintf(conf, "%s = '%s'\n", name, value)
	}
	return conf.Close()
}

// Standby starts a copy of the cluster that follows it. From then on each commit
// waits until the standby has it on disk, so that Promote loses nothing that was
// acknowledged.
func (c *Cluster) Standby(tb TB) *Cluster {
	tb.Helper()
	standby, err := start(c.programs, func(s *Cluster) error {
		return s.run("pg_basebackup", "--dbname=user=castellan application_name=standby host="+c.dir, "--no-sync", "--checkpoint=fast", "--write-recovery-conf")
	})
	if err != nil {
		tb.Fatalf("start a standby: %v", err)
	}
	tb.Cleanup(func() { standby.guard.Close() })
	if err = c.configure("synchronous_standby_names=standby"); err == nil {
		err = c.run("pg_ctl", "reload", "-s")
	}
	if err != nil {
		tb.Fatalf("wait for the standby with each commit: %v", err)
	}
	return standby
}

// AwaitStandby waits until the standby has everything that is visible. It lacks
// something when the server has just been restarted: what was not acknowledged before
// is visible then.
func (c *Cluster) AwaitStandby(ctx context.Context) error {
	return c.await(ctx, "SELECT count(*) > 0 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'")
}

// await waits until a query returns true.
func (c *Cluster) await(ctx context.Context, query string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for done := false; !done; time.Sleep(10 * time.Millisecond) {
		if err := conn.QueryRow(ctx, query).Scan(&done); err != nil {
			return err
		}
	}
	return nil
}

// Abandon has a standby receive nothing more from the cluster, whose commits do not wait
// any longer: Promote then loses those that follow.
func (c *Cluster) Abandon(ctx context.Context, standby *Cluster) error {
	if err := errors.Join(
		c.exec("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''"), c.exec("postgres", "SELECT pg_reload_conf()"),
		standby.exec("postgres", "ALTER SYSTEM SET primary_conninfo = ''"), standby.exec("postgres", "SELECT pg_reload_conf()"),
	); err != nil {
		return err
	}
	return c.await(ctx, "SELECT count(*) = 0 FROM pg_stat_replication")
}

// Promote makes a standby accept changes, in place of the cluster that it followed.
// It returns when it does.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "promote", "-w", "-s") }

// Socket returns the file name of the socket through which the server is reached.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// unprivileged returns the user who runs PostgreSQL for root, or nil if the
// process is not root's.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL refuses to run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// command returns a command that runs in the cluster's folder, out of reach of
// the signals that a terminal sends to the test.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setsid: true}
	return cmd
}

func (c *Cluster) run(name string, args ...string) error {
	out, err := c.command(filepath.Join(c.programs, name), append(args, "-D", "data")...).CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(c.dir, "log")) // missing before the first start
		return fmt.Errorf("%s: %w\n%s%s", name, err, out, log)
	}
	return nil
}

// Start starts the server after Stop or Kill. It returns when the server answers.
func (c *Cluster) Start() error { return c.run("pg_ctl", "start", "-w", "-s", "-l", "log") }

// Stop rolls back all transactions and shuts the server down.
func (c *Cluster) Stop() error { return c.run("pg_ctl", "stop", "-w", "-s", "-m", "fast") }

// Kill ends the server as a crash would.
func (c *Cluster) Kill() error { return c.run("pg_ctl", "stop", "-w", "-s", "-m", "immediate") }

// URL returns the URL of a database.
func (c *Cluster) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("castellan"), Path: "/" + database, RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return u.String()
}

// Database creates an empty database for a test and returns its URL.
func (c *Cluster) Database(tb TB) string {
	tb.Helper()
	name := fmt.Sprintf("test_%d", c.last.Add(1))
	if err := c.exec("postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.exec("postgres", "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Error(err)
		}
	})
	return c.URL(name)
}

// Migrated returns the URL of a database with Castellan's newest schema and nothing
// else, which a test has for itself. Databases are used again, so the test must not
// change tables.
func (c *Cluster) Migrated(tb TB) string {
	tb.Helper()
	c.template.Do(func() { c.templateErr = c.migrate("castellan") })
	if c.templateErr != nil {
		tb.Fatal(c.templateErr)
	}
	c.mu.Lock()
	var name string
	if n := len(c.unused); n > 0 {
		name, c.unused = c.unused[n-1], c.unused[:n-1]
	}
	c.mu.Unlock()
	latest, err := migrations.Latest()
	if err != nil {
		tb.Fatal(err)
	}
	if name == "" {
		name = fmt.Sprintf("migrated_%d", c.last.Add(1))
		err = c.exec("postgres", "CREATE DATABASE "+name+" TEMPLATE castellan")
	} else {
		err = c.exec(name, fmt.Sprintf(empty, latest))
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unused = append(c.unused, name)
	})
	return c.URL(name)
}

// empty ends all other connections to a database, deletes every row without running
// triggers, and newer versions of the schema, which a test made up, and starts the
// identifiers from 1.
const empty = `
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
SET session_replication_role = replica;
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version' LOOP
        EXECUTE 'DELETE FROM ' || name;
    END LOOP;
    DELETE FROM goose_db_version WHERE version_id > %d;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND sequencename <> 'goose_db_version_id_seq' LOOP
        EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART';
    END LOOP;
END $$`

func (c *Cluster) migrate(database string) (err error) {
	if err := c.exec("postgres", "CREATE DATABASE "+database+" TEMPLATE template0"); err != nil {
		return err
	}
	db, err := sql.Open("pgx", c.URL(database))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrations.Up(context.Background(), db)
}

func (c *Cluster) exec(database, statements string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	return err
}
