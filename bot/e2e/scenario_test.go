package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// scenario is a world in which people act while requests and the gateway fail.
// It sends interactions, waits until the bot has handled them, and records the
// effects that they must have.
type scenario struct {
	*world
	r            *rand.Rand
	otherChannel string // another channel

	// deliver delivers an interaction to the bot. came says whether it arrived.
	deliver func(s *scenario, begin func() string, during func(id string)) (id string, came bool)

	mu      sync.Mutex
	routes  map[string]int      // how often each was used
	answers map[string][]answer // by interaction, in order
	tokens  map[string]string   // the interaction of each token

	coming  map[string]chan struct{} // by route: closed at the next POST
	unknown []string                 // messages that Discord said it does not know

	history         []sent                     // all interactions, oldest first
	unaudited       []string                   // interactions that have been sent
	lost            map[string]bool            // interactions that Discord never delivered
	excused         map[string]string          // interactions that could not be answered, with the reason
	expectations    []expectation              // those that no audit has checked yet
	expectedEntries map[string][]string        // what each interaction adds to a log: "action b2-c2"
	matches         map[string]storage.MatchID // the running match of each game
	reported        map[string]bool            // failures that were reported already
	counted         int                        // number of actions at the last audit
	notices         int                        // number of notifications at the last audit
}

// answer is Discord's response to a reply of the bot.
type answer struct{ status, code int }

// sent is an interaction and when it was sent.
type sent struct {
	id string
	at time.Time
}

// expectation is something that must hold when everything has been done.
type expectation struct {
	what string
	is   func(storage.Reader) (bool, error)
}

// faultSeed returns the seed of the fault tests: CASTELLAN_SEED, or 1.
func faultSeed(t testing.TB) uint64 {
	text := os.Getenv("CASTELLAN_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("CASTELLAN_SEED=%q is no number: %v", text, err)
	}
	return seed
}

// clean is the seed of the scenario without faults.
const clean = 0

// newScenario returns a scenario with its own seed and a running match of every
// game.
func newScenario(t testing.TB, seed uint64) *scenario {
	t.Helper()
	s := &scenario{
		r: rand.New(rand.NewPCG(faultSeed(t), seed)), otherChannel: sandbox.DefaultWorld().Channels[1].ID, deliver: deliverOnce,
		coming: map[string]chan struct{}{}, routes: map[string]int{}, answers: map[string][]answer{}, tokens: map[string]string{}, lost: map[string]bool{}, excused: map[string]string{},
		expectedEntries: map[string][]string{}, matches: map[string]storage.MatchID{}, reported: map[string]bool{},
	}
	s.world = newWorld(t)
	s.stopBot()
	s.watch = s.recordAnswer
	if seed != clean {
		s.checker = nil // the clean run checks all bodies; faults do not change them
	}
	s.limits = host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1}
	s.startBot()
	s.prepare()
	return s
}

// prepare makes sure that a match of every game is running.
func (s *scenario) prepare() {
	s.t.Helper()
	for _, g := range allGames() {
		key := g.game.Key()
		for range 5 { // people try again if something fails
			if id := s.matches[key]; id != 0 {
				if _, over := s.view(id).Match.Over(); !over {
					break
				}
			}
			s.startMatch(key)
		}
	}
}

// startMatch starts a match of a game between Anna and Ben.
func (s *scenario) startMatch(game string) {
	s.t.Helper()
	ch, ok := s.challenge(game, append(slices.Clone(shortOptions[game]), sandbox.Opt("opponent", s.benID))...)
	if !ok {
		return
	}
	s.clickChallenge(s.ben, ch, "accept", in(storage.ChallengeAccepted))
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) error {
		now, err := r.Challenge(ch.ID)
		if now.Match != 0 {
			s.matches[game] = now.Match
		}
		return err
	}))
}

// recordAnswer records Discord's responses to replies. The caller holds the
// world's lock.
func (s *scenario) recordAnswer(x api.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next := s.coming[x.Route]; x.Method == "POST" && next != nil {
		close(next)
		delete(s.coming, x.Route)
	}
	if x.Route != "" {
		s.routes[x.Method+" "+x.Route]++
	}
	parts := strings.Split(strings.TrimPrefix(x.Path, "/api/v10/"), "/")
	id := ""
	switch {
	case x.Route == callbackRoute:
		id = parts[1]
		s.tokens[parts[2]] = id
	case parts[0] == "webhooks":
		token, _, _ := strings.Cut(parts[2], "?")
		id = s.tokens[token]
	case x.Method == "PATCH" && x.Route == editRoute && x.Status == 404:
		s.unknown = append(s.unknown, parts[3])
		return
	default:
		return
	}
	var body struct {
		Code int `json:"code"`
	}
	if x.Status >= 400 {
		_ = json.Unmarshal(x.ResponseBody, &body) // a proxy's page has no code
	}
	s.answers[id] = append(s.answers[id], answer{x.Status, body.Code})
}

// awaitAttempts waits until the bot has tried a number of times to answer an
// interaction.
func (s *scenario) awaitAttempts(id string, times int) {
	s.t.Helper()
	late := time.AfterFunc(patience, s.sends.Broadcast)
	defer late.Stop()
	until := time.Now().Add(patience)
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	for s.attempts(id) < times {
		if time.Now().After(until) {
			i, _ := s.chat.Interaction(id)
			s.t.Fatalf("%d answers to %+v, not %d", s.attempts(id), i, times)
		}
		s.sends.Wait()
	}
}

// attempts returns how often the bot has tried to answer an interaction.
func (s *scenario) attempts(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.answers[id])
}

