package bot

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

// Every exported error of host and match has a sentence, or is a fault of the bot
// and gets a code.
func TestEveryErrorHasItsSentence(t *testing.T) {
	h, w := newHandlers(t)
	ch := w.Offer("trails")
	accepted := ch
	accepted.State = storage.ChallengeAccepted
	table := w.Table(4)
	timed := w.StartFrom(w.Challenge(host.Proposal{Opponents: []storage.Person{hosttest.Ben}, Game: "trails", First: host.FirstMe, Clock: "1d"}))
	known := map[string]map[string]struct {
		err  error
		want string // a part of the sentence; empty for a fault of the bot
	}{
		"host": {
			"ErrUnknownGame":      {host.ErrUnknownGame, "There is no such game"},
			"ErrNoMatch":          {host.ErrNoMatch, "no such match here"},
			"ErrNoChallenge":      {host.ErrNoChallenge, "`/challenge` makes a new one"},
			"ErrNotSeated":        {host.ErrNotSeated, "are not playing in this match"},
			"ErrStopping":         {host.ErrStopping, "being restarted"},
			"ErrStale":            {host.ErrStale, "has moved on"},
			"ErrCannotChallenge":  {host.ErrCannotChallenge, "You cannot challenge this person"},
			"ErrCannotJoin":       {&host.Refusal{Err: host.ErrCannotJoin, Challenge: &table}, "You cannot join this table"},
			"ErrSelfChallenge":    {host.ErrSelfChallenge, "somebody else"},
			"ErrNotInvited":       {&host.Refusal{Err: host.ErrNotInvited, Challenge: &ch}, "Waiting for Ben"},
			"ErrNotYourChallenge": {&host.Refusal{Err: host.ErrNotYourChallenge, Challenge: &ch}, "Only Anna"},
			"ErrAnswered":         {&host.Refusal{Err: host.ErrAnswered, Challenge: &accepted}, "already been accepted"},
			"ErrExpired":          {&host.Refusal{Err: host.ErrExpired, Challenge: &ch}, "expired after"},
			"ErrNoClock":          {host.ErrNoClock, "There is no such clock"},
			"ErrTimed":            {&host.Refusal{Err: host.ErrTimed, View: timed}, "nothing to claim in a match with a clock"},
			"ErrTimeUp":           {&host.Refusal{Err: host.ErrTimeUp, View: timed}, "no longer counts"},
			"ErrInvalidFirst":     {host.ErrInvalidFirst, "`random`"},
			"ErrDuplicatePlayer":  {host.ErrDuplicatePlayer, "somebody twice"},
			"ErrTooManyPlayers":   {host.ErrTooManyPlayers, "more people than there are seats"},
			"ErrNoFreeSeat":       {&host.Refusal{Err: host.ErrNoFreeSeat, Challenge: &table}, "All seats are taken"},
			"ErrAlreadyJoined":    {&host.Refusal{Err: host.ErrAlreadyJoined, Challenge: &table}, "already have a seat"},
			"ErrNotJoined":        {&host.Refusal{Err: host.ErrNotJoined, Challenge: &table}, "Press Join to take one"},
			"ErrNotStarter":       {&host.Refusal{Err: host.ErrNotStarter, Challenge: &table}, "Only Anna can start"},
			"ErrTooFewPlayers":    {&host.Refusal{Err: host.ErrTooFewPlayers, Challenge: &table}, "Too few"},
			"ErrNotOver":          {host.ErrNotOver, "not over yet"},
			"ErrNoFinishedMatch":  {host.ErrNoFinishedMatch, "You have not finished a match"},
			"ErrRematchPending":   {host.ErrRematchPending, "already asked for this rematch"},
			"ErrRematchStarted":   {host.ErrRematchStarted, "has already begun"},
			"ErrDidNotPlay":       {host.ErrDidNotPlay, "Only those who played the last match"},
			"ErrCannotReplay":     {host.ErrCannotReplay, "is damaged, so I have stopped the match"},
			"ErrNoComputer":       {host.ErrNoComputer, "There is no computer for this game"},
			"ErrUnknownLevel":     {host.ErrUnknownLevel, "no such level"},
			"ErrComputerTurn":     {host.ErrComputerTurn, "is thinking"},
			"ErrNotChallenger":    {&host.Refusal{Err: host.ErrNotChallenger, Challenge: &table}, "Only Anna can add and remove"},
			"ErrNoComputerSeated": {host.ErrNoComputerSeated, "There is no computer at this table"},
			"ErrRatedMatch":       {host.ErrRatedMatch, "There are no hints"},
			"ErrComputerAsked":    {host.ErrComputerAsked, ""}, // the handler asks it
		},
		"host/offers": {
			"ErrLapsed":        {offers.ErrLapsed, "no longer stands"},
			"ErrRepeated":      {offers.ErrRepeated, "offered this already"},
			"ErrOpen":          {offers.ErrOpen, "answered first"},
			"ErrOwn":           {offers.ErrOwn, "your own offer"},
			"ErrOthers":        {offers.ErrOthers, "can withdraw it"},
			"ErrNoTurn":        {offers.ErrNoTurn, "no turn to take back"},
			"ErrRated":         {offers.ErrRated, "in unrated matches only"},
			"ErrPlaysOn":       {offers.ErrPlaysOn, "plays on"},
			"ErrComputersTime": {offers.ErrComputersTime, "needs no more time"},
		},
		"engine/match": {
			"ErrOver":          {match.ErrOver, "is over"},
			"ErrNoTurn":        {match.ErrNoTurn, "Type a move"},
			"ErrTurnOver":      {&match.TokenError{Token: "up", Err: match.ErrTurnOver}, "Leave out `up`: the turn ends before it"},
			"ErrNothingToUndo": {match.ErrNothingToUndo, "not begun this turn"},
			"ErrNoTakeback":    {match.ErrNoTakeback, "Only the last turn can be taken back"},
			"ErrTooLate":       {match.ErrTooLate, "can no longer be called off"},
			"ErrOwnTurn":       {match.ErrOwnTurn, "It is your turn"},
			"ErrNotPlaying":    {match.ErrNotPlaying, "left this match"},
			"ErrTwoSeats":      {match.ErrTwoSeats, "Only two players"},
			"ErrNoClock":       {match.ErrNoClock, "has no clock"},
			"ErrTooMuchTime":   {match.ErrTooMuchTime, "no more time"},
		},
	}
	for pkg, folder := range map[string]string{"host": "host", "host/offers": "host/offers", "engine/match": "../engine/match"} {
		declared := sentinels(t, folder)
		if got, want := slices.Sorted(maps.Keys(known[pkg])), slices.Sorted(maps.Keys(declared)); !slices.Equal(got, want) {
			t.Errorf("%s: this test knows %v, there are %v", pkg, got, want)
		}
		for name, c := range known[pkg] {
			for _, err := range []error{c.err, fmt.Errorf("doing something: %w", c.err)} {
				sentence, ok := h.explain(requestOf(w), err)
				if ok != (c.want != "") || !strings.Contains(sentence, c.want) || strings.Contains(sentence, "⟨") {
					t.Errorf("%s.%s: %v %q", pkg, name, ok, sentence)
				}
			}
		}
	}
}

