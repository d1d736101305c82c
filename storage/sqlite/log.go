package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"castellan/storage"
)

// walHeaderSize is the size of a write-ahead log without content
// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
const walHeaderSize = 32

// hasLog reports whether a database has a write-ahead log with content.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > walHeaderSize
}

// watchedFiles remembers the files of an open database.
type watchedFiles struct {
	path string
	at   map[string]fs.FileInfo // by suffix
	log  *os.File               // the write-ahead log, also after it was removed

	mu      sync.Mutex
	salt    [8]byte // of the log; another one once it is written from its beginning again
	commits int     // in the log with that salt
	end     int64   // where the last of them ends
	kept    []byte  // the log up to there, in case that it is cut off; nil if that is too much
	page    int64   // the size of a page
	gap     bool    // the log was cut off during a commit
	mended  bool    // the log was cut off, and written again from kept
	saved   string  // what a rescue has done, for people; empty before
}

// maxKept limits watchedFiles.kept. SQLite begins the log again after 4 MB, unless somebody
// reads for long.
const maxKept = 64 << 20

// watchFiles remembers the files of a database that has just been opened.
func watchFiles(path string) (_ *watchedFiles, err error) {
	w := &watchedFiles{path: path, at: map[string]fs.FileInfo{}}
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			return nil, err
		}
		w.at[suffix] = info
	}
	// Unlike the other files, SQLite does not lock the log, so closing it drops no lock.
	w.log, err = os.OpenFile(path+"-wal", os.O_RDWR, 0)
	return w, err
}

// committed notes the log after a commit. emptied says that the log was then emptied.
func (w *watchedFiles) committed(emptied bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if emptied {
		w.commits, w.end, w.kept = 0, 0, nil
		return
	}
	var header [walHeaderSize]byte
	_, err := w.log.ReadAt(header[:], 0)
	switch salt := [8]byte(header[16:]); {
	case err != nil && w.end == 0: // nothing was written
		return
	case err != nil || salt == [8]byte{}: // cut off, and perhaps written to behind the gap
		w.gap = true
	case salt != w.salt || w.end == 0:
		w.salt, w.commits, w.end, w.kept = salt, 0, walHeaderSize, header[:]
		w.page = int64(binary.BigEndian.Uint32(header[8:]))
	case w.end > walHeaderSize:
		var frame [16]byte
		_, err := w.log.ReadAt(frame[:], w.end-w.frameSize())
		w.gap = w.gap || err != nil || [8]byte(frame[8:]) != w.salt
	}
	n, content := w.read(w.end)
	if n == 0 && w.gap {
		n = 1 // it was committed, and then cut off
	}
	w.commits += n
	w.end += int64(len(content))
	if w.kept != nil {
		w.kept = append(w.kept, content...)
	}
	if w.end > maxKept {
		w.kept = nil
	}
}

// check fails with storage.ErrReplaced if a name no longer leads to the file
// that was opened, or if the log was cut off. SQLite would go on to write to a file that
// nobody can find, or after a gap.
func (w *watchedFiles) check() error {
	problem := w.problem()
	if problem == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Errorf("%w: %s; %s", storage.ErrReplaced, problem, cmp.Or(w.saved, "move the file back that was opened, or stop the bot and restore a backup"))
}

func (w *watchedFiles) problem() string {
	for _, suffix := range []string{"", "-wal"} {
		now, err := os.Stat(w.path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return w.path + suffix + " is gone"
		case err == nil && !os.SameFile(w.at[suffix], now):
			return w.path + suffix + " is another file than the one that was opened"
		}
	}
	if w.cut() || w.wasMended() {
		return w.path + "-wal was cut off"
	}
	return ""
}

// cut reports whether the log was cut off.
func (w *watchedFiles) cut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	info, err := w.log.Stat()
	return w.gap || err == nil && info.Size() < w.end
}

func (w *watchedFiles) wasMended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mended
}

// mend writes what is kept of a log that was cut off into it again. Its index, which the
// connections use, is a file of its own. It returns how many commits are lost nevertheless,
// and why.
func (w *watchedFiles) mend() (lost int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = errors.New("it was cut off while they were saved")
	if w.end > maxKept {
		err = fmt.Errorf("the log had more than %d MiB", maxKept>>20)
	} else if _, failed := w.log.WriteAt(w.kept, 0); failed != nil {
		err = failed
	} else if failed := w.log.Sync(); failed != nil {
		err = failed
	}
	present, _ := w.read(walHeaderSize)
	if lost = max(w.commits-present, 0); lost > 0 {
		w.gap = true // SQLite must not move it into the database
		return lost, err
	}
	w.gap, w.mended = false, true
	return 0, nil
}

// frameSize returns the size of a page of the log with its header.
func (w *watchedFiles) frameSize() int64 { return 24 + w.page }

