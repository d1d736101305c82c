package search

import "sync"

// pooled is from how many bytes on memory is kept for the next search.
const pooled = 1 << 20

// pool is the memory of searches that have ended. To be given a new piece of so
// many bytes can take longer than all else that a search does before it looks
// whether it is still wanted.
type pool[T any] struct{ pieces sync.Pool }

// take is a piece of exactly so many elements of a size in bytes, and whether
// something of another search is still in it.
func (p *pool[T]) take(room, size int) (piece []T, used bool) {
	if room*size >= pooled {
		if piece, ok := p.pieces.Get().(*[]T); ok {
			if cap(*piece) == room {
				return (*piece)[:room], true
			}
			p.pieces.Put(piece)
		}
	}
	return make([]T, room), false
}

// give gives a piece back, which must not be used any more.
func (p *pool[T]) give(piece []T, size int) {
	if cap(piece)*size >= pooled {
		p.pieces.Put(&piece)
	}
}
