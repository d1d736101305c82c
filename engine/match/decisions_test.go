package match_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/trails"
)

// idle is a game in which seat 2 can only end each turn.
func idle() *toy {
	return &toy{
		least: 2, most: 2,
		legal: func(s toyState) []string {
			if s.seat == 2 {
				return []string{engine.End}
			}
			return []string{"1", "2"}
		},
		apply: func(s toyState, _ string) toyState { return s.next() },
	}
}

// helped is a game for three in which "with-three" is legal only while seat 3 plays.
func helped() *toy {
	return &toy{
		least: 3, most: 3, retires: true,
		legal: func(s toyState) []string {
			if s.gone[3] {
				return []string{"a", engine.End}
			}
			return []string{"a", "with-three", engine.End}
		},
		apply: func(s toyState, w string) toyState {
			if w == engine.End {
				return s.next()
			}
			s.played += w + " "
			return s
		},
	}
}

// decide makes a decision such as "1: a2 end", "2 undo" or "1 give a day". Seats named
// at its end, as in "1: a2 !12", confirm their forced actions.
func decide(t *testing.T, m *match.Match, line string, minute int) ([]match.Entry, error) {
	t.Helper()
	line, digits, _ := strings.Cut(line, " !")
	var confirm []engine.Seat
	for _, d := range digits {
		confirm = append(confirm, engine.Seat(d-'0'))
	}
	cause := moment(minute, confirm...)
	if strings.Contains(line, ":") {
		seat, text := split(t, line)
		return m.Act(seat, text, cause)
	}
	who, what, _ := strings.Cut(line, " ")
	seat, _ := split(t, who)
	do, ok := map[string]func(engine.Seat, match.Cause) ([]match.Entry, error){
		"undo": m.Undo, "takeback": m.Takeback, "resign": m.Resign, "claim": m.Claim, "timeout": m.Timeout, "abort": m.Abort,
		"agree abort": m.AgreeAbort, "agree draw": m.AgreeDraw, "agree takeback": m.AgreeTakeback,
		"give a day": func(s engine.Seat, c match.Cause) ([]match.Entry, error) { return m.GiveTime(s, 24*time.Hour, c) },
	}[what]
	if !ok {
		t.Fatalf("there is no decision %q", line)
	}
	return do(seat, cause)
}

// refusal names an error.
func refusal(err error) string {
	var turn *match.TurnError
	var notation *engine.NotationError
	var illegal *engine.IllegalError
	switch {
	case errors.As(err, &turn):
		return fmt.Sprintf("turn of %d", turn.Seat)
	case errors.As(err, &notation):
		return "no action"
	case errors.As(err, &illegal):
		return "illegal"
	}
	for name, is := range map[string]error{
		"over": match.ErrOver, "not playing": match.ErrNotPlaying, "turn over": match.ErrTurnOver, "no turn": match.ErrNoTurn,
		"nothing to undo": match.ErrNothingToUndo, "no takeback": match.ErrNoTakeback, "own turn": match.ErrOwnTurn,
		"too late": match.ErrTooLate, "two seats": match.ErrTwoSeats, "no clock": match.ErrNoClock,
	} {
		if errors.Is(err, is) {
			return name
		}
	}
	return err.Error()
}

// standing describes a match in a line: the end, or the seat to act with its open
// turn and the minute since when; what everybody sees; and who can do what.
func standing(m *match.Match) string {
	var b strings.Builder
	if out, over := m.Over(); over {
		fmt.Fprintf(&b, "%s by %d against %d, winners %v, ranks %v, minute %.0f", out.Ending, out.By, out.TimedOut, out.Result.Winners, out.Result.Ranks, out.At.Sub(epoch).Minutes())
	} else {
		b.WriteString(strings.TrimSpace(fmt.Sprintf("%d %s", m.Seat(), m.Open())))
		if began := m.Open().BeganAt; !began.IsZero() {
			fmt.Fprintf(&b, " since %.0f", began.Sub(epoch).Minutes())
		}
	}
	switch {
	case m.TookBack(m.Seq()):
		b.WriteString(", took back")
	case m.TookBackByAgreement(m.Seq()):
		b.WriteString(", took back by agreement")
	}
	if m.PublicSeq() == m.Seq() {
		b.WriteString(", public")
	}
	for _, can := range []struct {
		what string
		can  func(engine.Seat) bool
	}{
		{"undo", m.CanUndo},
		{"takeback", m.CanTakeBack},
		{"agree takeback", m.CanAgreeTakeback},
		{"abort", func(s engine.Seat) bool { return m.CanAbort() && m.Playing(s) }},
		{"agree abort", func(s engine.Seat) bool { return m.CanAgreeAbort() && m.Playing(s) }},
		{"gone", func(s engine.Seat) bool { return !m.Playing(s) && m.Seat() != engine.Nobody }},
		{"timed out", m.TimedOut},
	} {
		var who []string
		for s := range engine.Seat(m.Settings().Seats) {
			if can.can(s + 1) {
				who = append(who, fmt.Sprint(s+1))
			}
		}
		if len(who) > 0 {
			fmt.Fprintf(&b, ", %s %s", can.what, strings.Join(who, ""))
		}
	}
	return b.String()
}

