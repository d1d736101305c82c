package protocol

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// Client lets a program play. After a failure, all calls fail. It is safe for
// concurrent use but searches one position at a time.
type Client struct {
	// Name is the program's name.
	Name string

	game          engine.Game
	out           io.Writer
	lines         <-chan string
	readErr       error // why lines was closed; read it only after that
	config        ClientConfig
	hasSeedOption bool // the program has an option seed

	mutex sync.Mutex
	err   error
}

// ClientConfig has the times that a client grants.
type ClientConfig struct {
	// MoveTime is the program's time per turn without other limits; zero
	// leaves it to the program's level.
	MoveTime time.Duration
	// Grace is the time to answer after a stop, and to the handshake.
	Grace time.Duration
	// After is time.After or a substitute.
	After func(time.Duration) <-chan time.Time
}

// Dial performs the handshake with a program over two streams and checks that
// it plays the game. It reads until the stream ends.
func Dial(g engine.Game, in io.Reader, out io.Writer, config ClientConfig) (*Client, error) {
	lines := make(chan string, 64)
	c := &Client{game: g, out: out, lines: lines, config: config}
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, MaxLine)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
		c.readErr = scanner.Err()
	}()
	if err := c.handshake(); err != nil {
		return nil, err
	}
	return c, nil
}

// handshake reads the name, the protocol version, the game and the options of the
// program.
func (c *Client) handshake() error {
	if err := c.send("castellan"); err != nil {
		return err
	}
	late := c.config.After(c.config.Grace)
	plays := ""
	for {
		line, err := c.receive(late)
		if err != nil {
			return fmt.Errorf("identifying the program: %w", err)
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "id":
			if name, ok := strings.CutPrefix(rest, "name "); ok {
				c.Name = name
			}
		case "protocol":
			if rest != strconv.Itoa(Version) {
				return fmt.Errorf("the program speaks version %.20q of the protocol, not %d", rest, Version)
			}
		case "game":
			plays, _, _ = strings.Cut(rest, " ")
		case "option":
			c.hasSeedOption = c.hasSeedOption || strings.HasPrefix(rest, "name seed ")
		case "error":
			return fmt.Errorf("the program says: %s", rest)
		case "castellanok":
			if plays != c.game.Key() {
				return fmt.Errorf("the program plays %q, not %s", plays, c.game.Key())
			}
			return nil
		}
	}
}

// Player returns a player for the position with that history and no other. It
// returns an error if the program fails, does not stop in time or plays an
// illegal turn.
func (c *Client) Player(l History) search.Player { return clientPlayer{c, l} }

type clientPlayer struct {
	client *Client
	line   History
}

// Think asks the program for the rest of the turn.
func (f clientPlayer) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	c := f.client
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.err != nil {
		return search.Decision{}, c.err
	}
	t, err := c.ask(ctx, f.line, p, limits)
	if err != nil {
		c.err = err
	}
	return t, err
}

// ask sends the position and waits for the turn.
func (c *Client) ask(ctx context.Context, l History, p engine.Position, limits search.Limits) (t search.Decision, err error) {
	if c.hasSeedOption {
		if err := c.send(fmt.Sprintf("setoption name seed value %d", limits.Seed)); err != nil {
			return t, err
		}
	}
	if err := c.send("position " + l.String()); err != nil {
		return t, err
	}
	if err := c.send(c.goCommand(limits)); err != nil {
		return t, err
	}
	stop, late := ctx.Done(), (<-chan time.Time)(nil)
	for {
		var line string
		more := true
		select {
		case line, more = <-c.lines:
		case <-stop:
			stop, late = nil, c.config.After(c.config.Grace)
			if err := c.send("stop"); err != nil {
				return t, err
			}
			continue
		case <-late:
			return t, errors.New("the program does not stop")
		}
		if !more {
			return t, c.closedError()
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "info":
			t = parseInfo(rest, t)
		case "error":
			return t, fmt.Errorf("the program says: %s", rest)
		case "bestturn":
			t.Actions, err = parseTurn(p, strings.Fields(rest))
			return t, err
		}
	}
}

// goCommand returns the command for a search with the limits.
func (c *Client) goCommand(l search.Limits) string {
	text := "go"
	if l.Nodes > 0 {
		text += fmt.Sprintf(" nodes %d", l.Nodes)
	}
	if l.Depth > 0 {
		text += fmt.Sprintf(" depth %d", l.Depth)
	}
	if l.Nodes == 0 && l.Depth == 0 && c.config.MoveTime > 0 {
		text += fmt.Sprintf(" movetime %d", max(c.config.MoveTime.Milliseconds(), 1))
	}
	return text
}

// parseInfo reads depth and nodes of an info line, which may contain anything
// else.
func parseInfo(rest string, t search.Decision) search.Decision {
	words := strings.Fields(rest)
	for i := 0; i+1 < len(words) && words[i] != "pv"; i++ {
		n, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil || n < 0 {
			continue
		}
		switch words[i] {
		case "depth":
			t.Depth = int(n)
		case "nodes":
			t.Nodes = n
		}
	}
	return t
}

// parseTurn parses the actions of a whole turn.
func parseTurn(p engine.Position, words []string) ([]engine.Action, error) {
	var actions []engine.Action
	turns := p.Turns()
	for i, w := range words {
		if i > 0 && (p.Seat() == engine.Nobody || p.Turns() != turns) {
			return nil, fmt.Errorf("the turn %q goes on at %q after its end", strings.Join(words, " "), w)
		}
		a, next, err := applyToken(p, w)
		if err != nil {
			return nil, fmt.Errorf("the turn %q: %q: %w", strings.Join(words, " "), w, err)
		}
		actions, p = append(actions, a), next
	}
	if p.Seat() != engine.Nobody && p.Turns() == turns {
		return nil, fmt.Errorf("the turn %q is not a whole turn", strings.Join(words, " "))
	}
	return actions, nil
}

// Quit tells the program to quit.
func (c *Client) Quit() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.send("quit")
}

// send writes a line.
func (c *Client) send(line string) error {
	if _, err := io.WriteString(c.out, line+"\n"); err != nil {
		return fmt.Errorf("sending %q: %w", line, err)
	}
	return nil
}

// receive reads a line.
func (c *Client) receive(late <-chan time.Time) (string, error) {
	select {
	case line, more := <-c.lines:
		if !more {
			return "", c.closedError()
		}
		return strings.TrimSpace(line), nil
	case <-late:
		return "", errors.New("the program does not answer")
	}
}

// closedError returns the error for the end of the stream.
func (c *Client) closedError() error {
	if c.readErr != nil {
		return fmt.Errorf("the program has exited: %w", c.readErr)
	}
	return errors.New("the program has exited")
}

// Drain discards output until the stream ends, so that the program does not
// block on it. The client cannot be used afterwards.
func (c *Client) Drain() {
	for range c.lines {
	}
}