// awaitComputers waits until the computers have played their turns.
func (s *scenario) awaitComputers() {
	s.t.Helper()
	for until := time.Now().Add(patience); ; s.pass(0) {
		rest, err := s.bot.Computer.Idle(s.t.Context())
		must(s.t, err)
		if rest {
			return
		}
		if time.Now().After(until) {
			s.t.Fatal("the computers do not come to rest")
		}
	}
}

// next returns a channel that is closed at the next POST to a route.
func (s *scenario) next(route string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	coming := make(chan struct{})
	s.coming[route] = coming
	return coming
}

// send sends an interaction and waits until the bot has handled it; during is
// called meanwhile. came is false if Discord did not deliver it.
func (s *scenario) send(begin func() (sandbox.Interaction, error), during ...func(id string)) (id string, came bool) {
	s.t.Helper()
	first := func() string {
		i, err := begin()
		must(s.t, err)
		s.unaudited, s.history = append(s.unaudited, i.ID), append(s.history, sent{i.ID, s.now()})
		return i.ID
	}
	return s.deliver(s, first, func(id string) {
		for _, f := range during {
			f(id)
		}
	})
}

// deliverOnce delivers an interaction as Discord does without faults.
func deliverOnce(s *scenario, begin func() string, during func(string)) (string, bool) {
	s.t.Helper()
	id := begin()
	during(id)
	s.awaitAttempts(id, 1)
	s.awaitIdle()
	return id, true
}

// sentinel has Chloé use a command and waits for the answer, so that everything
// that Discord sent before has arrived.
func (s *scenario) sentinel() {
	s.t.Helper()
	i, err := s.chloe.Command(s.channel, "preferences")
	must(s.t, err)
	s.awaitAttempts(i.ID, 1)
}

// expectEntries records what an interaction must add to the log of a match.
func (s *scenario) expectEntries(id string, came bool, entries ...string) {
	if came {
		s.expectedEntries[id] = entries
	}
}

// expect records an effect that an interaction must have.
func (s *scenario) expect(came bool, what string, is func(storage.Reader) (bool, error)) {
	if came {
		s.expectations = append(s.expectations, expectation{what, is})
	}
}

func (s *scenario) pending() (w storage.PendingPosts) {
	s.t.Helper()
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) (err error) {
		w, err = r.PendingPosts(s.now().AddDate(10, 0, 0), 1000)
		return err
	}))
	return w
}

// deleteUnknown deletes the messages that a fault declared unknown.
func (s *scenario) deleteUnknown() {
	s.mu.Lock()
	gone := s.unknown
	s.unknown = nil
	s.mu.Unlock()
	for _, id := range gone {
		if m, ok := s.shown(s.chloe, id); ok {
			must(s.t, s.chat.Remove(m.ChannelID, id))
		}
	}
}

// passTime reconciles, advances the clock and reconciles again. Without the
// first step a nonce could expire before its post is tried.
func (s *scenario) passTime(d time.Duration) {
	s.t.Helper()
	s.pass(0)
	s.pass(d)
}

// catchUp advances the clock until there are no pending posts.
func (s *scenario) catchUp() {
	s.t.Helper()
	for range 60 {
		w := s.pending()
		var next []time.Time
		for _, b := range w.Boards {
			next = append(next, b.NextAttempt)
		}
		for _, ch := range w.Challenges {
			next = append(next, ch.NextAttempt)
		}
		for _, t := range s.allTournaments() {
			if t.Revision != t.ShownRevision {
				next = append(next, t.NextAttempt)
			}
		}
		if len(next) == 0 {
			return
		}
		s.passTime(max(0, slices.MinFunc(next, time.Time.Compare).Sub(s.now())))
	}
	s.t.Fatalf("still behind: %+v\n%s", s.pending(), s.transcript(s.anna))
}

// shown returns the message with an identifier. ok is false if neither channel has
// it.
func (s *scenario) shown(p *sandbox.Person, id string) (api.Message, bool) {
	for _, channel := range []string{s.channel, s.otherChannel} {
		for _, m := range p.Messages(channel) {
			if m.ID == id {
				return m, true
			}
		}
	}
	return api.Message{}, false
}

// boardMessage returns the current board of a match, after catching up.
func (s *scenario) boardMessage(match storage.MatchID) api.Message {
	s.t.Helper()
	s.catchUp()
	v := s.view(match)
	m, ok := s.shown(s.anna, v.Board.Message)
	if !ok {
		s.t.Fatalf("match %d has no board: %+v\n%s", match, v.Board, s.transcript(s.anna))
	}
	return m
}

// reply returns the private message that answered an interaction.
func (s *scenario) reply(p *sandbox.Person, id string) (api.Message, bool) {
	i, _ := s.chat.Interaction(id)
	return s.shown(p, i.MessageID)
}

// clicks has a person press the button of a message whose custom ID contains
// part.
func (s *scenario) clicks(p *sandbox.Person, m api.Message, part string, during ...func(string)) (id string, came bool) {
	s.t.Helper()
	custom := bottest.Find(m, part)
	if custom == "" {
		s.t.Fatalf("no button %q in %v: %s", part, buttons(m), bottest.Text(m))
	}
	return s.send(func() (sandbox.Interaction, error) { return p.Click(m.ChannelID, m.ID, custom) }, during...)
}

func (s *scenario) command(p *sandbox.Person, name string, options ...sandbox.CommandOption) (id string, came bool) {
	s.t.Helper()
	return s.send(func() (sandbox.Interaction, error) { return p.Command(s.channel, name, options...) })
}

func actionOf(token string) string { return fmt.Sprintf("action %s", token) }
