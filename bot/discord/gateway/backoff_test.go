package gateway_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
)

func TestDiscordWillNotHaveTheBot(t *testing.T) {
	t.Parallel()
	for code, advice := range map[int]string{
		4004: "Reset Token", 4010: "shard", 4011: "sharding", 4012: "newer Castellan", 4013: "newer Castellan", 4014: "Privileged Gateway Intents",
	} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			p := r.next()
			p.hello(hour)
			p.expect(2)
			p.closes(code)
			var fatal *gateway.FatalError
			if err := r.run(); !errors.As(err, &fatal) || fatal.Code != code || !strings.Contains(err.Error(), advice) {
				t.Errorf("Run ends with %v", err)
			}
			if s := r.gateway.State(); s.Connected || s.Reason == nil {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("401", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, func(r *rig) { r.refuse = func() error { return &discord.Error{Status: 401} } })
		var fatal *gateway.FatalError
		if err := r.run(); !errors.As(err, &fatal) || !strings.Contains(err.Error(), "Reset Token") {
			t.Errorf("Run ends with %v", err)
		}
	})
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.identified("s1", hour).closes(4004)
		if err := r.run(); err == nil || r.gateway.State().Connected {
			t.Errorf("Run ends with %v, %+v", err, r.gateway.State())
		}
	})
}

// Everything else is tried again for ever, with longer and longer waits.
func TestDiscordThatCannotBeReached(t *testing.T) {
	t.Parallel()
	const attempts = 12
	n := 0
	r := newRig(t, func(r *rig) {
		r.clock.short = time.Minute
		r.refuse = func() error {
			if n++; n <= attempts {
				return errors.New("no route to host")
			}
			return nil
		}
	})
	r.identified("s1", hour)
	waits := r.clock.waited()
	if len(waits) != attempts-1 {
		t.Fatalf("it waited %v", waits)
	}
	for i, d := range waits {
		most := min(second<<i, time.Minute)
		if d < most/2 || d > most {
			t.Errorf("wait %d is %v, not between %v and %v", i, d, most/2, most)
		}
	}
}

// After two dials in vain the address at which to resume is given up, the
// session is not.
func TestAddressToResumeAtThatCannotBeReached(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.next()
	p.hello(hour)
	p.expect(2)
	p.says(`{"op":0,"s":1,"t":"READY","d":{"session_id":"s1","resume_gateway_url":"ws://127.0.0.1:1","application":{"id":"9"},"user":{"id":"7"}}}`)
	event[*discordgo.Ready](r)
	p.drop()
	p = r.resumes("s1", 1)
	if p.path != "/" || r.finds != 2 {
		t.Errorf("it resumes at %s, having asked %d times where the gateway is", p.path, r.finds)
	}
	if s := r.gateway.State(); s.Failures != 3 || s.Connected {
		t.Errorf("%+v", s)
	}
}

// Discord that takes connections and says nothing is not asked to resume for
// ever.
func TestResumesThatAreNotHeard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.identified("s1", hour).drop()
	for _, path := range []string{"/resume", "/resume", "/"} {
		p := r.resumes("s1", 1)
		if p.path != path {
			t.Errorf("it resumes at %s, not %s", p.path, path)
		}
		r.clock.runOut(t, opening, opening)
		p.closed()
	}
	r.identified("s2", hour)
}

// session_start_limit: Discord resets the token of a bot that goes beyond it.
func TestDailyLimitOfSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) {
		r.found.SessionStartLimit.Remaining, r.found.SessionStartLimit.ResetAfter = 0, 3*time.Hour
		r.refuse = func() error {
			if r.finds == 3 {
				r.found.SessionStartLimit.Remaining = 1
			}
			return nil
		}
	})
	r.clock.runOut(t, 3*time.Hour, 3*time.Hour)
	if len(r.dialled) != 0 {
		t.Error("it dialled")
	}
	r.clock.runOut(t, 3*time.Hour, 3*time.Hour) // it asks again
	p := r.identified("s1", hour)
	r.mu.Lock()
	r.found.SessionStartLimit.Remaining = 0
	r.mu.Unlock()
	p.drop()
	r.resumes("s1", 1) // which starts no session
}

// max_concurrency: one identify in five seconds, however fast Discord ends the
// sessions.
func TestIdentifiesAreFiveSecondsApart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var at []time.Time
	for range 6 {
		p := r.next()
		p.hello(hour)
		p.expect(2)
		at = append(at, r.clock.Now())
		p.closes(4009)
	}
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < 5*second {
			t.Errorf("identify %d comes %v after the one before", i, d)
		}
	}
}
