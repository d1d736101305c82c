// Package transfer copies a whole database from SQLite to PostgreSQL, or back.
//
// It copies table by table in one transaction of the target, which has to be
// empty, and compares every table with the source by its number of rows and a
// checksum before it commits. A target is complete or unchanged.
package transfer
