// Package sqlite keeps everything in one SQLite database, by the driver
// modernc.org/sqlite, which needs no C compiler.
//
// The database is in WAL mode with synchronous=FULL: what was committed
// survives a loss of power. One connection writes and a small pool of others
// reads, for several writers would stall each other for longer than the three
// seconds that Discord waits. Opening brings the schema up to date from the
// SQL files in migrations, in order; a file that is not ours, or that a newer
// version has written, is left as it is.
//
// One [Store] holds a database at a time. The operating system sees to that by
// a lock on a file beside it, named as the database with "-lock" after it, and
// lifts the lock when the process ends, however it does.
//
// [Backup] copies a database and [Read] looks at one, both whether it is in use
// or not and without changing it. What goes wrong with the disk is told by the
// errors of package storage; the store goes on by itself when it is over.
//
// The statements are written so that PostgreSQL would take them too; what
// belongs to SQLite alone is in the migrations and in open.go.
package sqlite
