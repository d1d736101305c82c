package sqlite_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
)

// The variables that make the test program play a part instead of testing, and
// name its database.
const (
	childPart = "CASTELLAN_TEST_CHILD"
	childPath = "CASTELLAN_TEST_DATABASE"
)

// children is the parts that another process can play.
var children = map[string]func(path string) error{
	"player": playUntilKilled,
	"writer": holdTheWriteLock,
	"limit":  fillUpToALimit,
}

// child is another process that plays a part.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, part, path string, variables ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childPart+"="+part, childPath+"="+path), variables...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{t, cmd, in, bufio.NewScanner(out)}
}

// line is the next line that it prints, "" at its end.
func (c *child) line() string {
	if !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

// kill ends it as SIGKILL does, in the middle of whatever it does, and returns
// the lines that it had printed and nobody had read.
func (c *child) kill() (rest []string) {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	for l := c.line(); l != ""; l = c.line() {
		rest = append(rest, l)
	}
	c.cmd.Wait() // its error is that it was killed
	return rest
}
