// Package chores runs work that does not belong to a single match. Some of it runs
// every hour, the rest when an operator starts it.
//
// With a file, [Local] runs the chores in the process. Processes that share a
// database on PostgreSQL share them, too: castellan/storage/postgres/queue has each
// of them done by one process. Both pass the suite in castellan/storage/chorestest.
package chores
