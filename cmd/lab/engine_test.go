package main

import (
	"bufio"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
)

var update = flag.Bool("update", false, "write golden files anew")

// session is the example of docs/reference/engine-protocol.md: lines that are sent begin
// with "> ".
var session = regexp.MustCompile("(?s)```text\n(> castellan\n.*?)```")

// changing is what differs from one run to the next.
var changing = regexp.MustCompile(`(?m)^id name .*$| time \d+( nps \d+)?`)

// The session in the documentation is what the program answers.
func TestEngineSessionGolden(t *testing.T) {
	const file = "../../docs/reference/engine-protocol.md"
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
	lab(t, "engine", "--game", "chess").Refused(t, cli.ExitUsage, "chess", "stone-towers", "trails")
	lab(t, "engine", "--game", "trails", "--level", "wizard").Refused(t, cli.ExitUsage, "wizard", "newcomer")
	lab(t, "engine", "--game", "trails", "--memory", "0").Refused(t, cli.ExitUsage, "--memory", "4096")
}
