package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// grace is a program's time to answer a stop or the handshake.
const grace = 10 * time.Second

// Program is a player that is a program, with as many processes as think
// at the same time. A process with an error is killed, and replaced in the next
// game.
type Program struct {
	name     string
	game     engine.Game
	moveTime time.Duration // per turn without other limits; zero leaves it to the program's level
	connect  func() (connection, error)

	mutex sync.Mutex
	idle  []*process
	all   map[*process]bool
}

// connection holds the streams of a new process. end closes them and ends it; what it
// still writes is read meanwhile.
type connection struct {
	in  io.Reader
	out io.Writer
	end func(drain func())
}

// process is a running program, which searches one position at a time.
type process struct {
	connection
	lines         <-chan inputLine
	hasSeedOption bool
}

// StartProgram starts the player of a command, which is split at spaces and not empty. It fails
// if the program does not start or does not play the game.
func StartProgram(command string, g engine.Game, moveTime time.Duration) (*Program, error) {
	words := strings.Fields(command)
	return newProgram(strings.Join(words, " "), g, moveTime, func() (connection, error) {
		cmd := exec.Command(words[0], words[1:]...)
		in, err := cmd.StdinPipe()
		if err != nil {
			return connection{}, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return connection{}, err
		}
		return connection{out, in, func(drain func()) {
			in.Close()
			_ = cmd.Process.Kill() // it may have exited
			drain()
			_ = cmd.Wait() // reports that it was killed
		}}, cmd.Start()
	})
}

func newProgram(name string, g engine.Game, moveTime time.Duration, connect func() (connection, error)) (*Program, error) {
	p := &Program{name: name, game: g, moveTime: moveTime, connect: connect, all: map[*process]bool{}}
	first, err := p.start()
	if err != nil {
		return nil, err
	}
	p.idle = append(p.idle, first)
	return p, nil
}

func (p *Program) start() (*process, error) {
	c, err := p.connect()
	if err != nil {
		return nil, fmt.Errorf("the program %s: %w", p.name, err)
	}
	running := &process{connection: c, lines: readLines(context.Background(), c.in)}
	if err := running.handshake(p.game); err != nil {
		running.kill()
		return nil, fmt.Errorf("the program %s: %w", p.name, err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.all[running] = true
	return running, nil
}

func (p *Program) take() (*process, error) {
	p.mutex.Lock()
	if n := len(p.idle); n > 0 {
		defer p.mutex.Unlock()
		running := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return running, nil
	}
	p.mutex.Unlock()
	return p.start()
}

// Follow returns a player for the position with that history and no other. It
// returns an error if the program fails, does not stop in time or plays an
// illegal turn.
func (p *Program) Follow(l History) search.Player { return historyPlayer{p, l} }

type historyPlayer struct {
	program *Program
	line    History
}

// Think asks a process for the rest of the turn.
func (f historyPlayer) Think(ctx context.Context, position engine.Position, limits search.Limits) (search.Decision, error) {
	if position.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	p := f.program
	running, err := p.take()
	if err != nil {
		return search.Decision{}, err
	}
	t, err := running.ask(ctx, f.line, position, limits, p.moveTime)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err != nil {
		delete(p.all, running)
		running.kill()
		return t, err
	}
	p.idle = append(p.idle, running)
	return t, nil
}

// Close ends every process.
func (p *Program) Close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for running := range p.all {
		_ = running.send("quit") // it is killed anyway
		running.kill()
	}
}

func (r *process) kill() {
	r.end(func() {
		for range r.lines {
		}
	})
}

// handshake reads the protocol version, the game and the options of the
// program.
func (r *process) handshake(g engine.Game) error {
	if err := r.send("castellan"); err != nil {
		return err
	}
	late := time.After(grace)
	plays := ""
	for {
		word, rest, err := r.receive(nil, late)
		if err != nil {
			return fmt.Errorf("identifying the program: %w", err)
		}
		switch word {
		case "protocol":
			if rest != strconv.Itoa(Version) {
				return fmt.Errorf("the program speaks version %.20q of the protocol, not %d", rest, Version)
			}
		case "game":
			plays, _, _ = strings.Cut(rest, " ")
		case "option":
			r.hasSeedOption = r.hasSeedOption || strings.HasPrefix(rest, "name seed ")
		case "castellanok":
			if plays != g.Key() {
				return fmt.Errorf("the program plays %q, not %s", plays, g.Key())
			}
			return nil
		}
	}
}

// ask sends the position and waits for the turn.
func (r *process) ask(ctx context.Context, l History, p engine.Position, limits search.Limits, moveTime time.Duration) (t search.Decision, err error) {
	commands := []string{"position " + l.String(), goCommand(limits, moveTime)}
	if r.hasSeedOption {
		commands = append([]string{fmt.Sprintf("setoption name seed value %d", limits.Seed)}, commands...)
	}
	if err := r.send(commands...); err != nil {
		return t, err
	}
	stop, late := ctx.Done(), (<-chan time.Time)(nil)
	for {
		word, rest, err := r.receive(stop, late)
		switch {
		case errors.Is(err, errStop):
			stop, late = nil, time.After(grace)
			if err := r.send("stop"); err != nil {
				return t, err
			}
		case err != nil:
			return t, err
		case word == "info":
			t = parseInfo(rest, t)
		case word == "bestturn":
			t.Actions, err = parseTurn(p, strings.Fields(rest))
			return t, err
		}
	}
}

func goCommand(l search.Limits, moveTime time.Duration) string {
	text := "go"
	if l.Nodes > 0 {
		text += fmt.Sprintf(" nodes %d", l.Nodes)
	}
	if l.Depth > 0 {
		text += fmt.Sprintf(" depth %d", l.Depth)
	}
	if l.Nodes == 0 && l.Depth == 0 && moveTime > 0 {
		text += fmt.Sprintf(" movetime %d", max(moveTime.Milliseconds(), 1))
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

func (r *process) send(lines ...string) error {
	for _, line := range lines {
		if _, err := io.WriteString(r.out, line+"\n"); err != nil {
			return fmt.Errorf("sending %q: %w", line, err)
		}
	}
	return nil
}

// errStop is returned by receive when the search is to stop.
var errStop = errors.New("stop")

// receive returns the first word of the next line, and the rest. A line that begins
// with "error" is an error of the program.
func (r *process) receive(stop <-chan struct{}, late <-chan time.Time) (word, rest string, err error) {
	select {
	case l, more := <-r.lines:
		word, rest, _ = strings.Cut(strings.TrimSpace(l.text), " ")
		switch {
		case !more:
			err = errors.New("the program has exited")
		case l.err != nil:
			err = fmt.Errorf("the program has exited: %w", l.err)
		case l.long:
			err = fmt.Errorf("the program writes a line of more than %d bytes", MaxLine)
		case word == "error":
			err = fmt.Errorf("the program says: %s", rest)
		}
		return word, rest, err
	case <-stop:
		return "", "", errStop
	case <-late:
		return "", "", errors.New("the program does not answer")
	}
}
