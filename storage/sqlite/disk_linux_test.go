package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

func init() { children["limit"] = fillUpToLimit }

// A file size limit gives EFBIG, and a quota EDQUOT, which SQLite reports as it
// reports a broken disk.
func TestDiskFileSizeLimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "castellan.db")
	c := startChild(t, "limit", path)
	line := c.line()
	var f filled
	if _, err := fmt.Sscanf(line, "filled %d %d", &f.done, &f.refused); err != nil {
		t.Fatalf("the other process says %q", line)
	}
	reopen(t, path, f)
	t.Log("limit on the size of files: ", f)
}

// fillUpToLimit runs in a process of its own, because the limit is the process's.
func fillUpToLimit(path string) error {
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	if err := prepare(s); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	before := limit.Cur
	limit.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	f, err := fillUp(s, func() error {
		limit.Cur = before
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	})
	if err != nil {
		return err
	}
	fmt.Println("filled", f.done, f.refused)
	return nil
}

// mount mounts a small file system, or skips the test if it may not.
func mount(t *testing.T, kind string, size int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a file system")
	}
	dir := t.TempDir()
	args := []string{"-t", "tmpfs", "-o", fmt.Sprint("size=", size), "none", dir}
	if kind != "tmpfs" {
		disk := filepath.Join(t.TempDir(), "disk")
		write(t, disk, nil)
		must(t, os.Truncate(disk, int64(size)))
		if said, err := exec.Command("mkfs."+kind, "-q", disk).CombinedOutput(); err != nil {
			t.Skipf("mkfs.%s: %v %s", kind, err, said)
		}
		args = []string{"-o", "loop", disk, dir}
	}
	if said, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		t.Skipf("mount: %v %s", err, said)
	}
	t.Cleanup(func() {
		// A process that is just being started may still have copies of open files.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"tmpfs", "ext4"} {
		t.Run(kind, func(t *testing.T) {
			const size = 8 << 20
			dir := mount(t, kind, size)
			path := filepath.Join(dir, "castellan.db")
			s := open(t, path)
			must(t, prepare(s))
			// Another file takes most of the space.
			ballast := filepath.Join(dir, "ballast")
			write(t, ballast, []byte(strings.Repeat("x", size/2)))
			f, err := fillUp(s, func() error { return os.Remove(ballast) })
			must(t, err)
			reopen(t, path, f)
			t.Logf("%s of %d MB: %v", kind, size>>20, f)
		})
	}
}

// A new database on a full disk is refused; with free space a second attempt
// succeeds in spite of what is left of the first.
func TestDiskFullOpen(t *testing.T) {
	t.Parallel() // goose retries for three seconds
	dir := mount(t, "tmpfs", 256<<10)
	write(t, filepath.Join(dir, "ballast"), []byte(strings.Repeat("x", 240<<10)))
	path := filepath.Join(dir, "castellan.db")
	_, err := sqlite.Open(context.Background(), path)
	if !errors.Is(err, storage.ErrDiskFull) {
		t.Fatalf("error %v, want ErrDiskFull", err)
	}
	sentence(t, err, path, "make room in "+dir)
	must(t, syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=4194304"))
	fill(t, open(t, path))
}

// The disk becomes read-only under a store, and writable again.
func TestDiskBecomesReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may make a file immutable")
	}
	dir := mount(t, "ext4", 16<<20)
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	// A file system with files open for writing cannot be remounted read-only;
	// the attribute makes writes to these files fail.
	change := func(how string) {
		t.Helper()
		if said, err := exec.Command("chattr", how, path, path+"-wal", dir).CombinedOutput(); err != nil {
			t.Skipf("chattr: %v %s", err, said)
		}
	}
	one := func(id string) error {
		return transaction{id: id, matches: []storage.MatchID{1, 2}, entries: 3, size: 3000}.run(s)
	}
	must(t, one("a"))
	change("+i")
	t.Cleanup(func() { change("-i") })
	for range 3 {
		if err := one("never"); !errors.Is(err, storage.ErrReadOnly) {
			t.Errorf("update: %v, want ErrReadOnly", err)
		}
		wantTransactions(t, s, []string{"a"})
	}
	change("-i")
	if err := one("b"); err != nil {
		t.Error(err)
	}
	wantTransactions(t, s, []string{"a", "b"})
	t.Log("read-only for 3 transactions: each refused with ErrReadOnly, 0 lost, 0 partial; the next one was acknowledged")
}

// On a disk that is mounted read-only, Open fails and Read works.
func TestDiskReadOnly(t *testing.T) {
	t.Parallel()
	dir := mount(t, "tmpfs", 8<<20)
	path := filepath.Join(dir, "castellan.db")
	s := open(t, path)
	fill(t, s)
	want := read(t, s)
	must(t, s.Close())
	if said, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v %s", err, said)
	}
	_, err := sqlite.Open(context.Background(), path)
	if !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("open: %v, want ErrReadOnly", err)
	} else {
		sentence(t, err, path, "nothing can be written in the folder")
	}
	err = sqlite.Read(context.Background(), path, func(s *sqlite.Store) error {
		if findings, err := s.Check(context.Background()); err != nil || len(findings) > 0 {
			t.Errorf("check: %v, %v", findings, err)
		}
		same(t, read(t, s), want)
		return nil
	})
	if err != nil {
		t.Errorf("read: %v", err)
	}
	if _, err := sqlite.Backup(context.Background(), path, filepath.Join(dir, "copy.db"), false); !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("backup to it: %v, want ErrReadOnly", err)
	}
	if made, err := sqlite.Backup(context.Background(), path, filepath.Join(t.TempDir(), "copy.db"), false); err != nil || made.Matches != 1 {
		t.Errorf("backup from it: %+v, %v", made, err)
	}
}
