package match_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"castellan/engine/match"
)

// FuzzActText checks that any text is either played as a whole or refused with
// the token at fault, and that Act never changes the match.
func FuzzActText(f *testing.F) {
	for _, s := range []string{"", "a1", "a", "a1 end", "A2\tb1 END", "a1 b1 a1", "end", "pass", "a99999999999999999999", "\x00", "a1 é", "a1\u2003b1", "\xff"} {
		f.Add(s)
	}
	begun := counters(f, 2, "")
	opened := act(f, begun, "1: a1")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range []*match.Match{begun, opened, start(t, opening(), 2, "")} {
			was := viewOf(m)
			entries, err := m.Act(1, text, moment(1))
			if !reflect.DeepEqual(viewOf(m), was) {
				t.Fatal("the match has changed")
			}
			var refused *match.TokenError
			switch {
			case errors.As(err, &refused):
				fields := strings.Fields(text)
				if refused.Index >= len(fields) || fields[refused.Index] != refused.Token || refused.Err == nil {
					t.Fatalf("the error is %+v", refused)
				}
				for _, near := range refused.Nearest {
					if strings.ContainsAny(near, " \n") || near == "" {
						t.Fatalf("it suggests %q", near)
					}
				}
			case err != nil:
				if !errors.Is(err, match.ErrNoTurn) || strings.TrimSpace(text) != "" {
					t.Fatalf("error %v", err)
				}
			default:
				next, err := m.With(entries...)
				if err != nil {
					t.Fatalf("%q gives %s: %v", text, format(entries), err)
				}
				if len(strings.Fields(text)) > len(entries) || next.Seq() != m.Seq()+len(entries) {
					t.Fatalf("%q gives %s", text, format(entries))
				}
			}
		}
	})
}
