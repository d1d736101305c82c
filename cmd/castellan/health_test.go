package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// freePort is an address at which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// A bot that runs says how it is, by the address of its configuration and to
// the command; one that has stopped does not.
func TestHealthOfABotThatRuns(t *testing.T) {
	address := freePort(t)
	s := newStand(t, `listen = ""`, `listen = "`+address+`"`)
	_, stop := s.start()
	for flag, want := range map[string]string{"--config": "database: ok\nreconciler: ok\n", "--ready": "gateway: ok\ncommands: ok\ndatabase: ok\nreconciler: ok\n"} {
		args := []string{"health", "--config", s.config}
		if flag == "--ready" {
			args = append(args, flag)
		}
		if got := castellan(t, args...); got.code != exitOK || got.out != want || got.errs != "" {
			t.Errorf("%s: %+v", flag, got)
		}
	}
	response, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("figures: %s", response.Status)
	}
	// Its address is taken now.
	got := castellan(t, "run", "--config", s.config)
	got.refusal(t, exitError, address, "[http]", "another program has that port")
	if log := stop(); !strings.Contains(log, `"serving figures and health"`) {
		t.Errorf("the log: %s", log)
	}
	castellan(t, "health", "--config", s.config).refusal(t, exitError, address, "does not answer")
}

// What is wrong is told in a line, and what does not listen at all before.
func TestHealthTellsWhatIsWrong(t *testing.T) {
	status, text := http.StatusServiceUnavailable, "database: no answer within 2s\nreconciler: ok\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	s := newStand(t, `listen = ""`, `listen = "`+server.Listener.Addr().String()+`"`)
	castellan(t, "health", "--config", s.config).refusal(t, exitError, "not well: database: no answer within 2s")
	status = http.StatusNotFound
	castellan(t, "health", "--config", s.config).refusal(t, exitError, "404", "not castellan run")

	castellan(t, "health").refusal(t, exitUsage, "[http]", `listen = "127.0.0.1:9464"`)
	for listen, part := range map[string]string{"127.0.0.1:0": "port 0", "9464": "must be an address and a port", "127.0.0.1:99999": "must be an address and a port"} {
		s := newStand(t, `listen = ""`, `listen = "`+listen+`"`)
		if got := castellan(t, "health", "--config", s.config); got.code != exitUsage || !strings.Contains(got.errs, part) {
			t.Errorf("%s: %+v", listen, got)
		}
	}
}

func TestReach(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", ":2": "127.0.0.1:2", "0.0.0.0:3": "127.0.0.1:3", "[::]:4": "[::1]:4", "host:5": "host:5", "[fe80::1]:6": "[fe80::1]:6",
	} {
		got, err := config{Listen: listen}.reach()
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", listen, got, err, want)
		}
	}
}
