package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/discord"
)

// refusal is the answer of a channel in which the bot has no permissions.
var refusal = answer(403, `{"code":50013,"message":"Missing Permissions"}`)

// tryPost posts and returns the error and whether a request was sent.
func tryPost(ctx context.Context, s *server, c *discord.Client, channel string, files ...discord.File) (err error, sent bool) {
	before := len(s.got)
	_, err = c.CreateMessage(ctx, channel, "n", discord.Message{Components: hello.Components, Files: files})
	return err, len(s.got) > before
}

// After a 403 nothing is sent to the channel for a minute, and for longer after
// each further 403. Permissions that may have changed shorten a longer pause.
func TestRefusedChannelIsLeftAlone(t *testing.T) {
	bubble(t, replies(refusal), func(t *testing.T, s *server, c *discord.Client) {
		try := func(when string, want bool) {
			t.Helper()
			err, sent := tryPost(t.Context(), s, c, "5")
			if sent != want || !discord.HasCode(err, discord.CodeMissingPermissions) || discord.OutcomeUnknown(err) {
				t.Errorf("%s: sent %t, want %t: %v", when, sent, want, err)
			}
			if wait := discord.RetryAfter(err); !want && wait <= 0 {
				t.Errorf("%s: it does not say how long to wait", when)
			}
		}
		try("first", true)
		try("at once", false)
		if err := c.EditMessage(t.Context(), "5", "6", hello); !discord.Blocked(err) || len(s.got) != 1 {
			t.Errorf("an edit in the channel: %v", err)
		}
		if _, sent := tryPost(t.Context(), s, c, "7"); !sent {
			t.Error("another channel is left alone, too")
		}
		time.Sleep(59 * time.Second)
		try("before a minute has passed", false)
		time.Sleep(time.Second)
		try("after a minute", true)
		time.Sleep(time.Minute)
		try("a minute after the second refusal", false)
		c.ForgetPermissions("1")
		try("after an event", true)
		c.SetPermissions("1", "5", discord.PermissionAdministrator)
		try("after an interaction, within the minute", false)
		time.Sleep(time.Minute)
		try("a minute later", true)
		time.Sleep(2 * time.Minute)
		c.SetPermissions("1", "5", discord.PermissionAdministrator)
		try("after another interaction with the same permissions", false)
	})
}

// A channel that refuses everything gets one 403 a minute, whatever people do
// there at the same time.
func TestStormInOneChannel(t *testing.T) {
	held := refusal
	held.held = 20 * time.Millisecond
	bubble(t, replies(held), func(t *testing.T, s *server, c *discord.Client) {
		var all sync.WaitGroup
		for person := range 10 {
			all.Go(func() {
				for n := range 100 * 3 {
					c.SetPermissions("1", "5", discord.PermissionAdministrator<<(n%2)|discord.PermissionViewChannel|discord.PermissionSendMessages)
					if n%10 == person {
						c.ForgetPermissions("1")
					}
					_, _ = c.CreateMessage(t.Context(), "5", "n", hello)
					time.Sleep(time.Second)
				}
			})
		}
		all.Wait()
		if got := len(s.got); got < 2 || got > 5 { // in five minutes
			t.Errorf("%d requests in %v: %s", got, time.Since(s.began), s.times())
		}
	})
}

// A request that the permissions of an interaction rule out is not sent.
func TestKnownPermissions(t *testing.T) {
	const (
		view, send, attach = discord.PermissionViewChannel, discord.PermissionSendMessages, discord.PermissionAttachFiles
		threads            = discord.PermissionCreatePublicThreads
	)
	picture := discord.File{Name: "a.png", ContentType: "image/png"}
	for _, k := range []struct {
		permissions int64
		do          string
		want        int // the code, 0 if it is sent
	}{
		{view | send | attach, "picture", 0},
		{view | send, "picture", discord.CodeMissingPermissions},
		{view | send, "text", 0},
		{view | attach, "text", discord.CodeMissingPermissions},
		{send | attach, "text", discord.CodeMissingAccess},
		{discord.PermissionAdministrator, "picture", 0},
		{view, "edit", 0},
		{0, "edit", discord.CodeMissingAccess},
		{view | send | attach, "thread", discord.CodeMissingPermissions},
		{view | threads, "thread", 0},
	} {
		bubble(t, replies(answer(200, posted)), func(t *testing.T, s *server, c *discord.Client) {
			c.SetPermissions("1", "5", k.permissions)
			do := map[string]func() error{
				"picture": func() error { err, _ := tryPost(t.Context(), s, c, "5", picture); return err },
				"text":    func() error { err, _ := tryPost(t.Context(), s, c, "5"); return err },
				"edit":    func() error { return c.EditMessage(t.Context(), "5", "6", hello) },
				"thread":  func() error { return c.StartThread(t.Context(), "5", "6", "n") },
			}[k.do]
			err := do()
			if (k.want == 0) != (err == nil) || k.want != 0 && !discord.HasCode(err, k.want) || (len(s.got) == 1) != (err == nil) {
				t.Errorf("%s with %#x: %v, %d requests", k.do, k.permissions, err, len(s.got))
			}
			c.ForgetPermissions("1")
			if err := do(); err != nil {
				t.Errorf("%s after the permissions may have changed: %v", k.do, err)
			}
		})
	}
}

