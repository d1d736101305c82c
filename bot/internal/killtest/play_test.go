package killtest_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// way is how somebody plays a turn.
type way int

const (
	whole   way = iota // by one /move
	parts              // by a /move for each action
	byPanel            // choice by choice
	buttons            // by the buttons of the board, if the game has such buttons
)

// choose returns the next attempt at the table, or nil if there is nothing to
// do before the next kill.
func (t *table) choose() *attempt {
	if a := t.next; a != nil {
		t.next = nil
		return a
	}
	switch {
	case t.match != 0:
		if _, over := t.model.Over(); over {
			t.leave()
			return t.choose()
		}
		return t.play()
	case t.offer != 0:
		return t.join()
	case t.e.windingDown():
		return nil
	}
	return t.challenge()
}

// moment is a placeholder for the time and interaction of entries that are
// compared by their text alone.
var moment = match.Cause{At: time.Unix(0, 0).UTC(), Interaction: "expected"}

func (t *table) play() *attempt {
	m := t.model
	seat := m.Seat()
	if len(t.turn) == 0 && len(m.Turns()) >= t.limit || t.r.IntN(150) == 0 {
		return t.askToResign()
	}
	if t.r.IntN(25) == 0 {
		return t.askForBoard()
	}
	if m.CanUndo(seat) && t.r.IntN(5) == 0 {
		if a := t.undo(seat); a != nil {
			return a
		}
	}
	if len(t.turn) == 0 && len(m.Open().Actions) == 0 && len(t.order) == 2 && t.plan == nil && t.r.IntN(5) == 0 {
		if a := t.prepare(seat); a != nil {
			return a
		}
	}
	if len(t.turn) == 0 && len(m.Open().Actions) == 0 && t.panel == "" {
		if a := t.negotiate(); a != nil {
			return a
		}
	}
	if len(t.turn) == 0 {
		t.turn = bottest.RandomTurn(t.r, m.Position())
		t.way = []way{whole, whole, parts, parts, byPanel, byPanel}[t.r.IntN(6)]
		if t.game.Direct() != nil {
			t.way = []way{whole, buttons, buttons}[t.r.IntN(3)]
		}
	}
	who := t.e.chat.As(t.order[seat-1])
	switch t.way {
	case whole:
		text := bottest.Written(t.turn)
		t.turn = nil
		return t.attemptAct(seat, text, func() (sandbox.Interaction, error) { return t.move(who, text) })
	case parts:
		text := t.turn[0].String()
		t.turn = t.turn[1:]
		return t.attemptAct(seat, text, func() (sandbox.Interaction, error) { return t.move(who, text) })
	case buttons:
		text := t.turn[0].String()
		t.turn = nil
		message, custom := t.onBoard("/act/" + text)
		a := t.attemptAct(seat, text, click(who, t.channel, message, custom))
		if a != nil {
			a.onBoard = true
		}
		return a
	}
	return t.inPanel(seat, who)
}

func (t *table) move(who *sandbox.Person, text string) (sandbox.Interaction, error) {
	return who.Command(t.channel, "move", sandbox.Opt("turn", text), sandbox.Opt("match", int(t.match)))
}

func click(who *sandbox.Person, channel, message, custom string) func() (sandbox.Interaction, error) {
	return func() (sandbox.Interaction, error) { return who.Click(channel, message, custom) }
}

// attemptAct returns an attempt to play a text. It may be repeated if another
// player is to move afterwards, because the text then cannot count twice.
func (t *table) attemptAct(seat engine.Seat, text string, send func() (sandbox.Interaction, error)) *attempt {
	entries, err := t.model.Act(seat, text, moment)
	if err != nil {
		t.e.fail("%s: match %d: %s: %v", t.name, t.match, text, err)
		return nil
	}
	if after, err := t.model.With(entries...); err == nil && t.plan != nil {
		if turn, ok := t.plan.Reply(after); ok {
			more, err := prepared.Play(after, turn, match.Cause{At: moment.At, Interaction: match.PreparedBy + moment.Interaction})
			if err != nil {
				t.e.fail("%s: match %d: prepared %s: %v", t.name, t.match, turn, err)
			}
			entries = append(entries, more...)
		}
	}
	return &attempt{by: t.order[seat-1], send: send, entries: entries, repeat: t.handsOver(seat, entries)}
}

