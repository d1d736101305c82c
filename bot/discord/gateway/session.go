package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// lineAddress is where discordgo believes the gateway to be. The name is
// reserved and never looked up (RFC 2606): what is dialled is a line.
const lineAddress = "ws://gateway.invalid/"

// point is where a session can be taken up.
type point struct {
	session  string // its identifier; empty means that there is none
	address  string // where to resume
	sequence int64  // the last event that was handed on
}

// newSession is a discordgo session on a line: no privileged intents, no cache
// of what Discord says, no reconnects of its own, its handlers called one after
// another.
func newSession(token string, intents discordgo.Intent, l *line) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.Identify.Intents = intents
	s.Identify.Compress, s.Compress = false, false
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.SyncEvents = true
	s.LogLevel = -1 // what it would print, State and the log say
	s.MaxRestRetries = 0
	// The one request that it makes asks where the gateway is.
	s.Client = &http.Client{Transport: located{}}
	s.Dialer = dialer(func() (net.Conn, error) { return l.dial() })
	return s, nil
}

// located tells a session that the gateway is the line.
type located struct{}

func (located) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"url": lineAddress})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Request: r, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(string(body))),
	}, nil
}

// dialer is a websocket dialler whose connections come from a function.
func dialer(dial func() (net.Conn, error)) *websocket.Dialer {
	take := func(context.Context, string, string) (net.Conn, error) { return dial() }
	return &websocket.Dialer{NetDialContext: take, NetDialTLSContext: take}
}

// prime makes a new session believe that it had begun where another stopped,
// so that it resumes when it is opened. discordgo takes the identifier of a
// session from READY alone and keeps it where nobody can set it. So the
// session is opened on a connection that says nothing but READY: it learns
// what it is to know, misses the hello, and gives the connection up.
func prime(s *discordgo.Session, at point) error {
	ready, err := json.Marshal(map[string]any{
		"op": opDispatch, "s": at.sequence, "t": "READY",
		"d": map[string]any{"session_id": at.session, "resume_gateway_url": lineAddress},
	})
	if err != nil {
		return err
	}
	near, far := net.Pipe()
	defer near.Close()
	after := s.Dialer
	defer func() { s.Dialer = after }()
	s.Dialer = dialer(func() (net.Conn, error) { return far, nil })
	said := make(chan error, 1)
	upgraded(near, func(in *websocket.Conn, err error) {
		if err == nil {
			err = in.WriteMessage(websocket.TextMessage, ready)
		}
		said <- err
	})
	if err := s.Open(); err == nil || !strings.Contains(err.Error(), "expecting Op 10") {
		return fmt.Errorf("%w: opened without a hello: %v", errNotPrimed, err)
	}
	if err := <-said; err != nil {
		return fmt.Errorf("%w: %v", errNotPrimed, err)
	}
	return nil
}
