package endure_test

import (
	"database/sql"
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
	seed := number(t, "CASTELLAN_SEED", rand.Uint64())
	t.Logf("CASTELLAN_SEED=%d", seed)
	later := buildCastellan(t, "-tags", "next")
	c := newClusterTest(t, seed, 0, 0)
	// The second process can take over everything from the first one.
	second := c.nodes[1]
	second.args = second.args[:len(second.args)-2]
	must(t, second.stop())
	must(t, second.start())
	c.disturbs = func() {
		earlier := c.nodes[0].args[0]
		for i, program := range []string{later, later, later, earlier} {
			c.awaitActions(60)
			n := c.nodes[i%len(c.nodes)]
			n.args[0] = program
			if err := n.stop(); err != nil {
				c.fail("%v", err)
			}
			if err := n.start(); err != nil {
				c.fail("%v", err)
			}
			c.did(fmt.Sprintf("replaced %s", n.name))
		}
		c.awaitActions(60)
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
	for _, n := range c.nodes {
		if n.exits > 0 {
			t.Errorf("%s ended by itself %d times", n.name, n.exits)
		}
	}
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
