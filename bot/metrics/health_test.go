package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/metrics"
	"castellan/bot/sandbox"
	"castellan/storage"
)

// wants fails unless a path answers with a status and a text.
func (r *rig) wants(path string, status int, parts ...string) {
	r.t.Helper()
	code, text := r.get(path)
	if code != status {
		r.t.Errorf("%s: %d, want %d: %s", path, code, status, text)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			r.t.Errorf("%s: %q does not say %q", path, text, p)
		}
	}
}

// A bot that is starting can serve, and does not yet.
func TestABotThatStartsIsHealthyAndNotReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, sandbox.Options{}, stores{})
	r.wants(metrics.PathHealth, http.StatusOK, "database: ok")
	r.wants(metrics.PathReady, http.StatusServiceUnavailable, "gateway: not connected yet", "commands: not registered yet", "database: ok")
	if f := r.figures(); f["castellan_ready"] != "0" || f["castellan_gateway_connected"] != "0" || f["castellan_gateway_ack_age_seconds"] != "" || f["castellan_reconciler_pulse_seconds"] != "" {
		t.Errorf("%v", f)
	}
	r.start()
	r.wants(metrics.PathReady, http.StatusOK)
}

// While Discord is silent and takes no connection, people are not served; a new
// process would not change that, so the old one stays healthy.
func TestASilentGatewayIsNotReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, sandbox.Options{HeartbeatInterval: 50 * time.Millisecond}, stores{})
	r.start()
	r.wants(metrics.PathReady, http.StatusOK, "gateway: ok")
	refused := r.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultRefuse, Count: -1})
	r.chat.SilenceGateway()
	r.until("the loss of the connection", func() bool { return r.figures()["castellan_gateway_connected"] == "0" })
	r.wants(metrics.PathReady, http.StatusServiceUnavailable, "gateway: not connected, ", "commands: ok")
	r.wants(metrics.PathHealth, http.StatusOK)
	refused.Remove()
	r.until("a new connection", func() bool { code, _ := r.get(metrics.PathReady); return code == http.StatusOK })
	if f := r.figures(); f["castellan_gateway_connections_total"] != "2" || f["castellan_gateway_failures"] != "0" {
		t.Errorf("%s connections, %s failures", f["castellan_gateway_connections_total"], f["castellan_gateway_failures"])
	}
}

// A store that fails, or says nothing, is told of, without where it is.
func TestAStoreThatFailsIsNotHealthy(t *testing.T) {
	t.Parallel()
	b := &broken{}
	r := newRig(t, sandbox.Options{}, stores{asked: func(s storage.Store) storage.Store { b.Store = s; return b }})
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.Join(errors.New("/secret/file"), storage.ErrCorrupt), "database: " + storage.ErrCorrupt.Error()},
		{errors.New("/secret/file: input/output error"), "database: cannot be read; the log says why"},
	} {
		b.err = c.err
		r.wants(metrics.PathHealth, http.StatusServiceUnavailable, c.want)
		r.wants(metrics.PathReady, http.StatusServiceUnavailable, c.want)
		if _, text := r.get(metrics.PathHealth); strings.Contains(text, "secret") {
			t.Errorf("%s", text)
		}
		if f := r.figures(); f["castellan_database_up"] != "0" || f["castellan_challenges_open"] != "" {
			t.Errorf("up %s, open %s", f["castellan_database_up"], f["castellan_challenges_open"])
		}
	}
	b.err = nil
	r.wants(metrics.PathHealth, http.StatusOK, "database: ok")
}

// hanging is a store that does not answer, whatever the context says.
type hanging struct {
	storage.Store
	gate chan struct{}
}

func (h hanging) View(context.Context, func(storage.Reader) error) error {
	<-h.gate
	return nil
}

func TestAStoreThatHangsIsNotHealthy(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	r := newRig(t, sandbox.Options{}, stores{asked: func(s storage.Store) storage.Store { return hanging{s, gate} }})
	r.wants(metrics.PathHealth, http.StatusServiceUnavailable, "database: no answer within 2s")
}

// A reconciler that hangs is told of.
func TestAReconcilerThatHangsIsNotHealthy(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b := &gated{gate: gate, reached: make(chan struct{}, 100)}
	r := newRig(t, sandbox.Options{}, stores{ofBot: func(s storage.Store) storage.Store { b.Store = s; return b }})
	r.start()
	r.ticks <- time.Time{} // a look has ended
	r.wants(metrics.PathHealth, http.StatusOK, "reconciler: ok")
	b.shut()
	select { // and the one that has begun, or the next, does not
	case r.ticks <- time.Time{}:
		<-b.reached
	case <-b.reached:
	}
	r.clock.pass(metrics.StuckAfter + time.Minute)
	r.wants(metrics.PathHealth, http.StatusServiceUnavailable, "reconciler: stuck: no look was finished for 6m")
	close(gate)
	r.until("the next look", func() bool { code, _ := r.get(metrics.PathHealth); return code == http.StatusOK })
}
