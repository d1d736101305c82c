package e2e_test

import (
	"context"
	"slices"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/imaging"
	"castellan/storage"
)

// activity is something that people do, in one or several interactions. If one of
// them fails, the activity goes on as far as it can.
type activity struct {
	name string
	run  func(*scenario)
	// simple reports whether it plans no faults itself, so that it can be
	// played while the gateway fails.
	simple bool
}

// activities returns everything that people do in the fault tests.
func activities() []activity {
	all := []activity{
		{"a button of the board", (*scenario).playByButton, true},
		{"an undo", (*scenario).undo, true},
		{"a second panel", (*scenario).openTwoPanels, true},
		{"suggestions", (*scenario).autocomplete, true},
		{"a challenge, accepted, and called off", (*scenario).acceptAndAbort, true},
		{"a draw, declined, and a takeback, accepted", (*scenario).askAndAnswer, true},
		{"a challenge, declined", closeChallenge(1, "decline", storage.ChallengeDeclined), true},
		{"a challenge, cancelled", closeChallenge(0, "cancel", storage.ChallengeCancelled), true},
		{"a challenge, expired", (*scenario).expireChallenge, true},
		{"a lobby, and a resignation", (*scenario).lobby, true},
		{"a tournament", (*scenario).playTournament, true},
		{"a turn against the computer", (*scenario).playComputer, true},
		{"/hint", (*scenario).askForHint, true},
		{"a lobby with a computer", (*scenario).lobbyWithComputer, true},
		{"/board", (*scenario).board, true},
		{"/board of another channel", (*scenario).boardFromElsewhere, true},
		{"/rules", (*scenario).readRules, true},
		{"a command that takes long", (*scenario).slowCommand, false},
		{"a click that takes long", (*scenario).slowClick, false},
		{"a post that is lost, and looked for", (*scenario).losePostAndSearch, false},
		{"a post that is lost, and a start", (*scenario).losePostAndRestart, false},
		{"a post that finds its thread archived", (*scenario).postToArchivedThread, false},
		{"a post that finds its channel gone", (*scenario).postToLostChannel, false},
		{"a new session", (*scenario).newSession, false},
		{"a start", (*scenario).restartWithOtherCommands, false},
	}
	for _, g := range allGames() {
		key := g.game.Key()
		all = append(all, activity{"/move in " + key, func(s *scenario) { s.playByCommand(key) }, true})
		if g.game.Direct() == nil {
			all = append(all, activity{"the panel of " + key, func(s *scenario) { s.playByPanel(key) }, true})
		}
	}
	return all
}

func (s *scenario) match(game string) (v *host.View, over bool) {
	v = s.view(s.matches[game])
	_, over = v.Match.Over()
	return v, over
}

// playByCommand plays two turns by command. The board of the first may not be
// posted yet when the second is played.
func (s *scenario) playByCommand(game string) {
	for range 2 {
		if v, over := s.match(game); !over {
			s.playTurn(v)
		}
	}
}

// playTurn plays a turn by command. during is called just before that, and returns
// the function that runs while the bot handles the command.
func (s *scenario) playTurn(v *host.View, during ...func() func(string)) {
	turn := bottest.RandomTurn(s.r, v.Match.Position())
	p := s.player(v.Record.ID)
	s.play(v, p, turn, during, func() (sandbox.Interaction, error) {
		return p.Command(s.channel, "move", sandbox.Opt("turn", bottest.Written(turn)), sandbox.Opt("match", int(v.Record.ID)))
	})
}

