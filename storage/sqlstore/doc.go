// Package sqlstore implements the transactions of package storage on database/sql,
// with statements that SQLite and PostgreSQL understand alike. The drivers open
// databases, begin and commit.
//
// Flags are stored as 0 and 1, times as nanoseconds since 1970 in UTC, seeds as the
// signed number with the same bits. Parameters are $1, $2 and so on; where
// PostgreSQL cannot infer the type of one, the statement casts it.
package sqlstore
