package oracle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// place is where the description is looked for, relative to the folder of
// go.mod: beside the project, for it is not a part of it.
var place = filepath.Join("..", "shared", "discord", "openapi.json")

// Load reads the description from ../shared/discord/openapi.json beside the
// folder of go.mod. Without it the test is skipped with one line, except where
// the environment variable CI is set: there it fails, for a run that is to
// vouch for something must not pass by checking nothing.
func Load(tb testing.TB) *Oracle {
	tb.Helper()
	root, err := moduleRoot()
	if err != nil {
		tb.Fatal(err)
	}
	return load(tb, filepath.Join(root, place))
}

// Present says whether the description is where [Load] looks for it: for tests
// that are worth running without it.
func Present() bool {
	root, err := moduleRoot()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(root, place))
	return err == nil
}

func load(tb testing.TB, file string) *Oracle {
	tb.Helper()
	o, err := Open(file)
	switch {
	case err == nil:
		return o
	case !errors.Is(err, fs.ErrNotExist):
		tb.Fatal(err)
	case os.Getenv("CI") != "":
		tb.Fatalf("Discord's API description is missing: %v", err)
	default:
		tb.Skipf("skipped: Discord's API description is not at %s", filepath.ToSlash(place))
	}
	return nil
}

// Open reads the description from a file.
func Open(file string) (*Oracle, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("opening the API description: %w", err)
	}
	defer f.Close()
	return New(f)
}

// moduleRoot is the nearest folder above the working directory, or itself,
// that holds a go.mod. Tests run in their package's folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for go.mod: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("looking for go.mod: there is none in this folder or above it")
		}
		dir = parent
	}
}