// play sends a turn. If it has a risk, the bot must ask first, and the person
// confirms it.
func (s *scenario) play(v *host.View, p *sandbox.Person, turn []engine.Action, during []func() func(string), send func() (sandbox.Interaction, error)) {
	s.t.Helper()
	after, _, err := v.Match.Try(v.Match.Seat(), bottest.Written(turn), match.Cause{})
	must(s.t, err)
	for tries := 0; v.Risk(v.Match.Seat(), after) != match.NoRisk; tries++ { // a lost answer makes them ask again
		if tries == 3 {
			return
		}
		id, _ := s.send(send)
		if ask, ok := s.reply(p, id); ok && bottest.Find(ask, "/confirm/") != "" {
			send = func() (sandbox.Interaction, error) {
				return p.Click(ask.ChannelID, ask.ID, bottest.Find(ask, "/confirm/"))
			}
			break
		}
	}
	var meanwhile []func(string)
	for _, begin := range during {
		meanwhile = append(meanwhile, begin())
	}
	id, came := s.send(send, meanwhile...)
	s.expectEntries(id, came, entries(turn)...)
}

func entries(turn []engine.Action) (all []string) {
	for _, a := range turn {
		all = append(all, actionOf(a.String()))
	}
	return all
}

// playByButton plays a turn of Trails by a button of the board.
func (s *scenario) playByButton() { s.playByButtonWhile() }

func (s *scenario) playByButtonWhile(during ...func() func(string)) {
	v, over := s.match("trails")
	if over {
		return
	}
	m := s.boardMessage(v.Record.ID)
	turn := bottest.RandomTurn(s.r, v.Match.Position())
	if len(turn) != 1 || bottest.Find(m, "/act/"+turn[0].String()) == "" {
		s.playTurn(v, during...)
		return
	}
	p := s.player(v.Record.ID)
	s.play(v, p, turn, during, func() (sandbox.Interaction, error) {
		return p.Click(m.ChannelID, m.ID, bottest.Find(m, "/act/"+turn[0].String()))
	})
}

// playByPanel plays an action choice by choice.
func (s *scenario) playByPanel(game string) {
	v, over := s.match(game)
	if over {
		return
	}
	p := s.player(v.Record.ID)
	a := bottest.RandomTurn(s.r, v.Match.Position())[0]
	target := bottest.Target(a)
	for range 3 { // a lost answer makes them open the panel again
		id, _ := s.clicks(p, s.boardMessage(v.Record.ID), "/turn")
		m, ok := s.reply(p, id)
		for range 10 {
			if !ok {
				break
			}
			custom, value, _ := bottest.NextChoice(m, target)
			if custom == "" {
				custom = bottest.Find(m, "/confirm/")
			}
			if custom == "" {
				break
			}
			id, came := s.send(func() (sandbox.Interaction, error) {
				if value == "" {
					return p.Click(m.ChannelID, m.ID, custom)
				}
				return p.Select(m.ChannelID, m.ID, custom, value)
			})
			if now := s.view(v.Record.ID); now.Match.Seq() > v.Match.Seq() {
				s.expectEntries(id, came, actionOf(a.String()))
				return
			}
			m, ok = s.shown(p, m.ID)
		}
	}
}

// openTwoPanels opens the panel twice. The second replaces the first.
func (s *scenario) openTwoPanels() {
	for _, game := range []string{"towers", "rings", "stone-towers"} {
		if v, over := s.match(game); !over {
			m, p := s.boardMessage(v.Record.ID), s.player(v.Record.ID)
			s.clicks(p, m, "/turn")
			s.clicks(p, m, "/turn")
			return
		}
	}
}

// undo plays an action and takes it back, in a game whose turns have several.
func (s *scenario) undo() {
	for _, game := range []string{"towers", "stone-towers", "rings"} {
		v, over := s.match(game)
		if over {
			continue
		}
		turn := bottest.RandomTurn(s.r, v.Match.Position())
		if len(turn) < 2 {
			continue
		}
		p := s.player(v.Record.ID)
		of := sandbox.Opt("match", int(v.Record.ID))
		id, came := s.command(p, "move", sandbox.Opt("turn", turn[0].String()), of)
		s.expectEntries(id, came, actionOf(turn[0].String()))
		if now := s.view(v.Record.ID); now.Match.CanUndo(now.SeatOf(p.ID())) {
			id, came = s.command(p, "undo", of)
			s.expectEntries(id, came, "undo ")
		}
		return
	}
	s.playByCommand("towers") // so that a later turn has several actions
}

