package sqlite

import (
	"context"
	"database/sql"
)

// Writer returns the connection that writes. Transactions must not run
// meanwhile.
func Writer(s *Store) *sql.Conn { return connections(s.writer)[0].conn }

// connections opens and returns every connection of a pool.
func connections(p *pool) (all []*conn) {
	for range cap(p.idle) {
		c, err := p.take(context.Background())
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		p.put(c, false)
	}
	return all
}
