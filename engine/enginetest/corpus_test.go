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

func TestCorpus(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "module", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "module", "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	for _, path := range []string{"trails/b.jsonl.gz", "trails/a.jsonl.gz", "trails/placements.json", "rings/README.md"} {
		recorded(t, "{}\n", top, "elsewhere", path)
	}
	for _, c := range []struct {
		asked, game string
		files       int
		failed      bool
	}{
		{"", "trails", 0, false},
		{"../nowhere", "trails", 0, true},
		{"../elsewhere", "trails", 2, false},
		{filepath.Join(top, "elsewhere"), "trails", 2, false},
		{"../elsewhere", "rings", 0, true},
	} {
		t.Setenv(enginetest.CorpusVariable, c.asked)
		var files []string
		r := enginetest.Record(func(r enginetest.T) { files = enginetest.Corpus(r, c.game) })
		if r.Failed != c.failed || len(files) != c.files || len(files) > 1 && filepath.Base(files[1]) != "b.jsonl.gz" {
			t.Errorf("%s in %q: %v, %s", c.game, c.asked, files, r.Said())
		}
	}
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
