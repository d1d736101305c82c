package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// SampleFile holds 40 of the recorded games of a game, with every value of its
// options, so that a fresh clone verifies the rules. The full corpus is compared too
// where the environment variable CASTELLAN_CORPUS names its folder.
const SampleFile = "testdata/corpus.jsonl.gz"

// ErrSkipRest tells Replay.Run that the rest of a recorded game cannot be
// compared.
var ErrSkipRest = errors.New("skip the rest of this game")

// Replay compares recorded games with an implementation of their rules. R is
// the type of a record, decoded from one JSON object.
type Replay[R any] struct {
	Game   string       // the corpus folder of the game
	Header func(R) bool // reports whether a record begins a game
	Final  func(R) bool // reports whether a record ends a game

	// Start begins a game. The function that it returns compares one record and
	// plays its action; it returns the differences. A nil function skips a game
	// that cannot be played.
	Start func(header R) (step func(R) ([]string, error), err error)

	Report func(corpus string) // prints further counts, if set
}

// counts counts what a comparison with recorded games has covered.
type counts struct{ games, skipped, positions, differing int }

// Run compares the sample and, where CASTELLAN_CORPUS is set, the full corpus.
// It prints one line of counts for each.
func (r Replay[R]) Run(t T) {
	t.Helper()
	r.compare(t, "corpus-sample", []string{SampleFile})
	if full := Corpus(t, r.Game); full != nil {
		r.compare(t, "corpus", full)
	}
}

func (r Replay[R]) compare(t T, name string, files []string) {
	t.Helper()
	var n counts
	for _, file := range files {
		if err := r.replay(t, file, &n); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if n.games == 0 {
		t.Errorf("%s %s: no game could be replayed", name, r.Game)
	}
	skipped := ""
	if n.skipped > 0 {
		skipped = fmt.Sprintf(" skipped=%d", n.skipped)
	}
	fmt.Printf("%s %s: games=%d%s positions=%d differences=%d\n", name, r.Game, n.games, skipped, n.positions, n.differing)
	if r.Report != nil {
		r.Report(name)
	}
}

func (r Replay[R]) replay(t T, file string, n *counts) error {
	t.Helper()
	open := false
	var step func(R) ([]string, error)
	err := EachLine(file, func(line int, object json.RawMessage) error {
		var record R
		if err := json.Unmarshal(object, &record); err != nil {
			return fmt.Errorf("decoding a record: %w", err)
		}
		if r.Header(record) == open {
			return errors.New("a game without a header or without an end")
		}
		if !open {
			open = true
			var err error
			if step, err = r.Start(record); err == nil && step == nil {
				n.skipped++
			} else {
				n.games++
			}
			return err
		}
		open = !r.Final(record)
		if step == nil {
			return nil
		}
		n.positions++
		found, err := step(record)
		if errors.Is(err, ErrSkipRest) {
			step, err = nil, nil
		}
		if len(found) > 0 {
			if n.differing++; n.differing <= 20 {
				t.Errorf("%s:%d: %v", filepath.Base(file), line, found)
			}
		}
		return err
	})
	if err == nil && open {
		t.Errorf("%s ends in the middle of a game", filepath.Base(file))
	}
	return err
}
