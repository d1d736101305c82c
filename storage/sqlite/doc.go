// Package sqlite stores everything in one SQLite database, through the driver
// modernc.org/sqlite, which needs no C compiler.
//
// The database is in WAL mode with synchronous=FULL: a committed transaction
// survives a loss of power. One connection writes and a small pool of others
// reads, because several writers would block each other for longer than the
// three seconds that Discord waits. Each connection prepares a statement once.
// Opening applies the SQL files in migrations in order; a file that belongs to
// another program or to a newer version stays as it is.
//
// Only one [Store] can have a database open. The operating system guarantees
// that with a lock on the file named like the database plus "-lock", which it
// releases when the process ends for whatever reason.
//
// [Backup] copies a database and [Read] reads one, whether or not it is in use
// and without changing it. Disk failures are reported as the errors of package
// storage; the store recovers by itself once the cause is gone.
//
// The statements are those of package sqlstore, which PostgreSQL understands as well;
// what only SQLite has is here and in the migrations.
package sqlite
