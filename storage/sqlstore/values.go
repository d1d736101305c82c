package sqlstore

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/storage"
)

// The first and last times that 64 bits of nanoseconds can represent.
var (
	earliest = time.Unix(0, -1<<63).UTC()
	latest   = time.Unix(0, 1<<63-1).UTC()
)

// timeValue is a time as an argument of a statement: nanoseconds since 1970 in
// UTC. A statement with the zero time fails.
type timeValue time.Time

func (v timeValue) Value() (driver.Value, error) {
	switch t := time.Time(v); {
	case t.IsZero():
		return nil, errors.New("a time is missing")
	case t.Before(earliest), t.After(latest):
		return nil, fmt.Errorf("the time %s cannot be stored", t)
	default:
		return t.UnixNano(), nil
	}
}

// nullTime is a time as an argument of a statement, NULL for the zero time.
type nullTime time.Time

func (v nullTime) Value() (driver.Value, error) {
	if time.Time(v).IsZero() {
		return nil, nil
	}
	return timeValue(v).Value()
}

// nullID returns an identifier as it is stored, NULL for 0.
func nullID[T ~int64](id T) sql.NullInt64 {
	return sql.NullInt64{Int64: int64(id), Valid: id != 0}
}

// pausesText returns times as they are stored: "from-to", separated by commas, in
// nanoseconds since 1970 in UTC.
func pausesText(pauses []storage.Outage) string {
	var texts []string
	for _, p := range pauses {
		texts = append(texts, fmt.Sprintf("%d-%d", p.From.UnixNano(), p.To.UnixNano()))
	}
	return strings.Join(texts, ",")
}

// scanPauses scans what pausesText has written.
type scanPauses struct{ to *[]storage.Outage }

func (s scanPauses) Scan(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("pauses are stored as %T", v)
	}
	*s.to = nil
	for p := range strings.SplitSeq(text, ",") {
		if p == "" {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(p, "%d-%d", &from, &to); err != nil {
			return fmt.Errorf("pauses are stored as %q: %w", text, err)
		}
		*s.to = append(*s.to, storage.Outage{From: time.Unix(0, from).UTC(), To: time.Unix(0, to).UTC()})
	}
	return nil
}

// scanTime scans a stored time.
type scanTime struct{ to *time.Time }

func (s scanTime) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*s.to = time.Time{}
	case int64:
		*s.to = time.Unix(0, v).UTC()
	default:
		return fmt.Errorf("a time is stored as %T", v)
	}
	return nil
}

// scanNull scans a value that may be NULL, which becomes zero.
type scanNull[T any] struct{ to *T }

func (s scanNull[T]) Scan(v any) error {
	var n sql.Null[T]
	err := n.Scan(v)
	*s.to = n.V
	return err
}

// orNull returns where to scan a value that may be NULL.
func orNull[T any](to *T) scanNull[T] { return scanNull[T]{to} }

// scanSeed scans an unsigned 64-bit number, stored as the signed one with the
// same bits.
type scanSeed struct{ to *uint64 }

func (s scanSeed) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a seed is stored as %T", v)
	}
	*s.to = uint64(n)
	return nil
}

// digestValue is a digest as an argument of a statement.
type digestValue storage.Digest

func (v digestValue) Value() (driver.Value, error) { return v[:], nil }

// scanDigest scans a digest. One that is missing or has another length becomes
// zero, which no log has.
type scanDigest struct{ to *storage.Digest }

func (s scanDigest) Scan(v any) error {
	*s.to = storage.Digest{}
	if b, ok := v.([]byte); ok && len(b) == len(s.to) {
		copy(s.to[:], b)
	}
	return nil
}

// placeholders returns n rows of parameters: "($1, $2), ($3, $4)". Those of the
// first row are cast if there are types.
func placeholders(n, width int, types []string) string {
	var b strings.Builder
	for i := range n * width {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%width == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if i < len(types) {
			b.WriteString("CAST($" + strconv.Itoa(i+1) + " AS " + types[i] + ")")
		} else {
			b.WriteString("$" + strconv.Itoa(i+1))
		}
	}
	b.WriteByte(')')
	return b.String()
}
