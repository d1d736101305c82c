package host

import (
	"container/list"
	"sync"

	"castellan/engine/match"
	"castellan/storage"
)

// cacheBytes is the limit if 0.
const cacheBytes = 32 << 20

// cache holds the newest rebuilt state of recently used matches. A *match.Match
// never changes, so callers share it. A match may be stored only if its whole
// log is committed.
//
// It also counts changes: each change of a match or its boards gets a new
// revision, so that a view can be recognised as the latest one.
type cache struct {
	limit int64

	mu       sync.Mutex
	used     int64
	entries  map[storage.MatchID]*list.Element // of *cached
	recent   *list.List                        // most recently used first
	revision uint64
}

// remembered is the entry of a match in the cache.
type remembered struct {
	Match *match.Match // nil if only the revision is known
	// Root, Head and Correction are those of the record that Match belongs to.
	Root, Head storage.Digest
	Correction storage.BoardID
}

type cached struct {
	remembered
	id       storage.MatchID
	boards   []storage.Board
	size     int64
	revision uint64
}

// newCache returns an empty cache of a number of bytes, or of 32 MiB if it is 0. None
// is kept if it is negative.
func newCache(limit int64) *cache {
	if limit == 0 {
		limit = cacheBytes
	}
	return &cache{limit: limit, entries: map[storage.MatchID]*list.Element{}, recent: list.New()}
}

// get returns what is known of a match, and its sequence number, or zero values.
func (c *cache) get(id storage.MatchID) (remembered, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	if !ok || e.Value.(*cached).Match == nil {
		return remembered{}, 0
	}
	c.recent.MoveToFront(e)
	k := e.Value.(*cached).remembered
	return k, k.Match.Seq()
}

// all returns what is known of all matches.
func (c *cache) all() map[storage.MatchID]remembered {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[storage.MatchID]remembered{}
	for id, e := range c.entries {
		if k := e.Value.(*cached).remembered; k.Match != nil {
			all[id] = k
		}
	}
	return all
}

// put stores the match of a record unless a newer state of it is stored already.
func (c *cache) put(rec storage.Match, m *match.Match, revision uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(rec.ID)
	e.revision = max(e.revision, revision)
	if e.Match == nil || e.Match.Seq() <= m.Seq() {
		e.remembered = remembered{Match: m, Root: rec.Root, Head: rec.Head, Correction: rec.Correction}
		c.resize(e, sizeOf(m))
	}
}

// forget removes a match. It returns the boards that were kept.
func (c *cache) forget(id storage.MatchID) []storage.Board {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(id)
	boards := e.boards
	e.remembered, e.boards, e.revision = remembered{}, nil, 0
	c.resize(e, entrySize)
	return boards
}

// keepBoards keeps the boards of a match that are in the channel.
func (c *cache) keepBoards(id storage.MatchID, boards []storage.Board) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry(id).boards = boards
}

// bump gives a match a new revision. It is called inside the write transaction
// that changes the match.
func (c *cache) bump(id storage.MatchID) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision++
	c.entry(id).revision = c.revision
	return c.revision
}

// current reports whether a revision is the latest of its match.
func (c *cache) current(id storage.MatchID, revision uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	return ok && revision != 0 && e.Value.(*cached).revision == revision
}

// entry returns the entry of a match and makes it the most recently used.
func (c *cache) entry(id storage.MatchID) *cached {
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
func (c *cache) resize(e *cached, size int64) {
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