// prepare has the player who waits prepare a reply to a turn, which the player to
// move then mostly plays; nil if that turn ends the game.
func (t *table) prepare(seat engine.Seat) *attempt {
	turn := bottest.RandomTurn(t.r, t.model.Position())
	after, _, err := t.model.Try(seat, bottest.Written(turn), moment)
	if err != nil || after.Seat() == engine.Nobody || after.Seat() == seat || len(after.Turns()) != len(t.model.Turns())+1 {
		return nil
	}
	reply := bottest.RandomTurn(t.r, after.Position())
	end, _, err := after.Try(after.Seat(), bottest.Written(reply), moment)
	if err != nil {
		return nil
	}
	last, _ := after.Last()
	line := []string{prepared.Canonical(last), prepared.Canonical(end.Turns()[len(after.Turns())])}
	plan, err := prepared.Tree{Turns: len(t.model.Turns())}.With(line, false)
	if err != nil {
		t.e.fail("%s: match %d: preparing: %v", t.name, t.match, err)
		return nil
	}
	who := t.e.chat.As(t.order[after.Seat()-1])
	return &attempt{by: who.ID(), plan: &plan, send: func() (sandbox.Interaction, error) {
		return who.Command(t.channel, "prepare", sandbox.Opt("if", bottest.Written(turn)), sandbox.Opt("then", bottest.Written(reply)), sandbox.Opt("match", int(t.match)))
	}, then: func(sandbox.Interaction) {
		if t.plan = &plan; t.r.IntN(4) > 0 {
			t.turn, t.way = turn, whole
		}
	}}
}

// handsOver reports whether another seat is to move after the entries.
func (t *table) handsOver(seat engine.Seat, entries []match.Entry) bool {
	after, err := t.model.With(entries...)
	return err == nil && after.Seat() != seat
}

// inPanel opens the panel, or picks the next step of the next action in it.
func (t *table) inPanel(seat engine.Seat, who *sandbox.Person) *attempt {
	if t.panel == "" {
		message, custom := t.onBoard("/turn")
		return &attempt{by: who.ID(), send: click(who, t.channel, message, custom), then: func(sandbox.Interaction) {
			t.panel = t.private(who, "/pick/")
		}}
	}
	target := bottest.Target(t.turn[0])
	custom, value, reached := t.step(who, target)
	send := click(who, t.channel, t.panel, custom)
	if value != "" {
		panel := t.panel
		send = func() (sandbox.Interaction, error) { return who.Select(t.channel, panel, custom, value) }
	}
	if reached != target {
		return &attempt{by: who.ID(), send: send}
	}
	a := t.attemptAct(seat, t.turn[0].String(), send)
	if t.turn = t.turn[1:]; len(t.turn) == 0 {
		t.panel = ""
	}
	if a != nil {
		a.repeat = true // the button names a sequence number, so it cannot count twice
	}
	return a
}

// step returns the component of the panel that leads furthest towards a target,
// the value to select if it is a menu, and the path that it reaches.
func (t *table) step(who *sandbox.Person, target string) (custom, value, reached string) {
	custom, value, reached = bottest.NextChoice(t.message(who, t.panel), target)
	if custom == "" {
		t.cannot("%s: match %d: the panel of %s offers no way to %s: %s", t.name, t.match, who.ID(), target, bottest.Text(t.message(who, t.panel)))
	}
	return custom, value, reached
}

// undo takes the last action of the open turn back, by command or in the panel.
func (t *table) undo(seat engine.Seat) *attempt {
	entries, err := t.model.Undo(seat, moment)
	if err != nil {
		t.e.fail("%s: match %d: undo: %v", t.name, t.match, err)
		return nil
	}
	who := t.e.chat.As(t.order[seat-1])
	a := &attempt{by: who.ID(), entries: entries}
	a.send = func() (sandbox.Interaction, error) {
		return who.Command(t.channel, "undo", sandbox.Opt("match", int(t.match)))
	}
	if t.panel != "" {
		if custom := bottest.Find(t.message(who, t.panel), "/undo/"); custom != "" {
			a.send, a.repeat = click(who, t.channel, t.panel, custom), true
		}
	}
	t.turn, t.panel = nil, ""
	return a
}

// askToResign has a player, in turn or not, ask to resign and then confirm.
func (t *table) askToResign() *attempt {
	playing := t.playing()
	seat := playing[t.r.IntN(len(playing))]
	who := t.e.chat.As(t.order[seat-1])
	decide := t.model.Resign
	if t.model.CanAbort() && len(playing) == 2 {
		decide = t.model.Abort
	}
	return &attempt{
		by: who.ID(),
		send: func() (sandbox.Interaction, error) {
			return who.Command(t.channel, "resign", sandbox.Opt("match", int(t.match)))
		},
		then: func(i sandbox.Interaction) {
			t.turn, t.panel = nil, ""
			entries, err := decide(seat, moment)
			if err != nil {
				t.e.fail("%s: match %d: resigning: %v", t.name, t.match, err)
				return
			}
			message := t.private(who, "/resign")
			if message != i.MessageID && message < i.ID { // snowflakes of one length
				t.cannot("%s: match %d: %s was asked to confirm before, not now", t.name, t.match, who.ID())
			}
			t.next = &attempt{
				by: who.ID(), entries: entries, repeat: true,
				send: click(who, t.channel, message, bottest.Find(t.message(who, message), "/resign")),
			}
		},
	}
}

// askForBoard has somebody ask for the board again.
func (t *table) askForBoard() *attempt {
	who := t.e.chat.As(t.order[t.r.IntN(len(t.order))])
	return &attempt{by: who.ID(), send: func() (sandbox.Interaction, error) {
		return who.Command(t.channel, "board", sandbox.Opt("match", int(t.match)))
	}}
}

