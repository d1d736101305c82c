package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"castellan/storage/sqlite"
)

// startSandbox runs castellan sandbox on a free port and returns its first n
// lines of output as keys and values. stop ends it and checks that it exits
// without errors; the test's cleanup calls it, too.
func startSandbox(t *testing.T, n int, args ...string) (values map[string]string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var errs bytes.Buffer // complete when done
	done := make(chan int, 1)
	go func() {
		defer in.Close()
		done <- run(ctx, append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...), in, &errs)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		go io.Copy(io.Discard, out)
		if code := <-done; code != exitOK || errs.Len() > 0 {
			t.Errorf("exit %d: %s", code, &errs)
		}
	})
	t.Cleanup(stop)
	values = map[string]string{}
	lines := bufio.NewScanner(out)
	for len(values) < n && lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		values[key] = value
	}
	if len(values) < n {
		t.Fatalf("it printed %v", values)
	}
	return values, stop
}

func TestSandbox(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	for _, args := range [][]string{{"--db", file}, {"--db", file, "--http"}} { // the second time with the database of the first
		values, stop := startSandbox(t, 1, args...)
		address := values["Castellan’s sandbox"]
		answer, err := http.Get(address)
		must(t, err)
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || !bytes.Contains(page, []byte("<html")) {
			t.Errorf("%d %v\n%s", answer.StatusCode, err, page)
		}
		stop()
		if _, err := http.Get(address); err == nil {
			t.Error("it still answers")
		}
	}
	store, err := sqlite.Open(t.Context(), file)
	must(t, err)
	store.Close()
}

func TestSandboxBadAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
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

func TestSandboxBadDatabase(t *testing.T) {
	text := func(t *testing.T, data string) string {
		file := filepath.Join(t.TempDir(), "a.db")
		write(t, file, data)
		return file
	}
	exec := func(t *testing.T, file, query string) {
		db, err := sql.Open("sqlite", file)
		must(t, err)
		_, err = db.Exec(query)
		must(t, errors.Join(err, db.Close()))
	}
	castellanDB := func(t *testing.T) (string, *sqlite.Store) {
		file := filepath.Join(t.TempDir(), "a.db")
		store, err := sqlite.Open(t.Context(), file)
		must(t, err)
		t.Cleanup(func() { store.Close() })
		return file, store
	}
	for _, c := range []struct {
		name  string
		make  func(t *testing.T) (file string)
		parts []string
	}{
		{"a text", func(t *testing.T) string { return text(t, strings.Repeat("Dear diary. ", 1000)) }, []string{"not a Castellan database"}},
		{"a short text", func(t *testing.T) string { return text(t, "x") }, []string{"not a Castellan database"}},
		{"another program's database", func(t *testing.T) string {
			file := filepath.Join(t.TempDir(), "a.db")
			exec(t, file, "CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday')")
			return file
		}, []string{"not a Castellan database"}},
		{"a newer version's", func(t *testing.T) string {
			file, store := castellanDB(t)
			must(t, store.Close())
			exec(t, file, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
			return file
		}, []string{"newer version"}},
		{"in use", func(t *testing.T) string {
			file, _ := castellanDB(t)
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

// bareSandbox is castellan sandbox --no-bot with what it has printed.
type bareSandbox struct {
	t                             *testing.T
	page, api, application, token string
}

func startBareSandbox(t *testing.T) *bareSandbox {
	t.Helper()
	values, _ := startSandbox(t, 4, "--no-bot")
	b := &bareSandbox{t, values["Sandbox"], values["API"], values["Application"], values["Token"]}
	if b.page == "" || b.api == "" || b.token == "" || b.application == "" {
		t.Fatalf("it printed %v", values)
	}
	return b
}

func TestSandboxNoBot(t *testing.T) {
	a := startBareSandbox(t)
	req, err := http.NewRequest(http.MethodGet, a.api+"/v10/users/@me", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bot "+a.token)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer res.Body.Close()
	var me struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&me); err != nil || res.StatusCode != http.StatusOK || me.ID != a.application {
		t.Errorf("status %d, %v: the user is %q, the application %q", res.StatusCode, err, me.ID, a.application)
	}
}

func TestSandboxPermissions(t *testing.T) {
	values, _ := startSandbox(t, 4, "--no-bot", "--permissions", "8")
	req, err := http.NewRequest(http.MethodPost, values["API"]+"/v10/guilds/1150000000000000001/roles", strings.NewReader(`{"name": "x"}`))
	must(t, err)
	req.Header.Set("Authorization", "Bot "+values["Token"])
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("creating a role: status %d", res.StatusCode)
	}
}

func TestSandboxShards(t *testing.T) {
	values, _ := startSandbox(t, 4, "--no-bot", "--shards", "3")
	req, err := http.NewRequest(http.MethodGet, values["API"]+"/v10/gateway/bot", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bot "+values["Token"])
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer res.Body.Close()
	var info struct{ Shards int }
	if err := json.NewDecoder(res.Body).Decode(&info); err != nil || info.Shards != 3 {
		t.Errorf("%d shards are recommended, %v", info.Shards, err)
	}
}

func TestSandboxInteractions(t *testing.T) {
	castellan(t, "sandbox", "--listen", "127.0.0.1:0", "--interactions", "http://127.0.0.1:1").refusal(t, exitError, "--no-bot")

	var key ed25519.PublicKey
	ready := make(chan struct{})
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-ready
		body, err := io.ReadAll(r.Body)
		signature, hexErr := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || hexErr != nil || !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			http.Error(w, "invalid request signature", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"type": 1}`)
	}))
	defer bot.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	done := make(chan int, 1)
	go func() {
		defer in.Close()
		done <- run(ctx, []string{"sandbox", "--listen", "127.0.0.1:0", "--no-bot", "--interactions", bot.URL}, in, io.Discard)
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "Public key":
			raw, err := hex.DecodeString(value)
			must(t, err)
			key = raw
			close(ready)
		case "Interactions":
			if value != bot.URL {
				t.Errorf("interactions go to %s", value)
			}
			cancel()
		}
	}
	if code := <-done; code != exitOK || key == nil {
		t.Errorf("exit %d, key %v", code, key)
	}
}
