package killtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// apiHost is the host of the sandbox. Only the proxy of each node knows it.
const apiHost = "discord.test"

// node is a process of the cluster: castellan run with some of the roles. It
// reaches Discord and the database through links of its own.
type node struct {
	t        *testing.T
	name     string
	args     []string
	env      []string
	discord  *link
	database *link

	databaseURL string // by that link

	chat    *sandbox.Sandbox
	gateway *listener // accepts the connections to the sandbox's gateway
	conns   counter   // open connections to the REST API

	busy sync.Mutex // held by whoever disturbs the node

	mu        sync.Mutex
	life      int // how many times it was started
	cmd       *exec.Cmd
	ended     chan struct{}
	expected  bool // its end
	log       *os.File
	disturbed []span
	trap      *trap
	shown     int           // messages posted or edited in this life
	startup   time.Duration // of all starts
	exits     int           // by itself
}

// span is a time in which a node need not answer interactions.
type span struct{ from, to time.Time }

// trap kills a node at one of its requests.
type trap struct {
	method, route string // as in deadly
	skip          int
	where         phase
	signal        syscall.Signal
	hit           chan string   // receives the request
	pass          chan struct{} // closed when a stopped process goes on
}

func (p *trap) matches(r *http.Request) bool {
	if p.method != "" && p.method != r.Method {
		return false
	}
	want, got := strings.Split(p.route, "/"), strings.Split(r.URL.Path, "/") // "", "api", "v10", …
	if p.route == "" {
		return true
	}
	if len(want)+2 != len(got) {
		return false
	}
	for i, part := range want {
		if part != "" && part != got[i+2] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}

// listener accepts connections that others have accepted.
type listener struct {
	conns chan net.Conn
	done  context.Context
	close context.CancelFunc
}

func newListener() *listener {
	done, cancel := context.WithCancel(context.Background())
	return &listener{make(chan net.Conn), done, cancel}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done.Done():
		return nil, net.ErrClosed
	}
}

// give hands a connection on.
func (l *listener) give(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done.Done():
		c.Close()
	}
}

func (l *listener) Close() error {
	l.close()
	return nil
}

func (l *listener) Addr() net.Addr { return named("") }

// named is the address of a node's connection: its name and its life.
type named string

func (n named) Network() string { return "node" }
func (n named) String() string  { return string(n) }

type namedConn struct {
	net.Conn
	name named
}

func (c namedConn) RemoteAddr() net.Addr { return c.name }

// newNode returns a process that has not been started. Its output is kept in a file, in
// the folder CASTELLAN_LOGS if that is set.
func (e *killTest) newNode(name string, args []string) *node {
	e.t.Helper()
	n := &node{t: e.t, name: name, args: args, chat: e.chat, gateway: e.gateway}
	logs := os.Getenv("CASTELLAN_LOGS")
	if logs == "" {
		logs = e.t.TempDir()
	}
	var err error
	n.log, err = os.Create(filepath.Join(logs, name+".log"))
	must(e.t, err)
	e.t.Cleanup(func() {
		n.sigkill()
		must(e.t, n.log.Close())
	})
	e.nodes = append(e.nodes, n)
	return n
}

// serve serves the node's way to Discord, and returns its address.
func (n *node) serve() string {
	n.t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	must(n.t, err)
	server := &http.Server{Handler: n, ReadHeaderTimeout: patience, ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			n.conns.add(1)
		case http.StateClosed, http.StateHijacked:
			n.conns.add(-1)
		}
	}}
	go func() { _ = server.Serve(front) }()
	n.t.Cleanup(func() { must(n.t, server.Close()) })
	return front.Addr().String()
}

// counter counts what is open. Unlike a sync.WaitGroup, something may open while another
// goroutine waits for none.
type counter struct {
	mu   sync.Mutex
	open int
	none chan struct{} // closed once open is 0, if somebody waits
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open += n; c.open == 0 && c.none != nil {
		close(c.none)
		c.none = nil
	}
}

func (c *counter) wait() {
	c.mu.Lock()
	if c.open == 0 {
		c.mu.Unlock()
		return
	}
	if c.none == nil {
		c.none = make(chan struct{})
	}
	none := c.none
	c.mu.Unlock()
	<-none
}

// quiet waits until every request that the killed process has sent is done.
func (n *node) quiet() { n.conns.wait() }

func (n *node) setTrap(p *trap) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.trap = p
}

// withdraw removes a trap. It reports false if a request has met it.
func (n *node) withdraw(p *trap) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	mine := n.trap == p
	n.trap = nil
	return mine
}

// wasKilled reports whether the present process has been sent the signal to end.
func (n *node) wasKilled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.expected
}

// rest returns a channel that is closed when the process may be hit at rest: after a
// second if it has posted or edited three messages in this life, otherwise up to four
// seconds later. On a busy machine each board takes a second, and a process that is
// started again and again would never post one.
func (n *node) rest() <-chan struct{} {
	resting := make(chan struct{})
	go func() {
		defer close(resting)
		for range 5 {
			time.Sleep(time.Second)
			n.mu.Lock()
			active := n.shown >= 3
			n.mu.Unlock()
			if active {
				return
			}
		}
	}()
	return resting
}

// setVariable sets an environment variable of the next life.
func (n *node) setVariable(name, value string) {
	n.env = append(slices.DeleteFunc(n.env, func(v string) bool { return strings.HasPrefix(v, name+"=") }), name+"="+value)
}

