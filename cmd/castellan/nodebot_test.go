package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// alone is castellan sandbox --no-bot, and what it has printed.
type alone struct {
	t           *testing.T
	page        string
	api, token  string
	application string
}

func startAlone(t *testing.T) *alone {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var errs bytes.Buffer // written by the program alone until done
	done := make(chan int, 1)
	go func() {
		defer in.Close()
		done <- run(ctx, []string{"sandbox", "--no-bot", "--listen", "127.0.0.1:0"}, in, &errs)
	}()
	values := map[string]string{}
	lines := bufio.NewScanner(out)
	for len(values) < 4 && lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		values[key] = value
	}
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, out)
		if code := <-done; code != 0 || errs.Len() > 0 {
			t.Errorf("exit %d: %s", code, &errs)
		}
	})
	a := &alone{t: t, page: values["Sandbox"], api: values["API"], token: values["Token"], application: values["Application"]}
	if a.page == "" || a.api == "" || a.token == "" || a.application == "" {
		t.Fatalf("printed %v", values)
	}
	return a
}

func TestSandboxWithoutABotPrintsWhatAnotherNeeds(t *testing.T) {
	a := startAlone(t)
	req, err := http.NewRequest(http.MethodGet, a.api+"/v10/users/@me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+a.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var me struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&me); err != nil || res.StatusCode != http.StatusOK || me.ID != a.application {
		t.Errorf("status %d, %v: I am %q, the application is %q", res.StatusCode, err, me.ID, a.application)
	}
}

// do is what the page does for a person; the answer's id, if it has one.
func (a *alone) do(user, deed string, what any) string {
	a.t.Helper()
	raw, err := json.Marshal(what)
	if err != nil {
		a.t.Fatal(err)
	}
	res, err := http.Post(a.page+"/sandbox/users/"+user+"/"+deed, "application/json", bytes.NewReader(raw))
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		a.t.Fatalf("%s: status %d, %v: %s", deed, res.StatusCode, err, answer)
	}
	var got struct{ ID string }
	if err := json.Unmarshal(answer, &got); err != nil {
		a.t.Fatal(err)
	}
	return got.ID
}

// event is what the page is told.
type event struct {
	Type     string
	ID       string
	State    string
	Modal    *sandbox.Modal
	Message  *sandbox.Message
	Commands map[string][]struct{ Name string }
}

// listen follows a person's events. next waits for one that is wanted, for as
// long as the bot needs to say it, at most a minute.
func (a *alone) listen(user string) (next func(what string, wanted func(event) bool) event) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	a.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.page+"/sandbox/events?user="+user, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func(what string, wanted func(event) bool) event {
		a.t.Helper()
		for lines.Scan() {
			raw, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var ev event
			if json.Unmarshal([]byte(raw), &ev) == nil && wanted(ev) {
				return ev
			}
		}
		a.t.Fatalf("never came: %s (%v)", what, lines.Err())
		return event{}
	}
}

// startNodeBot installs and starts the bot of testdata/nodebot.
func startNodeBot(t *testing.T, a *alone) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: the bot of another library needs npm")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			skipUnlessCI(t, "%s is not installed: no bot of another library", tool)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "nodebot"))); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--silent")
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		skipUnlessCI(t, "npm ci: %v: no bot of another library (%.200s)", err, said)
	}
	bot := exec.Command("node", "bot.js")
	bot.Dir = dir
	bot.Env = append(os.Environ(), "BOT_API="+a.api, "BOT_TOKEN="+a.token)
	var said bytes.Buffer
	bot.Stdout, bot.Stderr = &said, &said
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bot.Process.Kill() // it may have ended
		_ = bot.Wait()         // killed
		if t.Failed() {
			t.Logf("the bot said: %s", &said)
		}
	})
}

// A bot that is written with discord.js does in the sandbox what it does with
// Discord.
func TestABotOfAnotherLibrary(t *testing.T) {
	t.Parallel()
	a := startAlone(t)
	world := sandbox.DefaultWorld()
	anna, yard := world.Users[0].ID, world.Channels[0].ID
	next := a.listen(anna)
	startNodeBot(t, a)
	next("its commands", func(ev event) bool { return ev.Type == "commands" && len(ev.Commands[world.Guild.ID]) == 3 })

	says := func(text string) func(event) bool {
		return func(ev event) bool { return ev.Message != nil && ev.Message.Content == text }
	}
	a.do(anna, "commands", map[string]any{"channel_id": yard, "name": "picture"})
	m := next("a picture", says("A picture")).Message
	if len(m.Attachments) != 1 || m.Attachments[0].Filename != "pixel.png" || m.EditedTimestamp != nil {
		t.Errorf("the edit with a file: %+v", m)
	}

	asked := a.do(anna, "commands", map[string]any{"channel_id": yard, "name": "ask"})
	modal := next("a dialog", func(ev event) bool { return ev.ID == asked && ev.Modal != nil }).Modal
	if modal.Title != "Who are you?" {
		t.Errorf("the dialog: %+v", modal)
	}
	a.do(anna, "modals", map[string]any{"interaction": asked, "fields": []sandbox.Field{sandbox.Fill("name", "Anna")}})
	next("an answer to the dialog", says("Good day, Anna"))

	a.do(anna, "commands", map[string]any{"channel_id": yard, "name": "talk"})
	talk := next("what it read in the thread", says(fmt.Sprintf("In %s I read %s", "A talk", "first and second"))).Message
	if talk.Thread["name"] != "A talk" {
		t.Errorf("the message does not show its thread: %v", talk.Thread)
	}
}

// skipUnlessCI skips a test for what this machine lacks, and fails it where CI
// is set: there nothing may be missing.
func skipUnlessCI(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
