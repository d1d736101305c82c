package publish

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/imaging"
	"castellan/storage"
)

// docs/build/discord-errors.md says how each failure of a post is handled.
func TestPostFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  discordtest.Answer
		blocked bool // attempts become rarer, up to hours apart
		missing string
	}{
		{"500", discordtest.Answer{Status: 500, Body: `{"code":0,"message":"500: Internal Server Error"}`}, false, ""},
		{"502", discordtest.BadGateway, false, ""},
		{"cut", discordtest.Disconnect, false, ""},
		{"no ID", discordtest.Answer{Status: 200, Body: `{}`}, false, ""},
		{"invalid form", discordtest.Refusal(400, 50035), false, ""},
		{"the bot's token", discordtest.Refusal(401, 0), false, ""},
		{"10003", discordtest.Refusal(404, 10003), true, "the channel"},
		{"50001", discordtest.Refusal(403, 50001), true, "the permission View Channel"},
		{"50013", discordtest.Refusal(403, 50013), true, "a permission: View Channel"},
		// An archived thread is unarchived, unless it is locked.
		{"50083", discordtest.Refusal(400, 50083), true, "an open thread"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, kitOptions{})
			v := k.Start("trails")
			k.ChallengeShown(v)
			failing, tried := []discordtest.Answer{c.answer}, postHere
			if c.name == "50083" {
				failing, tried = append(failing, discordtest.Refusal(403, discord.CodeLockedThread)), postHere+", PATCH /channels/2"
			}
			k.Plan(failing...)
			_, err := k.showMatch(v)
			if got := Failure(err); got.Blocked != c.blocked {
				t.Errorf("%v: %+v", err, got)
			}
			log := k.log.Take()
			if !strings.Contains(log, "WARN posting a board") || strings.Contains(log, "missing="+c.missing) != (c.missing != "") {
				t.Errorf("log %s", log)
			}
			k.Take()
			for attempts := 1; attempts < 16; attempts++ {
				want := host.Failure{Blocked: c.blocked}.Backoff(attempts - 1)
				if failing[len(failing)-1].Status == 403 { // then the channel is left alone
					want = max(want, min(time.Minute<<(attempts-1), time.Hour))
				}
				if got, n := k.nextAttempt(v.Board.ID); got != want || n != attempts {
					t.Fatalf("after %d attempts the next is in %v, want %v", n, got, want)
				}
				k.Advance(want - time.Second)
				if got := k.reconciled(); got != "" {
					t.Fatalf("attempt %d came too early: %s", attempts, got)
				}
				k.Advance(time.Second)
				// From the second attempt on, the channel is searched first.
				search := []discordtest.Answer{{Status: 200, Body: `{"id":"9"}`}, {Status: 200, Body: `[]`}}
				switch attempts {
				case 1:
					search = nil
				case 2:
				default:
					search = search[1:]
				}
				k.Plan(append(search, failing...)...)
				if got := k.reconciled(); !strings.HasSuffix(got, tried) {
					t.Fatalf("attempt %d: %s", attempts, got)
				}
				if log := k.log.Take(); strings.Contains(log, "WARN") == c.blocked {
					t.Errorf("attempt %d: log %s", attempts, log)
				}
			}
			got, _ := k.nextAttempt(v.Board.ID)
			if want := map[bool]time.Duration{false: 10 * time.Minute, true: 6 * time.Hour}[c.blocked]; got != want {
				t.Errorf("the longest wait is %v, want %v", got, want)
			}
			if got := k.Boards(v.Record.ID); got != "due0" {
				t.Errorf("recorded %s", got)
			}
		})
	}
}

// A rate limit that outlasts the request is respected.
func TestPostAfterLongRateLimit(t *testing.T) {
	k := newKit(t, kitOptions{})
	v := k.Start("trails")
	k.ChallengeShown(v)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	k.Plan(discordtest.Answer{Status: 429, Body: `{"message":"slow","retry_after":1800,"global":false}`})
	if _, err := k.Show(ctx, v); discord.RetryAfter(err) != 30*time.Minute {
		t.Fatalf("%v", err)
	}
	if got, _ := k.nextAttempt(v.Board.ID); got != 30*time.Minute {
		t.Errorf("the next attempt is in %v", got)
	}
	if got := discordtest.Summary(k.Take()); got != postHere {
		t.Errorf("%s", got)
	}
}

// Each failure to collapse a board is handled.
func TestEditFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer discordtest.Answer
		state  string
		next   time.Duration
	}{
		{"10008", discordtest.Refusal(404, 10008), "collapsed0 posted1", 0},
		{"10003", discordtest.Refusal(404, 10003), "collapsed0 posted1", 0},
		{"500", discordtest.Answer{Status: 500}, "superseded0 posted1", 5 * time.Second},
		{"cut", discordtest.Disconnect, "superseded0 posted1", 5 * time.Second},
		{"50013", discordtest.Refusal(403, 50013), "superseded0 posted1", time.Minute},
		{"50083", discordtest.Refusal(400, 50083), "superseded0 posted1", time.Minute},
		{"30046", discordtest.Refusal(429, 30046), "superseded0 posted1", time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, kitOptions{})
			v := k.Start("trails")
			first, err := k.showMatch(v)
			hosttest.Must(t, err)
			k.Act(v, "right")
			k.Take()
			failing, tried := []discordtest.Answer{c.answer}, editHere
			if c.name == "50083" {
				failing, tried = append(failing, discordtest.Refusal(403, discord.CodeLockedThread)), editHere+", PATCH /channels/2"
			}
			k.Plan(append([]discordtest.Answer{discordtest.Created("9002")}, failing...)...)
			if _, err := k.showMatch(v); err != nil {
				t.Errorf("the new board fails with the old one: %v", err)
			}
			if got := discordtest.Summary(k.Take()); got != postHere+", "+tried {
				t.Errorf("%s", got)
			}
			if got := k.Boards(v.Record.ID); got != c.state {
				t.Errorf("recorded %s", got)
			}
			if got, _ := k.nextAttempt(first.Board.ID); c.next != 0 && got != c.next {
				t.Errorf("the next attempt is in %v, want %v", got, c.next)
			}
		})
	}
}

