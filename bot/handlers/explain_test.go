package handlers

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
	"castellan/storage"
)

// requestOf returns a request of Anna's.
func requestOf(w *hosttest.World) *interaction.Request {
	return &interaction.Request{Person: hosttest.Anna, Place: hosttest.Here, Say: w.Say}
}

// sentinels returns the names of the exported errors that a package declares.
func sentinels(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	hosttest.Must(t, err)
	found := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		hosttest.Must(t, err)
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				for _, n := range spec.(*ast.ValueSpec).Names {
					if strings.HasPrefix(n.Name, "Err") {
						found[n.Name] = true
					}
				}
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no errors in %s", folder)
	}
	return found
}

// Every exported error of the use cases and the rules has a sentence of its own, or is
// a fault of the bot and gets a code.
func TestEveryErrorHasItsSentence(t *testing.T) {
	h, w := newHandlers(t)
	ch := w.Offer("trails")
	accepted, table := ch, w.Table(4)
	accepted.State = storage.ChallengeAccepted
	timed := w.StartFrom(w.Challenge(host.Proposal{Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstMe, Clock: "1d"}))
	at := func(ch *storage.Challenge, errs ...error) (all []error) {
		for _, err := range errs {
			all = append(all, &host.Refusal{Err: err, Challenge: ch})
		}
		return all
	}
	for folder, known := range map[string][]error{
		"../host": slices.Concat(
			[]error{host.ErrUnknownGame, host.ErrNoMatch, host.ErrNoChallenge, host.ErrNotSeated, host.ErrStopping, host.ErrStale, host.ErrCannotChallenge},
			[]error{host.ErrSelfChallenge, host.ErrNoClock, host.ErrInvalidFirst, host.ErrDuplicatePlayer, host.ErrTooManyPlayers, host.ErrNotOver},
			[]error{host.ErrNoFinishedMatch, host.ErrRematchPending, host.ErrRematchStarted, host.ErrDidNotPlay, host.ErrCannotReplay, host.ErrNoComputer},
			[]error{host.ErrUnknownLevel, host.ErrComputerTurn, host.ErrNoComputerSeated, host.ErrRatedMatch, host.ErrComputerAsked},
			[]error{host.ErrOwnMatch, host.ErrRevertLate, host.ErrVoidLate, host.ErrNotRated, host.ErrFrozen, host.ErrNotFrozen},
			[]error{&host.Refusal{Err: host.ErrTimed, View: timed}, &host.Refusal{Err: host.ErrTimeUp, View: timed}},
			[]error{host.ErrNoTournament, host.ErrTournamentClock, host.ErrTournamentSeats, host.ErrTournamentTime, host.ErrTournamentName, host.ErrTournamentRounds},
			[]error{host.ErrTournamentFormat, host.ErrTooManyTournaments, host.ErrTournamentOver, host.ErrTournamentBegun, host.ErrTournamentFull, host.ErrInTournament},
			[]error{host.ErrNotInTournament, host.ErrNotOrganiser, host.ErrTooFewJoined},
			at(&ch, host.ErrNotInvited, host.ErrNotYourChallenge, host.ErrExpired), at(&accepted, host.ErrAnswered),
			at(&table, host.ErrCannotJoin, host.ErrNoFreeSeat, host.ErrAlreadyJoined, host.ErrNotJoined, host.ErrNotStarter, host.ErrTooFewPlayers, host.ErrNotChallenger),
		),
		"../host/offers": {
			offers.ErrLapsed, offers.ErrRepeated, offers.ErrOpen, offers.ErrOwn, offers.ErrOthers, offers.ErrNoTurn, offers.ErrRated, offers.ErrPlaysOn, offers.ErrComputersTime,
		},
		"../../engine/match": {
			match.ErrOver, match.ErrNoTurn, &match.TokenError{Token: "up", Err: match.ErrTurnOver}, match.ErrNothingToUndo, match.ErrNoTakeback, match.ErrTooLate,
			match.ErrOwnTurn, match.ErrNotPlaying, match.ErrTwoSeats, match.ErrNoClock, match.ErrTooMuchTime, match.ErrNoRevert, match.ErrNoVoid,
		},
	} {
		if declared := sentinels(t, folder); len(declared) != len(known) {
			t.Errorf("%s: this test knows %d errors, there are %v", folder, len(known), slices.Sorted(maps.Keys(declared)))
		}
		seen := map[string]error{}
		for _, err := range known {
			sentence, ok := h.Explain(requestOf(w), fmt.Errorf("doing something: %w", err))
			if fault := errors.Is(err, host.ErrComputerAsked); ok == fault { // the handler asks the computer
				t.Errorf("%v: %v %q", err, ok, sentence)
			}
			if other := seen[sentence]; other != nil {
				t.Errorf("%v and %v are both %q", err, other, sentence)
			}
			seen[sentence] = err
		}
	}
	late := &host.Refusal{Err: host.ErrTimeUp, View: timed}
	own, _ := h.Explain(requestOf(w), late)
	r := requestOf(w)
	r.Person = hosttest.Ben
	if other, ok := h.Explain(r, late); !ok || other == own {
		t.Errorf("whose time is not up reads %q", other)
	}
}

