package catalogue_test

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"castellan/bot/discord"
	"castellan/engine"
)

// complete lists the languages in which every text must be translated. In other
// languages, texts that are missing are shown in English.
var complete = []string{"de", "es", "fr", "ja", "pt-BR"}

// pluralForms lists the languages with the forms that a text with a plural has
// in each, after the rules of CLDR for whole numbers below a million.
var pluralForms = map[string][]string{
	"en": {"one", "other"}, "de": {"one", "other"}, "fr": {"one", "other"}, "es": {"one", "other"}, "pt-BR": {"one", "other"}, "ja": {"other"},
}

// oneIsZero lists the languages that use the form one for zero, too.
var oneIsZero = []string{"fr", "pt-BR"}

// forms holds the forms of a text by name; a text without plural has other.
type forms map[string]string

func readForms(t *testing.T, file string) map[string]forms {
	t.Helper()
	var raw map[string]any
	if _, err := toml.DecodeFile(file, &raw); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	all := map[string]forms{}
	for key, v := range raw {
		table, ok := v.(map[string]any)
		if !ok {
			table = map[string]any{"other": v}
		}
		all[key] = forms{}
		for form, text := range table {
			if all[key][form], ok = text.(string); !ok {
				t.Errorf("%s: %s is not a text", file, key)
			}
		}
	}
	return all
}

// source is a file of English texts.
type source struct{ english, prefix string }

// sources returns the files of English texts: the bot's, the engine's and those
// of the games.
func sources(t *testing.T) []source {
	t.Helper()
	games, err := filepath.Glob("../../engine/*/texts.toml")
	if err != nil || len(games) < 4 {
		t.Fatalf("the texts of %d games: %v", len(games), err)
	}
	all := []source{{"en.toml", ""}}
	for _, f := range append([]string{"../../engine/texts.toml"}, games...) {
		all = append(all, source{f, strings.TrimSuffix(f, "toml")})
	}
	return all
}

// TestTranslations compares every language, also English itself, with the English
// texts. It prints the texts that a complete language lacks in the form of its file.
func TestTranslations(t *testing.T) {
	buttons := buttonKeys(t)
	for lang := range pluralForms {
		for _, s := range sources(t) {
			file := s.prefix + lang + ".toml"
			if lang == "en" {
				file = s.english
			}
			if _, err := os.Stat(file); err != nil && !slices.Contains(complete, lang) {
				continue
			}
			english, translated := readForms(t, s.english), readForms(t, file)
			var missing strings.Builder
			for _, key := range slices.Sorted(maps.Keys(english)) {
				if translated[key] == nil {
					printMissing(&missing, lang, key, english[key])
					continue
				}
				for _, fault := range compareForms(lang, key, english[key], translated[key], buttons[key]) {
					t.Errorf("%s: %s %s", file, key, fault)
				}
			}
			for key := range translated {
				if english[key] == nil {
					t.Errorf("%s: there is no English text %s", file, key)
				}
			}
			if missing.Len() > 0 && (slices.Contains(complete, lang) || os.Getenv("CASTELLAN_MISSING") == lang) {
				t.Errorf("%s lacks texts; translate and add these:\n%s", file, missing.String())
			}
		}
	}
	for _, lang := range complete {
		if pluralForms[lang] == nil {
			t.Errorf("%s is no language of this test", lang)
		}
	}
}

// printMissing prints an English text as it would stand in a translation.
func printMissing(b *strings.Builder, lang, key string, english forms) {
	for _, form := range slices.Sorted(maps.Keys(english)) {
		name := fmt.Sprintf("%q", key)
		if len(english) > 1 {
			if !slices.Contains(pluralForms[lang], form) {
				continue
			}
			name += "." + form
		}
		text := fmt.Sprintf("%q", english[form])
		if strings.Contains(english[form], "\n") {
			text = `"""` + "\n" + english[form] + `"""`
		}
		fmt.Fprintf(b, "%s = %s\n", name, text)
	}
}

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	rulesText = regexp.MustCompile(`^[a-z-]+\.rules\.[a-z0-9-]+\.text$`)
	rulesPage = regexp.MustCompile(`^[a-z-]+\.rules\.[a-z0-9-]+$`)
	label     = regexp.MustCompile(`\.(option\.[a-z-]+(\.help)?|tagline|option\.rules\.[a-z-]+)$`)
)

