package enginetest_test

import (
	"fmt"
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
func countReplay() enginetest.Replay[countRecord] {
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
	t.Chdir(root)
	run := func(corpus string) *enginetest.Recorder {
		t.Setenv(enginetest.CorpusVariable, corpus)
		return enginetest.Record(func(r enginetest.T) { countReplay().Run(r) })
	}
	if r := run(""); !r.Failed {
		t.Error("a missing sample passes")
	}
	sound := counting(3, 1) + counting(9, 2) + counting(8, 3)
	recorded(t, sound, root, enginetest.SampleFile)
	if r := run(""); r.Failed {
		t.Errorf("the sample: %s", r.Said())
	}
	if r := run(filepath.Join(root, "nowhere")); !r.Failed {
		t.Error("a missing corpus passes")
	}
	corpus := filepath.Join(root, "corpus")
	for _, text := range []string{
		strings.Replace(counting(3, 1), `"at":2`, `"at":1`, 1),
		strings.Replace(counting(3, 1), `"end":true`, `"end":false`, 1),
		strings.Replace(counting(3, 1), `"end":false`, `"end":true`, 1),
		counting(9, 1), "",
	} {
		recorded(t, sound, root, enginetest.SampleFile)
		recorded(t, text, corpus, "counting", "a.jsonl.gz")
		if r := run(corpus); !r.Failed {
			t.Errorf("passes in the corpus:\n%s", text)
		}
		recorded(t, text, root, enginetest.SampleFile)
		if r := run(""); !r.Failed {
			t.Errorf("passes:\n%s", text)
		}
	}
}
