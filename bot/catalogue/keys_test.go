package catalogue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/imaging/draw"
	"castellan/storage"
)

// english returns the forms of every text in en.toml by key.
func english(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("en.toml")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := toml.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for key, v := range raw {
		switch v := v.(type) {
		case string:
			all[key] = []string{v}
		case map[string]any:
			for _, form := range slices.Sorted(maps.Keys(v)) {
				if form != "one" && form != "other" {
					t.Fatalf("%s has the form %s, which English does not", key, form)
				}
				all[key] = append(all[key], v[form].(string))
			}
		default:
			t.Fatalf("%s is %T", key, v)
		}
	}
	return all
}

// families lists the keys that the bot concatenates, by prefix: each needs a
// text for every ending.
func families() map[string][]string {
	answered := []string{string(storage.ChallengeAccepted), string(storage.ChallengeDeclined), string(storage.ChallengeCancelled)}
	var limits []string
	for _, l := range host.AllLimits() {
		limits = append(limits, string(l))
	}
	var colours []string
	for c := engine.Blue; c <= engine.White; c++ {
		colours = append(colours, c.String())
	}
	var lists []string
	for _, l := range storage.RatingLists() {
		lists = append(lists, string(l))
	}
	var kinds []string
	for _, kind := range offers.Kinds() {
		kinds = append(kinds, string(kind))
	}
	return map[string][]string{
		"offer.open.":                kinds,
		"offer.refused.":             kinds,
		"offer.button.":              append([]string{message.GiveTime}, kinds...),
		"offer.answer.":              {string(offers.Accept), string(offers.Decline), string(offers.Withdraw)},
		"thread.":                    {string(storage.ThreadRefused), string(storage.ThreadFull), string(storage.ThreadLocked)},
		"challenge.":                 append([]string{"offer", string(storage.ChallengeExpired)}, answered...),
		"open.":                      {"offer", "cancelled", "expired"},
		"lobby.":                     {"offer", "started", "closed", "expired"},
		"command.":                   {"prepare", "challenge", "hint", "undo", "end", "preferences", "board", "resign", "claim", "rematch", "record", "replay", "help", "rules", "games", "leaderboard", "profile", "move", "privacy", "block", "settings", "takeback", "draw", "time", "abort"},
		"command.board.zoom.":        {"1", "2", "3", "4", "5"},
		"rematch.":                   {message.Stronger, message.Weaker},
		"error.limit.":               limits,
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
		"level.":                     append(host.AllLevels(), host.EvenLevel),
		"result.":                    {string(storage.Won), string(storage.Shared), string(storage.Drawn), string(storage.Lost)},
		"theme.":                     draw.Themes(),
		"settings.leaderboard.":      {"all", string(storage.LeaderboardForPlayers), string(storage.LeaderboardForNobody)},
		"error.leaderboard.":         {string(storage.LeaderboardForPlayers), string(storage.LeaderboardForNobody)},
		"streak.":                    {string(storage.Won), string(storage.Drawn), string(storage.Lost)},
	}
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
	texts := english(t)
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
	texts := english(t)
	uses, _, _ := scan(t)
	for _, u := range uses {
		if u.args == nil {
			continue // tests of the callers render those
		}
		want := arguments(texts[u.key])
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

func TestRendering(t *testing.T) {
	texts := english(t)
	say := newCatalogue(t).Printer("en")
	for key, forms := range texts {
		for count := range 3 {
			args := []any{"Count", count}
			for _, name := range arguments(forms) {
				if name != "Count" {
					args = append(args, name, "x"+name)
				}
			}
			got := say.T(key, args...)
			if strings.ContainsAny(got, "{}⟨⟩") || strings.Contains(got, "<no value>") || strings.TrimSpace(got) != got || got == "" {
				t.Errorf("%s with Count %d: %q", key, count, got)
			}
			for _, name := range arguments(forms) {
				if name != "Count" && !strings.Contains(got, "x"+name) {
					t.Errorf("%s omits %s: %q", key, name, got)
				}
			}
		}
		for _, f := range forms {
			if strings.Count(f, "{{") != len(argument.FindAllString(f, -1)) {
				t.Errorf("%s has braces that are no argument: %q", key, f)
			}
		}
		if limit := 100; strings.HasPrefix(key, "command.") {
			if n := len([]rune(forms[0])); n > limit {
				t.Errorf("%s has %d characters, Discord takes %d", key, n, limit)
			}
		}
	}
}