// ServeHTTP is the node's way to Discord, an HTTP proxy. The connections to the
// gateway are handed on with the node's name.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			c.Close()
			return
		}
		n.gateway.give(namedConn{c, named(n.incarnation())})
		return
	}
	n.mu.Lock()
	p := n.trap
	if p != nil && !p.matches(r) {
		p = nil
	}
	if p != nil {
		if p.skip--; p.skip >= 0 {
			p = nil
		} else {
			n.trap = nil
		}
	}
	n.mu.Unlock()
	request := r.Method + " " + r.URL.Path
	if p != nil && p.where == beforeWork {
		n.hit(p.signal)
		p.hit <- request
		if p.signal == syscall.SIGKILL {
			panic(http.ErrAbortHandler) // no answer, not an empty one
		}
		<-p.pass // the request was delayed on its way
		p = nil
	}
	answer := httptest.NewRecorder()
	r.Host = apiHost
	n.chat.ServeHTTP(answer, r)
	if r.Method != http.MethodGet && strings.HasPrefix(r.URL.Path, "/api/v10/channels/") {
		n.mu.Lock()
		n.shown++
		n.mu.Unlock()
	}
	if p != nil && p.where == beforeReply {
		n.hit(p.signal)
		p.hit <- request
		if p.signal == syscall.SIGKILL {
			panic(http.ErrAbortHandler)
		}
		p = nil
	}
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // fails if the node is dead
	if p != nil {
		_ = http.NewResponseController(w).Flush()
		n.hit(p.signal)
		p.hit <- request
	}
}

func (n *node) incarnation() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprintf("%s/%d", n.name, n.life)
}

// start starts the process and waits until it is ready. A process that ends by
// itself, because the database is away, is started again.
func (n *node) start() error {
	for began := time.Now(); time.Since(began) < 5*time.Minute; time.Sleep(200 * time.Millisecond) {
		if n.startOnce() {
			return nil
		}
	}
	return fmt.Errorf("%s does not start; %s", n.name, n.logTail(20))
}

func (n *node) startOnce() bool {
	began := time.Now()
	cmd := exec.Command(n.args[0], n.args[1:]...)
	cmd.Env = append(os.Environ(), n.env...)
	cmd.Stderr = n.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		n.t.Error(err)
		return false
	}
	n.mu.Lock()
	n.life++
	n.shown = 0
	fmt.Fprintf(n.log, "--- life %d of %s at %s\n", n.life, n.name, time.Now().UTC().Format(time.RFC3339Nano))
	err = startWithMe(cmd)
	ended := make(chan struct{})
	n.cmd, n.ended, n.expected = cmd, ended, false
	n.mu.Unlock()
	if err != nil {
		n.t.Error(err)
		return false
	}
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewReader(out)
		if _, err := lines.ReadString('\n'); err == nil {
			close(ready)
		}
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ready:
		n.mu.Lock()
		n.startup += time.Since(began)
		n.mu.Unlock()
		go n.supervise(ended)
		return true
	case <-ended:
	case <-time.After(3 * patience): // until all shards are connected somewhere
		n.sigkill()
	}
	return false
}

// supervise starts the process again if it ends by itself, as a service manager does.
func (n *node) supervise(ended chan struct{}) {
	<-ended
	n.mu.Lock()
	expected := n.expected || n.ended != ended // or another life has begun
	if !expected {
		n.exits++
	}
	n.mu.Unlock()
	if expected {
		return
	}
	end := n.disturb()
	defer end()
	if err := n.start(); err != nil {
		n.t.Error(err)
	}
}

// starter starts commands in a thread that does not end before the test.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

// startWithMe starts a command that is killed when the test dies.
func startWithMe(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // when the thread ends
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}

func (n *node) hit(s syscall.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil && n.cmd.Process != nil {
		n.expected = n.expected || s == syscall.SIGKILL || s == syscall.SIGTERM
		_ = n.cmd.Process.Signal(s) // it may have ended
	}
}

func (n *node) sigkill() {
	n.hit(syscall.SIGKILL)
	n.mu.Lock()
	ended := n.ended
	n.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// stop ends the process as an operator does.
func (n *node) stop() error {
	n.hit(syscall.SIGTERM)
	return n.awaitEnd(n.cmd, n.ended)
}

// replace starts the process again, and stops the earlier one when it is ready.
func (n *node) replace() error {
	n.mu.Lock()
	earlier, ended := n.cmd, n.ended
	n.mu.Unlock()
	if err := n.start(); err != nil {
		return err
	}
	_ = earlier.Process.Signal(syscall.SIGTERM) // it may have ended
	return n.awaitEnd(earlier, ended)
}

func (n *node) awaitEnd(cmd *exec.Cmd, ended <-chan struct{}) error {
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("%s ended with %d", n.name, code)
		}
		return nil
	case <-time.After(patience):
		return errors.New(n.name + " does not stop")
	}
}

// disturb marks the time until the returned function is called.
func (n *node) disturb() (end func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := len(n.disturbed)
	n.disturbed = append(n.disturbed, span{time.Now(), time.Now().Add(time.Hour)})
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.disturbed[i].to = time.Now()
	}
}

// undisturbed reports whether nothing kept the node from answering between two times.
func (n *node) undisturbed(from, to time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.disturbed {
		if s.from.Before(to) && s.to.After(from) {
			return false
		}
	}
	return true
}

func (n *node) logTail(lines int) string {
	data, _ := os.ReadFile(n.log.Name())
	return tail(string(data), lines)
}

// buildCastellan builds the program, with further arguments of go build.
func buildCastellan(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "castellan")
	if out, err := exec.Command("go", slices.Concat([]string{"build", "-o", file}, args, []string{"castellan/cmd/castellan"})...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}
