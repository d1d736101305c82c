package clitest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
)

// Root is the folder of go.mod, relative to a package of cmd.
const Root = "../.."

// Pages returns the texts of the documentation by their path from Root, without the
// page of licences, which contains the words of others.
func Pages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(filepath.Join(Root, path))
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	for _, top := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"} {
		read(top)
	}
	err := filepath.WalkDir(filepath.Join(Root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") && filepath.Base(path) != "licenses.md" {
			path, err = filepath.Rel(Root, path)
			read(filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	span = regexp.MustCompile("`([^`\n]+)`")
	// code is an indented line, or one within a fence.
	code  = regexp.MustCompile(`(?m)^ {3,}(\S.*)$`)
	fence = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```")
)

// Code returns what a page writes in code: the contents of spans, and lines of blocks.
func Code(page string) (all []string) {
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.Split(m[1], "\n")...)
	}
	page = fence.ReplaceAllString(page, "")
	for _, m := range code.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	for _, m := range span.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

// CheckCommands checks that each command line of a program that the pages write in code
// has a command of the program and flags of that command. It returns how many there are.
func CheckCommands(t *testing.T, program func() cli.Program, pages map[string]string) (lines int) {
	t.Helper()
	name := program().Name
	help := map[string]string{} // by command
	helpOf := func(command string) string {
		if help[command] == "" {
			help[command] = Run(t, program(), append(strings.Fields(command), "--help")...).Out
		}
		return help[command]
	}
	var commands []string
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]\S*(?: [a-z]\S*)*)`).FindAllStringSubmatch(helpOf(""), -1) {
		commands = append(commands, m[1])
	}
	if len(commands) < 5 {
		t.Fatalf("%s has the commands %q: has the form of its help changed?", name, commands)
	}
	commands = append(commands, "man") // hidden
	line := regexp.MustCompile(`(?:^|[ (]|(?:^| )\.?/)` + name + ` ([a-z][a-z-]*(?:$| [^|>&;]*))`)
	flag := regexp.MustCompile(`(?:^|\s)--?([a-z][a-z-]*)`)
	for path, page := range pages {
		for _, text := range Code(page) {
			m := line.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			words := strings.Fields(m[1])
			n := len(words)
			for ; n > 0 && !slices.Contains(commands, strings.Join(words[:n], " ")); n-- {
			}
			if n == 0 {
				group := slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, words[0]+" ") })
				if !group {
					t.Errorf("%s: %s has no command %s: %s", path, name, words[0], text)
				}
				continue
			}
			lines++
			command := strings.Join(words[:n], " ")
			for _, f := range flag.FindAllStringSubmatch(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(m[1], ""), -1) {
				known := regexp.MustCompile(`(?m)^ +(?:-\w, )?--(?:\[no-\])?` + strings.TrimPrefix(f[1], "no-") + `\b|--` + f[1] + `\b|-` + f[1] + `, `)
				if !known.MatchString(helpOf(command)) {
					t.Errorf("%s: %s %s has no flag %s: %s", path, name, command, f[1], text)
				}
			}
		}
	}
	return lines
}
