package api

import "sync"

// Queue passes messages to the goroutine that writes them to a connection, so that
// callers never wait for the network. Woken has a value if there may be any.
type Queue struct {
	Woken chan struct{}

	mu     sync.Mutex
	list   [][]byte
	closed bool
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{Woken: make(chan struct{}, 1)} }

// Push appends a message unless the queue is closed.
func (q *Queue) Push(raw []byte) {
	q.change(func() { q.list = append(q.list, raw) })
}

// Close ends the queue, and reports whether it was open.
func (q *Queue) Close() (open bool) {
	return q.change(func() { q.closed = true })
}

// change does something to an open queue and wakes the writer.
func (q *Queue) change(do func()) (open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	do()
	select {
	case q.Woken <- struct{}{}:
	default:
	}
	return true
}

// Take returns the messages, and whether the queue is closed.
func (q *Queue) Take() (list [][]byte, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, q.list = q.list, nil
	return list, q.closed
}
