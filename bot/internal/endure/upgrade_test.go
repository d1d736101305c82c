package endure_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// TestUpgrade replaces the processes of a cluster by those of a later version, one
// after the other, while people play, and one of them by the old version again. The
// later version updates the schema while the others work. Nothing may be lost, and
// every interaction is answered.
func TestUpgrade(t *testing.T) {
	if os.Getenv("CASTELLAN_CLUSTER") == "" {
		t.Skip("set CASTELLAN_CLUSTER")
	}
	later := buildCastellan(t, "-tags", "next")
	for _, tt := range []struct {
		name    string
		second  []string // roles of the second process
		replace func(*node) error
	}{
		// The only gateway is started again before it is stopped.
		{"one gateway", []string{"--role", "poster"}, (*node).replace},
		// The second process can take over everything from the first one.
		{"two gateways", nil, func(n *node) error { return errors.Join(n.stop(), n.start()) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seed := number(t, "CASTELLAN_SEED", rand.Uint64())
			t.Logf("CASTELLAN_SEED=%d", seed)
			c := newClusterTest(t, seed, 0, 0)
			second := c.nodes[1]
			second.args = append(second.args[:len(second.args)-2], tt.second...)
			must(t, errors.Join(second.stop(), second.start()))
			c.disturbs = func() {
				gaps := c.watchShards()
				earlier := c.nodes[0].args[0]
				for i, program := range []string{later, later, later, earlier} {
					c.awaitActions(60)
					n := c.nodes[i%len(c.nodes)]
					n.args[0] = program
					if err := tt.replace(n); err != nil {
						c.fail("%v", err)
					}
					c.did(fmt.Sprintf("replaced %s", n.name))
				}
				c.awaitActions(60)
				t.Logf("times without a connection of a shard: %v", gaps())
			}
			began := time.Now()
			c.run()
			db, err := sql.Open("pgx", c.primary.URL("postgres"))
			must(t, err)
			defer db.Close()
			var version int
			must(t, db.QueryRowContext(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&version))
			if version != 9001 {
				t.Errorf("the schema is of version %d", version)
			}
			c.report(time.Since(began))
			if len(c.f.orphans) > 0 {
				t.Errorf("interactions without an answer: %v", c.f.orphans)
			}
			for _, n := range c.nodes {
				if n.exits > 0 {
					t.Errorf("%s ended by itself %d times", n.name, n.exits)
				}
			}
		})
	}
}

// watchShards returns a function that ends the watch and returns how long each shard
// was without a connection, each time.
func (c *clusterTest) watchShards() (end func() []time.Duration) {
	stop, gaps := make(chan struct{}), make(chan []time.Duration)
	go func() {
		lost, all := make([]time.Time, c.shards), []time.Duration{}
		for {
			connected := make([]bool, c.shards)
			for _, s := range c.chat.Sessions() {
				connected[s.Shard] = true
			}
			for i, is := range connected {
				if !is && lost[i].IsZero() {
					lost[i] = time.Now()
				} else if is && !lost[i].IsZero() {
					all = append(all, time.Since(lost[i]).Round(time.Millisecond))
					lost[i] = time.Time{}
				}
			}
			select {
			case <-time.After(5 * time.Millisecond):
			case <-stop:
				gaps <- all
				return
			}
		}
	}()
	return func() []time.Duration { close(stop); return <-gaps }
}

// awaitActions waits until some more actions have been acknowledged.
func (c *clusterTest) awaitActions(n int) {
	acknowledged := func() (n int) {
		c.count(func(f *figures) { n = f.acknowledged })
		return n
	}
	for until, began := acknowledged()+n, time.Now(); acknowledged() < until && len(c.failed()) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > c.patience {
			c.fail("%d of %d actions in %v", acknowledged(), until, c.patience)
		}
	}
}
