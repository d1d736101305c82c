package sqlite

// lock keeps a database for one process. SQLite's own locks do not do that:
// they last for a transaction, and two bots on one database would each answer
// for the other.
//
// The lock is on a file of its own. Opening the database itself and closing it
// again would drop the locks that SQLite holds on it in the same process
// (https://www.sqlite.org/howtocorrupt.html, 2.2).
type lock struct {
	release func() error
}
