package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
	"castellan/cmd/lab/internal/arena"
)

// readReport reads a report without times.
func readReport(t *testing.T, file string) arena.Report {
	t.Helper()
	r, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Games {
		for i := range g.Usage {
			g.Usage[i].Seconds, g.Usage[i].MaxSeconds = 0, 0
		}
	}
	for i := range r.Summary.Players {
		p := &r.Summary.Players[i]
		p.SecondsPerTurn, p.MaxSeconds = 0, 0
	}
	return r
}

func TestMain(m *testing.M) { clitest.Main(m, program()) }

func lab(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return clitest.Run(t, program(), args...)
}

const smallArena = "arena --game trails --players newcomer,random,greedy --games 6 --seed 7 --threads 1"

func arenaOf(t *testing.T, more ...string) clitest.Result {
	t.Helper()
	return lab(t, append(append(strings.Fields(smallArena), "--options", "size=5 towers=1"), more...)...)
}

// A stopped run continues with --resume, repeats nothing, and ends with the
// same report.
func TestArenaResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	got := arenaOf(t, "--json", file)
	if got.Code != cli.ExitOK || !strings.Contains(got.Out, "newcomer – random  6") {
		t.Fatalf("%+v", got)
	}
	whole := readReport(t, file)
	if !whole.Complete || len(whole.Games) != 18 || whole.Terms.Options != "size=5 towers=1 distance=1" {
		t.Fatalf("%+v", whole)
	}

	// A run killed after seven games.
	part := whole
	part.Games, part.Complete = whole.Games[:7], false
	text, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	arenaOf(t, "--json", file).Refused(t, cli.ExitUsage, "7 games", "--resume")
	other := part
	other.Program = "castellan 0.0.1"
	if text, err = json.Marshal(other); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "older.json")
	if err := os.WriteFile(older, text, 0o644); err != nil {
		t.Fatal(err)
	}
	arenaOf(t, "--json", older, "--resume").Refused(t, cli.ExitUsage, "castellan 0.0.1")
	arenaOf(t, "--json", file, "--resume", "--nodes", "3").Refused(t, cli.ExitUsage, "nodes 40000 instead of 3")
	if got := arenaOf(t, "--json", file, "--resume"); got.Code != cli.ExitOK {
		t.Fatalf("%+v", got)
	}
	if again := readReport(t, file); !reflect.DeepEqual(again, whole) {
		t.Errorf("%+v, not %+v", again, whole)
	}

	// A complete report is not overwritten either.
	arenaOf(t, "--json", file).Refused(t, cli.ExitUsage, "games of an earlier run", "another file")
	if again := readReport(t, file); !reflect.DeepEqual(again, whole) {
		t.Errorf("%+v, not %+v", again, whole)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); err != nil || len(left) != 1 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// Programs that speak the protocol can play; here it is this one.
func TestArenaPlaysPrograms(t *testing.T) {
	t.Setenv(clitest.Self, "yes")
	file := filepath.Join(t.TempDir(), "report.json")
	self := "cmd:" + os.Args[0] + " engine --game "
	args := []string{"arena", "--game", "trails", "--options", "size=5 towers=1", "--games", "2", "--threads", "2", "--nodes", "5", "--json", file}
	if got := lab(t, append(args, "--players", self+"trails,top")...); got.Code != cli.ExitOK {
		t.Fatalf("%+v", got)
	}
	r := readReport(t, file)
	if p := r.Summary.Players[0]; p.Player != self+"trails" || p.Turns == 0 || p.Faults != 0 || p.NodesPerTurn == 0 {
		t.Errorf("%+v", p)
	}
	// It gets the seed, so it plays exactly like the level.
	if got := lab(t, append(args[:len(args)-1:len(args)-1], file+".own", "--players", "master,top")...); got.Code != cli.ExitOK {
		t.Fatalf("%+v", got)
	}
	theirs := map[int]string{}
	for _, g := range r.Games {
		theirs[g.Seating] = g.Opening + g.Actions
	}
	for _, own := range readReport(t, file+".own").Games {
		if got := theirs[own.Seating]; got != own.Opening+own.Actions {
			t.Errorf("the program plays %q, and the level %q", got, own.Opening+own.Actions)
		}
	}
	for program, said := range map[string]string{
		self + "rings":               "rings",
		"cmd:" + t.TempDir() + "/no": "no such file",
		"cmd:":                       "command",
	} {
		got := lab(t, append(args[:len(args)-2:len(args)-2], "--players", program+",top")...)
		if got.Code == cli.ExitOK || !strings.Contains(got.Errs, said) {
			t.Errorf("%s: %+v", program, got)
		}
	}
}

func TestArenaErrors(t *testing.T) {
	for _, c := range []struct {
		args  []string
		parts []string
	}{
		{[]string{"--players", "top"}, []string{"two players"}},
		{[]string{"--players", "top,wizard"}, []string{"wizard", "newcomer", "depth-N"}},
		{[]string{"--players", "top,random", "--options", "size=4"}, []string{"size"}},
		{[]string{"--players", "top,random", "--seats", "3"}, []string{"played by 2"}},
		{[]string{"--players", "top,random", "--sprt", "10,0"}, []string{"--sprt", "0,10"}},
		{[]string{"--players", "top,random", "--resume"}, []string{"--json"}},
		{[]string{"--players", "top,random", "--nodes", "-1"}, []string{"--nodes"}},
	} {
		lab(t, append([]string{"arena", "--game", "trails"}, c.args...)...).Refused(t, cli.ExitUsage, c.parts...)
	}
	lab(t, "arena", "--game", "chess", "--players", "top,random").Refused(t, cli.ExitUsage, "chess", "trails")
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("my notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	lab(t, "arena", "--game", "trails", "--players", "top,random", "--json", file).Refused(t, cli.ExitUsage, "notes.txt", "no report")
	if text, err := os.ReadFile(file); err != nil || string(text) != "my notes" {
		t.Errorf("it has become %q, %v", text, err)
	}
}
