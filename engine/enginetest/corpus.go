package enginetest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CorpusVariable is the environment variable with the folder of the recorded
// games, relative to the folder of go.mod. If it is unset, ../shared/corpus is
// used if it exists.
const CorpusVariable = "CASTELLAN_CORPUS"

const defaultCorpus = "../shared/corpus"

// Corpus lists the files of the recorded games of one game.
type Corpus struct {
	Dir   string   // the folder of the game
	Files []string // the *.jsonl.gz files in it, sorted
}

// OpenCorpus finds the recorded games in the folder of that name, such as
// "trails". Without a corpus it skips the test, or fails it if the environment
// variable CI is set, where a skipped check must not look like one that passed.
// A corpus that was asked for and has no games fails the test.
func OpenCorpus(t T, folder string) Corpus {
	t.Helper()
	root, err := ModuleRoot()
	if err != nil {
		t.Fatalf("corpus %s: %v", folder, err)
	}
	c, err := FindCorpus(root, os.Getenv(CorpusVariable), folder)
	var missing *NoCorpusError
	switch {
	case errors.As(err, &missing) && os.Getenv("CI") == "":
		t.Skipf("corpus %s: %v", folder, err)
	case err != nil:
		t.Fatalf("corpus %s: %v", folder, err)
	}
	return c
}

// NoCorpusError reports that no corpus was asked for and that there is none in
// the default folder.
type NoCorpusError struct{ Dir string }

func (e *NoCorpusError) Error() string {
	return fmt.Sprintf("no recorded games: %s is not set and there is no %s", CorpusVariable, e.Dir)
}

// FindCorpus finds the recorded games as OpenCorpus does, given the folder of
// go.mod and the value of the environment variable. It fails with a
// *NoCorpusError if nothing was asked for and there is no corpus.
func FindCorpus(root, asked, folder string) (Corpus, error) {
	dir := asked
	if asked == "" {
		dir = defaultCorpus
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if asked == "" {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return Corpus{}, &NoCorpusError{Dir: dir}
		}
	}
	c := Corpus{Dir: filepath.Join(dir, folder)}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return Corpus{}, fmt.Errorf("looking for recorded games: %w", err)
	}
	for _, e := range entries {
		if ok, _ := filepath.Match("*.jsonl.gz", e.Name()); ok {
			c.Files = append(c.Files, filepath.Join(c.Dir, e.Name()))
		}
	}
	if len(c.Files) == 0 {
		return Corpus{}, fmt.Errorf("there are no *.jsonl.gz files in %s", c.Dir)
	}
	return c, nil
}

// ModuleRoot returns the folder of go.mod, at or above the working directory.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for go.mod: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("looking for go.mod: there is none above the working directory")
		}
		dir = up
	}
}

// EachLine calls do with each line, from 1, of a *.jsonl.gz file, until do fails.
func EachLine(file string, do func(line int, object json.RawMessage) error) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("reading recorded games: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("reading recorded games: %s: %w", file, err)
	}
	r := bufio.NewReader(z)
	for line := 1; ; line++ {
		text, err := r.ReadBytes('\n')
		if len(text) > 0 {
			if err := do(line, json.RawMessage(text)); err != nil {
				return fmt.Errorf("%s:%d: %w", filepath.Base(file), line, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Base(file), line, err)
		}
	}
}
