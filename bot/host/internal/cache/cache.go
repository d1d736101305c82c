// Package cache keeps rebuilt matches in memory.
package cache

import (
	"container/list"
	"sync"

	"castellan/engine/match"
	"castellan/storage"
)

// defaultBytes is the limit if 0.
const defaultBytes = 32 << 20

// Cache holds the newest rebuilt state of recently used matches. A *match.Match
// never changes, so callers share it. A match may be stored only if its whole
// log is committed.
//
// It also counts changes: each change of a match or its boards gets a new
// revision, so that a view can be recognised as the latest one.
type Cache struct {
	limit int64

	mu       sync.Mutex
	used     int64
	entries  map[storage.MatchID]*list.Element // of *cached
	recent   *list.List                        // most recently used first
	revision uint64
}

type cached struct {
	id       storage.MatchID
	match    *match.Match // nil if only the revision is known
	size     int64
	revision uint64
}

// New returns an empty cache of a number of bytes, or of 32 MiB if it is 0. None
// is kept if it is negative.
func New(limit int64) *Cache {
	if limit == 0 {
		limit = defaultBytes
	}
	return &Cache{limit: limit, entries: map[storage.MatchID]*list.Element{}, recent: list.New()}
}

// Get returns a match and its sequence number, or nil and 0.
func (c *Cache) Get(id storage.MatchID) (*match.Match, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	if !ok || e.Value.(*cached).match == nil {
		return nil, 0
	}
	c.recent.MoveToFront(e)
	m := e.Value.(*cached).match
	return m, m.Seq()
}

// Put stores a match unless a newer state of it is stored already.
func (c *Cache) Put(id storage.MatchID, m *match.Match, revision uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(id)
	e.revision = max(e.revision, revision)
	if e.match == nil || e.match.Seq() <= m.Seq() {
		e.match = m
		c.resize(e, sizeOf(m))
	}
}

// Bump gives a match a new revision. It is called inside the write transaction
// that changes the match.
func (c *Cache) Bump(id storage.MatchID) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	c.entry(id).revision = c.revision
	return c.revision
}

// Current reports whether a revision is the latest of its match.
func (c *Cache) Current(id storage.MatchID, revision uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	return ok && revision != 0 && e.Value.(*cached).revision == revision
}

// entry returns the entry of a match and makes it the most recently used.
func (c *Cache) entry(id storage.MatchID) *cached {
	if e, ok := c.entries[id]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*cached)
	}
	e := &cached{id: id}
	c.entries[id] = c.recent.PushFront(e)
	c.resize(e, entrySize)
	return e
}

// resize records the size of an entry and evicts the least recently used
// entries that no longer fit.
func (c *Cache) resize(e *cached, size int64) {
	if _, ok := c.entries[e.id]; !ok {
		return // evicted at once, because the limit is that small
	}
	c.used += size - e.size
	e.size = size
	for c.used > c.limit && c.recent.Len() > 0 {
		oldest := c.recent.Remove(c.recent.Back()).(*cached)
		delete(c.entries, oldest.id)
		c.used -= oldest.size
	}
}

// Estimated memory of cached matches, in bytes. Measured with the four games, a
// log entry takes 800 to 2,300 bytes.
const (
	entrySize    = 300  // of an entry without a match
	matchSize    = 4096 // of a match without a log
	logEntrySize = 2048 // of a log entry with its position, turn and checkpoint
)

// sizeOf estimates the memory of a match.
func sizeOf(m *match.Match) int64 { return entrySize + matchSize + logEntrySize*int64(m.Seq()) }
