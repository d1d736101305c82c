package search

import "sync"

// minPooledBytes is the size from which search buffers are reused.
const minPooledBytes = 1 << 20

// pool reuses search buffers: clearing fresh ones can delay cancellation by
// 40 ms.
type pool[T any] struct{ buffers sync.Pool }

// get returns a buffer of exactly n elements of size bytes, and whether it may
// hold data of an earlier search.
func (p *pool[T]) get(n, size int) (buffer []T, dirty bool) {
	if n*size >= minPooledBytes {
		if b, ok := p.buffers.Get().(*[]T); ok {
			if cap(*b) == n {
				return (*b)[:n], true
			}
			p.buffers.Put(b)
		}
	}
	return make([]T, n), false
}

// put takes back a buffer, which must not be used afterwards.
func (p *pool[T]) put(buffer []T, size int) {
	if cap(buffer)*size >= minPooledBytes {
		p.buffers.Put(&buffer)
	}
}