// autocomplete asks for suggestions.
func (s *scenario) autocomplete() {
	v, over := s.match("stone-towers")
	if over {
		return
	}
	p := s.player(v.Record.ID)
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	done := make(chan struct{})
	s.send(func() (sandbox.Interaction, error) {
		before := len(s.chat.Interactions())
		go func() {
			defer close(done)
			_, _ = p.Autocomplete(ctx, s.channel, "move", sandbox.Focused("turn", ""), sandbox.Opt("match", int(v.Record.ID)))
		}()
		s.wait("the question", func() bool { return len(s.chat.Interactions()) > before })
		all := s.chat.Interactions()
		return all[slices.IndexFunc(all, func(i sandbox.Interaction) bool {
			return i.Kind == sandbox.KindAutocomplete && !slices.ContainsFunc(s.history, func(old sent) bool { return old.id == i.ID })
		})], nil
	})
	s.expireInteractions() // the request may not have been answered
	<-done
}

// challenge has Anna make a challenge. ok is false if Discord did not deliver
// the interaction.
func (s *scenario) challenge(game string, options ...sandbox.CommandOption) (ch storage.Challenge, ok bool) {
	id, came := s.command(s.anna, "challenge", sandbox.Sub(game, options...))
	if !came {
		return ch, false
	}
	s.catchUp()
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) error {
		done, err := r.ProcessedInteraction(id)
		if err != nil {
			return err
		}
		ch, err = r.Challenge(done.Challenge)
		return err
	}))
	return ch, true
}

// against returns the options of a short match with Ben.
func (s *scenario) against() []sandbox.CommandOption {
	return []sandbox.CommandOption{sandbox.Opt("opponent", s.benID), sandbox.Opt("size", 7)}
}

// clickChallenge presses a button of a challenge until the interaction was
// delivered.
func (s *scenario) clickChallenge(p *sandbox.Person, ch storage.Challenge, verb string, is func(storage.Challenge) bool) {
	for came := false; !came; {
		s.catchUp()
		m, ok := s.shown(p, ch.Message)
		if !ok {
			return // Discord said that it is gone
		}
		_, came = s.clicks(p, m, "/"+verb)
		s.expect(came, "a challenge, after "+verb, func(r storage.Reader) (bool, error) {
			now, err := r.Challenge(ch.ID)
			return is(now), err
		})
	}
}

func in(state storage.ChallengeState) func(storage.Challenge) bool {
	return func(ch storage.Challenge) bool { return ch.State == state }
}

// closeChallenge returns an activity in which a person declines or cancels a
// challenge.
func closeChallenge(who int, verb string, state storage.ChallengeState) func(*scenario) {
	return func(s *scenario) {
		if ch, ok := s.challenge("trails", s.against()...); ok {
			s.clickChallenge([]*sandbox.Person{s.anna, s.ben}[who], ch, verb, in(state))
		}
	}
}

// expireChallenge makes a challenge that nobody answers.
//
// A turn is played in every match before, so that the day is not the seventh of a match
// that nobody plays, which would remind its player.
func (s *scenario) expireChallenge() {
	for _, g := range allGames() {
		if v, over := s.match(g.game.Key()); !over {
			s.playTurn(v)
		}
	}
	if ch, ok := s.challenge("trails", s.against()...); ok {
		s.passTime(host.ChallengeLifetime)
		s.expect(true, "a challenge, a day later", func(r storage.Reader) (bool, error) {
			now, err := r.Challenge(ch.ID)
			return now.State == storage.ChallengeExpired, err
		})
	}
}

// acceptAndAbort begins a match and aborts it.
func (s *scenario) acceptAndAbort() {
	if ch, ok := s.challenge("trails", s.against()...); ok {
		s.clickChallenge(s.ben, ch, "accept", in(storage.ChallengeAccepted))
		s.resign(s.anna, ch.ID, "abort ")
	}
}

