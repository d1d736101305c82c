package account

import "sync"

// maxCached bounds how many values a cache holds.
const maxCached = 20_000

// cache holds values that are read far more often than they change.
type cache[V any] struct {
	mu      sync.Mutex
	values  map[string]V
	changes uint64 // counts calls of forget
}

// get returns the value of an ID, which read reads unless the cache has it. Others
// may get the same value, so nobody may change what it points to.
func (c *cache[V]) get(id string, read func() (V, error)) (V, error) {
	c.mu.Lock()
	v, ok := c.values[id]
	changes := c.changes
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := read()
	c.mu.Lock()
	defer c.mu.Unlock()
	// What was read before a change may be out of date.
	if err == nil && changes == c.changes {
		if c.values == nil || len(c.values) >= maxCached {
			c.values = map[string]V{}
		}
		c.values[id] = v
	}
	return v, err
}

// forget forgets the value of an ID, which has changed.
func (c *cache[V]) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.values, id)
	c.changes++
}

// clear forgets all values.
func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.values)
	c.changes++
}
