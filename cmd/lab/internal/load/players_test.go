package load

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// TestPlayOnSilentBoard checks that people play on a board that mentions nobody,
// and that they look at something when a client refuses an interaction.
func TestPlayOnSilentBoard(t *testing.T) {
	c := newCrowd(1)
	w := c.world
	chat, err := sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1", World: w, Observe: c.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chat.Close() })
	c.join(chat)
	send := func(method, path, body string) {
		t.Helper()
		req := httptest.NewRequest(method, "/api/v10"+path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bot "+chat.Token())
		req.Header.Set("Content-Type", "application/json")
		res := httptest.NewRecorder()
		if chat.ServeHTTP(res, req); res.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, res.Code, res.Body)
		}
	}
	// Before there is a command, clients refuse everything. The crowd goes on.
	figures, steps, err := c.play(t.Context(), Options{Game: "trails", Rate: 1e6, Interactions: 20}, nil)
	if err != nil || figures.Interactions != 0 || len(steps) != 0 {
		t.Errorf("without commands: %+v, %d steps, %v", figures, len(steps), err)
	}
	c.tables[0].offered = false
	var commands []string
	for _, name := range []string{"games", "leaderboard", "profile", "board"} { // neither move nor challenge
		commands = append(commands, `{"name":"`+name+`","description":"x"}`)
	}
	send(http.MethodPut, "/applications/"+chat.ApplicationID()+"/commands", "["+strings.Join(commands, ",")+"]")
	board := `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"match/1/act/b3"}]}]}`
	kinds := map[Kind]int{}
	for seed := range uint64(50) {
		send(http.MethodPost, "/channels/"+w.Channels[0].ID+"/messages", board)
		c.tables[0].pending, c.tables[0].posted = "", time.Time{} // old enough to be pressed
		begun, kind := c.next(c.tables[0], rand.New(rand.NewPCG(seed, 0)), sandbox.Sub("trails"))
		if !begun {
			t.Fatalf("seed %d: nothing was begun", seed)
		}
		kinds[kind]++
	}
	if kinds[Click] == 0 || kinds[Command] == 0 {
		t.Errorf("interactions by kind: %v", kinds)
	}
}