// askAndAnswer plays two turns. Then the player to move offers a draw, which the
// opponent declines, and asks for their last turn back, which the opponent accepts.
func (s *scenario) askAndAnswer() {
	s.playByCommand("trails")
	for _, kind := range []offers.Kind{offers.Draw, offers.Takeback} {
		v, over := s.match("trails")
		if over || len(v.Match.Turns()) < 2 {
			return
		}
		s.boardMessage(v.Record.ID) // the one of the turn; that of the offer notifies, too
		p, other := s.player(v.Record.ID), s.anna
		if p.ID() == s.annaID {
			other = s.ben
		}
		command := map[offers.Kind]string{offers.Draw: "draw", offers.Takeback: "undo"}[kind]
		_, came := s.command(p, command, sandbox.Opt("match", int(v.Record.ID)))
		if came && kind == offers.Takeback {
			_, came = s.clicks(p, s.private(p), "/offer/takeback")
		}
		if o, ok := s.view(v.Record.ID).Offers().Open(); ok != came || ok && o.Kind != kind {
			s.t.Errorf("%s, asked for: %t; open: %+v", kind, came, o)
		}
		if !came {
			return
		}
		m := s.boardMessage(v.Record.ID)
		if kind == offers.Takeback {
			id, came := s.clicks(other, m, "/accept")
			s.expectEntries(id, came, string(match.KindTakeback)+" "+match.Agreed)
			continue
		}
		_, came = s.clicks(other, m, "/decline")
		if _, ok := s.view(v.Record.ID).Offers().Open(); ok == came {
			s.t.Errorf("a draw, declined: %t; open: %t", came, ok)
		}
		if !came {
			return
		}
	}
}

func (s *scenario) resign(p *sandbox.Person, id storage.ChallengeID, entry string) {
	var ch storage.Challenge
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) (err error) { ch, err = r.Challenge(id); return err }))
	if ch.Match == 0 {
		return
	}
	for range 3 { // a lost answer makes them ask again
		id, _ := s.command(p, "resign", sandbox.Opt("match", int(ch.Match)))
		ask, ok := s.reply(p, id)
		if !ok || bottest.Find(ask, "/resign") == "" {
			continue
		}
		id, came := s.clicks(p, ask, "/resign")
		s.expectEntries(id, came, entry)
		if came {
			return
		}
	}
}

// always and twoJoined are conditions of a challenge.
func always(storage.Challenge) bool { return true }

func twoJoined(ch storage.Challenge) bool {
	return len(ch.Joined) == 2 || ch.State == storage.ChallengeAccepted
}

// lobby opens a lobby for three; two begin, and one of them resigns.
func (s *scenario) lobby() {
	ch, ok := s.challenge("rings", sandbox.Opt("players", 3), sandbox.Opt("side", 3))
	if !ok {
		return
	}
	s.clickChallenge(s.ben, ch, "join", always)
	s.clickChallenge(s.ben, ch, "leave", always)
	s.clickChallenge(s.chloe, ch, "join", twoJoined)
	s.clickChallenge(s.anna, ch, "start", in(storage.ChallengeAccepted))
	s.resign(s.anna, ch.ID, "abort ")
}

// board asks for the board again, and for its description.
func (s *scenario) board() {
	v, over := s.match("rings")
	if over {
		return
	}
	of := sandbox.Opt("match", int(v.Record.ID))
	s.command(s.chloe, "board", of)
	s.command(s.ben, "board", of, sandbox.Opt("text", true))
}

// boardFromElsewhere asks for the board from another channel.
func (s *scenario) boardFromElsewhere() {
	v, over := s.match("towers")
	if over {
		return
	}
	s.catchUp()
	from := s.otherChannel
	if v.Record.Place.Channel == from { // the match has moved to the other channel
		from = s.channel
	}
	s.send(func() (sandbox.Interaction, error) {
		return s.anna.Command(from, "board", sandbox.Opt("match", int(v.Record.ID)))
	})
}

