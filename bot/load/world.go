package load

import (
	"fmt"
	"strconv"

	"castellan/bot/sandbox"
)

// MaxTables is the largest number of tables.
const MaxTables = 400

// World returns a guild with a channel and two people for each table.
func World(tables int) (sandbox.World, error) {
	if tables < 1 || tables > MaxTables {
		return sandbox.World{}, fmt.Errorf("%d tables: want 1 to %d", tables, MaxTables)
	}
	const first = 1_150_000_000_000_000_000 // ids are snowflakes
	id := func(kind, n int) string { return strconv.Itoa(first + kind*1_000_000 + n) }
	w := sandbox.World{
		Guild:       sandbox.Guild{ID: id(1, 0), Name: "A crowd"},
		Application: sandbox.Application{ID: id(2, 0), Name: "Castellan"},
	}
	for t := range tables {
		w.Channels = append(w.Channels, sandbox.Channel{ID: id(3, t), Name: fmt.Sprintf("table-%d", t+1)})
		for p := range 2 {
			w.Users = append(w.Users, sandbox.User{ID: id(4, 2*t+p), Username: fmt.Sprintf("player-%d-%d", t+1, p+1)})
		}
	}
	return w, nil
}
