package catalogue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/tournament"
	"castellan/imaging/draw"
	"castellan/storage"
)

// families lists the keys that the bot concatenates, by prefix: each needs a
// text for every ending.
func families() map[string][]string {
	answered := words(storage.ChallengeAccepted, storage.ChallengeDeclined, storage.ChallengeCancelled)
	kinds, lists := words(offers.Kinds()...), words(storage.RatingLists()...)
	var colours []string
	for c := engine.Blue; c <= engine.Wedge; c++ {
		colours = append(colours, c.String())
	}
	return map[string][]string{
		"offer.open.":                kinds,
		"offer.refused.":             kinds,
		"offer.button.":              append([]string{message.GiveTime}, kinds...),
		"offer.answer.":              {string(offers.Accept), string(offers.Decline), string(offers.Withdraw)},
		"thread.":                    {string(storage.ThreadRefused), string(storage.ThreadFull), string(storage.ThreadLocked), string(storage.ThreadDeleted)},
		"challenge.":                 append([]string{"offer", string(storage.ChallengeExpired)}, answered...),
		"open.":                      {"offer", "cancelled", "expired"},
		"lobby.":                     {"offer", "started", "closed", "expired"},
		"command.":                   {"prepare", "challenge", "hint", "undo", "end", "preferences", "board", "resign", "claim", "rematch", "record", "replay", "help", "rules", "games", "leaderboard", "profile", "move", "privacy", "block", "settings", "draw", "time", "abort", "organise"},
		"tournament.format.":         words(tournament.Formats()...),
		"command.tournament.format.": words(tournament.Formats()...),
		"tournament.outcome.":        words(tournament.Bye, tournament.Free, tournament.HalfBye, tournament.ZeroBye),
		"tournament.state.":          words(storage.TournamentOpen, storage.TournamentRunning, storage.TournamentEnded, storage.TournamentCancelled),
		"command.operator.":          {"statistics", "ban", "unban", "leave", "notice", "user", "server", "reason", "text"},
		"organise.act.":              words(storage.ActStart, storage.ActAdjudicate, storage.ActVoid, storage.ActRevert, storage.ActWithdraw, storage.ActFreeze, storage.ActThaw),
		"operator.":                  words(storage.ActBan, storage.ActUnban),
		"command.board.zoom.":        {"1", "2", "3", "4", "5"},
		"rematch.":                   {message.Stronger, message.Weaker},
		"error.limit.":               words(host.AllLimits()...),
		"error.answered.":            answered,
		"colour.":                    colours,
		"command.challenge.first.":   host.FirstChoices(),
		"preferences.":               {"on", "off", "channel", "direct", "none"},
		"command.games.list.":        {"mine", "channel", "finished"},
		"games.list.":                {"mine", "channel", "finished"},
		"games.title.":               {"mine", "channel", "finished"},
		"games.none.":                {"mine", "channel", "finished"},
		"command.leaderboard.scope.": {"server", "everywhere"},
		"leaders.scope.":             {"server", "everywhere"},
		"leaders.see.":               {"server", "everywhere"},
		"command.leaderboard.list.":  lists,
		"leaders.list.":              lists,
		"level.":                     append(host.Ranges(), host.EvenLevel, "choice"),
		"result.":                    {string(storage.Won), string(storage.Shared), string(storage.Drawn), string(storage.Lost)},
		"theme.":                     draw.Themes(),
		"settings.leaderboard.":      {"all", string(storage.LeaderboardForPlayers), string(storage.LeaderboardForNobody)},
		"error.leaderboard.":         {string(storage.LeaderboardForPlayers), string(storage.LeaderboardForNobody)},
		"streak.":                    {string(storage.Won), string(storage.Drawn), string(storage.Lost)},
	}
}

func words[T ~string](all ...T) (out []string) {
	for _, w := range all {
		out = append(out, string(w))
	}
	return out
}

// use is a call of Printer.T with a literal key.
type use struct {
	at   string
	key  string
	args []string // names of the arguments; nil if they are not literals
}