// readRules opens the rules and turns a page.
func (s *scenario) readRules() {
	id, _ := s.command(s.chloe, "rules", sandbox.Opt("game", "trails"))
	if m, ok := s.reply(s.chloe, id); ok {
		s.clicks(s.chloe, m, "rules/trails/2")
	}
}

// deferDuringPost returns a function that holds the post of an interaction until
// the reply has been deferred, or sent because the post failed.
func (s *scenario) deferDuringPost() (during func(string)) {
	reached, replied := s.next(postRoute), s.next(callbackRoute)
	open := s.gate("POST", postRoute)
	return func(string) {
		defer open()
		select {
		case <-reached:
		case <-time.After(patience):
			s.t.Fatal("nothing is posted")
		}
		select {
		case s.deferrals <- s.now():
		case <-replied:
		case <-time.After(patience):
			s.t.Fatal("no reply waits to be deferred")
		}
	}
}

// slowCommand plays a turn whose board is posted so slowly that the reply is
// deferred.
func (s *scenario) slowCommand() {
	if v, over := s.match("towers"); !over {
		s.catchUp()
		s.playTurn(v, s.deferDuringPost)
	}
}

// holdPost returns a function that holds the post of a board until its request has
// arrived.
func (s *scenario) holdPost() (during func(string)) {
	reached := s.next(postRoute)
	open := s.gate("POST", postRoute)
	return func(string) {
		defer open()
		select {
		case <-reached:
		case <-time.After(patience):
			s.t.Fatal("nothing is posted")
		}
	}
}

// slowClick plays a turn by button. The post of its board is slow and then fails,
// which a follow-up tells the person.
func (s *scenario) slowClick() {
	if _, over := s.match("trails"); over {
		return
	}
	s.catchUp()
	failing := s.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute})
	s.playByButtonWhile(s.holdPost)
	failing.Remove()
}

// losePost plays a turn whose board cannot be posted, at first and when the
// reconciler retries at once because the channel is in use.
func (s *scenario) losePost() {
	failing := s.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, After: s.r.IntN(2) == 0, Count: 2})
	defer failing.Remove()
	for range 8 { // not every command ends a turn
		if v, over := s.match("stone-towers"); !over && failing.Hits() == 0 {
			s.playTurn(v)
		}
	}
	s.pass(0)
}

// losePostAndSearch loses a board and lets Discord forget its nonce, so that
// the bot searches the channel for it.
func (s *scenario) losePostAndSearch() {
	s.losePost()
	s.passTime(10 * time.Minute)
}

// losePostAndRestart loses a board, and starts the bot again much later.
func (s *scenario) losePostAndRestart() {
	s.losePost()
	s.stopBot()
	s.advanceClock(10 * time.Minute)
	s.restart()
}

// postToArchivedThread has Discord refuse a board because the thread is archived.
// The bot tries to unarchive the thread, which Discord refuses because the channel
// is not a thread.
func (s *scenario) postToArchivedThread() {
	if _, over := s.match("trails"); over {
		return
	}
	s.mayRefuse(discord.CodeMissingPermissions)
	s.catchUp()
	archived := s.chat.MustPlan(faults.Fault{
		Kind: faults.Error, Method: "POST", Route: postRoute, Status: 400, Code: discord.CodeArchivedThread, Message: "Thread is archived",
	})
	s.playByButton()
	archived.Remove()
}

// postToLostChannel has Discord refuse a board because the bot may not see its channel.
// The bot tells the player to move in a direct message, and posts the board when it can.
func (s *scenario) postToLostChannel() {
	lost := s.chat.MustPlan(faults.Fault{
		Kind: faults.Error, Method: "POST", Route: postRoute, Status: 403, Code: discord.CodeMissingAccess, Message: "Missing Access",
	})
	defer lost.Remove()
	for range 8 { // not every command ends a turn
		if v, over := s.match("stone-towers"); !over && lost.Hits() == 0 {
			s.playTurn(v)
		}
	}
}

