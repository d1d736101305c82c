package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
)

// ErrNotEmpty is the error for a target that holds something.
var ErrNotEmpty = errors.New("it is not empty")

// Table is a copied table.
type Table struct {
	Name string
	Rows int
}

// Options changes what Copy does.
type Options struct {
	// DryRun reads the source and checks the target, and writes nothing.
	DryRun bool
	// Opened is called when both databases are suitable, before anything is read; it may
	// be nil. Copy fails with its error.
	Opened func() error
	// Copied is called for each table; it may be nil.
	Copied func(Table)
}

// IsURL reports whether the name of a database is the URL of one on PostgreSQL, and
// not of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Redacted returns the name of a database without the password that a URL may
// contain.
func Redacted(name string) string {
	if !IsURL(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		return "the PostgreSQL database"
	}
	q := u.Query()
	for _, secret := range []string{"password", "sslpassword"} {
		if q.Has(secret) {
			q.Set(secret, "xxxxx")
			u.RawQuery = q.Encode()
		}
	}
	return u.Redacted()
}

// Copy copies a database into an empty one: from a file to the URL of PostgreSQL, or
// from a URL to a file, which must not exist.
//
// The source must have this program's schema. A file is locked, so that no bot uses
// it; of PostgreSQL, a snapshot is copied. An empty target gets the schema.
//
// Copy fails with ErrNotEmpty, and with the errors of sqlite.Open. It then leaves
// the target without a row, or the file missing.
func Copy(ctx context.Context, from, to string, o Options) (err error) {
	if IsURL(from) == IsURL(to) {
		return errors.New("one database must be a file and the other a URL: castellan backup copies files, pg_dump copies databases of PostgreSQL")
	}
	source, err := openSource(ctx, from)
	if err != nil {
		return fmt.Errorf("read %s: %w", Redacted(from), err)
	}
	defer func() { err = errors.Join(err, source.close()) }()
	target, err := openTarget(ctx, to, o.DryRun)
	if err != nil {
		return fmt.Errorf("write %s: %w", Redacted(to), err)
	}
	defer func() { err = errors.Join(err, target.close()) }()
	if o.Opened != nil {
		if err := o.Opened(); err != nil {
			return err
		}
	}
	if err := copyTables(ctx, source, target, o); err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	} else if err != nil || o.DryRun {
		return err
	}
	if err := target.finish(ctx, source); err != nil {
		return fmt.Errorf("write %s: %w", Redacted(to), err)
	}
	return nil
}

// numbered lists the tables whose identifiers the database gives out.
var numbered = []string{"audit", "boards", "challenges", "matches", "tournaments"}

// first lists the tables that others refer to, in the order of writing. Only
// challenges refers to a later one.
var first = []string{"challenges", "matches", "tournaments"}

func copyTables(ctx context.Context, source, target *side, o Options) error {
	columns, err := source.tables(ctx)
	if err != nil {
		return err
	}
	if !o.DryRun {
		if there, err := target.tables(ctx); err != nil {
			return err
		} else if !maps.EqualFunc(columns, there, slices.Equal) {
			return errors.New("the tables of the databases differ; this is a fault of the program")
		}
	}
	names := slices.Sorted(maps.Keys(columns))
	names = append(slices.Clone(first), slices.DeleteFunc(names, func(n string) bool { return slices.Contains(first, n) })...)
	for _, name := range names {
		var was sum
		rows := was.over(source.read(ctx, name, columns[name]))
		if o.DryRun {
			for _, err := range rows {
				if err != nil {
					return fmt.Errorf("read the table %s: %w", name, err)
				}
			}
		} else if err := copyTable(ctx, target, name, columns[name], rows, &was); err != nil {
			return fmt.Errorf("copy the table %s: %w", name, err)
		}
		if o.Copied != nil {
			o.Copied(Table{name, was.rows})
		}
	}
	return nil
}

// copyTable writes rows, and compares what the target then holds with their sum.
func copyTable(ctx context.Context, target *side, name string, columns []string, rows iter.Seq2[[]any, error], was *sum) error {
	if err := target.write(ctx, name, columns, rows); err != nil {
		return err
	}
	var is sum
	for _, err := range is.over(target.read(ctx, name, columns)) {
		if err != nil {
			return err
		}
	}
	if is != *was {
		return fmt.Errorf("what was written differs from what was read: %d rows of %d", is.rows, was.rows)
	}
	return nil
}

// sum is a checksum of the rows of a table that does not depend on their order: the
// sum of their hashes.
type sum struct {
	rows int
	hash [4]uint64
}

// over adds rows to the sum as they pass.
func (s *sum) over(rows iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for row, err := range rows {
			if err == nil {
				err = s.add(row)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func (s *sum) add(row []any) error {
	var b []byte
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v+0)) // SQLite has no -0
		case string:
			b = append(binary.BigEndian.AppendUint64(append(b, 't'), uint64(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, 'b'), uint64(len(v))), v...)
		default:
			return fmt.Errorf("a value is a %T", v)
		}
	}
	hash := sha256.Sum256(b)
	for i := range s.hash {
		s.hash[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
	s.rows++
	return nil
}
