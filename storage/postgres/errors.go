package postgres

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"castellan/storage"
)

// code returns PostgreSQL's code of an error, "" for other errors
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// isConflict reports whether a transaction failed because of another one that ran
// at the same time. A unique violation is such a failure if the transaction would
// not have inserted the row after the other one.
func isConflict(err error) bool {
	switch code(err) {
	case "40001", "40P01", "55P03", "23505": // serialization, deadlock, lock timeout, unique violation
		return true
	}
	return false
}

// isUnreachable reports whether an error means that the connection is lost, or that
// the server accepts none for now.
func isUnreachable(err error) bool {
	switch c := code(err); {
	case strings.HasPrefix(c, "08"), strings.HasPrefix(c, "57P0"), c == "25P03", c == "53300":
		return true
	case c != "":
		return false
	}
	var (
		network net.Error
		connect *pgconn.ConnectError
	)
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Classify does what classify does, for others who keep tables in the database.
func Classify(err error) error { return classify(err) }

// classify wraps an error of PostgreSQL in the error of package storage that it
// amounts to.
func classify(err error) error {
	kind := errorKind(err)
	if kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func errorKind(err error) error {
	switch code(err) {
	case "23503": // the record refers to a missing one
		return storage.ErrNotFound
	case "42P01", "3F000": // undefined table, no schema
		return storage.ErrNoTables
	case "53100":
		return storage.ErrDiskFull
	case "25006": // a standby, or set by the operator
		return storage.ErrReadOnly
	case "XX001", "XX002":
		return storage.ErrCorrupt
	}
	if isUnreachable(err) {
		return storage.ErrUnreachable
	}
	return nil
}