func TestExplain(t *testing.T) {
	h, w := newHandlers(t)
	v := w.Start("trails")
	v = w.Posted(v, "555")
	const board = " [Go to the board](https://discord.com/channels/1/2/555)"
	refused := func(err error) error { return &host.Refusal{Err: err, View: v} }
	note := engine.Texts{"x": {Other: "Why {{.X}}."}}.Phrase("x", "X", "so")
	declined, cancelled := w.Offer("trails"), w.Offer("trails")
	declined.State, cancelled.State = storage.ChallengeDeclined, storage.ChallengeCancelled
	open := w.Table(4)
	begun, closed := open, open
	begun.State, closed.State = storage.ChallengeAccepted, storage.ChallengeCancelled
	odd := declined
	odd.Challenger.Name = "*A*"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"with the way to the board", refused(host.ErrStale), "The match has moved on since then, so nothing was done." + board},
		{"without a board", host.ErrStale, "The match has moved on since then, so nothing was done."},
		{"whose turn", refused(&match.TurnError{Seat: 2}), "It is Ben’s turn." + board},
		{"no notation", refused(&match.TokenError{Token: "rigth", Err: &engine.NotationError{Why: note}, Nearest: []string{"right", "up"}}),
			"Why so. Did you mean `right`, `up`?" + board},
		{"illegal", refused(&match.TokenError{Token: "up", Err: &engine.IllegalError{Why: note}}), "Why so." + board},
		{"a token with markup", refused(&match.TokenError{Token: "<@99> **x**", Err: &engine.NotationError{
			Why: engine.Texts{"x": {Other: "“{{.X}}” is no move."}}.Phrase("x", "X", "<@99> **x**"),
		}}), `“\<\@99\> \*\*x\*\*” is no move.` + board},
		{"too long", refused(&match.TokenError{Token: "`x`", Err: match.ErrTurnOver}), "Leave out `'x'`: the turn ends before it." + board},
		{"option", &host.Refusal{Err: &engine.OptionError{Option: "size", Why: note}}, "Why so."},
		{"declined", &host.Refusal{Err: host.ErrAnswered, Challenge: &declined}, "This challenge has already been declined."},
		{"cancelled", &host.Refusal{Err: host.ErrAnswered, Challenge: &cancelled}, "Anna withdrew this challenge."},
		{"a name with markup", &host.Refusal{Err: host.ErrNotYourChallenge, Challenge: &odd}, `Only \*A\* can withdraw this challenge.`},
		{"a table that has begun", &host.Refusal{Err: host.ErrAnswered, Challenge: &begun}, "This match has already begun."},
		{"a table that was closed", &host.Refusal{Err: host.ErrAnswered, Challenge: &closed}, "Anna withdrew this challenge."},
		{"nobody’s seat", &host.Refusal{Err: host.ErrNotInvited, Challenge: &open}, "No seat is reserved for you, so there is nothing to decline."},
		{"a number of players", &host.Refusal{Err: &engine.SeatsError{Seats: 9, Min: 2, Max: 6}}, "This game is for 2 to 6 players."},
		{"too early to claim", refused(&host.EarlyError{At: v.ClaimableAt()}), "Anna has until <t:1778241600:f>. After that you can claim the match. " +
			"Not everyone has moved yet, so `/resign` calls the match off at once, without a result." + board},
		{"one’s own turn", refused(match.ErrOwnTurn), "It is your turn, so there is nothing to claim. If you do not move by <t:1778241600:f>, the others can claim the match." + board},
		{"made many", &host.Refusal{Err: &host.LimitError{Limit: host.LimitMadeByPerson, Max: 10, Person: hosttest.Anna, RetryAt: v.ClaimableAt()}},
			"You have made 10 challenges in a short time. You can make another <t:1778241600:R>."},
		{"many made here", &host.Refusal{Err: &host.LimitError{Limit: host.LimitMadeInChannel, Max: 30, RetryAt: v.ClaimableAt()}},
			"30 challenges were made in this channel in a short time. Try again <t:1778241600:R>, or in another channel."},
		{"many wait", &host.Refusal{Err: &host.LimitError{Limit: host.LimitOpenByPerson, Max: 10, Person: hosttest.Anna}},
			"10 of your challenges are waiting for an answer. Withdraw one with its button Cancel; the first expires later."},
		{"many wait here", &host.Refusal{Err: &host.LimitError{Limit: host.LimitOpenInChannel, Max: 50, RetryAt: v.ClaimableAt()}},
			"50 challenges are waiting for an answer in this channel. Choose another channel; the first expires <t:1778241600:R>."},
		{"many played", &host.Refusal{Err: &host.LimitError{Limit: host.LimitRunning, Max: 25, Person: hosttest.Anna}},
			"You are already playing 25 matches. Finish one first, or give one up with `/resign`."},
		{"many played by another", &host.Refusal{Err: &host.LimitError{Limit: host.LimitRunning, Max: 25, Person: storage.Person{ID: "9", Name: "*B*"}}},
			`\*B\* is already playing 25 matches. This one can begin when one of them has ended.`},
		{"too fast", &interaction.FloodError{Again: v.ClaimableAt()}, "That is too fast for me. Try again <t:1778241600:R>."},
		{"too much here", &interaction.FloodError{Channel: true, Again: v.ClaimableAt()}, "Too much is going on in this channel. Try again <t:1778241600:R>."},
		{"none here", errNoMatchHere, "You have no match in this channel. `/games` lists yours, and `/challenge` starts one."},
		{"a bot", errBotOpponent, "You cannot challenge other bots. Choose a person, or Castellan to play the computer."},
		{"foreign button", interaction.ErrBadCustomID, "This button no longer works. `/board` posts a board with buttons that do."},
		{"too slow", fmt.Errorf("reading: %w", context.DeadlineExceeded), "That took too long, so I stopped. Try again in a moment. `/board` shows the match."},
		{"a full disk", fmt.Errorf("append: %w", storage.ErrDiskFull), "Nothing was saved, and what you did does not count: I cannot write to my storage. " +
			"I have logged this for whoever runs this bot. Try again later."},
		{"several", &ambiguousError{[]*host.View{v, v}}, "You are playing several matches here. Choose one with the option `match`:\n" +
			"- Match 1 · Trails and Towers with Ben · your turn\n- Match 1 · Trails and Towers with Ben · your turn"},
	} {
		got, known := h.explain(requestOf(w), c.err)
		if !known || got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, err := range []error{errors.New("disk full"), storage.ErrConflict, context.Canceled, &discord.Error{Status: 500}} {
		if got, known := h.explain(requestOf(w), err); known {
			t.Errorf("%v is a fault of the bot: %q", err, got)
		}
	}
}

