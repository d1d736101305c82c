package sandbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// posting is the route that most of these tests plan faults for.
const posting = "/channels/{channel_id}/messages"

// until waits for a condition.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := r.box.Wait(ctx, cond); err != nil {
		r.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// reached waits until a fault is met.
func (r *rig) reached(p *sandbox.Planned) {
	r.t.Helper()
	select {
	case <-p.Reached():
	case <-time.After(timeout):
		r.t.Fatalf("nothing has met the fault %s", p.Fault().Kind)
	}
}

// plan plans a fault.
func (r *rig) plan(f sandbox.Fault) *sandbox.Planned {
	r.t.Helper()
	p := must(r.box.Plan(f))
	return p
}

// later posts a message from another goroutine, with a client of its own. It
// returns the status or error.
func (r *rig) later(ctx context.Context, content string) (answered <-chan int, failed <-chan error) {
	status, fail := make(chan int, 1), make(chan error, 1)
	req := must(http.NewRequestWithContext(ctx, http.MethodPost, r.srv.URL+"/api/v10"+r.channel(), strings.NewReader(`{"content":"`+content+`"}`)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bot "+r.box.Token())
	go func() {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		res, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			fail <- err
			return
		}
		defer res.Body.Close()
		status <- res.StatusCode
	}()
	return status, fail
}

// messages returns the number of public messages in the yard.
func (r *rig) messages() int { return r.box.Tally().Messages[yard] }

func TestFaultErrorBeforeAndAfter(t *testing.T) {
	for _, status := range []int{500, 502, 503} {
		r := newRig(t)
		before := r.plan(sandbox.Fault{Kind: sandbox.FaultError, Method: "POST", Route: posting, Status: status})
		r.post(r.channel(), body{"content": "one"}).fails(status, 0)
		if r.messages() != 0 || before.Hits() != 1 {
			t.Errorf("%d before the work: %d messages, %d hits", status, r.messages(), before.Hits())
		}
		after := r.plan(sandbox.Fault{Kind: sandbox.FaultError, Method: "POST", Route: posting, Status: status, After: true})
		r.post(r.channel(), body{"content": "two"}).fails(status, 0)
		if r.messages() != 1 || after.Hits() != 1 {
			t.Errorf("%d after the work: %d messages, %d hits", status, r.messages(), after.Hits())
		}
		r.post(r.channel(), body{"content": "three"}).ok(http.StatusOK)
	}
}

func TestFaultSkipAndCount(t *testing.T) {
	r := newRig(t)
	one := r.plan(sandbox.Fault{Kind: sandbox.FaultError, Method: "POST", Route: posting, Skip: 1, Count: 2})
	all := r.plan(sandbox.Fault{Kind: sandbox.FaultError, Status: 503, Count: -1, Match: func(ex sandbox.Exchange) bool {
		return strings.Contains(string(ex.RequestJSON), "blue")
	}})
	got := []int{}
	for _, content := range []string{"red", "blue", "blue", "blue", "red"} {
		got = append(got, r.post(r.channel(), body{"content": content}).status)
	}
	if want := []int{200, 500, 500, 503, 200}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v: each request meets the first fault that does not let it through", got, want)
	}
	if one.Hits() != 2 || all.Hits() != 1 {
		t.Errorf("hits %d and %d", one.Hits(), all.Hits())
	}
	all.Remove()
	r.post(r.channel(), body{"content": "blue"}).ok(http.StatusOK)
	all.Remove() // a second time has no effect
}

func TestFaultRateLimit(t *testing.T) {
	for _, tt := range []struct {
		scope     string
		message   string
		global    bool
		remaining string
	}{
		{sandbox.ScopeUser, "You are being rate limited.", false, "0"},
		{sandbox.ScopeShared, "The resource is being rate limited.", false, "49"},
		{sandbox.ScopeGlobal, "You are being rate limited.", true, ""},
	} {
		t.Run(tt.scope, func(t *testing.T) {
			r := newRig(t)
			r.plan(sandbox.Fault{Kind: sandbox.FaultRateLimit, Scope: tt.scope, RetryAfter: 64570 * time.Millisecond})
			a := r.get("/users/@me")
			got := a.ok(http.StatusTooManyRequests)
			if got["message"] != tt.message || got["retry_after"] != 64.57 || got["global"] != tt.global {
				t.Errorf("body %v", got)
			}
			for name, want := range map[string]string{
				"Retry-After": "65", "X-RateLimit-Scope": tt.scope, "X-RateLimit-Remaining": tt.remaining,
			} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if got := a.header.Get("X-RateLimit-Global") == "true"; got != tt.global {
				t.Errorf("X-RateLimit-Global: %v", got)
			}
			if got := a.header.Get("X-RateLimit-Reset-After"); (got == "64.570") == tt.global {
				t.Errorf("X-RateLimit-Reset-After %q", got)
			}
			r.get("/users/@me").ok(http.StatusOK)
		})
	}
}

