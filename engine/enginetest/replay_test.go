package enginetest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/enginetest"
)

// countRecord is a record of a made-up game that counts from 0 to its size.
type countRecord struct {
	Game string
	Size int
	At   int
	End  bool
}

// countReplay replays games that count. Games of size 9 cannot be played.
func countReplay(update bool) enginetest.Replay[countRecord] {
	return enginetest.Replay[countRecord]{
		Game:   "counting",
		Header: func(r countRecord) bool { return r.Game != "" },
		Final:  func(r countRecord) bool { return r.End },
		Start: func(header countRecord) (func(countRecord) ([]string, error), error) {
			at := 0
			if header.Size == 9 {
				return nil, nil
			}
			return func(r countRecord) (found []string, err error) {
				if r.At != at {
					found = []string{fmt.Sprintf("at %d, not %d", at, r.At)}
				}
				at++
				if at == 7 {
					err = enginetest.ErrSkipRest
				}
				return found, err
			}, nil
		},
		Update: update,
	}
}

// counting returns a recorded game.
func counting(size, seed int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"game":"counting","size":%d,"seed":%d}`+"\n", size, seed)
	for at := range size + 1 {
		fmt.Fprintf(&b, `{"at":%d,"end":%t}`+"\n", at, at == size)
	}
	return b.String()
}

func TestReplay(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "testdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	var first, second string
	for seed := range 60 {
		first += counting(3, seed)
		second += counting(4+seed%6, seed)
	}
	recorded(t, first, root, "corpus", "counting", "a.jsonl.gz")
	recorded(t, second, root, "corpus", "counting", "b.jsonl.gz")
	run := func(corpus string, update bool) *recorder {
		t.Setenv(enginetest.CorpusVariable, corpus)
		return watch(func(r *recorder) { countReplay(update).Run(r) })
	}
	if r := run("", false); !r.failed {
		t.Error("a missing sample passes")
	}
	if r := run("nowhere", false); !r.failed {
		t.Error("a missing corpus passes")
	}
	if r := run("corpus", true); r.failed {
		t.Errorf("writing the sample: %s", r.said())
	}
	if r := run("", false); r.failed {
		t.Errorf("the sample: %s", r.said())
	}
	games, sizes := 0, map[int]bool{}
	if err := enginetest.EachLine(enginetest.SampleFile, func(_ int, object json.RawMessage) error {
		var r countRecord
		err := json.Unmarshal(object, &r)
		if r.Game != "" {
			games++
			sizes[r.Size] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if games != 40 || len(sizes) != 6 || sizes[9] {
		t.Errorf("the sample has %d games of sizes %v", games, sizes)
	}
	recorded(t, counting(3, 100), root, "corpus", "counting", "c.jsonl.gz")
	if r := run("corpus", false); !r.failed {
		t.Error("a sample of another corpus passes")
	}
	for _, text := range []string{
		strings.Replace(counting(3, 1), `"at":2`, `"at":1`, 1),
		strings.Replace(counting(3, 1), `"end":true`, `"end":false`, 1),
		strings.Replace(counting(3, 1), `"end":false`, `"end":true`, 1),
		counting(9, 1), "",
	} {
		recorded(t, text, root, enginetest.SampleFile)
		if r := run("", false); !r.failed {
			t.Errorf("passes:\n%s", text)
		}
	}
}
