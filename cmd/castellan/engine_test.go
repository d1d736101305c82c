package main

import (
	"bufio"
	"flag"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files anew")

// session is the example of docs/engine-protocol.md: lines that are sent begin
// with "> ".
var session = regexp.MustCompile("(?s)```text\n(> castellan\n.*?)```")

// changing is what differs from one run to the next.
var changing = regexp.MustCompile(`(?m)^id name .*$| time \d+( nps \d+)?`)

// The session in the documentation is what the program answers.
func TestEngineSessionGolden(t *testing.T) {
	const file = "../../docs/engine-protocol.md"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := session.FindSubmatchIndex(doc)
	if found == nil {
		t.Fatalf("%s has no session", file)
	}
	want := string(doc[found[2]:found[3]])

	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- engineCommand{Game: "trails", Memory: 16}.serve(t.Context(), theirIn, theirOut)
		theirOut.Close()
	}()
	var got strings.Builder
	said := bufio.NewScanner(out)
	hear := func(last func(string) bool) {
		for said.Scan() && !last(said.Text()) {
			got.WriteString(said.Text() + "\n")
		}
	}
	inRecord := false
	for line := range strings.Lines(want) {
		sent, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		if !ok {
			continue
		}
		got.WriteString("> " + sent + "\n")
		if _, err := io.WriteString(in, sent+"\n"); err != nil {
			t.Fatal(err)
		}
		inRecord = strings.HasPrefix(sent, "position record") || inRecord && sent != "."
		switch word, _, _ := strings.Cut(sent, " "); {
		case inRecord, word == "quit":
		case word == "go":
			hear(func(l string) bool {
				word, _, _ := strings.Cut(l, " ")
				answer := word == "bestturn" || word == "error"
				if answer {
					got.WriteString(l + "\n")
				}
				return answer
			})
		default: // everything is answered before what comes next
			if _, err := io.WriteString(in, "isready\n"); err != nil {
				t.Fatal(err)
			}
			hear(func(l string) bool { return l == "readyok" })
			if sent == "isready" {
				got.WriteString("readyok\n")
				hear(func(l string) bool { return l == "readyok" })
			}
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if same := changing.ReplaceAllString(got.String(), "") == changing.ReplaceAllString(want, ""); same {
		return
	}
	if !*update {
		t.Fatalf("the session is now\n%s\nmake golden writes it", got.String())
	}
	written := string(doc[:found[2]]) + got.String() + string(doc[found[3]:])
	if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEngineErrors(t *testing.T) {
	castellan(t, "engine", "--game", "chess").refusal(t, exitUsage, "chess", "stone-towers", "trails")
	castellan(t, "engine", "--game", "trails", "--level", "wizard").refusal(t, exitUsage, "wizard", "newcomer")
	castellan(t, "engine", "--game", "trails", "--memory", "0").refusal(t, exitUsage, "--memory", "4096")
}

// The rating of a level is its place on the measured ladder: from each level to
// the next, the difference in Elo in docs/strength.md.
func TestLevelRatingsFollowTheLadder(t *testing.T) {
	doc, err := os.ReadFile("../../docs/strength.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		_, table, found := strings.Cut(string(doc), "<!-- ladder "+g.rules.Key()+" -->")
		if !found {
			t.Fatalf("docs/strength.md has no ladder of %s", g.rules.Key())
		}
		table, _, _ = strings.Cut(table, "\n## ")
		levels := g.engine.Levels
		for i := 1; i < len(levels); i++ {
			row := regexp.MustCompile(`(?m)^\| ` + levels[i].Key + ` – ` + levels[i-1].Key + ` \|.*?% \| [+]?(\d+) `).FindStringSubmatch(table)
			if row == nil {
				t.Fatalf("%s: the ladder has no %s – %s", g.rules.Key(), levels[i].Key, levels[i-1].Key)
			}
			elo, err := strconv.ParseFloat(row[1], 64)
			if err != nil || math.Abs(levels[i].Rating-levels[i-1].Rating-elo) > 1 {
				t.Errorf("%s: %s is rated %.0f and %s %.0f, measured is a difference of %s",
					g.rules.Key(), levels[i].Key, levels[i].Rating, levels[i-1].Key, levels[i-1].Rating, row[1])
			}
		}
	}
}
