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
// games, relative to the folder of go.mod.
const CorpusVariable = "CASTELLAN_CORPUS"

// Corpus returns the files of recorded games in the folder of a game, such as
// "trails", sorted; none if the environment variable is not set. A corpus that
// was asked for and has no games fails the test.
func Corpus(t T, folder string) []string {
	t.Helper()
	dir := os.Getenv(CorpusVariable)
	if dir == "" {
		return nil
	}
	if !filepath.IsAbs(dir) {
		root, err := moduleRoot()
		if err != nil {
			t.Fatalf("corpus %s: %v", folder, err)
		}
		dir = filepath.Join(root, dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, folder, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("corpus %s: there are no *.jsonl.gz files in %s", folder, dir)
	}
	return files
}

// moduleRoot returns the folder of go.mod, at or above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod above the working directory")
		}
	}
	return "", err
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