// Too many invalid requests stop requests in the background first and responses
// to people last. Rate limits that are shared with others do not count.
func TestInvalidRequestBudget(t *testing.T) {
	scope := map[string]string{"X-RateLimit-Scope": "shared"}
	bubble(t, func(_ int, r *http.Request) reply {
		if strings.Contains(r.URL.Path, "/channels/shared") {
			return reply{status: 429, header: scope, body: `{"message":"limited","retry_after":3600}`}
		}
		return refusal
	}, func(t *testing.T, s *server, c *discord.Client) {
		background := discord.InBackground(t.Context())
		respond := func(context.Context) error { return c.DeferUpdate(t.Context(), interaction) }
		channel := 0
		post := func(ctx context.Context) error {
			channel++
			_, err := c.CreateMessage(ctx, fmt.Sprint(channel), "n", hello)
			return err
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _ = c.CreateMessage(ctx, "shared", "n", hello)
			cancel()
		}
		if got := c.InvalidRequests(); got != 0 {
			t.Errorf("%d invalid requests, want none", got)
		}
		// spend uses up a budget with requests of one kind, and returns how many
		// were sent before the first one that was not.
		spend := func(do func(context.Context) error, ctx context.Context) int {
			for {
				before := len(s.got)
				err := do(ctx)
				if len(s.got) == before {
					var e *discord.Error
					if !errors.As(err, &e) || !discord.RateLimited(err) || e.RetryAfter <= 0 {
						t.Fatalf("not sent: %v", err)
					}
					return c.InvalidRequests()
				}
			}
		}
		if got := spend(post, background); got != 1000 {
			t.Errorf("the background stops after %d", got)
		}
		if got := spend(post, t.Context()); got != 2500 {
			t.Errorf("people's posts stop after %d", got)
		}
		if got := spend(respond, t.Context()); got != 5000 {
			t.Errorf("responses stop after %d", got)
		}
		time.Sleep(11 * time.Minute)
		before := len(s.got)
		_ = post(background)
		if len(s.got) == before || c.InvalidRequests() != 1 {
			t.Errorf("after ten minutes: %d invalid requests", c.InvalidRequests())
		}
	})
}

// The bot sends at most fifty requests a second. Requests in the background let
// the others go first, and responses wait for none.
func TestGlobalPace(t *testing.T) {
	bubble(t, replies(answer(200, posted)), func(t *testing.T, s *server, c *discord.Client) {
		var all sync.WaitGroup
		for n := range 200 {
			all.Go(func() {
				_, _ = c.CreateMessage(discord.InBackground(t.Context()), fmt.Sprint("1", n), "n", hello)
			})
		}
		synctest.Wait()
		for n := range 60 {
			all.Go(func() { post(t, c, fmt.Sprint("2", n)) })
		}
		synctest.Wait()
		if err := c.DeferUpdate(t.Context(), interaction); err != nil || time.Since(s.began) != 0 {
			t.Errorf("a response waits: %v, %v", err, time.Since(s.began))
		}
		all.Wait()
		var sent []time.Duration
		inBackground := map[time.Duration]int{}
		for _, r := range s.got {
			if !strings.HasPrefix(r.path(), "/channels/") {
				continue
			}
			sent = append(sent, r.at)
			if strings.HasPrefix(r.path(), "/channels/1") {
				inBackground[r.at]++
				continue
			}
			for at, n := range inBackground {
				if at > 0 && at < r.at {
					t.Fatalf("%d requests in the background were sent before a person's", n)
				}
			}
		}
		for n := 50; n < len(sent); n++ {
			if sent[n]-sent[n-50] <= time.Second {
				t.Fatalf("requests %d to %d were sent within %v", n-50, n, sent[n]-sent[n-50])
			}
		}
		if len(sent) != 260 || sent[259] > 6*time.Second {
			t.Errorf("%d requests in %v", len(sent), sent[len(sent)-1])
		}
	})
}