func TestExplain(t *testing.T) {
	h, w := newHandlers(t)
	v := w.Start("trails")
	v = w.Posted(v, "555")
	const board = " [Go to the board](https://discord.com/channels/1/2/555)"
	refused := func(err error) error { return &host.Refusal{Err: err, View: v} }
	note := engine.Texts{"x": {Other: "Why {{.X}}."}}.Phrase("x", "X", "so")
	odd, open := w.Offer("trails"), w.Table(4)
	begun := open
	begun.State = storage.ChallengeAccepted
	odd.Challenger.Name = "*A*"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"with the way to the board", refused(host.ErrStale), "The match has moved on since then, so this no longer applies." + board},
		{"whose turn", refused(&match.TurnError{Seat: 2}), "It is Ben’s turn." + board},
		{"no notation", refused(&match.TokenError{Token: "rigth", Err: &engine.NotationError{Why: note}, Nearest: []string{"right", "up"}}),
			"Why so. Did you mean `right` or `up`?" + board},
		{"illegal", refused(&match.TokenError{Token: "up", Err: &engine.IllegalError{Why: note}}), "Why so." + board},
		{"a token with markup", refused(&match.TokenError{Token: "<@99> **x**", Err: &engine.NotationError{
			Why: engine.Texts{"x": {Other: "“{{.X}}” is no move."}}.Phrase("x", "X", "<@99> **x**"),
		}}), `“\<\@99\> \*\*x\*\*” is no move.` + board},
		{"too long", refused(&match.TokenError{Token: "`x`", Err: match.ErrTurnOver}), "The turn is over before `'x'`: leave that out." + board},
		{"option", &host.Refusal{Err: &engine.OptionError{Option: "size", Why: note}}, "Why so."},
		{"a name with markup", &host.Refusal{Err: host.ErrNotYourChallenge, Challenge: &odd}, `Only \*A\* can withdraw this challenge.`},
		{"no seat is kept", &host.Refusal{Err: host.ErrNotInvited, Challenge: &open}, w.Say.T("error.unkept")},
		{"a table that has begun", &host.Refusal{Err: host.ErrAnswered, Challenge: &begun}, w.Say.T("error.started")},
		{"a number of players", &host.Refusal{Err: &engine.SeatsError{Seats: 9, Min: 2, Max: 6}}, "This game is for 2 to 6 players."},
		{"too early to claim", refused(&host.EarlyError{At: v.ClaimableAt()}), "Anna has until <t:1778241600:f>. After that you can claim the win. " +
			"Not everyone has moved yet, so `/resign` calls the match off at once, without a result." + board},
		{"one’s own turn", refused(match.ErrOwnTurn), "It’s your turn, so there’s nothing to claim. If you don’t move by <t:1778241600:f>, the others can claim the win." + board},
		{"made many", &host.Refusal{Err: &host.LimitError{Limit: host.LimitMadeByPerson, Max: 10, Person: hosttest.Anna, RetryAt: v.ClaimableAt()}},
			"You’ve made 10 challenges in a short time. You can make another <t:1778241600:R>."},
		{"many played by another", &host.Refusal{Err: &host.LimitError{Limit: host.LimitRunning, Max: 25, Person: storage.Person{ID: "9", Name: "*B*"}}},
			`\*B\* is already playing 25 matches. This one can begin when one of them has ended.`},
		{"too fast", &interaction.FloodError{Again: v.ClaimableAt()}, "That’s too fast for me. Try again <t:1778241600:R>."},
		{"too much here", &interaction.FloodError{Channel: true, Again: v.ClaimableAt()}, "Too much is going on in this channel. Try again <t:1778241600:R>."},
		{"too slow", fmt.Errorf("reading: %w", context.DeadlineExceeded), "That took too long, so I stopped. Try again in a moment. `/board` shows the match."},
		{"a full disk", fmt.Errorf("append: %w", storage.ErrDiskFull), "Nothing was saved, and what you did doesn’t count: I can’t write to my storage. " +
			"I’ve logged this for whoever runs this bot. Try again later."},
		{"several", &ambiguousError{views: []*host.View{v, v}}, w.Say.T("suggest.several")},
	} {
		got, known := h.Explain(requestOf(w), c.err)
		if !known || got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, err := range []error{errors.New("disk full"), storage.ErrConflict, context.Canceled, &discord.Error{Status: 500}} {
		if got, known := h.Explain(requestOf(w), err); known {
			t.Errorf("%v is a fault of the bot: %q", err, got)
		}
	}
}

