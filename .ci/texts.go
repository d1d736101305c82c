//go:build ignore

// Texts lists every text that people read, once: its place in the catalogue or
// in a game, its key, the places in the code that print it, and the text. Run it
// from the root of the repository to review them:
//
//	go run .ci/texts.go
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// entry is a line of TOML with a key and a text, or the beginning of a longer
// text.
var entry = regexp.MustCompile(`^"([^"]+)"(\.one|\.other)? = "(.*)$`)

// form is the singular or plural of a text with a table of its own.
var (
	table = regexp.MustCompile(`^\["([^"]+)"\]$`)
	form  = regexp.MustCompile(`^(one|other) = "(.*)"$`)
)

func main() {
	uses := map[string][]string{}
	quoted := regexp.MustCompile(`"([a-z-]+(?:\.[a-z0-9+/-]+)+)"`)
	must(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for i, line := range strings.Split(string(source), "\n") {
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				uses[m[1]] = append(uses[m[1]], fmt.Sprintf("%s:%d", path, i+1))
			}
		}
		return err
	}))
	files, err := filepath.Glob("engine/*/texts.toml")
	must(err)
	for _, file := range append([]string{"bot/catalogue/en.toml"}, files...) {
		text, err := os.ReadFile(file)
		must(err)
		key := ""
		for i, line := range strings.Split(string(text), "\n") {
			if m := table.FindStringSubmatch(line); m != nil {
				key = m[1]
			} else if m := entry.FindStringSubmatch(line); m != nil {
				key = m[1]
				fmt.Printf("%s:%d\t%s%s\t%s\t%s\n", file, i+1, key, m[2], strings.Join(uses[key], " "), strings.TrimSuffix(m[3], `"`))
			} else if m := form.FindStringSubmatch(line); m != nil {
				fmt.Printf("%s:%d\t%s.%s\t%s\t%s\n", file, i+1, key, m[1], strings.Join(uses[key], " "), m[2])
			} else if line != "" && !strings.HasPrefix(line, "#") {
				fmt.Printf("%s:%d\t%s\t\t%s\n", file, i+1, key, strings.TrimSuffix(line, `"""`))
			}
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
