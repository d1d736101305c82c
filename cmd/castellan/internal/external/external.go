// Package external plays with programs that speak docs/engine-protocol.md.
package external

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

const (
	// MoveTime is a program's time per turn without a limit.
	MoveTime = time.Minute
	// Grace is a program's tolerance with a limit.
	Grace = time.Second
	// timeout is a program's time to answer a stop or the handshake.
	timeout = 10 * time.Second
)

// Player is a player that is a program, with as many processes as think
// at the same time. A process with an error is killed, and replaced in the next
// game.
type Player struct {
	command  []string
	game     engine.Game
	settings protocol.ClientConfig

	mutex sync.Mutex
	idle  []*process
	all   map[*process]bool
}

// process is a running program.
type process struct {
	client *protocol.Client
	cmd    *exec.Cmd
	in     io.Closer
}

// Players are programs.
type Players []*Player

// Start starts the player of a command, which is split at spaces and not empty. It fails
// if the program does not start or does not play the game.
func Start(command string, g engine.Game, moveTime time.Duration) (*Player, error) {
	p := &Player{
		command: strings.Fields(command), game: g, all: map[*process]bool{},
		settings: protocol.ClientConfig{MoveTime: moveTime, Grace: timeout, After: time.After},
	}
	first, err := p.start()
	if err != nil {
		return nil, err
	}
	p.idle = append(p.idle, first)
	return p, nil
}

// start starts a process and performs the handshake.
func (p *Player) start() (*process, error) {
	fail := func(err error) (*process, error) {
		return nil, fmt.Errorf("the program %s: %w", strings.Join(p.command, " "), err)
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	running := &process{cmd: cmd, in: in}
	running.client, err = protocol.Dial(p.game, out, in, p.settings)
	if err != nil {
		running.kill()
		return fail(err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.all[running] = true
	return running, nil
}

// take returns an idle process, or starts one.
func (p *Player) take() (*process, error) {
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

// Follow returns a player for the position with that history.
func (p *Player) Follow(l protocol.History) search.Player { return historyPlayer{p, l} }

type historyPlayer struct {
	program *Player
	line    protocol.History
}

// Think asks a process.
func (f historyPlayer) Think(ctx context.Context, position engine.Position, limits search.Limits) (search.Decision, error) {
	running, err := f.program.take()
	if err != nil {
		return search.Decision{}, err
	}
	t, err := running.client.Player(f.line).Think(ctx, position, limits)
	f.program.mutex.Lock()
	defer f.program.mutex.Unlock()
	if err != nil {
		delete(f.program.all, running)
		running.kill()
		return t, err
	}
	f.program.idle = append(f.program.idle, running)
	return t, nil
}

// kill ends a process.
func (r *process) kill() {
	r.in.Close()
	_ = r.cmd.Process.Kill() // it may have exited
	if r.client != nil {
		r.client.Drain()
	}
	_ = r.cmd.Wait() // reports that it was killed
}

// Close ends every process.
func (all Players) Close() {
	for _, p := range all {
		p.mutex.Lock()
		for running := range p.all {
			_ = running.client.Quit() // it is killed anyway
			running.kill()
		}
		p.mutex.Unlock()
	}
}
