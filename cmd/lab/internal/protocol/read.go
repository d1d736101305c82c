package protocol

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

type inputLine struct {
	text string
	long bool  // longer than MaxLine; text is empty
	err  error // reading failed; there is no line
}

// readLines reads lines until the end, an error, or the end of the context.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			l, more := readLine(r)
			if !more && l == (inputLine{}) {
				return
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if !more {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line; more is false after the last.
func readLine(r *bufio.Reader) (l inputLine, more bool) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if !l.long && b.Len()+len(part) > MaxLine {
			l.long = true
			b.Reset()
		}
		if !l.long {
			b.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return inputLine{err: err}, false
		}
		l.text = strings.ToValidUTF8(strings.TrimRight(b.String(), "\r\n"), "\ufffd")
		return l, err == nil
	}
}
