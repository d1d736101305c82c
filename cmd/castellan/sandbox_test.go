package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"castellan/storage/sqlite"
)

// started is a running sandbox.
type started struct {
	address string
	stop    func() (code int, errs string)
}

// start runs castellan sandbox on a free port until it has printed its
// address.
func start(t *testing.T, args ...string) started {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var errs bytes.Buffer // written by the program alone until done
	done := make(chan int, 1)
	go func() {
		defer in.Close()
		done <- run(ctx, append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...), in, &errs)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	stopped := false
	s := started{stop: func() (int, string) {
		stopped = true
		cancel()
		go io.Copy(io.Discard, out)
		return <-done, errs.String()
	}}
	t.Cleanup(func() {
		if !stopped {
			s.stop()
		}
	})
	if err != nil {
		code, errs := s.stop()
		t.Fatalf("no address, exit %d: %s", code, errs)
	}
	if s.address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line); s.address == "" {
		t.Fatalf("no address in %q", line)
	}
	return s
}

func TestSandboxPrintsItsAddressAndStops(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	for range 2 { // the second time on what the first has left
		s := start(t, "--db", file)
		answer, err := http.Get(s.address)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || !bytes.Contains(page, []byte("<html")) {
			t.Errorf("%d %v\n%s", answer.StatusCode, err, page)
		}
		if code, errs := s.stop(); code != 0 || errs != "" {
			t.Errorf("exit %d: %s", code, errs)
		}
		if _, err := http.Get(s.address); err == nil {
			t.Error("it still answers")
		}
	}
	store, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatalf("the database was not left in order: %v", err)
	}
	store.Close()
}

// One clear sentence, exit code 1, and nothing on disk.
func TestSandboxRefusesAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		listen string
		parts  []string
	}{
		{taken.Addr().String(), []string{"in use", "another port"}},
		{"0.0.0.0:0", []string{"0.0.0.0", "loopback"}},
		{":8080", []string{"loopback"}},
		{"[::]:0", []string{"loopback"}},
		{"192.0.2.1:80", []string{"192.0.2.1", "loopback"}},
		{"example.org:80", []string{"example.org", "loopback"}},
		{"127.0.0.1", []string{"127.0.0.1:8080"}},
		{"127.0.0.1:99999", []string{"99999"}},
		{"127.0.0.1:http or so", []string{"http or so"}},
	} {
		t.Run(c.listen, func(t *testing.T) {
			folder := t.TempDir()
			castellan(t, "sandbox", "--listen", c.listen, "--db", filepath.Join(folder, "a.db")).refusal(t, exitError, c.parts...)
			if left := files(t, folder); len(left) != 0 {
				t.Errorf("it wrote %v", left)
			}
		})
	}
}

func TestSandboxRefusesDatabases(t *testing.T) {
	write := func(t *testing.T, data string) string {
		file := filepath.Join(t.TempDir(), "a.db")
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	through := func(t *testing.T, file, query string) {
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		make  func(t *testing.T) (file string)
		parts []string
	}{
		{"a text", func(t *testing.T) string { return write(t, strings.Repeat("Dear diary. ", 1000)) }, []string{"not a Castellan database"}},
		{"a short text", func(t *testing.T) string { return write(t, "x") }, []string{"not a Castellan database"}},
		{"another program's database", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "a.db")
			through(t, file, "CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday')")
			return file
		}, []string{"not a Castellan database"}},
		{"a newer version's", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "a.db")
			store, err := sqlite.Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			store.Close()
			through(t, file, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
			return file
		}, []string{"newer version"}},
		{"one that is in use", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "a.db")
			store, err := sqlite.Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return file
		}, []string{"in use"}},
		{"a folder", func(t *testing.T) string { return t.TempDir() }, []string{"folder"}},
		{"in a folder that is not there", func(t *testing.T) string { return filepath.Join(t.TempDir(), "missing", "a.db") }, []string{"missing", "does not exist"}},
		{"no name", func(*testing.T) string { return "" }, []string{"name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := c.make(t)
			before, _ := os.ReadFile(file)
			castellan(t, "sandbox", "--listen", "127.0.0.1:0", "--db="+file).refusal(t, exitError, append(c.parts, file)...)
			if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
				t.Errorf("the file was changed from %d to %d bytes", len(before), len(after))
			}
		})
	}
}
