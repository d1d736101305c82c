package catalogue_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// rejected returns the words that docs/build/terms.md rejects, by language.
func rejected(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/build/terms.md")
	if err != nil {
		t.Fatal(err)
	}
	words, lang := map[string][]string{}, ""
	for line := range strings.SplitSeq(string(text), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			lang = strings.Replace(heading, "English", "en", 1)
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 || cells[1] == " thing " || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for word := range strings.SplitSeq(cells[3], ",") {
			if word = strings.TrimSpace(word); word != "" {
				words[lang] = append(words[lang], word)
			}
		}
	}
	return words
}

// contains reports whether a text has a word, which begins and ends where no letter
// stands beside it. Japanese has no such places.
func contains(text, word string) bool {
	letter := func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}
	upper := []rune(word)
	upper[0] = unicode.ToUpper(upper[0])
	for _, w := range []string{word, string(upper)} {
		for at := strings.Index(text, w); at >= 0; {
			before, after := []rune(text[:at]), []rune(text[at+len(w):])
			if (len(before) == 0 || !letter(before[len(before)-1])) && (len(after) == 0 || !letter(after[0])) {
				return true
			}
			next := strings.Index(text[at+1:], w)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

// No text uses a word that the list of terms rejects, and French has its spaces that
// do not break.
func TestTerms(t *testing.T) {
	words := rejected(t)
	space := regexp.MustCompile(`« | [:;?!»]`)
	for lang := range pluralForms {
		if len(words[lang]) == 0 {
			t.Errorf("docs/build/terms.md rejects no words of the language %s", lang)
		}
		for _, s := range sources(t) {
			file := s.prefix + lang + ".toml"
			if lang == "en" {
				file = s.english
			}
			texts := readForms(t, file)
			for _, key := range slices.Sorted(maps.Keys(texts)) {
				for _, text := range texts[key] {
					text = argument.ReplaceAllString(codeSpan.ReplaceAllString(text, ""), "")
					for _, word := range words[lang] {
						if contains(text, word) {
							t.Errorf("%s: %s has the word %q: see docs/build/terms.md", file, key, word)
						}
					}
					if lang == "fr" && space.MatchString(text) {
						t.Errorf("%s: %s has a space that breaks before or after punctuation: %q", file, key, text)
					}
				}
			}
		}
	}
}
