package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// ManCommand prints the manual page, made from the command line's own description.
type ManCommand struct{}

// Run prints the page in the man macros of roff.
func (ManCommand) Run(s Streams, k *kong.Kong) error {
	_, err := io.WriteString(s.Out, manual(k.Model, ThisBuild().Version))
	return err
}

// manual returns the manual page of a program.
func manual(app *kong.Application, version string) string {
	var b strings.Builder
	summary, rest, _ := strings.Cut(app.Help, "\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s %s\"\n", roff(strings.ToUpper(app.Name)), roff(app.Name), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(app.Name), roff(strings.TrimSuffix(summary, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[\\fIflags\\fR]\n", roff(app.Name))
	b.WriteString(".SH DESCRIPTION\n")
	for _, paragraph := range strings.Split(strings.TrimSpace(rest), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(&b, ".PP\n.RS\n.nf\n%s\n.fi\n.RE\n", roff(strings.TrimSpace(paragraph)))
		} else {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(paragraph))
		}
	}
	b.WriteString(".SH COMMANDS\n")
	variables := map[string][]string{}
	for _, command := range app.Leaves(true) {
		name := strings.TrimPrefix(command.FullPath(), app.Name+" ")
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSpace(name+" "+arguments(command))), roff(command.Help))
		for _, p := range command.Positional {
			if p.Help != "" {
				fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Name), roff(p.Help))
			}
		}
		for _, f := range command.Flags {
			if f.Hidden {
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.String()), roff(f.Help))
			for _, variable := range f.Envs {
				variables[variable] = append(variables[variable], "--"+f.Name+" of "+name)
			}
		}
	}
	b.WriteString(".SH ENVIRONMENT\n")
	names := make([]string, 0, len(variables))
	for name := range variables {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(strings.Join(variables[name], ", ")))
	}
	b.WriteString(".SH EXIT STATUS\n.TP\n.B 0\nSuccess, or shut down by a signal.\n.TP\n.B 1\nFailure.\n.TP\n.B 2\nA mistake in the command line, the configuration or the token.\n")
	return b.String()
}

// arguments returns the positional arguments of a command, as its help shows them.
func arguments(command *kong.Node) string {
	var all []string
	for _, p := range command.Positional {
		all = append(all, p.Summary())
	}
	return strings.Join(all, " ")
}

// roff escapes text for roff: backslashes, hyphens of flags, and dots and apostrophes
// that begin a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