// inspect visits every node of the bot's source without its tests.
func inspect(t *testing.T, visit func(ast.Node)) (files *token.FileSet) {
	t.Helper()
	var names []string
	for _, pattern := range []string{"../*.go", "../*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	files = token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
	return files
}

// literal returns the value of a text in the source.
func literal(n ast.Node) (string, bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// scan reads the bot's source. It returns the calls of T, the prefixes of
// concatenated keys, and all literals that look like keys.
func scan(t *testing.T) (uses []use, prefixes, literals []string) {
	t.Helper()
	shape := regexp.MustCompile(`^[a-z]+(\.[a-z]+)+$`)
	var at []token.Pos
	files := inspect(t, func(n ast.Node) {
		if s, ok := literal(n); ok && shape.MatchString(s) {
			literals = append(literals, s)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "T" {
			return
		}
		if sum, ok := call.Args[0].(*ast.BinaryExpr); ok {
			if s, ok := literal(sum.X); ok {
				prefixes = append(prefixes, s)
			}
		}
		key, ok := literal(call.Args[0])
		if !ok {
			return
		}
		u := use{key: key, args: []string{}}
		for i := 1; i < len(call.Args); i += 2 {
			s, ok := literal(call.Args[i])
			if !ok {
				u.args = nil
				break
			}
			u.args = append(u.args, s)
		}
		if call.Ellipsis.IsValid() {
			u.args = nil
		}
		uses, at = append(uses, u), append(at, call.Pos())
	})
	for i := range uses {
		uses[i].at = files.Position(at[i]).String()
	}
	if len(uses) < 40 || len(prefixes) < 4 {
		t.Fatalf("only %d calls and %d prefixes were found: this test looks in the wrong place", len(uses), len(prefixes))
	}
	return uses, prefixes, literals
}

func TestKeys(t *testing.T) {
	texts := readForms(t, "en.toml")
	uses, prefixes, literals := scan(t)
	used := map[string]bool{}
	for _, u := range uses {
		used[u.key] = true
		if texts[u.key] == nil {
			t.Errorf("%s: there is no text %s", u.at, u.key)
		}
	}
	known := families()
	for _, p := range prefixes {
		if known[p] == nil {
			t.Errorf("the bot concatenates keys with the prefix %q: list its endings in families", p)
		}
	}
	for p, endings := range known {
		for _, e := range endings {
			used[p+e] = true
			if texts[p+e] == nil {
				t.Errorf("there is no text %s", p+e)
			}
		}
	}
	// Keys that reach T through a variable.
	sections := map[string]bool{}
	for key := range texts {
		section, _, _ := strings.Cut(key, ".")
		sections[section] = true
	}
	for _, l := range literals {
		section, _, _ := strings.Cut(l, ".")
		if sections[section] && texts[l] == nil {
			t.Errorf("%q looks like a key and has no text", l)
		}
		used[l] = true
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if !used[key] {
			t.Errorf("nothing uses the text %s", key)
		}
	}
}

var argument = regexp.MustCompile(`{{\.(\w+)}}`)

// arguments returns the arguments that a text names.
func arguments(forms []string) []string {
	in := map[string]bool{}
	for _, f := range forms {
		for _, m := range argument.FindAllStringSubmatch(f, -1) {
			in[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}

func TestArguments(t *testing.T) {
	texts := readForms(t, "en.toml")
	uses, _, _ := scan(t)
	for _, u := range uses {
		if u.args == nil {
			continue // tests of the callers render those
		}
		want := arguments(slices.Collect(maps.Values(texts[u.key])))
		for _, name := range want {
			if !slices.Contains(u.args, name) {
				t.Errorf("%s: %s needs the argument %s", u.at, u.key, name)
			}
		}
		for _, name := range u.args {
			if !slices.Contains(want, name) && name != "Count" {
				t.Errorf("%s: %s does not use the argument %s", u.at, u.key, name)
			}
		}
	}
}

// A date, such as “3 May 2026 14:30”, needs other words around it than a time counted
// from now, such as “in 2 days”. So the first is always called Date, the second Ago.
func TestTimes(t *testing.T) {
	found := 0
	wrong := map[token.Pos]string{}
	files := inspect(t, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		for i, arg := range call.Args {
			inner, ok := arg.(*ast.CallExpr)
			if !ok || i == 0 {
				continue
			}
			f, ok := inner.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			want := map[string]string{"DateTime": "Date", "RelativeTime": "Ago"}[f.Sel.Name]
			if want == "" {
				continue
			}
			found++
			if name, _ := literal(call.Args[i-1]); name != want {
				wrong[arg.Pos()] = name
			}
		}
	})
	for at, name := range wrong {
		t.Errorf("%s: the argument is called %q", files.Position(at), name)
	}
	if found < 10 {
		t.Errorf("only %d times were found", found)
	}
}
