package enginetest

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Every game package keeps a sample of its recorded games in SampleFile, so
// that a fresh clone verifies the rules. The full corpus is compared too where
// the environment variable CASTELLAN_CORPUS names its folder.
const (
	SampleFile  = "testdata/corpus.jsonl.gz"
	sampleGames = 40
)

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
	Update bool                // rewrite the sample from the full corpus
}

// counts counts what a comparison with recorded games has covered.
type counts struct{ games, skipped, positions, differing int }

// Run compares the sample and, where CASTELLAN_CORPUS is set, the full corpus.
// It prints one line of counts for each.
func (r Replay[R]) Run(t T) {
	t.Helper()
	full := Corpus(t, r.Game)
	if full != nil {
		r.checkSample(t, full)
	}
	r.compare(t, "corpus-sample", []string{SampleFile})
	if full != nil {
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

// replay compares the games of one file.
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

// checkSample fails the test unless the sample is the one that selectSample
// takes from the full corpus, or writes it.
func (r Replay[R]) checkSample(t T, full []string) {
	t.Helper()
	text, err := r.selectSample(full)
	if err == nil && r.Update {
		err = writeGzip(SampleFile, text)
	}
	have := ""
	if err == nil {
		err = EachLine(SampleFile, func(_ int, object json.RawMessage) error {
			have += string(object)
			return nil
		})
	}
	switch {
	case err != nil:
		t.Fatalf("corpus %s: sample: %v", r.Game, err)
	case have != text:
		t.Errorf("corpus %s: %s is not the sample of %s (the flag -update writes it)", r.Game, SampleFile, filepath.Dir(full[0]))
	}
}

// selectSample takes 40 games that can be played from the full corpus. The
// games of each file are ordered by the SHA-256 hash of their header. The files
// take turns by name; each gives its first remaining game with an option value
// that no earlier game of the sample has, or else its first remaining game.
func (r Replay[R]) selectSample(full []string) (string, error) {
	files := make([][]sampled, len(full))
	for i, file := range full {
		games, err := r.readGames(file)
		if err != nil {
			return "", err
		}
		slices.SortFunc(games, func(a, b sampled) int { return strings.Compare(a.hash, b.hash) })
		files[i] = games
	}
	var text strings.Builder
	seen := map[string]bool{}
	for taken, i := 0, 0; taken < sampleGames; i = (i + 1) % len(files) {
		if !slices.ContainsFunc(files, func(games []sampled) bool { return len(games) > 0 }) {
			break
		}
		if len(files[i]) == 0 {
			continue
		}
		k := max(0, slices.IndexFunc(files[i], func(g sampled) bool {
			return slices.ContainsFunc(g.options, func(o string) bool { return !seen[o] })
		}))
		for _, o := range files[i][k].options {
			seen[o] = true
		}
		text.WriteString(files[i][k].text.String())
		files[i] = slices.Delete(files[i], k, k+1)
		taken++
	}
	return text.String(), nil
}

// sampled is a recorded game with its option values, such as "size=5".
type sampled struct {
	hash    string
	options []string
	text    *strings.Builder
}

func (r Replay[R]) readGames(file string) (games []sampled, err error) {
	err = EachLine(file, func(_ int, object json.RawMessage) error {
		var record R
		if err := json.Unmarshal(object, &record); err != nil {
			return fmt.Errorf("decoding a record: %w", err)
		}
		if r.Header(record) {
			g := sampled{hash: fmt.Sprintf("%x", sha256.Sum256(object)), text: &strings.Builder{}}
			var header map[string]any
			if err := json.Unmarshal(object, &header); err != nil {
				return fmt.Errorf("decoding a header: %w", err)
			}
			delete(header, "seed")
			delete(header, "policy")
			g.options = optionValues("", header)
			if step, err := r.Start(record); err != nil || step == nil {
				g.options = nil
			}
			games = append(games, g)
		}
		if len(games) == 0 {
			return errors.New("a game without a header")
		}
		games[len(games)-1].text.Write(object)
		return nil
	})
	return slices.DeleteFunc(games, func(g sampled) bool { return g.options == nil }), err
}

// optionValues flattens the options of a header into "name=value" strings.
func optionValues(name string, value any) (out []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			out = append(out, optionValues(key, value)...)
		}
	case []any:
		for _, value := range v {
			out = append(out, optionValues(name, value)...)
		}
	default:
		out = []string{fmt.Sprint(name, "=", v)}
	}
	return out
}

func writeGzip(file, text string) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err == nil {
		_, err = z.Write([]byte(text))
	}
	return errors.Join(err, z.Close(), f.Close())
}
