package enginetest_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/enginetest"
)

// recorded makes a file with lines of recorded games.
func recorded(t *testing.T, lines string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if _, err := z.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFindCorpus(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "module")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}

	var missing *enginetest.NoCorpusError
	if _, err := enginetest.FindCorpus(root, "", "trails"); !errors.As(err, &missing) {
		t.Errorf("nothing asked for, nothing there: %v, not a *NoCorpusError", err)
	}
	if _, err := enginetest.FindCorpus(root, "../elsewhere", "trails"); err == nil || errors.As(err, &missing) {
		t.Errorf("a folder that was asked for is not there: %v", err)
	}

	elsewhere := recorded(t, "{}\n", top, "elsewhere", "trails", "b.jsonl.gz")
	recorded(t, "{}\n", top, "elsewhere", "trails", "a.jsonl.gz")
	recorded(t, "{}\n", top, "elsewhere", "trails", "placements.json")
	recorded(t, "{}\n", top, "elsewhere", "rings", "README.md")
	for _, asked := range []string{"../elsewhere", filepath.Join(top, "elsewhere")} {
		c, err := enginetest.FindCorpus(root, asked, "trails")
		if err != nil || len(c.Files) != 2 || c.Files[1] != elsewhere || c.Dir != filepath.Dir(elsewhere) {
			t.Errorf("%s: %+v, %v", asked, c, err)
		}
	}
	if _, err := enginetest.FindCorpus(root, "../elsewhere", "rings"); err == nil || errors.As(err, &missing) {
		t.Errorf("a folder without games that was asked for: %v", err)
	}

	usual := recorded(t, "{}\n", top, "shared", "corpus", "trails", "c.jsonl.gz")
	if c, err := enginetest.FindCorpus(root, "", "trails"); err != nil || len(c.Files) != 1 || c.Files[0] != usual {
		t.Errorf("the usual place: %+v, %v", c, err)
	}
}

func TestOpenCorpus(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "module")
	if err := os.MkdirAll(filepath.Join(module, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(module, "deep"))
	open := func(asked, ci string) (*recorder, enginetest.Corpus) {
		t.Setenv(enginetest.CorpusVariable, asked)
		t.Setenv("CI", ci)
		var c enginetest.Corpus
		r := watch(func(r *recorder) { c = enginetest.OpenCorpus(r, "trails") })
		return r, c
	}
	if r, _ := open("", ""); !r.skipped || r.failed || len(r.lines) != 1 || strings.Contains(r.said(), "\n") {
		t.Errorf("no corpus: skipped %t, failed %t, %q", r.skipped, r.failed, r.lines)
	}
	if r, _ := open("", "true"); r.skipped || !r.failed {
		t.Errorf("no corpus under CI: skipped %t, failed %t", r.skipped, r.failed)
	}
	if r, _ := open("games", ""); r.skipped || !r.failed {
		t.Errorf("no games where they were said to be: skipped %t, failed %t", r.skipped, r.failed)
	}
	want := recorded(t, "{}\n", module, "games", "trails", "a.jsonl.gz")
	if r, c := open("games", ""); r.skipped || r.failed || len(c.Files) != 1 || !sameFile(t, c.Files[0], want) {
		t.Errorf("games: %+v, %q", c, r.lines)
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

func TestEachLine(t *testing.T) {
	file := recorded(t, "{\"a\":1}\n{\"a\":2}", t.TempDir(), "x.jsonl.gz")
	var got []string
	err := enginetest.EachLine(file, func(line int, object json.RawMessage) error {
		got = append(got, strings.TrimSpace(string(object)))
		if line != len(got) {
			t.Errorf("line %d is called %d", len(got), line)
		}
		return nil
	})
	if err != nil || strings.Join(got, " ") != `{"a":1} {"a":2}` {
		t.Errorf("%q, %v", got, err)
	}

	stop := errors.New("stop")
	err = enginetest.EachLine(file, func(int, json.RawMessage) error { return stop })
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "x.jsonl.gz:1") {
		t.Errorf("the error of a line is %v", err)
	}

	// A file cut short is an error, not a shorter corpus.
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)-6], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := enginetest.EachLine(file, func(int, json.RawMessage) error { return nil }); err == nil {
		t.Error("a file cut short is read without an error")
	}
}
