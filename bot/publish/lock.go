package publish

import (
	"context"
	"sync"
)

// keyedMutex is a mutex for each key that is in use. The zero value is ready.
type keyedMutex struct {
	mu    sync.Mutex
	locks map[int64]*keyLock
}

type keyLock struct {
	token chan struct{} // holds one token while the lock is free
	users int
}

// lock waits for the lock of a key, or until the context is done.
func (m *keyedMutex) lock(ctx context.Context, key int64) (unlock func(), err error) {
	m.mu.Lock()
	if m.locks == nil {
		m.locks = map[int64]*keyLock{}
	}
	l := m.locks[key]
	if l == nil {
		l = &keyLock{token: make(chan struct{}, 1)}
		l.token <- struct{}{}
		m.locks[key] = l
	}
	l.users++
	m.mu.Unlock()
	leave := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(m.locks, key)
		}
	}
	select {
	case <-l.token:
		return func() { l.token <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
