package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// patience bounds every wait of these tests; none of them needs it.
const patience = time.Minute

// stand is a stand-in for Discord with the configuration of a bot for it: the
// example, with the address, the token's file and the database of this test.
type stand struct {
	t       *testing.T
	chat    *sandbox.Sandbox
	config  string
	channel string
	anna    *sandbox.Person
	ben     *sandbox.Person
}

// newStand takes further lines of the example and what they become, in turn.
func newStand(t *testing.T, change ...string) *stand {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	chat, err := sandbox.New(sandbox.Options{Base: "http://" + listener.Addr().String(), Now: still, AfterFunc: never})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- chat.Serve(listener) }()
	t.Cleanup(func() {
		if err := chat.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != http.ErrServerClosed {
			t.Errorf("serving: %v", err)
		}
	})
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	s := &stand{t: t, chat: chat, config: filepath.Join(folder, "castellan.toml")}
	s.write(token, chat.Token()+"\n")
	lines := map[string]string{
		`api = "https://discord.com"`: `api = "` + chat.Base() + `"`,
		`token_file = ""`:             `token_file = '` + token + `'`,
		`path = "castellan.db"`:       `path = '` + filepath.Join(folder, "castellan.db") + `'`,
		`format = "text"`:             `format = "json"`,
	}
	for i := 0; i < len(change); i += 2 {
		lines[change[i]] = change[i+1]
	}
	s.configure(lines)
	world := sandbox.DefaultWorld()
	s.channel, s.anna, s.ben = world.Channels[0].ID, chat.As(world.Users[0].ID), chat.As(world.Users[1].ID)
	return s
}

func (s *stand) write(name, data string) {
	s.t.Helper()
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// configure writes the example with some of its lines changed.
func (s *stand) configure(lines map[string]string) {
	s.t.Helper()
	data, err := os.ReadFile(exampleConfig)
	if err != nil {
		s.t.Fatal(err)
	}
	text := string(data)
	for from, to := range lines {
		if strings.Count(text, "\n"+from+"\n") != 1 {
			s.t.Fatalf("the example has not one line %s", from)
		}
		text = strings.Replace(text, "\n"+from+"\n", "\n"+to+"\n", 1)
	}
	s.write(s.config, text)
}

// start starts castellan run, as a process of its own, until it is connected. It
// returns what it said first and how to stop it, by SIGTERM, which gives what it
// logged.
func (s *stand) start() (said string, stop func() (log string)) {
	s.t.Helper()
	binary, err := os.Executable()
	must(s.t, err)
	var errs strings.Builder
	process := exec.Command(binary)
	process.Env = append(os.Environ(), childConfig+"="+s.config)
	process.Stderr = &errs
	out, err := process.StdoutPipe()
	must(s.t, err)
	must(s.t, process.Start())
	end := func(sig os.Signal) error {
		_ = process.Process.Signal(sig) // one that has ended has its own reasons
		_, _ = io.Copy(io.Discard, out)
		return process.Wait()
	}
	s.t.Cleanup(func() {
		if process.ProcessState == nil {
			_ = end(os.Kill)
		}
	})
	said, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = end(os.Kill)
		s.t.Fatalf("it does not connect: %v: %s", err, errs.String())
	}
	return said, func() string {
		s.t.Helper()
		if err := end(syscall.SIGTERM); err != nil {
			s.t.Errorf("it ends with %v: %s", err, errs.String())
		}
		return errs.String()
	}
}

// answered waits until the bot has answered an interaction.
func (s *stand) answered(i sandbox.Interaction, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	s.wait("an answer", func() bool {
		now, _ := s.chat.Interaction(i.ID)
		return now.State == sandbox.StateAnswered
	})
}

