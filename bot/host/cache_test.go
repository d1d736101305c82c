package host

import (
	"testing"
	"time"

	"castellan/engine/match"
	"castellan/engine/trails"
	"castellan/storage"
)

func trailsMatch(t *testing.T, turns ...string) *match.Match {
	t.Helper()
	g := trails.Game{}
	options, err := g.Options().Options(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := match.Start(g, match.Settings{Game: g.Key(), Version: g.Version(), Options: options, Seats: 2})
	for i := 0; err == nil && i < len(turns); i++ {
		var entries []match.Entry
		if entries, err = m.Act(m.Seat(), turns[i], match.Cause{At: time.Unix(1, 0)}); err == nil {
			m, err = m.With(entries...)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCacheEviction(t *testing.T) {
	m := trailsMatch(t)
	c := newCache(3 * sizeOf(m))
	for id := storage.MatchID(1); id <= 3; id++ {
		c.put(storage.Match{ID: id}, m, 0)
	}
	c.get(1)
	c.put(storage.Match{ID: 4}, m, 0) // evicts 2, the least recently used
	for id, want := range map[storage.MatchID]bool{1: true, 2: false, 3: true, 4: true} {
		if got, _ := c.get(id); (got.Match != nil) != want {
			t.Errorf("match %d is cached: %t, want %t", id, got.Match != nil, want)
		}
	}
	if c.used > c.limit || len(c.entries) != c.recent.Len() {
		t.Errorf("%d bytes of %d used, %d entries in a list of %d", c.used, c.limit, len(c.entries), c.recent.Len())
	}
	c = newCache(-1)
	if c.put(storage.Match{ID: 1}, m, c.bump(1)); c.current(1, 1) || len(c.entries) != 0 || c.used != 0 {
		t.Error("a disabled cache stores matches")
	}
}

func TestCacheKeepsNewestState(t *testing.T) {
	c := newCache(0)
	older, newer := trailsMatch(t, "right"), trailsMatch(t, "right", "left")
	c.put(storage.Match{ID: 1}, newer, 0)
	c.put(storage.Match{ID: 1}, older, 0)
	if k, seq := c.get(1); k.Match != newer || seq != 2 {
		t.Errorf("entry %d is cached, want 2", seq)
	}
}

func TestCacheRevisions(t *testing.T) {
	c := newCache(0)
	first := c.bump(1)
	if !c.current(1, first) || c.current(2, first) || c.current(1, 0) {
		t.Error("the latest revision is not current")
	}
	second := c.bump(1)
	c.put(storage.Match{ID: 1}, trailsMatch(t), first) // by a goroutine that was overtaken
	if c.current(1, first) || !c.current(1, second) {
		t.Error("an older revision is current")
	}
}
