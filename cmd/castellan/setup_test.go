package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/cmd/internal/cli"
)

// What setup writes is enough for castellan run; doctor and invite agree.
func TestSetup(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	dir := t.TempDir()
	var out bytes.Buffer
	if taken, err := net.Listen("tcp", "127.0.0.1:9464"); err == nil { // otherwise something else has it
		defer taken.Close()
	}
	setup := setupCommand{Dir: dir, API: b.chat.Base(), in: strings.NewReader(b.chat.Token() + "\n")}
	must(t, setup.Run(t.Context(), cli.Streams{Out: &out, Errs: &out}))
	b.config = filepath.Join(dir, "castellan.toml")
	data, err := os.ReadFile(b.config)
	must(t, err)
	if strings.Contains(string(data), "127.0.0.1:9464") || !strings.Contains(string(data), "127.0.0.1:94") {
		t.Errorf("the usual port is in use:\n%s", data)
	}
	invite := strings.TrimSpace(castellan(t, "invite", "--config", b.config).Out)
	if !strings.Contains(invite, "client_id="+b.chat.ApplicationID()) || !strings.Contains(out.String(), invite) || strings.Contains(out.String(), b.chat.Token()) {
		t.Errorf("invite %s, setup:\n%s", invite, &out)
	}
	if info, err := os.Stat(filepath.Join(dir, "token")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the token file: %v, %v", info, err)
	}
	if line := b.start(); !strings.Contains(line, invite) {
		t.Errorf("run prints %s", line)
	}
	b.stop()
	setup.in = strings.NewReader("other\n")
	if err := setup.Run(t.Context(), cli.Streams{Out: &out, Errs: &out}); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a second setup: %v", err)
	}
	got := castellan(t, "doctor", "--config", b.config)
	if got.Code != cli.ExitOK {
		t.Errorf("doctor: %+v", got)
	}
	for _, part := range []string{"ok    Discord", "ok    servers", "ok    database", "warn  health"} {
		if !strings.Contains(got.Out, part) {
			t.Errorf("doctor does not say %q:\n%s", part, got.Out)
		}
	}
}

// A token that Discord refuses is not written.
func TestSetupRefused(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	b.mu.Lock()
	b.mayBeRefused = true
	b.mu.Unlock()
	dir := t.TempDir()
	var out bytes.Buffer
	err := setupCommand{Dir: dir, API: b.chat.Base(), in: strings.NewReader("not.the.token")}.Run(t.Context(), cli.Streams{Out: &out, Errs: &out})
	if left, _ := os.ReadDir(dir); err == nil || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

// Doctor finds each kind of fault and says what to do.
func TestDoctor(t *testing.T) {
	t.Parallel()
	b := newBotProcess(t)
	world := sandbox.DefaultWorld()
	for _, c := range []struct {
		name, from, to, want string
	}{
		{"configuration", "level =", "lvel =", "FAIL  configuration"},
		{"no token", "token_file = '", "token_file = '/nowhere", "FAIL  token"},
		{"no database", "path = '", "path = '" + strings.TrimSuffix(b.db, "castellan.db") + "other.db' #", "does not exist yet"},
	} {
		text, err := os.ReadFile(b.config)
		must(t, err)
		config := filepath.Join(t.TempDir(), "castellan.toml")
		write(t, config, strings.Replace(string(text), c.from, c.to, 1))
		got := castellan(t, "doctor", "--config", config)
		if failed := strings.Contains(c.want, "FAIL"); failed != (got.Code == cli.ExitError) || !strings.Contains(got.Out, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	write(t, damaged, "no database")
	text, err := os.ReadFile(b.config)
	must(t, err)
	write(t, b.config, strings.Replace(string(text), b.db, damaged, 1))
	if got := castellan(t, "doctor", "--config", b.config); got.Code != cli.ExitError || !strings.Contains(got.Out, "FAIL  database") || !strings.Contains(got.Out, world.Application.Name) {
		t.Errorf("a damaged database: %+v", got)
	}
}