// newSession has the gateway forget the bot's session.
func (s *scenario) newSession() {
	s.passTime(time.Minute) // a steady connection
	s.chat.Gateway.InvalidateSessions(false)
	s.wait("a new session", s.chat.Gateway.Online)
	s.command(s.chloe, "preferences") // the answer shows that the bot has the new session
}

func (s *scenario) restartWithOtherCommands() {
	s.stopBot()
	if len(s.extraGames) == 0 {
		s.extraGames = []hostedGame{{sample.Game{}, imaging.Plain(sample.Key, 1200, 900, drawCounters)}}
	} else {
		s.extraGames = nil
	}
	s.restart()
}

// restart starts the bot, several times if need be, as a supervisor does.
func (s *scenario) restart() {
	for tries := 1; ; tries++ {
		err := s.tryStart()
		if err == nil {
			return
		}
		if tries == 5 {
			s.t.Fatalf("the bot did not start: %v", err)
		}
		s.t.Logf("the bot did not start, and is started again: %v", err)
	}
}

// computerKey is the key in scenario.matches of Anna's match against the
// computer.
const computerKey = "computer"

// computerMatch returns Anna's match against the computer, with Anna to move.
// ok is false if it could not be started.
func (s *scenario) computerMatch() (v *host.View, ok bool) {
	s.t.Helper()
	s.awaitComputers()
	if id := s.matches[computerKey]; id != 0 {
		v = s.view(id)
		if p, goes := v.ToMove(); goes && !host.IsComputer(p) {
			return v, true
		}
	}
	ch, ok := s.challenge("trails", sandbox.Opt("opponent", s.chat.ApplicationID()), sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("rated", false))
	if !ok || ch.Match == 0 {
		return nil, false
	}
	s.matches[computerKey] = ch.Match
	return s.view(ch.Match), true
}

// playComputer plays a turn against the computer and waits for its reply.
func (s *scenario) playComputer() {
	if v, ok := s.computerMatch(); ok {
		s.playTurn(v)
		s.awaitComputers()
	}
}

func (s *scenario) askForHint() {
	if v, ok := s.computerMatch(); ok {
		s.command(s.anna, "hint", sandbox.Opt("match", int(v.Record.ID)))
	}
}

// lobbyWithComputer opens a lobby in which a computer gets a seat, loses it and
// gets it again, and aborts the match against it.
func (s *scenario) lobbyWithComputer() {
	ch, ok := s.challenge("rings", sandbox.Opt("players", 3), sandbox.Opt("side", 3))
	if !ok {
		return
	}
	s.pickComputer(ch, "casual", always)
	s.pickComputer(ch, "none", always)
	s.pickComputer(ch, "newcomer", twoJoined)
	s.clickChallenge(s.anna, ch, "start", in(storage.ChallengeAccepted))
	s.awaitComputers()
	s.resign(s.anna, ch.ID, "abort ")
}

// pickComputer chooses in the menu of a lobby until the interaction was
// delivered.
func (s *scenario) pickComputer(ch storage.Challenge, value string, is func(storage.Challenge) bool) {
	s.t.Helper()
	for came := false; !came; {
		s.catchUp()
		m, ok := s.shown(s.anna, ch.Message)
		if !ok {
			return // Discord said that it is gone
		}
		custom := ""
		bottest.Each(m, func(c api.Component) {
			if c.Type == api.ComponentStringSelect {
				custom = c.CustomID
			}
		})
		if custom == "" {
			s.t.Fatalf("the table has no menu: %s", bottest.Text(m))
		}
		_, came = s.send(func() (sandbox.Interaction, error) { return s.anna.Select(m.ChannelID, m.ID, custom, value) })
		s.expect(came, "a table, after "+value, func(r storage.Reader) (bool, error) {
			now, err := r.Challenge(ch.ID)
			return is(now), err
		})
	}
}
