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

// CorpusVariable names the environment variable with the folder of recorded
// games. A relative path is relative to the folder of go.mod. Unset,
// ../shared/corpus is used where it exists.
const CorpusVariable = "CASTELLAN_CORPUS"

const defaultCorpus = "../shared/corpus"

// Corpus is the recorded games of one game.
type Corpus struct {
	Dir   string   // the folder of the game
	Files []string // the *.jsonl.gz files in it, sorted
}

// OpenCorpus finds the recorded games in the folder of that name, such as
// "trails". Where there is no corpus the test is skipped with one line, or
// fails when the environment variable CI is set: there a check that did not
// run must not look like one that passed. A corpus that was asked for and
// holds no games fails the test.
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

// NoCorpusError says that no corpus was asked for and none is in the usual
// place.
type NoCorpusError struct{ Dir string }

func (e *NoCorpusError) Error() string {
	return fmt.Sprintf("no recorded games: %s is not set and there is no %s", CorpusVariable, e.Dir)
}

// FindCorpus is OpenCorpus without a test: root is the folder of go.mod and
// asked the value of the environment variable. It gives a *NoCorpusError where
// nothing was asked for and nothing is there.
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

// ModuleRoot is the folder of go.mod, at or above the working directory.
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

// EachLine calls do with every JSON object of a *.jsonl.gz file, until it
// fails. Line numbers count from 1.
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