func (s *stand) wait(what string, cond func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.chat.Wait(ctx, cond); err != nil {
		s.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// button is the custom id of the newest button of that label that a person
// sees, and its message; both are empty where there is none.
func (s *stand) button(p *sandbox.Person, label string) (message, id string) {
	for _, m := range p.Messages(s.channel) {
		var look func([]sandbox.Component)
		look = func(all []sandbox.Component) {
			for _, c := range all {
				if c.Type == sandbox.ComponentButton && !c.Disabled && strings.Contains(c.Label, label) {
					message, id = m.ID, c.CustomID
				}
				look(c.Components)
			}
		}
		look(m.Components)
	}
	return message, id
}

// press presses the newest button of that label.
func (s *stand) press(p *sandbox.Person, label string) {
	s.t.Helper()
	var message, id string
	s.wait("the button "+label, func() bool { message, id = s.button(p, label); return id != "" })
	s.answered(p.Click(s.channel, message, id))
}

func (s *stand) move(p *sandbox.Person, turn string) {
	s.t.Helper()
	s.answered(p.Command(s.channel, "move", sandbox.Opt("turn", turn)))
}

// said is whether a channel holds a text.
func (s *stand) said(part string) bool {
	for _, m := range s.anna.Messages(s.channel) {
		data, err := json.Marshal(m)
		if err == nil && strings.Contains(string(data), part) {
			return true
		}
	}
	return false
}

// A whole match by the example's configuration, by protocol alone; the bot gets
// SIGTERM in its middle, and the game goes on where it stood.
func TestRunPlaysAMatchOverARestart(t *testing.T) {
	s := newStand(t)
	said, stop := s.start()
	if !strings.Contains(said, s.chat.Base()+"/oauth2/authorize?client_id="+s.chat.ApplicationID()+"&scope=bot+applications.commands&permissions=") {
		t.Errorf("it says %q", said)
	}
	s.answered(s.anna.Command(s.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", s.ben.ID()), sandbox.Opt("thread", false),
		sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"))))
	s.press(s.ben, "Accept")
	s.press(s.anna, "Right")
	s.move(s.ben, "left")

	log := stop()
	for line := range strings.Lines(log) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["msg"] == "" || entry["level"] == "" {
			t.Errorf("the log has the line %q, %v", line, err)
		}
	}
	if !strings.Contains(log, `"commands registered"`) || strings.Contains(log, s.chat.Token()) {
		t.Errorf("the log: %s", log)
	}
	_, stop = s.start()
	s.move(s.anna, "down")
	s.press(s.ben, "Up")
	s.answered(s.anna.Command(s.channel, "resign"))
	s.press(s.anna, "Resign")
	s.wait("the end", func() bool { return s.said("resigned") })
	if log := stop(); !strings.Contains(log, "registered already") {
		t.Errorf("the commands were registered again: %s", log)
	}
}

// The limits of the configuration are those of the bot.
func TestRunObeysTheLimitsOfTheConfiguration(t *testing.T) {
	s := newStand(t, "open_challenges_per_person = 10", "open_challenges_per_person = 1")
	_, stop := s.start()
	challenge := func() int {
		s.answered(s.anna.Command(s.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", s.ben.ID()))))
		offers := 0
		for _, m := range s.ben.Messages(s.channel) {
			if data, err := json.Marshal(m.Components); err == nil && strings.Contains(string(data), `"Accept"`) {
				offers++
			}
		}
		return offers
	}
	if first, second := challenge(), challenge(); first != 1 || second != 1 {
		t.Errorf("%d challenges, then %d, where one may wait", first, second)
	}
	stop()
}

// The environment comes before the file, and neither token is ever shown.
func TestRunTakesTheTokenFromTheEnvironmentFirst(t *testing.T) {
	s := newStand(t)
	s.write(filepath.Join(filepath.Dir(s.config), "token"), "not.the.token")
	t.Setenv(tokenVariable, s.chat.Token())
	_, stop := s.start()
	stop()
}

// A token that Discord does not know ends the program, with what to do.
func TestRunWithARefusedToken(t *testing.T) {
	s := newStand(t)
	t.Setenv(tokenVariable, "not.the.token")
	got := castellan(t, "run", "--config", s.config)
	if got.code != exitError || !strings.Contains(got.errs, "\ncastellan: ") || !strings.Contains(got.errs, "Reset Token") || strings.Contains(got.errs, "not.the.token") {
		t.Errorf("exit %d, errors %s", got.code, got.errs)
	}
}

func TestRunWithoutATokenSaysHowToGetOne(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(tokenVariable, "")
	got := castellan(t, "run")
	for _, part := range []string{"no bot token", "https://discord.com/developers/applications", "New Application", tokenVariable, "token_file", "castellan sandbox"} {
		if got.code != exitUsage || !strings.Contains(got.errs, part) {
			t.Errorf("exit %d: %q does not say %q", got.code, got.errs, part)
		}
	}
	if left := files(t, "."); len(left) != 0 {
		t.Errorf("it wrote %v", left)
	}
}

// No error shows what was taken for a token.
func TestRunRefusesWhatIsNoToken(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		name, environment, file string
		parts                   []string
	}{
		{"with the word Bot", "Bot abc.def", "", []string{tokenVariable, "without the word Bot"}},
		{"two words", "abc def", "", []string{tokenVariable, "no spaces"}},
		{"an empty file", "", " \n", []string{"token-of-test", "empty"}},
		{"a large file", "", strings.Repeat("abc.def", 1000), []string{"token-of-test", "4096"}},
		{"a foreign file", "", "abc.dëf", []string{"token-of-test", "ASCII"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(tokenVariable, c.environment)
			name := filepath.Join(folder, "token-of-test")
			config := filepath.Join(folder, "castellan.toml")
			for file, data := range map[string]string{name: c.file, config: "[discord]\ntoken_file = '" + name + "'\n"} {
				if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := castellan(t, "run", "--config", config)
			got.refusal(t, exitUsage, c.parts...)
			if strings.Contains(got.errs, "abc") {
				t.Errorf("%q shows the token", got.errs)
			}
		})
	}
	t.Setenv(tokenVariable, "")
	config := filepath.Join(folder, "castellan.toml")
	if err := os.WriteFile(config, []byte("[discord]\ntoken_file = 'nowhere'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	castellan(t, "run", "--config", config).refusal(t, exitUsage, "nowhere", "token_file")
}
