package killtest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// ledger records the traffic between the bot and the sandbox.
type ledger struct {
	mu       sync.Mutex
	changed  chan struct{}
	owners   map[string]string // interactions by their tokens
	answered map[string]bool   // interactions whose answer the sandbox accepted
	served   map[string]int    // number of answers sent, accepted or not
	deferred int               // number of deferred interactions
	boards   map[string]board  // by message
	newest   map[storage.MatchID]string
	postedAt map[storage.MatchID]time.Time  // of the newest
	offers   map[string]storage.ChallengeID // by message
	kept     map[storage.ChallengeID]string // messages by challenge
	life     int                            // how many times the bot was started again
}

// board is what a board message shows.
type board struct {
	match storage.MatchID
	seq   int
}

func newLedger() *ledger {
	return &ledger{
		changed: make(chan struct{}), owners: map[string]string{}, answered: map[string]bool{}, served: map[string]int{},
		boards: map[string]board{}, newest: map[storage.MatchID]string{}, postedAt: map[storage.MatchID]time.Time{},
		offers: map[string]storage.ChallengeID{}, kept: map[storage.ChallengeID]string{},
	}
}

// touch wakes waiters. The caller holds the lock.
func (l *ledger) touch() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait returns when cond is true, which it evaluates at once and after every
// request of the bot.
func (l *ledger) wait(ctx context.Context, cond func() bool) error {
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *ledger) isAnswered(interaction string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered[interaction]
}

func (l *ledger) tries(interaction string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.served[interaction]
}

func (l *ledger) boardOf(message string) (board, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.boards[message]
	return b, ok
}

func (l *ledger) offerOf(message string) (storage.ChallengeID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.offers[message]
	return id, ok
}

func (l *ledger) messageOf(ch storage.ChallengeID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[ch]
}

// last returns the newest message that was posted for a board of a match.
func (l *ledger) last(id storage.MatchID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest[id]
}

// boardTime returns when the newest board of a match was posted.
func (l *ledger) boardTime(id storage.MatchID) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.postedAt[id]
}

// restart wakes waiters, because a killed process has been started again.
func (l *ledger) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.life++
	l.touch()
}

func (l *ledger) lives() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.life
}

var pictureName = regexp.MustCompile(`^(board|challenge)-(\d+)(?:-(\d+))?`)

func (l *ledger) observe(x api.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.touch()
	good := x.Status >= 200 && x.Status < 300
	parts := strings.Split(x.Path, "/") // "", "api", "v10", …
	switch {
	case strings.HasSuffix(x.Route, "/callback") && len(parts) > 5:
		l.callback(parts[4], parts[5], x, good)
	case strings.HasPrefix(x.Route, "/webhooks/") && len(parts) > 5 && (x.Method == http.MethodPost || x.Method == http.MethodPatch):
		token, _, _ := strings.Cut(parts[5], "?")
		if id := l.owners[token]; id != "" && x.Status != 0 {
			l.served[id]++
			l.answered[id] = l.answered[id] || good
		}
	case x.Method == "POST" && x.Route == "/channels/{channel_id}/messages" && good && len(x.Files) > 0:
		l.posted(x)
	}
}

// The types of callbacks that defer an answer.
const (
	deferReply  = 5
	deferUpdate = 6
)

func (l *ledger) callback(id, token string, x api.Exchange, good bool) {
	var body struct{ Type int }
	if json.Unmarshal(x.RequestJSON, &body) != nil || x.Status == 0 {
		return
	}
	l.owners[token] = id
	if body.Type == deferReply || body.Type == deferUpdate {
		l.deferred++
		return
	}
	l.served[id]++
	l.answered[id] = l.answered[id] || good
}

func (l *ledger) posted(x api.Exchange) {
	var message struct{ ID string }
	name := pictureName.FindStringSubmatch(x.Files[0].Filename)
	if name == nil || json.Unmarshal(x.ResponseBody, &message) != nil {
		return
	}
	id, _ := strconv.ParseInt(name[2], 10, 64)
	if name[1] == "challenge" {
		l.offers[message.ID], l.kept[storage.ChallengeID(id)] = storage.ChallengeID(id), message.ID
		return
	}
	if _, again := l.boards[message.ID]; again {
		return // the nonce has returned an earlier post
	}
	seq, _ := strconv.Atoi(name[3])
	l.boards[message.ID] = board{storage.MatchID(id), seq}
	l.newest[storage.MatchID(id)], l.postedAt[storage.MatchID(id)] = message.ID, time.Now()
}
