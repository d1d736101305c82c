// Package chores does the work that belongs to no match: what is done every hour,
// and what an operator starts.
//
// With a file, [Local] runs the chores in the process. Processes that share a
// database on PostgreSQL share them, too: castellan/bot/chores/queue has each of
// them done by one process. Both pass the suite in castellan/bot/chores/chorestest.
package chores
