package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// TestGames plays a game with each of two published bots.
func TestGames(t *testing.T) {
	requireClients(t)
	cmd := node(t, &client{file: "games.mjs"})
	r := start(t, cmd, 1)
	t.Run("discord-tictactoe", func(t *testing.T) {
		r := &rig{t, r.box}
		if _, err := r.box.As(anna).Say(yard, fmt.Sprintf("<@%s> tttdeploy", r.box.ApplicationID())); err != nil {
			t.Fatal(err)
		}
		r.says(yard, "Command /tictactoe has been registered.")
		play(r, "tictactoe", "yes", "", func(m api.Message) (over bool) { return strings.Contains(m.Content, "won") })
	})
	t.Run("discord-gamecord", func(t *testing.T) {
		play(&rig{t, r.box}, "gamecord", "approve_accept", "TicTacToe_", func(m api.Message) (over bool) {
			return strings.Contains(text(m), "won the TicTacToe Game")
		})
	})
}

// text returns everything that a message says.
func text(m api.Message) string {
	raw, _ := json.Marshal(m.Embeds) // embeds always marshal
	return m.Content + string(raw)
}

// play has Anna challenge Ben, and Ben accept by a button. The player who begins
// wins by the first three fields.
func play(r *rig, command, accept, prefix string, over func(api.Message) bool) {
	r.t.Helper()
	if _, err := r.box.As(anna).Command(yard, command, sandbox.Opt("opponent", ben)); err != nil {
		r.t.Fatal(err)
	}
	offers := func(id string) func(m api.Message) bool {
		return func(m api.Message) bool {
			raw, err := json.Marshal(m.Components)
			return m.Author.Bot && err == nil && strings.Contains(string(raw), fmt.Sprintf(`"custom_id":%q`, id))
		}
	}
	press(r, ben, r.message(yard, "no challenge", offers(accept)), accept)
	fields := map[string][]int{} // that a player chooses, by the order of play
	mover := ""
	for n := range 5 {
		board := r.message(yard, fmt.Sprintf("no board for move %d", n+1), func(m api.Message) bool {
			turn := toMove(m)
			if !offers(prefix+"0")(m) || turn == "" || turn == mover {
				return false
			}
			mover = turn
			return true
		})
		if len(fields) == 0 {
			fields[anna], fields[ben] = []int{3, 4}, []int{3, 4}
			fields[mover] = []int{0, 1, 2}
		}
		press(r, mover, board, fmt.Sprint(prefix, fields[mover][0]))
		fields[mover] = slices.Delete(fields[mover], 0, 1)
	}
	r.message(yard, "the game is not over", over)
}

// press presses a button until the bot answers: these bots ignore it until they
// have read that their message was accepted.
func press(r *rig, user string, m api.Message, button string) {
	r.t.Helper()
	var pressed []string
	answered := func() bool {
		return slices.ContainsFunc(pressed, func(id string) bool {
			i, _ := r.box.Interaction(id)
			return i.State == sandbox.StateAnswered
		})
	}
	for range 20 {
		i, err := r.box.As(user).Click(yard, m.ID, button)
		if err != nil {
			r.t.Fatal(err)
		}
		pressed = append(pressed, i.ID)
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
		err = r.box.Wait(ctx, answered)
		cancel()
		if err == nil {
			return
		}
	}
	r.t.Fatalf("no answer to the button %s by %s of %q", button, user, m.Content)
}

// toMove returns who is to move on a board, "" if it does not say.
func toMove(m api.Message) string {
	turn := regexp.MustCompile(`<@!?(\d+)>, select your move|Its turn of player \*\*.{0,12}@!?(\d+)`).FindStringSubmatch(text(m))
	if turn == nil {
		return ""
	}
	return turn[1] + turn[2]
}
