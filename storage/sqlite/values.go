package sqlite

import (
	"database/sql"
	"fmt"
	"time"
)

// The first and last moments that 64 bits of nanoseconds can hold.
var (
	earliest = time.Unix(0, -1<<63).UTC()
	latest   = time.Unix(0, 1<<63-1).UTC()
)

// moment is a time as it is stored: nanoseconds since 1970 in UTC.
func moment(t time.Time) (int64, error) {
	if t.IsZero() {
		return 0, fmt.Errorf("a time is missing")
	}
	if t.Before(earliest) || t.After(latest) {
		return 0, fmt.Errorf("the time %s cannot be stored", t)
	}
	return t.UnixNano(), nil
}

// maybe is a time that may be zero, which is stored as NULL.
func maybe(t time.Time) (sql.NullInt64, error) {
	if t.IsZero() {
		return sql.NullInt64{}, nil
	}
	n, err := moment(t)
	return sql.NullInt64{Int64: n, Valid: err == nil}, err
}

// clock scans a stored time.
type clock struct{ to *time.Time }

func (c clock) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*c.to = time.Time{}
	case int64:
		*c.to = time.Unix(0, v).UTC()
	default:
		return fmt.Errorf("a time is stored as %T", v)
	}
	return nil
}

// number scans an identifier that may be NULL, which is 0.
type number[T ~int64] struct{ to *T }

func (n number[T]) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*n.to = 0
	case int64:
		*n.to = T(v)
	default:
		return fmt.Errorf("an identifier is stored as %T", v)
	}
	return nil
}

// reference is an identifier for storing: 0 is NULL.
func reference[T ~int64](id T) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(id), Valid: id != 0}
}

// seed scans 64 bits without a sign, stored as the signed number of the same
// bits.
type seed struct{ to *uint64 }

func (s seed) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a seed is stored as %T", v)
	}
	*s.to = uint64(n)
	return nil
}
