package main

import (
	"testing"

	"castellan/cmd/internal/clitest"
)

// The commands of lab in the documentation exist, with their flags.
func TestPages(t *testing.T) {
	t.Parallel()
	if n := clitest.CheckCommands(t, program, clitest.Pages(t)); n < 15 {
		t.Errorf("%d commands: has the form of the pages changed?", n)
	}
}
