package killtest_test

import (
	"database/sql"
	"os"
	"testing"
	"time"
)

// TestUpgrade replaces the processes of a cluster by those of a later version, one
// after the other, while people play, and one of them by the old version again. The
// later version updates the schema while the others work. Each process is started again
// before it is stopped. Nothing may be lost, and every interaction is answered.
func TestUpgrade(t *testing.T) {
	if os.Getenv("CASTELLAN_CLUSTER") == "" {
		t.Skip("set CASTELLAN_CLUSTER")
	}
	later := buildCastellan(t, "-tags", "next")
	e := newCluster(t, 0, 0)
	earlier, began := e.nodes[0].args[0], time.Now()
	e.run(func() {
		for i, program := range []string{later, later, later, earlier} {
			e.awaitActions(60)
			n := e.nodes[i%len(e.nodes)]
			n.args[0] = program
			if err := n.replace(); err != nil {
				e.fail("%v", err)
			}
			e.note("replaced " + n.name)
		}
		e.awaitActions(60)
	})
	db, err := sql.Open("pgx", e.cluster.primary.URL("postgres"))
	must(t, err)
	defer db.Close()
	var version int
	must(t, db.QueryRowContext(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&version))
	if version != 9001 {
		t.Errorf("the schema is of version %d", version)
	}
	e.reportCluster(time.Since(began))
	if len(e.f.orphans) > 0 {
		t.Errorf("interactions without an answer: %v", e.f.orphans)
	}
	for _, n := range e.nodes {
		if n.exits > 0 {
			t.Errorf("%s ended by itself %d times", n.name, n.exits)
		}
	}
}

// awaitActions waits until some more actions have been acknowledged.
func (e *killTest) awaitActions(n int) {
	acknowledged := func() (n int) {
		e.count(func(f *figures) { n = f.acknowledged })
		return n
	}
	for until, began := acknowledged()+n, time.Now(); acknowledged() < until && !e.failed(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > e.patience {
			e.fail("%d of %d actions in %v", acknowledged(), until, e.patience)
		}
	}
}
