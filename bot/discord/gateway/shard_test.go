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

func TestFatalErrors(t *testing.T) {
	for code, advice := range map[int]string{
		4004: "Reset Token", 4010: "shard", 4011: "more shards", 4012: "newer Castellan", 4013: "newer Castellan", 4014: "Privileged Gateway Intents",
	} {
		for _, connected := range []bool{false, true} {
			t.Run(strconv.Itoa(code), func(t *testing.T) {
				run(t, func(r *rig) {
					if connected {
						r.identified("s1").close(code)
					} else {
						r.handshake().close(code)
					}
					var fatal *gateway.FatalError
					if err := r.runError(); !errors.As(err, &fatal) || fatal.Code != code || !strings.Contains(err.Error(), advice) {
						t.Errorf("Run: %v", err)
					}
					if s := r.gateway.State(); s.Connected || s.Reason == nil {
						t.Errorf("%+v", s)
					}
				})
			})
		}
	}
	t.Run("401", func(t *testing.T) {
		run(t, func(r *rig) {
			var fatal *gateway.FatalError
			if err := r.runError(); !errors.As(err, &fatal) || !strings.Contains(err.Error(), "Reset Token") {
				t.Errorf("Run: %v", err)
			}
		}, func(r *rig) { r.getErr = func() error { return &discord.Error{Status: 401} } })
	})
}

// Everything else is tried again for ever, with waits that double.
func TestBackoff(t *testing.T) {
	const attempts = 12
	run(t, func(r *rig) {
		r.identified("s1")
		for i := range attempts - 1 {
			d, most := r.asked[i+2].Sub(r.asked[i+1]), min(time.Second<<i, time.Minute)
			if d < most/2 || d > most {
				t.Errorf("wait %d is %v, want %v to %v", i, d, most/2, most)
			}
		}
		if len(r.asked) != attempts+1 || !r.asked[1].Equal(r.asked[0]) {
			t.Errorf("asked at %v", r.asked)
		}
	}, func(r *rig) {
		r.getErr = func() error {
			if len(r.asked) <= attempts {
				return errors.New("no route to host")
			}
			return nil
		}
	})
}

// After two failed dials the address for resuming is given up, but not the
// session.
func TestResumeAddressUnreachable(t *testing.T) {
	run(t, func(r *rig) {
		p := r.handshake()
		p.ready("s1", "ws://elsewhere.test")
		receive(t, "READY", r.events)
		p.drop()
		p = r.resumes("s1", 1)
		if p.path != "/" || len(r.asked) != 1 { // the answer is still fresh
			t.Errorf("resumed at %s after asking for the address %d times", p.path, len(r.asked))
		}
		if s := r.gateway.State(); s.Failures != 3 || s.Connected {
			t.Errorf("%+v", s)
		}
	})
}

// If Discord accepts connections and says nothing, the bot gives up resuming.
func TestResumeTimeouts(t *testing.T) {
	run(t, func(r *rig) {
		r.identified("s1").drop()
		for range 2 {
			r.resumes("s1", 1).closed()
		}
		p := r.resumes("s1", 1)
		p.resumed(1) // which forgets the failures
		event[*discordgo.Resumed](r)
		p.drop()
		for _, path := range []string{"/resume", "/resume", "/"} {
			p := r.resumes("s1", 1)
			if p.path != path {
				t.Errorf("resumed at %s, want %s", p.path, path)
			}
			p.closed()
		}
		r.identified("s2")
	})
}

// session_start_limit: Discord resets the token of a bot that exceeds it.
func TestSessionStartLimit(t *testing.T) {
	run(t, func(r *rig) {
		began := time.Now()
		p := r.identified("s1")
		if d := time.Since(began); d != 6*time.Hour || len(r.asked) != 3 {
			t.Errorf("identified after %v and asking %d times", d, len(r.asked))
		}
		r.info.SessionStartLimit.Remaining = 0
		p.drop()
		r.resumes("s1", 1) // which starts no session
	}, func(r *rig) {
		r.info.SessionStartLimit.ResetAfter = 3 * time.Hour
		r.getErr = func() error {
			r.info.SessionStartLimit.Remaining = max(0, len(r.asked)-2)
			return nil
		}
	})
}

// max_concurrency: one identify in five seconds, however fast Discord ends the
// sessions.
func TestIdentifyInterval(t *testing.T) {
	run(t, func(r *rig) {
		var last time.Time
		for range 6 {
			p := r.handshake()
			if d := time.Since(last); !last.IsZero() && d < 5*time.Second {
				t.Errorf("identified %v after the one before", d)
			}
			last = time.Now()
			p.close(4009)
		}
	})
}