// What is wrong with a record is said in the language of the person who opens it.
func TestExplainRecord(t *testing.T) {
	h, w := newHandlers(t)
	for _, c := range []struct{ record, locale, want string }{
		{"Dear diary", "en-GB", "I cannot read this record. Line 1: A record begins with the line “Castellan record 1”."},
		{"Castellan record 1\nGame: **chess**\n", "de", "Diese Aufzeichnung kann ich nicht lesen. Zeile 2: Es gibt kein Spiel „\\*\\*chess\\*\\*“. Es gibt "},
		{"Castellan record 1\nGame: trails\nOptions: size=6\n", "es-ES", "No puedo leer este registro. Línea 3: size debe ser"},
		{"Castellan record 1\nGame: trails\n1. lfet\n", "fr", "Ligne 3, tour 1\u00a0: «\u00a0lfet\u00a0»\u00a0: "},
		{"Castellan record 1\nGame: trails\n1. right\n2. left\n- blue: abort\n", "ja", "5行目: 全員が着手したので、対局はもう取り消せません。"},
	} {
		_, err := record.Read(strings.NewReader(c.record), h.games)
		r := requestOf(w)
		r.Say = h.texts.Printer(c.locale)
		if got, known := h.explain(r, err); !known || !strings.Contains(got, c.want) {
			t.Errorf("%q in %s: %q, want %q", c.record, c.locale, got, c.want)
		}
	}
}