func TestFaultProxy(t *testing.T) {
	r := newRig(t)
	r.plan(sandbox.Fault{Kind: sandbox.FaultProxy, Status: http.StatusTooManyRequests, RetryAfter: time.Minute})
	r.plan(sandbox.Fault{Kind: sandbox.FaultProxy})
	a := r.get("/users/@me")
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "60" || a.header.Get("X-RateLimit-Limit") != "" || a.header.Get("X-RateLimit-Scope") != "" {
		t.Errorf("status %d, headers %v", a.status, a.header)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.HasPrefix(string(a.raw), "<html>") {
		t.Errorf("%s: %s", a.header.Get("Content-Type"), a.raw)
	}
	if a := r.get("/users/@me"); a.status != http.StatusBadGateway || a.header.Get("Retry-After") != "" || !strings.HasPrefix(string(a.raw), "<html>") {
		t.Errorf("status %d, headers %v: %s", a.status, a.header, a.raw)
	}
}

func TestFaultCut(t *testing.T) {
	for _, after := range []bool{false, true} {
		r := newRig(t)
		p := r.plan(sandbox.Fault{Kind: sandbox.FaultCut, Route: posting, After: after})
		_, failed := r.later(t.Context(), "x")
		if err := <-failed; !errors.Is(err, io.EOF) {
			t.Errorf("after %v: %v, want the connection to end", after, err)
		}
		want := 0
		if after {
			want = 1
		}
		if got := r.messages(); got != want || p.Hits() != 1 {
			t.Errorf("after %v: %d messages, %d hits", after, got, p.Hits())
		}
		r.mu.Lock()
		last := r.seen[len(r.seen)-1]
		r.mu.Unlock()
		if last.Status != 0 || last.Fault != sandbox.FaultCut {
			t.Errorf("observed %d by %q", last.Status, last.Fault)
		}
	}
}

func TestFaultHold(t *testing.T) {
	for _, after := range []bool{false, true} {
		r := newRig(t)
		p := r.plan(sandbox.Fault{Kind: sandbox.FaultHold, Route: posting, After: after, Count: 2})
		want := 0
		if after {
			want = 1
		}
		answered, _ := r.later(t.Context(), "x")
		r.reached(p)
		if got := r.messages(); got != want || p.Held() != 1 {
			t.Errorf("after %v: %d messages while it is held, %d held", after, got, p.Held())
		}
		if n := r.box.Tally().Requests[sandbox.Request{Method: "POST", Route: posting, Status: 200}]; n != 0 {
			t.Errorf("%d answers", n)
		}
		p.Release()
		if got := <-answered; got != http.StatusOK || r.messages() != 1 {
			t.Errorf("after %v: status %d, %d messages", after, got, r.messages())
		}
		// The next one is held too; removing the fault releases it.
		answered, _ = r.later(t.Context(), "y")
		r.until("the second to be held", func() bool { return p.Held() == 1 && p.Hits() == 2 })
		p.Remove()
		if got := <-answered; got != http.StatusOK || r.messages() != 2 {
			t.Errorf("after %v: status %d, %d messages", after, got, r.messages())
		}
	}
}

func TestFaultHoldClientGone(t *testing.T) {
	for _, after := range []bool{false, true} {
		r := newRig(t)
		p := r.plan(sandbox.Fault{Kind: sandbox.FaultHold, Route: posting, After: after})
		ctx, cancel := context.WithCancel(t.Context())
		_, failed := r.later(ctx, "x")
		r.reached(p)
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		r.until("the request to be given up", func() bool { return p.Held() == 0 })
		p.Release() // nothing is held
		if got := r.messages() == 1; got != after {
			t.Errorf("after %v: the work is done: %v", after, got)
		}
	}
}

func TestCloseReleasesHeld(t *testing.T) {
	r := newRig(t)
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultHold, Route: posting, After: true})
	answered, _ := r.later(t.Context(), "x")
	r.reached(p)
	check(t, r.box.Close())
	if got := <-answered; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}

func TestFaultHoldCallbackTooLong(t *testing.T) {
	r := newRig(t)
	in := r.play()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultHold, Route: "/interactions/{interaction_id}/{interaction_token}/callback"})
	answered := make(chan answer, 1)
	go func() { answered <- r.post(in.callback(), content("x")) }()
	r.reached(p)
	r.clock.advance(3 * time.Second)
	p.Release()
	(<-answered).fails(http.StatusNotFound, 10062)
	r.state(in, sandbox.StateFailed)
}

func TestInvalidFaults(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	for _, tt := range []struct {
		fault sandbox.Fault
		says  string
	}{
		{sandbox.Fault{}, `there is no fault ""`},
		{sandbox.Fault{Kind: "flood"}, `there is no fault "flood"`},
		{sandbox.Fault{Kind: sandbox.FaultCut, Route: "/nowhere"}, "there is no route"},
		{sandbox.Fault{Kind: sandbox.FaultCut, Method: "PUT", Route: posting}, "there is no route PUT " + posting},
		{sandbox.Fault{Kind: sandbox.FaultCut, Skip: -1}, "cannot skip -1"},
		{sandbox.Fault{Kind: sandbox.FaultCut, Event: "READY"}, "takes no event"},
		{sandbox.Fault{Kind: sandbox.FaultTwice, Route: posting}, "takes no method, route"},
		{sandbox.Fault{Kind: sandbox.FaultRefuse, After: true}, "takes no method, route"},
		{sandbox.Fault{Kind: sandbox.FaultRefuse, Status: 200}, "status 200 is not an error"},
		{sandbox.Fault{Kind: sandbox.FaultError, Status: 302}, "status 302 is not an error"},
		{sandbox.Fault{Kind: sandbox.FaultRateLimit, Scope: "all"}, `scope "all"`},
		{sandbox.Fault{Kind: sandbox.FaultRateLimit, After: true}, "never after"},
		{sandbox.Fault{Kind: sandbox.FaultRateLimit, RetryAfter: -time.Second}, "cannot end 1s ago"},
		{sandbox.Fault{Kind: sandbox.FaultHandshake, Op: 10}, "op 10 is not one"},
		{sandbox.Fault{Kind: sandbox.FaultHandshake, Op: 7, Code: 4000}, "not both"},
		{sandbox.Fault{Kind: sandbox.FaultHandshake, Code: 1006}, "not a close code"},
	} {
		if _, err := r.box.Plan(tt.fault); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.fault, err, tt.says)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustPlan does not panic")
		}
	}()
	r.box.MustPlan(sandbox.Fault{})
}
