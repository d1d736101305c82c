package bot

import (
	"context"
	"sync"
)

// locks is a lock for each number that is in use. The zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[int64]*held
}

type held struct {
	turn  chan struct{} // holds one token while the lock is free
	users int
}

// lock waits for the lock of a number, or until the context is done.
func (l *locks) lock(ctx context.Context, n int64) (unlock func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[int64]*held{}
	}
	h := l.held[n]
	if h == nil {
		h = &held{turn: make(chan struct{}, 1)}
		h.turn <- struct{}{}
		l.held[n] = h
	}
	h.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if h.users--; h.users == 0 {
			delete(l.held, n)
		}
	}
	select {
	case <-h.turn:
		return func() { h.turn <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
