// Package postgres stores everything in one PostgreSQL database, through the driver
// pgx. Several processes can use it at a time.
//
// Updates are serializable transactions, and the statements are those of package
// sqlstore. PostgreSQL fails a transaction that does not fit into a serial order; it
// runs again then, and after some failures it runs alone. An Update that loses its
// connection finds out whether it was committed, and runs again only if it was not.
// docs/decisions/0035 has the reasons and figures.
//
// Views see the snapshot of a repeatable read.
package postgres
