package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"castellan/storage"
)

// Copy is a backup that has been made.
type BackupInfo struct {
	Path    string // absolute
	Bytes   int64
	Matches int
	Entries int
	Version int64 // of the schema
}

// Backup writes one moment of the database at path to another file, whether it
// is in use or not, and whatever its version: the copy is of the same. Who
// writes to the database is not held up.
//
// The copy is made under another name in the folder of its file, examined,
// written through to the disk and only then given its name: a file of that name
// is whole, or is what it was before. Where there is a file of that name
// already it is replaced if replace is set; otherwise Backup fails with
// fs.ErrExist. The copy is for its owner to read and nobody else.
//
// Otherwise it fails as Read does, and where the copy cannot be written, with
// storage.ErrFull or storage.ErrReadOnly where that is why. Each error is one
// sentence.
func Backup(ctx context.Context, path, to string, replace bool, opts ...Option) (BackupInfo, error) {
	from, err := existing(path)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot open %s: %w", path, err)
	}
	target, err := free(from, to, replace)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".part-*")
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, unwritable(filepath.Dir(target), err))
	}
	part := temporary.Name()
	defer os.Remove(part + "-journal")
	defer os.Remove(part) // after the renaming there is none
	if err := temporary.Close(); err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, err)
	}

	var copying error
	err = atRest(ctx, from, configure(opts), func(db *sql.DB) error {
		if err := ours(ctx, db); err != nil {
			return err
		}
		if err := os.Truncate(part, 0); err != nil { // of an earlier try
			return err
		}
		copying = copyInto(ctx, db, part)
		return nil
	})
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot open %s: %w", path, explain(from, err))
	}
	if copying != nil {
		return BackupInfo{}, uncopied(path, to, classify(part, copying))
	}
	made, err := accept(ctx, part)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("the copy of %s is not usable and was thrown away: %w", path, err)
	}
	if err := settle(part, target); err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, join(refusal(err), err))
	}
	made.Path = target
	return made, nil
}

// free is the absolute path of a file that a copy of a database may be
// written to.
func free(from, to string, replace bool) (string, error) {
	target, _, err := locate(to)
	if err != nil {
		return "", err
	}
	if target == from {
		return "", errors.New("it is the database itself; name another file")
	}
	for _, suffix := range []string{"-wal", "-lock"} {
		if _, err := os.Lstat(target + suffix); err == nil {
			return "", fmt.Errorf("it seems to be a database that is in use, for there is %s%s; name another file", filepath.Base(target), suffix)
		}
	}
	if _, err := os.Lstat(target); err == nil && !replace {
		return "", fmt.Errorf("%w; name a new file, or say that it is to be replaced", fs.ErrExist)
	}
	return target, nil
}

// uncopied says why a copy could not be made: because of the database, or
// because of where the copy goes.
func uncopied(path, to string, err error) error {
	switch {
	case errors.Is(err, storage.ErrCorrupt):
		return fmt.Errorf("cannot copy %s: %w; castellan verify says what of it is whole, and an older backup can be put in its place", path, err)
	case errors.Is(err, storage.ErrDiskFull):
		return fmt.Errorf("cannot write %s: %w; make room there, or name a file elsewhere", to, storage.ErrDiskFull)
	}
	return fmt.Errorf("cannot copy %s to %s: %w", path, to, err)
}

// accept examines a copy that nobody else knows of.
func accept(ctx context.Context, part string) (made BackupInfo, err error) {
	err = atRest(ctx, part, configure(nil), func(db *sql.DB) error {
		if err := ours(ctx, db); err != nil {
			return err
		}
		// Only whether it is a good copy: records that do not fit together
		// are copied as they are, for an imperfect backup is better than
		// none.
		findings, err := sound(ctx, db)
		if err != nil {
			return err
		}
		if len(findings) > 0 {
			return fmt.Errorf("%w: %s", storage.ErrCorrupt, strings.Join(findings, "; "))
		}
		if made.Version, err = schema(ctx, db); err != nil {
			return err
		}
		if made.Matches, err = ask[int](ctx, db, "SELECT count(*) FROM matches"); err != nil {
			return err
		}
		made.Entries, err = ask[int](ctx, db, "SELECT count(*) FROM entries")
		return err
	})
	if err != nil {
		return BackupInfo{}, err
	}
	info, err := os.Stat(part)
	if err != nil {
		return BackupInfo{}, err
	}
	made.Bytes = info.Size()
	return made, nil
}

// settle writes a file through to the disk and gives it its name. SQLite does
// not wait for the disk when it writes a copy.
func settle(part, target string) error {
	if err := flush(part, os.O_RDWR); err != nil {
		return err
	}
	if err := os.Rename(part, target); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // folders cannot be flushed there
	}
	return flush(filepath.Dir(target), os.O_RDONLY)
}

func flush(name string, how int) error {
	f, err := os.OpenFile(name, how, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