// limit returns how many characters a text can have.
func limit(key string, button bool) int {
	switch {
	case strings.HasPrefix(key, "command.user."):
		return 32
	case strings.HasPrefix(key, "command."), label.MatchString(key):
		return discord.MaxCommandDescription
	case button, strings.Contains(key, ".step."), strings.HasSuffix(key, ".name"):
		return discord.MaxButtonLabel
	case rulesText.MatchString(key):
		return engine.MaxPageText
	case rulesPage.MatchString(key):
		return engine.MaxPageTitle
	}
	return 1000
}

// compareForms compares a translation with the English text and returns its faults.
func compareForms(lang, key string, english, translated forms, button bool) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	want := []string{"other"}
	have := slices.Sorted(maps.Keys(translated))
	wantArgs := arguments(slices.Collect(maps.Values(english)))
	if len(english) > 1 || slices.Contains(wantArgs, "Count") && len(have) > 1 {
		want = pluralForms[lang]
	}
	if !slices.Equal(have, want) {
		fault("has the forms %v, not %v", have, want)
	}
	noCount := func(args []string) []string {
		return slices.DeleteFunc(args, func(a string) bool { return a == "Count" })
	}
	for form, text := range translated {
		args := arguments([]string{text})
		if form == "other" && slices.Contains(wantArgs, "Count") && !slices.Contains(args, "Count") {
			fault("omits {{.Count}}")
		}
		if !slices.Contains(wantArgs, "Count") && slices.Contains(args, "Count") {
			fault("uses {{.Count}}, which the English text does not have")
		}
		if got, want := noCount(args), noCount(slices.Clone(wantArgs)); !slices.Equal(got, want) {
			fault("has the arguments %v, not %v", got, want)
		}
		if strings.Count(text, "{{") != len(argument.FindAllString(text, -1)) || strings.Count(text, "}}") != strings.Count(text, "{{") {
			fault("has braces that are no argument: %q", text)
		}
		if form == "one" && slices.Contains(oneIsZero, lang) && strings.Contains(text, "1") {
			fault("names the number 1 in the form one, which is for zero too: use {{.Count}}")
		}
		if strings.TrimSpace(text) != text || text == "" || strings.ContainsAny(text, "⟨⟩\r\t") || strings.Contains(text, "\n\n\n") {
			fault("is empty or has stray characters: %q", text)
		}
		if n, most := utf8.RuneCountInString(text), limit(key, button); n > most {
			fault("has %d characters, and %d is the limit", n, most)
		}
		for _, mark := range []string{"**", "`", "~~", "||", "__"} {
			if strings.Count(text, mark)%2 != 0 {
				fault("has a %s without a partner", mark)
			}
		}
		sameSpans := func(text string) []string { return slices.Sorted(slices.Values(codeSpan.FindAllString(text, -1))) }
		if got, want := sameSpans(text), sameSpans(english["other"]); !slices.Equal(got, want) {
			fault("has the words for typing %v, not %v", got, want)
		}
		if n := strings.Count(english["other"], "\n"); strings.Count(text, "\n") != n {
			fault("has %d line breaks, not %d", strings.Count(text, "\n"), n)
		}
	}
	return faults
}

// buttonKeys returns the keys whose texts the code puts on buttons: those in a
// call or a value that also names a style of buttons.
func buttonKeys(t *testing.T) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	texts := readForms(t, "en.toml")
	inspect(t, func(n ast.Node) {
		var parts []ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			parts = n.Args
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				parts = append(parts, e)
			}
		}
		styled := slices.ContainsFunc(parts, func(e ast.Expr) bool {
			s, ok := e.(*ast.SelectorExpr)
			return ok && slices.Contains([]string{"Primary", "Secondary", "Success", "Danger", "Link"}, s.Sel.Name)
		})
		for _, e := range parts {
			ast.Inspect(e, func(n ast.Node) bool {
				if s, ok := literal(n); ok && styled && texts[s] != nil {
					keys[s] = true
				}
				return true
			})
		}
	})
	for _, key := range []string{"board.yours", "challenge.accept", "lobby.join", "takeback.button", "resign.no"} {
		if !keys[key] {
			t.Errorf("the test does not find that %s is on a button", key)
		}
	}
	return keys
}