// read returns the commits that the log has from an offset on: their number and content.
func (w *watchedFiles) read(from int64) (commits int, content []byte) {
	frame := make([]byte, w.frameSize())
	var open []byte // the frames of a commit that has not ended
	for at := from; ; at += int64(len(frame)) {
		if _, err := w.log.ReadAt(frame, at); err != nil || [8]byte(frame[8:16]) != w.salt {
			return commits, content
		}
		open = append(open, frame...)
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // the frame ends a commit
			commits++
			content, open = append(content, open...), open[:0]
		}
	}
}

// savedSuffix ends the name of the copy that rescue makes.
const savedSuffix = "-saved"

// rescue saves what the open files hold, also if they were removed: into the database if
// it is in its place, otherwise beside it. A log that was cut off gets back what it had. It
// is for the process that is killed before somebody moves the files back.
func (s *Store) rescue() {
	w := s.files
	if w.rescued() || w.problem() == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rescueTime)
	defer cancel()
	c, err := s.writer.take(ctx)
	if err != nil {
		return
	}
	defer s.writer.put(c, false)
	if w.rescued() {
		return
	}
	if w.cut() {
		if lost, err := w.mend(); lost > 0 {
			w.report(fmt.Sprintf("the newest %d changes are lost (%v): stop the bot, and start it to go on with those before", lost, err))
			return
		}
	}
	name := filepath.Base(w.path)
	if w.holdsDatabase() {
		var busy bool
		err = each(ctx, c.conn, "PRAGMA wal_checkpoint(FULL)", func(rows *sql.Rows) error {
			var frames, moved int
			return rows.Scan(&busy, &frames, &moved)
		})
		if err != nil || busy {
			return // the next check tries again
		}
		w.report(fmt.Sprintf("everything is saved in %s: restart the bot", name))
	} else if err = s.copyBeside(ctx, c); err == nil {
		w.report(fmt.Sprintf("everything is saved in %[1]s%[2]s: stop the bot, move %[1]s and %[1]s-wal away, if they are there, and put %[1]s%[2]s in the place of %[1]s", name, savedSuffix))
	}
}

// report notes what a rescue has done.
func (w *watchedFiles) report(result string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saved = result
}

// rescueTime is the timeout of rescue.
const rescueTime = time.Minute

// copyBeside copies the database beside its file.
func (s *Store) copyBeside(ctx context.Context, c *conn) error {
	to := s.path + savedSuffix
	part := to + ".part"
	_ = os.Remove(part) // of an earlier attempt
	defer os.Remove(part)
	if err := create(part); err != nil {
		return err
	}
	if _, err := c.conn.ExecContext(ctx, "VACUUM INTO $1", part); err != nil {
		return err
	}
	if _, err := examineCopy(ctx, part); err != nil {
		return err
	}
	return syncAndRename(part, to)
}

// holdsDatabase reports whether the database itself is in its place.
func (w *watchedFiles) holdsDatabase() bool {
	now, err := os.Stat(w.path)
	return err == nil && os.SameFile(w.at[""], now)
}

func (w *watchedFiles) rescued() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saved != ""
}

// restored forgets a rescue once the files are back: its copy is out of date.
func (w *watchedFiles) restored() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.saved != "" {
		w.saved = ""
		_ = os.Remove(w.path + savedSuffix)
	}
}

// create creates a missing database for its owner alone; SQLite gives the files
// beside it the same permissions. It refuses to if there is a log: SQLite would
// discard the newest changes of the database that is missing.
func create(path string) error {
	if hasLog(path) {
		name := filepath.Base(path)
		return fmt.Errorf("%[1]s-wal is there and %[1]s is not: it holds the newest changes of the missing database; put %[1]s back, or move %[1]s-wal and %[1]s-shm elsewhere to begin with an empty database", name)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return cannotWriteIn(filepath.Dir(path), err)
	}
	return f.Close()
}

// inRollbackMode reports whether a database is not in WAL mode, as a backup is
// not (see copyInto). It cannot have a log with content then, because SQLite
// sets the mode, byte 18 of the header, before it writes the first frame
// (https://www.sqlite.org/fileformat.html#the_database_header).
func inRollbackMode(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var header [20]byte
	if n, err := f.ReadAt(header[:], 0); n < len(header) && err != io.EOF {
		return false, err
	}
	return header[18] == 1, nil // 2 is WAL
}

// examineWithLog checks a database as it will be once its log is applied.
func examineWithLog(ctx context.Context, path string, db querier) error {
	findings, err := examineFile(ctx, db, false)
	if err == nil && len(findings) > 0 {
		err = errors.New(strings.Join(findings, "; "))
	}
	if err == nil || !errors.Is(classify(path, err), storage.ErrCorrupt) && len(findings) == 0 {
		return err
	}
	name := filepath.Base(path)
	return fmt.Errorf("%w: with %s-wal applied, %s is not consistent (%w); the log may belong to another file: put back the one that it belongs to, or restore a backup", storage.ErrCorrupt, name, name, err)
}
