package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
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
	"time"

	"castellan/bot/sandbox"
	"castellan/cmd/internal/cli"
	"castellan/storage"
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
		done <- program().Run(ctx, append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...), in, &errs)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		go io.Copy(io.Discard, out)
		if code := <-done; code != cli.ExitOK || errs.Len() > 0 {
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

// In a container the sandbox is reached from outside, but still by the loopback name of the
// machine that publishes its port.
func TestSandboxContainer(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := free.Addr().String()
	must(t, free.Close())
	values, _ := startSandbox(t, 1, "--container", "--listen", address)
	if got := values["Castellan’s sandbox"]; got != "http://"+address {
		t.Errorf("it says %s, and is used at http://%s", got, address)
	}
	_, port, err := net.SplitHostPort(address)
	must(t, err)
	outside := ""
	addrs, err := net.InterfaceAddrs()
	must(t, err)
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			outside = net.JoinHostPort(ip.IP.String(), port)
		}
	}
	if outside == "" {
		t.Skip("this machine has no address but loopback")
	}
	for host, want := range map[string]int{address: http.StatusOK, outside: http.StatusForbidden} {
		req, err := http.NewRequest(http.MethodGet, "http://"+outside, http.NoBody)
		must(t, err)
		req.Host = host
		answer, err := http.DefaultClient.Do(req)
		must(t, err)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("as %s: status %d, not %d", host, answer.StatusCode, want)
		}
	}
	for _, listen := range []string{"127.0.0.1:0", "0.0.0.0:8080", "8080"} {
		castellan(t, "sandbox", "--container", "--listen", listen).Refused(t, cli.ExitError, "--container", listen)
	}
}

// What cannot be served or opened is refused in one sentence, and nothing is written.
func TestSandboxRefusals(t *testing.T) {
	text := filepath.Join(t.TempDir(), "notes.db")
	write(t, text, strings.Repeat("Dear diary. ", 1000))
	for _, c := range []struct {
		listen, db string
		parts      []string
	}{
		{"0.0.0.0:0", filepath.Join(t.TempDir(), "a.db"), []string{"0.0.0.0", "loopback"}},
		{"127.0.0.1:0", text, []string{"not a Castellan database", text}},
		{"127.0.0.1:0", t.TempDir(), []string{"folder"}},
	} {
		castellan(t, "sandbox", "--listen", c.listen, "--db", c.db).Refused(t, cli.ExitError, c.parts...)
	}
	if data, err := os.ReadFile(text); err != nil || len(data) != 12000 || len(files(t, filepath.Dir(text))) != 1 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// Another bot can connect with what the sandbox prints, and gets what the flags say.
func TestSandboxNoBot(t *testing.T) {
	values, _ := startSandbox(t, 4, "--no-bot", "--permissions", "8", "--shards", "3")
	call := func(method, address, body string, into any) {
		t.Helper()
		req, err := http.NewRequest(method, address, strings.NewReader(body))
		must(t, err)
		req.Header.Set("Authorization", "Bot "+values["Token"])
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		defer res.Body.Close()
		if into != nil {
			err = json.NewDecoder(res.Body).Decode(into)
		}
		if err != nil || res.StatusCode/100 != 2 {
			t.Errorf("%s: status %d, %v", address, res.StatusCode, err)
		}
	}
	api, channel := values["API"]+"/v10", "1150000000000000101"
	var me, message struct{ ID string }
	var gateway struct{ Shards int }
	call(http.MethodGet, api+"/users/@me", "", &me)
	call(http.MethodGet, api+"/gateway/bot", "", &gateway)
	if me.ID != values["Application"] || gateway.Shards != 3 {
		t.Errorf("the user is %q, the application %q; %d shards are recommended", me.ID, values["Application"], gateway.Shards)
	}
	// An administrator may delete what others write.
	call(http.MethodPost, values["Sandbox"]+"/sandbox/users/1120000000000000011/messages", `{"channel_id": "`+channel+`", "content": "x"}`, &message)
	call(http.MethodDelete, api+"/channels/"+channel+"/messages/"+message.ID, "", nil)
}

func TestSandboxInteractions(t *testing.T) {
	castellan(t, "sandbox", "--listen", "127.0.0.1:0", "--interactions", "http://127.0.0.1:1").Refused(t, cli.ExitError, "--no-bot")

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
		done <- program().Run(ctx, []string{"sandbox", "--listen", "127.0.0.1:0", "--no-bot", "--interactions", bot.URL}, in, io.Discard)
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
	if code := <-done; code != cli.ExitOK || key == nil {
		t.Errorf("exit %d, key %v", code, key)
	}
}

// The bot names what is due next, and is in contact while the clock is moved. A sandbox
// that starts again goes on from there.
func TestSandboxTimekeeper(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	must(t, err)
	defer store.Close()
	noon := time.Now().UTC().Truncate(time.Second)
	clock, ticks := sandbox.NewClock(func() time.Time { return noon }), make(chan time.Time, 1)
	keeper := timekeeper(store, clock, ticks)
	next := func(want time.Time) {
		t.Helper()
		if at, err := keeper.Next(t.Context()); err != nil || !at.Equal(want) {
			t.Errorf("due at %v, %v, want %v", at, err, want)
		}
	}
	next(time.Time{})
	people := []storage.Person{{ID: "1"}, {ID: "2"}}
	insert := func(fn func(tx storage.Tx) error) { must(t, store.Update(t.Context(), fn)) }
	insert(func(tx storage.Tx) error {
		_, err := tx.InsertMatch(storage.Match{Game: "g", CreatedAt: noon, CheckAt: noon.Add(3 * time.Hour), Seats: people})
		return err
	})
	next(noon.Add(3 * time.Hour))
	insert(func(tx storage.Tx) error {
		_, err := tx.InsertChallenge(storage.Challenge{Game: "g", Challenger: people[0], Seats: 2, Joined: people[:1], Invited: people[1:], CreatedAt: noon, ExpiresAt: noon.Add(2 * time.Hour)})
		return err
	})
	next(noon.Add(2 * time.Hour))
	insert(func(tx storage.Tx) error {
		_, err := tx.InsertTournament(storage.Tournament{
			Place: storage.Place{Guild: "g", Channel: "c"}, Organiser: people[0], Game: "g", State: storage.TournamentOpen, CreatedAt: noon, StartsAt: noon.Add(time.Hour), CheckAt: noon.Add(time.Hour),
		})
		return err
	})
	next(noon.Add(time.Hour))
	moved, err := keeper.Move(t.Context(), noon.Add(48*time.Hour))
	must(t, err)
	moved()
	if got := <-ticks; !got.Equal(noon.Add(48 * time.Hour)) {
		t.Errorf("woken at %v", got)
	}
	again, err := clockFor(t.Context(), store)
	must(t, err)
	if ahead := again.Now().Sub(noon); ahead < 47*time.Hour {
		t.Errorf("the next start is %v ahead", ahead)
	}
}
