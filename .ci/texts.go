//go:build ignore

// Texts lists every text that people read, once: its place in the catalogue or
// in a game, its key, the places in the code that print it, and the text. Run it
// from the root of the repository to review them:
//
//	go run .ci/texts.go
//
// With a language it prints every text as people read it, filled with samples, with the
// English text above it: names, one of them long and one written from right to left, a
// date, a time ago, and the counts 0, 1, 2 and 5.
//
//	go run .ci/texts.go de
//
// With --page it posts them in a sandbox instead, to be read as they look in Discord: a
// channel for each part of the bot, and short ones on a button, too.
//
//	go run .ci/texts.go de --page
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
)

// entry is a line of TOML with a key and a text, or the beginning of a longer
// text.
var entry = regexp.MustCompile(`^"([^"]+)"(\.one|\.other)? = "(.*)$`)

// form is the singular or plural of a text with a table of its own.
var (
	table = regexp.MustCompile(`^\["([^"]+)"\]$`)
	form  = regexp.MustCompile(`^(one|other) = "(.*)"$`)
)

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[2] == "--page":
		showPage(fill(os.Args[1]))
		return
	case len(os.Args) == 2:
		printFilled(os.Args[1], fill(os.Args[1]))
		return
	}
	uses := map[string][]string{}
	quoted := regexp.MustCompile(`"([a-z-]+(?:\.[a-z0-9+/-]+)+)"`)
	must(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for i, line := range strings.Split(string(source), "\n") {
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				uses[m[1]] = append(uses[m[1]], fmt.Sprintf("%s:%d", path, i+1))
			}
		}
		return err
	}))
	files, err := filepath.Glob("engine/*/texts.toml")
	must(err)
	for _, file := range append([]string{"bot/catalogue/en.toml"}, files...) {
		text, err := os.ReadFile(file)
		must(err)
		key := ""
		for i, line := range strings.Split(string(text), "\n") {
			if m := table.FindStringSubmatch(line); m != nil {
				key = m[1]
			} else if m := entry.FindStringSubmatch(line); m != nil {
				key = m[1]
				fmt.Printf("%s:%d\t%s%s\t%s\t%s\n", file, i+1, key, m[2], strings.Join(uses[key], " "), strings.TrimSuffix(m[3], `"`))
			} else if m := form.FindStringSubmatch(line); m != nil {
				fmt.Printf("%s:%d\t%s.%s\t%s\t%s\n", file, i+1, key, m[1], strings.Join(uses[key], " "), m[2])
			} else if line != "" && !strings.HasPrefix(line, "#") {
				fmt.Printf("%s:%d\t%s\t\t%s\n", file, i+1, key, strings.TrimSuffix(line, `"""`))
			}
		}
	}
}

var (
	argument = regexp.MustCompile(`{{\.(\w+)}}`)
	names    = []string{"Anna", "Maximiliane von und zu Hohenfels", "مريم"}
	// times are a date and a time ago as clients show them.
	times = map[string][2]string{
		"en": {"3 May 2026 14:30", "5 minutes ago"}, "de": {"3. Mai 2026 um 14:30", "vor 5 Minuten"},
		"fr": {"3 mai 2026 à 14:30", "il y a 5 minutes"}, "es": {"3 de mayo de 2026, 14:30", "hace 5 minutos"},
		"pt-BR": {"3 de maio de 2026 às 14:30", "há 5 minutos"}, "ja": {"2026年5月3日 14:30", "5 分前"},
	}
	// sampleTexts are texts that stand in others.
	sampleTexts = map[string]string{
		"Game": "rings.name", "Games": "rings.name", "Reason": "rings.reason.passes", "Direction": "trails.direction.left", "Result": "result.won",
		"Range": "level.medium", "Permissions": "permission.attach", "Clock": "clock.none", "Why": "error.turns", "Line": "turn.line",
		"Since": "clock.moved", "Colour": "colour.red", "Does": "turn.passed", "Need": "trails.need.2", "Time": "clock.days",
	}
	sampleValues = map[string]string{
		"Mark": "●", "Link": "[…]", "Turn": "d4", "Reply": "e5", "Square": "d4", "Squares": "d4, e5", "Token": "x9", "Rating": "1500", "Channel": "#games",
		"Channels": "#games, #play", "Circles": "3, 8", "Letters": "b, r", "Scores": "● 3 ◆ 5", "Change": "1500 → 1520", "Code": "AB12CD",
	}
	people = []string{"Who", "Challenger", "Opponent", "Opponents", "Others", "People", "Winners", "Silent", "By", "Rest", "Player", "First", "Second", "Winner", "Loser", "Mention", "Owner", "Seat"}
)

// filled is a text with samples, for each count if it has one.
type filled struct {
	key            string
	english, other []string
}