func TestDecisions(t *testing.T) {
	for _, tt := range decisions {
		t.Run(tt.name, func(t *testing.T) {
			s := settings(t, tt.game, tt.seats, tt.options)
			if tt.timed {
				s.Clock = match.Clock{Bank: time.Hour, Increment: time.Hour, Cap: time.Hour}
			}
			m, err := match.Start(tt.game, s)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(strings.TrimSpace(tt.steps), "\n") {
				line, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
				entries, err := decide(t, m, line, i+1)
				got := ""
				if err != nil {
					got = "refused: " + refusal(err)
				} else {
					m = with(t, m, entries, nil)
					got = standing(m)
				}
				if got != want {
					t.Errorf("%s:\n got %s\nwant %s", line, got, want)
				}
			}
			if got := strings.Join(turns(m), "; "); got != tt.turns {
				t.Errorf("the turns are %s\nwant %s", got, tt.turns)
			}
		})
	}
}

// decisions are matches in their decisions. Each is followed by the standing
// after it, or by the refusal.
var decisions = []struct {
	name    string
	game    engine.Game
	seats   int
	options string
	timed   bool
	steps   string
	turns   string // completed at the end
}{
	{"while a turn is open its actions are taken back one by one", sample.Game{}, 2, "", false, `
		1: a2 -> 1 a2, undo 1, abort 12, agree abort 12
		1: b1 !1 -> 1 a2 b1, undo 1, abort 12, agree abort 12
		2 undo -> refused: turn of 1
		3 undo -> refused: not playing
		1 undo -> 1 a2, undo 1, abort 12, agree abort 12
		1 undo -> 1, abort 12, agree abort 12
		1 undo -> refused: nothing to undo
		1: b2 end -> 2 since 8, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		1 undo -> refused: turn of 2`, "1: b2 end"},
	{"a takeback restores the match before the request that ended the turn", sample.Game{}, 2, "", false, `
		2 takeback -> refused: no takeback
		1: a1 end -> 2 since 2, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a1 -> 2 a1 since 2, undo 2, agree takeback 1, abort 12, agree abort 12
		2 takeback -> refused: no takeback
		2: b1 -> 1 since 5, public, takeback 2, agree takeback 12, agree abort 12
		1 takeback -> refused: no takeback
		2 takeback -> 2 a1 since 2, took back, public, undo 2, agree takeback 1, abort 12, agree abort 12
		2 takeback -> refused: no takeback
		2: a1 end -> 1 since 9, public, takeback 2, agree takeback 12, agree abort 12
		1: b1 -> 1 b1 since 9, undo 1, agree takeback 12, agree abort 12
		2 takeback -> refused: no takeback
		1 undo -> 1 since 9, agree takeback 12, agree abort 12
		2 takeback -> refused: no takeback`, "1: a1 end; 2: a1 a1 end"},
	{"in a match of two the other seat wins, and the open turn is discarded", sample.Game{}, 2, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a2 -> 2 a2 since 1, undo 2, agree takeback 1, abort 12, agree abort 12
		1 resign -> resignation by 1 against 0, winners [2], ranks [2 1], minute 3, public
		2: a1 -> refused: over
		2 undo -> refused: over
		2 claim -> refused: over
		2 abort -> refused: over
		2 resign -> refused: over`, "1: a1 end"},
	{"the second of two resigns", sample.Game{}, 2, "", false, `
		3 resign -> refused: not playing
		2 resign -> resignation by 2 against 0, winners [1], ranks [1 2], minute 2, public`, ""},
	{"actions of the open turn are taken back when its seat retires, and its turns are skipped", sample.Game{}, 3, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 123, agree abort 123
		2: a2 -> 2 a2 since 1, undo 2, agree takeback 1, abort 123, agree abort 123
		2 resign -> 3 since 3, public, abort 13, agree abort 13, gone 2
		2 resign -> refused: not playing
		3: b1 end -> 1 since 5, public, takeback 3, agree takeback 3, agree abort 13, gone 2
		1: b1 end -> 3 since 6, public, takeback 1, agree takeback 13, agree abort 13, gone 2`, "1: a1 end; 3: b1 end; 1: b1 end"},
	{"the open turn of another seat goes on", sample.Game{}, 4, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 1234, agree abort 1234
		2: a2 -> 2 a2 since 1, undo 2, agree takeback 1, abort 1234, agree abort 1234
		1 resign -> 2 a2 since 1, public, undo 2, abort 234, agree abort 234, gone 1
		2 undo -> 2 since 1, abort 234, agree abort 234, gone 1
		4 resign -> 2 since 1, public, abort 23, agree abort 23, gone 14
		2: b1 end -> 3 since 6, public, takeback 2, agree takeback 2, abort 23, agree abort 23, gone 14
		3: b1 end -> 2 since 7, public, takeback 3, agree takeback 23, agree abort 23, gone 14`, "1: a1 end; 2: b1 end; 3: b1 end"},
	{"an action that a retirement makes illegal is taken back with those after it", helped(), 3, "", false, `
		1: a with-three a -> 1 a with-three a, undo 1, abort 123, agree abort 123
		3 resign -> 1 a, public, undo 1, abort 12, agree abort 12, gone 3`, ""},
	{"a retirement after which everybody has passed ends the game by its rules", sample.Game{}, 3, "piles=1 counters=3", false, `
		1: a3 !1 -> 1 a3, undo 1, abort 123, agree abort 123
		1: end !1 -> 1 since 2, public, takeback 1, agree takeback 1, agree abort 123
		1 resign -> rules by 0 against 0, winners [2 3], ranks [3 1 1], minute 3, public`, "1: a3 end; 2: pass; 3: pass"},
	{"forced actions follow a retirement", sample.Game{}, 3, "piles=1 counters=3", false, `
		1: a3 !2 -> 2 since 1, public, takeback 1, agree takeback 1, abort 123, agree abort 123
		2 resign -> rules by 0 against 0, winners [1], ranks [1 3 2], minute 2, public`, "1: a3 end; 3: pass; 1: pass"},
	{"forced actions follow a claim", sample.Game{}, 3, "piles=1 counters=3", false, `
		1: a3 !2 -> 2 since 1, public, takeback 1, agree takeback 1, abort 123, agree abort 123
		1 claim -> rules by 0 against 0, winners [1], ranks [1 3 2], minute 2, public, timed out 2`, "1: a3 end; 3: pass; 1: pass"},
	{"the first to retire ranks last", sample.Game{}, 5, "", false, `
		4 resign -> 1, public, abort 1235, agree abort 1235, gone 4
		1 resign -> 2 since 2, public, abort 235, agree abort 235, gone 14
		5 resign -> 2 since 2, public, abort 23, agree abort 23, gone 145
		3 resign -> resignation by 3 against 0, winners [2], ranks [4 1 2 5 3], minute 4, public`, ""},
	{"one seat can call the match off until every seat has moved", sample.Game{}, 2, "", false, `
		7 abort -> refused: not playing
		1: a1 end -> 2 since 2, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a1 -> 2 a1 since 2, undo 2, agree takeback 1, abort 12, agree abort 12
		2: end -> 1 since 4, public, takeback 2, agree takeback 12, agree abort 12
		1 abort -> refused: too late`, "1: a1 end; 2: a1 end"},
	{"the match is called off", sample.Game{}, 2, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		1 abort -> abort by 1 against 0, winners [], ranks [], minute 2, public
		1 abort -> refused: over`, "1: a1 end"},
	{"a seat that retired without a move does not keep the match from counting", sample.Game{}, 3, "", false, `
		3 resign -> 1, public, abort 12, agree abort 12, gone 3
		1: a1 end -> 2 since 2, public, takeback 1, agree takeback 1, abort 12, agree abort 12, gone 3
		2: a1 end -> 1 since 3, public, takeback 2, agree takeback 12, agree abort 12, gone 3
		1 abort -> refused: too late`, "1: a1 end; 2: a1 end"},
	{"all can agree to call the match off until every seat has had three turns", sample.Game{}, 2, "counters=20", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a1 end -> 1 since 2, public, takeback 2, agree takeback 12, agree abort 12
		1: a1 end -> 2 since 3, public, takeback 1, agree takeback 12, agree abort 12
		2: a1 end -> 1 since 4, public, takeback 2, agree takeback 12, agree abort 12
		1: a1 end -> 2 since 5, public, takeback 1, agree takeback 12, agree abort 12
		2: a1 end -> 1 since 6, public, takeback 2, agree takeback 12
		2 agree abort -> refused: too late`, "1: a1 end; 2: a1 end; 1: a1 end; 2: a1 end; 1: a1 end; 2: a1 end"},
	{"all agree to call the match off", sample.Game{}, 2, "counters=20", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a1 end -> 1 since 2, public, takeback 2, agree takeback 12, agree abort 12
		2 agree abort -> abort by 2 against 0, winners [], ranks [], minute 3, public`, "1: a1 end; 2: a1 end"},
	{"two agree on a draw", sample.Game{}, 2, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: b1 -> 2 b1 since 1, undo 2, agree takeback 1, abort 12, agree abort 12
		1 agree draw -> agreement by 1 against 0, winners [], ranks [1 1], minute 3, public`, "1: a1 end"},
	{"three cannot agree on a draw", sample.Game{}, 3, "", false, `
		1 agree draw -> refused: two seats`, ""},
	{"an agreed takeback goes back to the last turn that its seat chose", sample.Game{}, 2, "counters=20", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2 agree takeback -> refused: no takeback
		2: a1 end -> 1 since 3, public, takeback 2, agree takeback 12, agree abort 12
		1: b1 end -> 2 since 4, public, takeback 1, agree takeback 12, agree abort 12
		2: b1 end -> 1 since 5, public, takeback 2, agree takeback 12, agree abort 12
		1: a1 -> 1 a1 since 5, undo 1, agree takeback 12, agree abort 12
		2 agree takeback -> 2 since 7, took back by agreement, public, agree takeback 12, agree abort 12
		1 agree takeback -> 1 since 8, took back by agreement, public, agree takeback 12, agree abort 12`, "1: a1 end; 2: a1 end"},
	{"an agreed takeback skips turns without a choice", idle(), 2, "", false, `
		1: 1 -> 1 since 1, public, takeback 1, agree takeback 1, agree abort 12
		1: 2 -> 1 since 2, public, takeback 1, agree takeback 1, agree abort 12
		2 agree takeback -> refused: no takeback
		1 agree takeback -> 1 since 4, took back by agreement, public, agree takeback 1, agree abort 12`, "1: 1; 2: end"},
	{"a retirement cannot be taken back", sample.Game{}, 4, "counters=20", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 1234, agree abort 1234
		2: a1 end -> 3 since 2, public, takeback 2, agree takeback 12, abort 1234, agree abort 1234
		3: a1 end -> 4 since 3, public, takeback 3, agree takeback 123, abort 1234, agree abort 1234
		4 resign -> 1 since 4, public, agree abort 123, gone 4
		3 agree takeback -> refused: no takeback
		1: b1 end -> 2 since 6, public, takeback 1, agree takeback 1, agree abort 123, gone 4
		1 agree takeback -> 1 since 7, took back by agreement, public, agree abort 123, gone 4`, "1: a1 end; 2: a1 end; 3: a1 end"},
	{"of two the claimant wins", sample.Game{}, 2, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: a1 end -> 1 since 2, public, takeback 2, agree takeback 12, agree abort 12
		1: a2 -> 1 a2 since 2, undo 1, agree takeback 12, agree abort 12
		1 claim -> refused: own turn
		3 claim -> refused: not playing
		0 claim -> refused: not playing
		2 claim -> claim by 2 against 1, winners [2], ranks [2 1], minute 7, public
		2 claim -> refused: over`, "1: a1 end; 2: a1 end"},
	{"of three the seat to act retires after a claim", sample.Game{}, 3, "", false, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 123, agree abort 123
		2: a2 -> 2 a2 since 1, undo 2, agree takeback 1, abort 123, agree abort 123
		1 claim -> 3 since 3, public, abort 13, agree abort 13, gone 2, timed out 2
		2 claim -> refused: not playing
		1 claim -> claim by 1 against 3, winners [1], ranks [1 3 2], minute 5, public, timed out 2`, "1: a1 end"},
	{"of three the seat to act retires when its time is over", sample.Game{}, 3, "", true, `
		2 timeout -> refused: turn of 1
		1: a1 -> 1 a1, undo 1, abort 123, agree abort 123
		1 timeout -> 2 since 3, public, abort 23, agree abort 23, gone 1, timed out 1
		2: a1 end -> 3 since 4, public, takeback 2, agree takeback 2, abort 23, agree abort 23, gone 1, timed out 1
		3: a1 end -> 2 since 5, public, takeback 3, agree takeback 23, agree abort 23, gone 1, timed out 1
		2: b1 end -> 3 since 6, public, takeback 2, agree takeback 23, agree abort 23, gone 1, timed out 1
		3 timeout -> timeout by 0 against 3, winners [2], ranks [3 1 2], minute 7, public, timed out 1`, "2: a1 end; 3: a1 end; 2: b1 end"},
	{"nobody wins on time before both have moved", sample.Game{}, 2, "", true, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2 timeout -> abort by 0 against 2, winners [], ranks [], minute 2, public`, "1: a1 end"},
	{"without a clock no time is over", sample.Game{}, 2, "", false, `
		1 timeout -> refused: no clock`, ""},
	{"time that is given changes nothing that everybody sees", sample.Game{}, 2, "", true, `
		1: a1 end -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		1 give a day -> 2 since 1, takeback 1, agree takeback 1, abort 12, agree abort 12
		1 takeback -> 1, took back, public, abort 12, agree abort 12`, ""},
	{"a seat out of turn, and none", sample.Game{}, 2, "", false, `
		2: a1 -> refused: turn of 1
		0: a1 -> refused: not playing
		3: a1 -> refused: not playing
		-1: a1 -> refused: not playing
		64: a1 -> refused: not playing
		1: -> refused: no turn`, ""},
	{"a seat confirms the end of its turn and can still undo", sample.Game{}, 2, "", false, `
		1: a1 b1 a1 !1 -> refused: illegal
		1: a1 b1 !1 -> 1 a1 b1, undo 1, abort 12, agree abort 12
		1: a1 !1 -> refused: illegal
		1: a1 -> refused: illegal
		1: end a1 !1 -> refused: turn over
		1: end !1 -> 2 since 6, public, takeback 1, agree takeback 1, abort 12, agree abort 12`, "1: a1 b1 end"},
	{"forced actions stop at a seat that confirms", sample.Game{}, 4, "piles=1 counters=3", false, `
		1: a3 !3 -> 3 since 1, public, takeback 1, agree takeback 1, abort 1234, agree abort 1234
		3: pass !3 -> rules by 0 against 0, winners [1], ranks [1 2 2 2], minute 2, public`, "1: a3 end; 2: pass; 3: pass; 4: pass; 1: pass"},
	{"the next seat plays a pending forced action of a seat that no longer confirms", sample.Game{}, 3, "", false, `
		1: a1 b1 !1 -> 1 a1 b1, undo 1, abort 123, agree abort 123
		3: a1 -> refused: turn of 1
		2: a1 !1 -> refused: turn of 1
		2: zz -> refused: no action
		2: a1 -> 2 a1 since 5, undo 2, agree takeback 1, abort 123, agree abort 123`, "1: a1 b1 end"},
	{"each turn is one action", trails.Game{}, 2, "size=5 towers=1", false, `
		1: r -> 2 since 1, public, takeback 1, agree takeback 1, abort 12, agree abort 12
		2: L -> 1 since 2, public, takeback 2, agree takeback 12, agree abort 12
		1: down down -> refused: turn over`, "1: right; 2: left"},
}
