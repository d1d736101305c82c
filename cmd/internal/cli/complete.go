package cli

import (
	"embed"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// scripts are what each shell needs to complete a command line: they ask the program
// itself, through CompleteCommand.
//
//go:embed completions
var scripts embed.FS

// CompletionCommand prints the script that completes the program's command line in a
// shell.
type CompletionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"One of ${enum}."`
}

// Run prints the script.
func (c CompletionCommand) Run(s Streams, k *kong.Kong) error {
	script, err := scripts.ReadFile("completions/" + c.Shell)
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.Out, strings.ReplaceAll(string(script), "PROGRAM", k.Model.Name))
	return err
}

// CompleteCommand prints what may follow on a command line, one per line; the scripts
// of CompletionCommand run it.
type CompleteCommand struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after the program's name, of which the last is incomplete."`
}

// Run prints the completions, or nothing where a file name belongs.
func (c CompleteCommand) Run(s Streams, k *kong.Kong) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	_, err := io.WriteString(s.Out, strings.Join(append(complete(k.Model.Node, words), ""), "\n"))
	return err
}

// complete returns what the last of some words can be completed to.
func complete(node *kong.Node, words []string) (found []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	prefix := strings.TrimSpace(words[last])
	var value *kong.Flag // whose value is next
	arguments := 0
	for _, word := range words[:last] {
		child := childNamed(node, word)
		switch {
		case value != nil:
			value = nil
		case strings.HasPrefix(word, "-"):
			if f := flagNamed(node, word); f != nil && !f.IsBool() && !strings.Contains(word, "=") {
				value = f
			}
		case child != nil:
			node, arguments = child, 0
		default:
			arguments++
		}
	}
	switch {
	case value != nil:
		found = enumOf(value.Value)
	case strings.HasPrefix(prefix, "-"):
		for _, f := range flagsOf(node) {
			found = append(found, "--"+f.Name)
		}
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				found = append(found, child.Name)
			}
		}
		if arguments < len(node.Positional) {
			found = append(found, enumOf(node.Positional[arguments])...)
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, prefix) })
	slices.Sort(found)
	return found
}

func childNamed(node *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

// flagsOf returns the visible flags of a command and of those above it.
func flagsOf(node *kong.Node) []*kong.Flag { return slices.Concat(node.AllFlags(true)...) }

// flagNamed returns the flag of a word such as --db, --db=x or -c, or nil.
func flagNamed(node *kong.Node, word string) *kong.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	for _, f := range flagsOf(node) {
		if f.Name == name || f.Short != 0 && string(f.Short) == name {
			return f
		}
	}
	return nil
}

// enumOf returns the values that a flag or argument can have, if they are listed.
func enumOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}