// fill returns every text of a language.
func fill(lang string) (all []filled) {
	texts, err := catalogue.New(rings.Game{}, stonetowers.Game{}, towers.Game{}, trails.Game{})
	must(err)
	if !slices.Contains(texts.Languages(), lang) {
		must(fmt.Errorf("there is no language %q; there are %v", lang, texts.Languages()))
	}
	files, err := filepath.Glob("engine/*/texts.toml")
	must(err)
	for _, file := range append([]string{"bot/catalogue/en.toml", "engine/texts.toml"}, files...) {
		source, err := os.ReadFile(file)
		must(err)
		english := engine.MustTexts(string(source))
		for _, key := range slices.Sorted(maps.Keys(english)) {
			if texts.Has(key) {
				all = append(all, filled{key, fillText(texts.Printer("en"), key, english[key]), fillText(texts.Printer(lang), key, english[key])})
			}
		}
	}
	return all
}

// fillText returns a text, for each count if it has one.
func fillText(say *catalogue.Printer, key string, text engine.Text) (all []string) {
	var args []any
	for i, m := range argument.FindAllStringSubmatch(text.Other, -1) {
		var value any = 3
		switch name := m[1]; {
		case name == "Date":
			value = times[say.Language()][0]
		case name == "Ago", name == "Again":
			value = times[say.Language()][1]
		case slices.Contains(people, name):
			value = names[(i+len(key))%len(names)]
		case sampleTexts[name] != "" && sampleTexts[name] != key:
			value = say.T(sampleTexts[name], "Count", 2, "Who", names[0], "Ago", times[say.Language()][1], "Number", 3, "Mark", "●", "Turn", "d4", "Turns", 9)
		case sampleValues[name] != "":
			value = sampleValues[name]
		}
		args = append(args, m[1], value)
	}
	counts := []int{2}
	if strings.Contains(text.Other, "{{.Count}}") {
		counts = []int{0, 1, 2, 5}
	}
	for _, n := range counts {
		all = append(all, say.T(key, append(args, "Count", n)...))
	}
	return all
}

func printFilled(lang string, all []filled) {
	for _, f := range all {
		fmt.Println("#", f.key)
		for _, text := range f.english {
			fmt.Printf("en\t%s\n", strings.ReplaceAll(text, "\n", "\n\t"))
		}
		for _, text := range f.other {
			fmt.Printf("%s\t%s\n", lang, strings.ReplaceAll(text, "\n", "\n\t"))
		}
	}
}

// fewest is the least number of texts for which a part of the bot gets a channel. Smaller
// parts share one.
const fewest = 9

// showPage posts texts in a sandbox, and serves it until the program is interrupted.
func showPage(all []filled) {
	size := map[string]int{}
	part := func(f filled) string {
		p, _, _ := strings.Cut(f.key, ".")
		return p
	}
	for _, f := range all {
		size[part(f)]++
	}
	w := sandbox.DefaultWorld()
	w.Channels = nil
	channels := map[string]string{}
	for i, p := range append(slices.Sorted(maps.Keys(size)), "others") {
		if size[p] >= fewest || p == "others" {
			channels[p] = fmt.Sprint(1150000000000000101 + i)
			w.Channels = append(w.Channels, sandbox.Channel{ID: channels[p], Name: p})
		}
	}
	l, err := sandbox.Listen("127.0.0.1:0")
	must(err)
	chat, err := sandbox.New(sandbox.Options{World: w, Limits: sandbox.Limits{PerSecond: 1e6, PerRoute: 1e6}})
	must(err)
	ended := make(chan error)
	go func() { ended <- chat.Serve(l) }()
	for _, f := range all {
		message := map[string]any{"content": "-# " + f.key + "\n" + strings.Join(f.other, "\n") + "\n> " + strings.ReplaceAll(strings.Join(f.english, "\n"), "\n", "\n> ")}
		if label := f.other[0]; len([]rune(label)) <= 40 && !strings.ContainsAny(label, "*_`\n.") {
			message["components"] = []any{map[string]any{"type": 1, "components": []any{map[string]any{"type": 2, "style": 2, "label": label, "custom_id": "x"}}}}
		}
		channel := cmp.Or(channels[part(f)], channels["others"])
		body, err := json.Marshal(message)
		must(err)
		r, err := http.NewRequest(http.MethodPost, "http://"+l.Addr().String()+"/api/v10/channels/"+channel+"/messages", bytes.NewReader(body))
		must(err)
		r.Header.Set("Authorization", "Bot "+chat.Token())
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		must(err)
		if answer.StatusCode != http.StatusOK {
			why, _ := io.ReadAll(answer.Body)
			fmt.Fprintf(os.Stderr, "%s: %s\n", f.key, why)
		}
		answer.Body.Close()
	}
	fmt.Printf("http://%s\n", l.Addr())
	must(<-ended)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