// The challenge, and the answers to it.

func (t *table) challenge() *attempt {
	who := t.e.chat.As(t.people[0])
	options := slices.Clone(t.options)
	if t.seats == 0 {
		options = append(options, sandbox.Opt("opponent", t.people[1]))
	} else {
		options = append(options, sandbox.Opt("players", t.seats))
	}
	options = append(options, sandbox.Opt("clock", []string{"none", "1d", "2d+1h/4d"}[t.r.IntN(3)]))
	return &attempt{by: who.ID(), creates: true, send: func() (sandbox.Interaction, error) {
		return who.Command(t.channel, "challenge", sandbox.Sub(t.game.Key(), options...))
	}}
}

// join answers the challenge, mostly by taking a seat.
func (t *table) join() *attempt {
	joined := slices.Clone(t.now.joined)
	dice := t.r.IntN(12)
	switch {
	case dice == 0:
		return t.answer(t.people[0], "cancel", offer{storage.ChallengeCancelled, joined})
	case t.seats == 0 && dice == 1:
		return t.answer(t.people[1], "decline", offer{storage.ChallengeDeclined, joined})
	case t.seats == 0:
		return t.answer(t.people[1], t.verb(), offer{storage.ChallengeAccepted, append(joined, t.people[1])})
	case len(joined) > 1 && dice <= 3:
		n := 1 + t.r.IntN(len(joined)-1)
		return t.answer(joined[n], "leave", offer{storage.ChallengeOpen, slices.Delete(slices.Clone(joined), n, n+1)})
	}
	free := slices.IndexFunc(t.people, func(p string) bool { return !slices.Contains(joined, p) })
	after := offer{storage.ChallengeOpen, append(joined, t.people[free])}
	if len(after.joined) == t.seats {
		after.state = storage.ChallengeAccepted
	}
	return t.answer(t.people[free], "join", after)
}

// verb returns how somebody takes the seat that is kept for them.
func (t *table) verb() string {
	m := t.message(t.e.chat.As(t.people[1]), t.e.ledger.messageOf(t.offer))
	if bottest.Find(m, "/accept") != "" {
		return "accept"
	}
	return "join"
}

func (t *table) answer(by, verb string, after offer) *attempt {
	who := t.e.chat.As(by)
	message := t.e.ledger.messageOf(t.offer)
	custom := bottest.Find(t.message(who, message), "/"+verb)
	if custom == "" {
		t.cannot("%s: challenge %d cannot be answered by %s", t.name, t.offer, verb)
		return nil
	}
	return &attempt{by: by, send: click(who, t.channel, message, custom), repeat: true, offer: &after}
}

// The methods below read what people see.

// message returns a message as somebody sees it, or the zero value.
func (t *table) message(who *sandbox.Person, id string) api.Message {
	for _, m := range who.Messages(t.channel) {
		if m.ID == id {
			return m
		}
	}
	return api.Message{}
}

// private returns a person's newest private message that has a button of the match
// whose custom ID contains part.
func (t *table) private(who *sandbox.Person, part string) string {
	all := who.Messages(t.channel)
	for i := len(all) - 1; i >= 0; i-- {
		custom := bottest.Find(all[i], part)
		if all[i].Flags&api.FlagEphemeral != 0 && strings.HasPrefix(custom, fmt.Sprintf("match/%d/", t.match)) {
			return all[i].ID
		}
	}
	t.cannot("%s: match %d: %s has no private message with %s, but %s", t.name, t.match, who.ID(), part, t.lastWords(who))
	return ""
}

// question returns the message that asks somebody whether to play or prepare what
// they sent, and its button to do so; empty if they were not asked. After a deferral, the
// question is a message of its own.
func (t *table) question(who *sandbox.Person, i sandbox.Interaction) (message, custom string) {
	for _, m := range who.Messages(t.channel) {
		if m.ID == i.MessageID || m.Flags&api.FlagEphemeral != 0 && m.ID > i.ID { // snowflakes of one length
			yes := bottest.Find(m, "/confirm/")
			if yes == "" {
				yes = bottest.Find(m, "/.yes")
			}
			if strings.HasPrefix(yes, fmt.Sprintf("match/%d/", t.match)) {
				message, custom = m.ID, yes
			}
		}
	}
	return message, custom
}

// lastWords returns the text of somebody's newest private message.
func (t *table) lastWords(who *sandbox.Person) string {
	all := who.Messages(t.channel)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Flags&api.FlagEphemeral != 0 {
			return fmt.Sprintf("%q", bottest.Text(all[i]))
		}
	}
	return "nothing"
}

// onBoard returns the current board and its button whose custom ID contains part.
func (t *table) onBoard(part string) (message, custom string) {
	message = t.e.ledger.last(t.match)
	custom = bottest.Find(t.message(t.e.chat.As(t.order[0]), message), part)
	if custom == "" {
		t.cannot("%s: match %d: the board has no button %s", t.name, t.match, part)
	}
	return message, custom
}
