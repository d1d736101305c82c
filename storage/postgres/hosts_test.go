package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// relay makes a cluster reachable over TCP and returns the address.
func relay(t *testing.T, c *pgtest.Cluster) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() { listener.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", c.Socket())
			if err != nil {
				client.Close()
				continue
			}
			serving.Go(func() { _, _ = io.Copy(server, client); server.Close() })
			serving.Go(func() { _, _ = io.Copy(client, server); client.Close() })
		}
	})
	return listener.Addr().String()
}

// An address can name several servers, in either form of libpq. The store finds the one
// that takes updates, also after another one has become the primary.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	primary := pgtest.New(t)
	standby := primary.Standby(t)
	a, b := relay(t, standby), relay(t, primary)
	portOf := func(address string) string { _, port, _ := net.SplitHostPort(address); return port }
	addresses := []string{
		fmt.Sprintf("postgres://castellan@%s,%s/postgres?target_session_attrs=read-write", a, b),
		fmt.Sprintf("postgres://castellan@/postgres?host=127.0.0.1,127.0.0.1&port=%s,%s&target_session_attrs=read-write", portOf(a), portOf(b)),
	}
	var stores []*postgres.Store
	for _, address := range addresses {
		s, err := postgres.Open(t.Context(), address, postgres.Patience(time.Minute))
		must(t, err)
		t.Cleanup(func() { s.Close() })
		insertMatch(t, s)
		stores = append(stores, s)
	}
	must(t, errors.Join(primary.AwaitStandby(t.Context()), primary.Kill(), standby.Promote()))
	for _, s := range stores {
		if seq := seqOf(t, s, insertMatch(t, s)); seq != 0 {
			t.Errorf("a new match has %d entries", seq)
		}
		pool, err := s.Pool(t.Context(), 1)
		must(t, err)
		must(t, pool.Ping(t.Context()))
		pool.Close()
	}
}
