package sqlite

import "database/sql"

// Writer is the connection that writes, for tests that take room or leave from
// it.
func Writer(s *Store) *sql.DB { return s.writer }