// What is wrong with a record is said in the language of the person who opens it.
func TestExplainRecord(t *testing.T) {
	h, w := newHandlers(t)
	for _, c := range []struct{ record, locale, want string }{
		{"Dear diary", "en-GB", "I can’t read this record. Line 1: A record begins with the line “Castellan record 1”."},
		{"Castellan record 1\nGame: **chess**\n", "de", "Diese Aufzeichnung kann ich nicht lesen. Zeile 2: Es gibt kein Spiel „\\*\\*chess\\*\\*“. Es gibt "},
		{"Castellan record 1\nGame: trails\nOptions: size=6\n", "es-ES", "No puedo leer este registro. Línea 3: size debe ser"},
		{"Castellan record 1\nGame: trails\n1. lfet\n", "fr", "Ligne 3, coup 1\u00a0: «\u00a0lfet\u00a0»\u00a0: "},
		{"Castellan record 1\nGame: trails\n1. right\n2. left\n- blue: abort\n", "ja", "5行目: 全員が"},
	} {
		_, err := record.Read(strings.NewReader(c.record), h.Games)
		r := requestOf(w)
		r.Say = h.Texts.Printer(c.locale)
		if got, known := h.Explain(r, err); !known || !strings.Contains(got, c.want) {
			t.Errorf("%q in %s: %q, want %q", c.record, c.locale, got, c.want)
		}
	}
}

func TestNotShown(t *testing.T) {
	h, w := newHandlers(t)
	const (
		all       = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionAttachFiles
		need      = "I need the permissions View Channel, Send Messages and Attach Files in <#2>. I’ll keep trying."
		elsewhere = " To play on in another channel, use `/board` there with the option `match`."
	)
	denied := fmt.Errorf("x: %w", &discord.Error{Code: discord.CodeMissingPermissions})
	for _, c := range []struct {
		err     error
		may     int64
		channel string
		want    string
	}{
		{denied, 0, "2", need + elsewhere},
		{denied, all, "2", need + elsewhere},
		{denied, discordgo.PermissionAdministrator, "2", need + elsewhere},
		{denied, discordgo.PermissionViewChannel | discordgo.PermissionSendMessages, "2", need + " What is missing: Attach Files." + elsewhere},
		{denied, discordgo.PermissionViewChannel, "2", need + " What is missing: Send Messages and Attach Files." + elsewhere},
		{denied, discordgo.PermissionViewChannel, "3", strings.ReplaceAll(need, "<#2>", "<#3>") + elsewhere}, // the permissions in another channel are unknown
		{&discord.Error{Code: discord.CodeMissingAccess}, 0, "2", need + elsewhere},
		{&discord.Error{Code: discord.CodeUnknownChannel}, 0, "2", "The channel is gone." + elsewhere},
		{&discord.Error{Code: discord.CodeNoMutualGuild}, 0, "2", "Discord doesn’t let me write to you: unblock me, or allow direct messages in the privacy settings of a server that we share. Then use `/board`."},
		{&discord.Error{Code: discord.CodeArchivedThread}, 0, "2", "The thread <#2> is closed. I’ll post when somebody opens it." + elsewhere},
		{errors.New("x"), 0, "2", "I’ll keep trying. Once I can post again, `/board` posts it at once."},
		{&discord.Error{Status: 429}, 0, "2", "I’ll keep trying. Once I can post again, `/board` posts it at once."},
	} {
		r := requestOf(w)
		r.Permissions = c.may
		place := storage.Place{Guild: "1", Channel: c.channel}
		if got := h.notShown(r, place, c.err, "move.kept"); got != "Your turn was played, but I couldn’t post the board. "+c.want {
			t.Errorf("%v: %q", c.err, got)
		}
	}
	if got := h.notShown(requestOf(w), hosttest.Here, denied, "challenge.kept"); strings.Contains(got, "/board") {
		t.Errorf("a challenge has no board: %q", got)
	}
}

func TestInlineCode(t *testing.T) {
	for in, want := range map[string]string{
		"up": "`up`", "`a`b`": "`'a'b'`", "a\n\nb": "`a b`", "<@1> **x**": "`<@1> **x**`",
		strings.Repeat("ä", 40): "`" + strings.Repeat("ä", 40) + "`",
		strings.Repeat("ä", 41): "`" + strings.Repeat("ä", 40) + "…`",
	} {
		if got := discord.InlineCode(in); got != want {
			t.Errorf("InlineCode(%q) = %q, want %q", in, got, want)
		}
	}
}
