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

// BackupInfo describes a finished backup.
type BackupInfo struct {
	Path    string // absolute
	Bytes   int64
	Matches int
	Entries int
	Version int64 // of the schema
	// Damage is what Store.Check finds about the end of the file that was copied.
	Damage []string
}

// Backup writes a snapshot of the database at path to another file, whether or
// not the database is in use, without blocking its writers. The copy has the same
// schema version.
//
// It writes the copy under another name in the folder of the target, examines
// it, syncs it and only then renames it, so the target is always either complete
// or unchanged. Only the owner can read the copy.
//
// Backup fails with fs.ErrExist if the target exists, unless replace is set, and
// with the errors of Read. If the copy cannot be written, it fails, with
// storage.ErrDiskFull or storage.ErrReadOnly if that is the reason. Each error is
// one sentence.
func Backup(ctx context.Context, path, to string, replace bool, opts ...Option) (BackupInfo, error) {
	from, err := existing(path)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot open %s: %w", path, err)
	}
	target, err := checkTarget(from, to, replace)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".part-*")
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, cannotWriteIn(filepath.Dir(target), err))
	}
	part := temporary.Name()
	defer os.Remove(part + "-journal")
	defer os.Remove(part) // without effect after the renaming
	if err := temporary.Close(); err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, err)
	}

	var copyErr error
	var damage []string
	err = readStable(ctx, from, configure(opts), func(db *sql.DB) error {
		if _, err := identify(ctx, db); err != nil {
			return err
		}
		if err := os.Truncate(part, 0); err != nil { // an earlier attempt left the file
			return err
		}
		copyErr = copyInto(ctx, db, part)
		if !hasLog(from) {
			damage, err = examineEnd(ctx, db, from)
		}
		return err
	})
	if err != nil {
		return BackupInfo{}, fmt.Errorf("cannot open %s: %w", path, explain(from, err))
	}
	if copyErr != nil {
		return BackupInfo{}, explainCopy(path, to, classify(part, copyErr))
	}
	info, err := examineCopy(ctx, part)
	if err != nil {
		return BackupInfo{}, fmt.Errorf("the copy of %s is not usable and was deleted: %w", path, err)
	}
	if err := syncAndRename(part, target); err != nil {
		return BackupInfo{}, fmt.Errorf("cannot write %s: %w", to, classifyWrite(err))
	}
	info.Path, info.Damage = target, damage
	return info, nil
}

// checkTarget returns the absolute path of the target of a backup. It fails if
// the target must not be overwritten.
func checkTarget(from, to string, replace bool) (string, error) {
	target, _, err := locate(to)
	if err != nil {
		return "", err
	}
	if target == from {
		return "", errors.New("it is the database itself; name another file")
	}
	for _, suffix := range []string{"-wal", "-lock"} {
		if _, err := os.Lstat(target + suffix); err == nil {
			return "", fmt.Errorf("it seems to be a database that is in use, because there is %s%s; name another file", filepath.Base(target), suffix)
		}
	}
	if _, err := os.Lstat(target); err == nil && !replace {
		return "", fmt.Errorf("%w; name a new file, or ask for it to be replaced", fs.ErrExist)
	}
	return target, nil
}

// explainCopy says whether a copy failed because of the database or because of
// the target.
func explainCopy(path, to string, err error) error {
	switch {
	case errors.Is(err, storage.ErrCorrupt):
		return fmt.Errorf("cannot copy %s: %w; castellan verify says how badly, and an older backup can be restored", path, err)
	case errors.Is(err, storage.ErrDiskFull):
		return fmt.Errorf("cannot write %s: %w; make room there, or name a file elsewhere", to, storage.ErrDiskFull)
	}
	return fmt.Errorf("cannot copy %s to %s: %w", path, to, err)
}

// examineCopy checks the file of a copy. Rows that do not fit together are no
// error: they were copied as they are, and an imperfect backup is better than
// none.
func examineCopy(ctx context.Context, part string) (info BackupInfo, err error) {
	err = readStable(ctx, part, configure(nil), func(db *sql.DB) error {
		if info.Version, err = identify(ctx, db); err != nil {
			return err
		}
		findings, err := examineFile(ctx, db, false)
		if err != nil {
			return err
		}
		if len(findings) > 0 {
			return fmt.Errorf("%w: %s", storage.ErrCorrupt, strings.Join(findings, "; "))
		}
		if info.Matches, err = queryValue[int](ctx, db, "SELECT count(*) FROM matches"); err != nil {
			return err
		}
		info.Entries, err = queryValue[int](ctx, db, "SELECT count(*) FROM entries")
		return err
	})
	if err != nil {
		return BackupInfo{}, err
	}
	file, err := os.Stat(part)
	if err != nil {
		return BackupInfo{}, err
	}
	info.Bytes = file.Size()
	return info, nil
}

// syncAndRename syncs a file to the disk, which SQLite does not do for a copy,
// and gives it its final name.
func syncAndRename(part, target string) error {
	if err := syncFile(part, os.O_RDWR); err != nil {
		return err
	}
	if err := os.Rename(part, target); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	return syncFile(filepath.Dir(target), os.O_RDONLY)
}

func syncFile(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