func TestNotShown(t *testing.T) {
	h, w := newHandlers(t)
	const (
		all       = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionAttachFiles
		need      = "I need the permissions View Channel, Send Messages and Attach Files in <#2>. I will keep trying."
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
		{denied, discordgo.PermissionViewChannel, "2", need + " What is missing: Send Messages, Attach Files." + elsewhere},
		{denied, discordgo.PermissionViewChannel, "3", strings.ReplaceAll(need, "<#2>", "<#3>") + elsewhere}, // the permissions in another channel are unknown
		{&discord.Error{Code: discord.CodeMissingAccess}, 0, "2", need + elsewhere},
		{&discord.Error{Code: discord.CodeUnknownChannel}, 0, "2", "The channel is gone." + elsewhere},
		{&discord.Error{Code: discord.CodeNoMutualGuild}, 0, "2", "Discord does not let me write to you: unblock me, or allow direct messages in the privacy settings of a server that we share. Then use `/board`."},
		{&discord.Error{Code: discord.CodeArchivedThread}, 0, "2", "The thread <#2> is closed. I will post when somebody opens it." + elsewhere},
		{errors.New("x"), 0, "2", "I will keep trying. Once I can post again, `/board` posts it at once."},
		{&discord.Error{Status: 429}, 0, "2", "I will keep trying. Once I can post again, `/board` posts it at once."},
	} {
		r := requestOf(w)
		r.Permissions = c.may
		place := storage.Place{Guild: "1", Channel: c.channel}
		if got := h.notShown(r, place, c.err, "move.kept"); got != "Your turn was played, but I could not post the board. "+c.want {
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
