package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"castellan/storage"
)

// channel is PostgreSQL's name of what the processes of a database listen to.
const channel = "castellan"

const (
	// gatherFor is how long signals are gathered before they are sent together.
	gatherFor = 10 * time.Millisecond
	// maxPayload is how many bytes PostgreSQL takes as the payload of a notification,
	// with a margin (https://www.postgresql.org/docs/current/sql-notify.html).
	maxPayload = 7900
	// silence is how long a process that listens hears nothing before it sends a signal
	// to itself. If it does not hear that either, it listens anew: the server may be
	// gone, or a pool between may give each transaction another connection.
	silence = 30 * time.Second
	// maxPause is the longest time between attempts to listen.
	maxPause = time.Second
)

// notification is a payload.
type notification struct {
	From    string           `json:"from"` // a process
	Signals []storage.Signal `json:"signals"`
}

// pendingSignals gathers signals that are to be sent.
type pendingSignals struct {
	mu      sync.Mutex
	signals []storage.Signal
}

// Notify implements storage.Peers.
func (s *Store) Notify(signal storage.Signal) {
	if s.enter() == nil {
		defer s.mu.RUnlock()
		s.notify(signal)
	}
}

// notify does what Notify says, while the store is kept open.
func (s *Store) notify(signals ...storage.Signal) {
	p := &s.pending
	p.mu.Lock()
	defer p.mu.Unlock()
	first := len(p.signals) == 0
	for _, n := range signals {
		if n.N != 0 || !slices.Contains(p.signals, n) {
			p.signals = append(p.signals, n)
		}
	}
	if !first || len(p.signals) == 0 {
		return
	}
	s.background.Go(func() {
		t := time.NewTimer(gatherFor)
		defer t.Stop()
		select {
		case <-t.C:
		case <-s.stopping.Done(): // what is left is sent nevertheless
		}
		p.mu.Lock()
		signals := p.signals
		p.signals = nil
		p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, payload := range s.payloads(signals) {
			if s.send(ctx, payload) != nil {
				return // the others do not depend on it
			}
		}
		for _, n := range signals {
			s.onSignal(n.Kind, true)
		}
	})
}

// send sends a notification.
func (s *Store) send(ctx context.Context, payload string) error {
	_, err := s.reports.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, payload)
	return err
}

// payloads returns the payloads of notifications with some signals, each as short as
// PostgreSQL wants it.
func (s *Store) payloads(signals []storage.Signal) (all []string) {
	text, err := json.Marshal(notification{From: s.process, Signals: signals})
	switch n := len(signals); {
	case n == 0 || err != nil:
		return nil
	case len(text) <= maxPayload:
		return []string{string(text)}
	case n == 1: // too long an ID
		return s.payloads([]storage.Signal{{Kind: storage.SignalsLost}})
	default:
		return append(s.payloads(signals[:n/2]), s.payloads(signals[n/2:])...)
	}
}

// take returns the statements that send the signals which are part of the commit, and
// keeps the others.
func (u *update) take(signals []storage.Signal) (statements string) {
	var with []storage.Signal
	for _, n := range signals {
		if n.Kind.WithCommit() {
			with = append(with, n)
		} else {
			u.signals = append(u.signals, n)
		}
	}
	for _, payload := range u.store.payloads(with) {
		statements += "NOTIFY " + channel + ", '" + strings.ReplaceAll(payload, "'", "''") + "'; "
	}
	return statements
}

// Listen implements storage.Peers. It has a connection of its own.
func (s *Store) Listen(ctx context.Context, handle func(storage.Signal)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	for ctx.Err() == nil {
		s.listen(ctx, handle)
		_ = s.pause(ctx, maxPause)
	}
}

// listen listens until the connection is lost.
func (s *Store) listen(ctx context.Context, handle func(storage.Signal)) {
	conn, err := pgx.ConnectConfig(ctx, s.parsed.Copy())
	if err != nil {
		return
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return
	}
	hear := func(signal storage.Signal) {
		s.onSignal(signal.Kind, false)
		handle(signal)
	}
	hear(storage.Signal{Kind: storage.SignalsLost})
	for asked := false; ; {
		waiting, cancel := context.WithTimeout(ctx, s.silence)
		received, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			asked = false
		case ctx.Err() != nil || asked || !errors.Is(err, context.DeadlineExceeded):
			return
		default:
			if asked = true; s.send(ctx, "{}") != nil {
				return
			}
			continue
		}
		var n notification
		if json.Unmarshal([]byte(received.Payload), &n) != nil || n.From == s.process {
			continue
		}
		for _, signal := range n.Signals {
			hear(signal)
		}
	}
}