// Discord takes nonces of up to 25 characters. A nonce names one post of one
// database.
func TestNonce(t *testing.T) {
	if long := nonce("b", 1<<63-1, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)); len(long)+maxNonces-1 > discord.MaxNonce {
		t.Errorf("%s has %d characters", long, len(long))
	}
	at, seen := hosttest.Start, map[string]bool{}
	for _, n := range []string{nonce("b", 1, at), nonce("c", 1, at), nonce("b", 2, at), nonce("b", 1, at.Add(time.Second))} {
		if seen[n] {
			t.Errorf("%s twice", n)
		}
		seen[n] = true
	}
}

// The board says so if the computer that is to move has many matches to play,
// and notifies nobody by that.
func TestBoardTellsALongWait(t *testing.T) {
	for wait, want := range map[time.Duration]string{9 * time.Second: "", 38 * time.Second: "It may take about 40 seconds."} {
		k := newKit(t, kitOptions{})
		k.config.ComputerWait = func() time.Duration { return wait }
		ch := k.Challenge(host.Proposal{
			Opponents: []storage.Person{host.ComputerPlayer("beginner", "Computer")}, Game: "trails", First: host.FirstThem,
		})
		_, err := k.ShowMatch(context.Background(), ch.Match)
		hosttest.Must(t, err)
		board := k.Take()[0]
		if said := strings.Contains(board.Text(), "waiting for me"); board.String() != postHere || said != (want != "") || !strings.Contains(board.Text(), want) || strings.Contains(board.Body, `"users":[`) {
			t.Errorf("%v: %s", wait, board.Body)
		}
	}
}

// The log has the channels of guilds, but not those of direct messages, which lead to
// people.
func TestLoggedChannel(t *testing.T) {
	for place, want := range map[storage.Place]string{
		{Guild: "1", Channel: "777"}: "channel=777",
		{Channel: "777"}:             "channel=direct messages",
	} {
		disk := &hosttest.Disk{}
		k := newKit(t, kitOptions{Options: hosttest.Options{Wrap: disk.Wrap}})
		v := k.Start("trails")
		k.ChallengeShown(v)
		_, err := k.Host.MoveMatch(t.Context(), k.Actor(hosttest.Anna), v.Record.ID, v.Record.Place, place)
		hosttest.Must(t, err)
		k.Plan(discordtest.Refusal(404, discord.CodeUnknownChannel))
		k.reconciled()
		disk.Fail(storage.ErrDiskFull)
		k.RetryPlace(t.Context(), place)
		if log := k.log.Take(); strings.Count(log, want) != 2 || strings.Count(log, "777") != strings.Count(want, "777")*2 {
			t.Errorf("%+v: log %s", place, log)
		}
	}
}

// The actions of an open turn stay private if another player retires meanwhile.
func TestOpenTurnStaysPrivate(t *testing.T) {
	var shown []string
	k := newKit(t, kitOptions{renderer: hosttest.Renderer{OnBoard: func(s imaging.Scene) error {
		shown = append(shown, fmt.Sprint(s.Position.Status(), len(s.Turn.Actions)))
		return nil
	}}})
	v := k.StartSeveral(3)
	if _, err := k.showMatch(v); err != nil {
		t.Fatal(err)
	}
	v = k.Act(v, v.Match.Position().Legal()[0].String())
	if _, err := k.showMatch(k.Resign(v, v.Match.Seat()%3+1)); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 2 || shown[0] != shown[1] || v.Match.Open().String() == "" {
		t.Errorf("the boards show %q", shown)
	}
}

// While a board waits for the computer's turn, the interaction gives its room to others.
// The board shows the match as it is after the turn.
func TestWaitForTheComputerPausesTheInteraction(t *testing.T) {
	k := newKit(t, kitOptions{})
	ch := k.Challenge(host.Proposal{
		Place: hosttest.Here, Opponents: []storage.Person{host.ComputerPlayer("beginner", "Computer")}, Game: "trails", First: host.FirstMe,
	})
	v, err := k.ShowMatch(t.Context(), ch.Match)
	hosttest.Must(t, err)
	k.Take()
	v = k.Act(v, "right")
	var events []string
	k.config.AwaitComputer = func(ctx context.Context, id storage.MatchID) {
		events = append(events, "waits")
		_, err := k.Host.PlayComputerTurn(ctx, host.ComputerTurn{Match: id, Seq: v.Match.Seq(), Seat: v.Match.Seat(), Text: "left", WithoutBoard: true})
		hosttest.Must(t, err)
	}
	ctx := discord.WithPause(t.Context(), func() func() {
		events = append(events, "paused")
		return func() { events = append(events, "resumed") }
	})
	shown, err := k.ShowTurn(ctx, v, "")
	hosttest.Must(t, err)
	if len(events) < 3 || events[0] != "paused" || events[1] != "waits" || events[2] != "resumed" {
		t.Errorf("%v", events)
	}
	if got := discordtest.Summary(k.Take()); len(shown.Match.Turns()) != 2 || got != "POST /channels/2/messages, PATCH /channels/2/messages/9001" {
		t.Errorf("%d turns, %s", len(shown.Match.Turns()), got)
	}
	if s := k.Boards(ch.Match); s != "collapsed0 skipped1 posted2" { // and nobody looks for it
		t.Errorf("boards %s", s)
	}
}
