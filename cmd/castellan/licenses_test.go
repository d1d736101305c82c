package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var licenses = flag.Bool("licenses", false, "rewrite docs/reference/licenses.md")

const licensesPage = "../../docs/reference/licenses.md"

// docs/reference/licenses.md lists everything that is linked into the program, with its
// licence. An unknown kind of licence fails the test: somebody has to read it.
func TestLicenses(t *testing.T) {
	want := licencePage(t)
	if *licenses {
		must(t, os.WriteFile(licensesPage, []byte(want), 0o644))
	}
	got, err := os.ReadFile(licensesPage)
	must(t, err)
	if !utf8.Valid(got) {
		t.Error("docs/reference/licenses.md is not UTF-8")
	}
	if string(got) != want {
		t.Error("docs/reference/licenses.md is out of date: run make licenses")
	}
}

// part is a module or another part of the program.
type part struct {
	name, version string
	files         []string // its licences
}

// licencePage returns the content of docs/reference/licenses.md.
func licencePage(t *testing.T) string {
	t.Helper()
	parts := append(modules(t),
		part{"Alegreya Sans", "", []string{"../../imaging/fonts/LICENSE.Alegreya"}},
		part{"DejaVu fonts", "", []string{"../../imaging/fonts/LICENSE.DejaVu"}},
		part{"Droid Sans Fallback", "", []string{"../../imaging/fonts/LICENSE.Han"}},
		part{"NanumGothic", "", []string{"../../imaging/fonts/LICENSE.Hangul"}})
	var b, texts strings.Builder
	b.WriteString("# Licences\n\nCastellan is under the [MIT licence](../../LICENSE). The program contains the following, each under its own licence; the texts are below. The source code of a part is where its name says, in that version; it is unchanged, but parts of fonts are left out. `make licenses` writes this page.\n\n| part | version | licence |\n|---|---|---|\n")
	numbers := map[[32]byte]int{}
	for _, p := range parts {
		var kinds []string
		for _, name := range p.files {
			text, err := os.ReadFile(name)
			must(t, err)
			if !utf8.Valid(text) { // ISO-8859-1, whose bytes are code points
				runes := make([]rune, len(text))
				for i, b := range text {
					runes[i] = rune(b)
				}
				text = []byte(string(runes))
			}
			text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
			sum := sha256.Sum256(text)
			if numbers[sum] == 0 {
				numbers[sum] = len(numbers) + 1
				fence := "```"
				if bytes.Contains(text, []byte(fence)) {
					fence = "~~~~"
				}
				fmt.Fprintf(&texts, "\n### %d\n\n%stext\n%s\n%s\n", numbers[sum], fence, text, fence)
			}
			kind := kindOf(filepath.Base(name), string(text))
			if kind == "" {
				t.Errorf("%s: %s is of an unknown kind", p.name, name)
			}
			kinds = append(kinds, fmt.Sprintf("[%s](#%d)", kind, numbers[sum]))
		}
		if len(kinds) == 0 {
			t.Errorf("%s has no licence", p.name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.name, p.version, strings.Join(kinds, ", "))
	}
	return b.String() + "\n## Texts\n" + texts.String()
}

// modules returns Go and the modules of the packages that are linked on Linux,
// sorted by name. Modules for other systems have the same authors.
func modules(t *testing.T) []part {
	t.Helper()
	var errs bytes.Buffer
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "castellan/cmd/castellan")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, errs.String())
	}
	found := map[string]*part{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &part{name: p.Module.Path, version: p.Module.Version}
			found[p.Module.Path] = m
			m.add(t, p.Module.Dir)
			m.add(t, filepath.Join(p.Module.Dir, "licenses"))
		}
		// A folder of code from elsewhere has a licence of its own.
		for dir := p.Dir; len(dir) > len(p.Module.Dir); dir = filepath.Dir(dir) {
			m.add(t, dir)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	all := []part{{"Go, its library and runtime", "", []string{filepath.Join(strings.TrimSpace(string(root)), "LICENSE")}}}
	for _, m := range found {
		all = append(all, *m)
	}
	slices.SortFunc(all[1:], func(a, b part) int { return strings.Compare(a.name, b.name) })
	return all
}

// licenceFile matches the names of files with licences and notices. It leaves out
// the GPL, which FreeType offers only as an alternative.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|ftl\.txt)`)

func (l *part) add(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	must(t, err)
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if !e.IsDir() && licenceFile.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "LOGO") && !slices.Contains(l.files, name) {
			l.files = append(l.files, name)
		}
	}
}

// kindOf returns the SPDX name of a licence, or the kind of another text, or ""
// if it is unknown.
func kindOf(name, text string) string {
	has := func(parts ...string) bool {
		flat := strings.Join(strings.Fields(text), " ")
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(flat, p) })
	}
	switch {
	case strings.HasPrefix(strings.ToUpper(name), "NOTICE"):
		return "notice"
	case strings.HasPrefix(name, "LICENSE-3RD-PARTY"):
		return "of its parts"
	case strings.HasPrefix(name, "PATENTS") && has("Additional IP Rights Grant"):
		return "patent grant"
	case has("The FreeType License", "choice of exactly one of the following two licenses"):
		return "FTL, chosen of two"
	case has("The FreeType Project LICENSE"):
		return "FTL"
	case has("SIL OPEN FONT LICENSE Version 1.1"):
		return "OFL-1.1"
	case has("Bitstream Vera"):
		return "Bitstream-Vera"
	case has("Apache License", "Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License Version 2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge, to any person obtaining a copy", "without restriction"):
		return "MIT"
	case has("Redistribution and use in source and binary forms", "Neither the name"), has("Redistribution and use in source and binary forms", "names of its contributors may be used"), has("Redistribution and use in source and binary forms", "may not be used to endorse"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("public domain"):
		return "public domain"
	}
	return ""
}
