package ai

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
)

// The boards that take little to solve are solved again, and the table says the
// same. With CASTELLAN_SOLVE=TIME, such as 10m, every board of at most 13
// squares that can be solved within that time is, and the table is printed as
// solved_table.go has it; CASTELLAN_BOARDS=11/3/1,9/3/1 names some, by size,
// towers and distance.
func TestSolvedBoards(t *testing.T) {
	if limit := os.Getenv("CASTELLAN_SOLVE"); limit != "" {
		d, err := time.ParseDuration(limit)
		if err != nil {
			t.Fatal(err)
		}
		solveAll(t, d)
		return
	}
	n := 0
	for _, b := range solved {
		if b.Size > 7 || b.line != "" {
			continue
		}
		p, err := b.start()
		if err != nil {
			t.Fatal(err)
		}
		v := NewSolver(1<<20).Solve(t.Context(), stateOf(t, p), 4000)
		if v.Winner >= 0 {
			n++
		}
		if v.Winner >= 0 && engine.Seat(v.Winner+1) != b.Winner {
			t.Errorf("%v: seat %d wins", b, v.Winner+1)
		}
	}
	if n < 10 {
		t.Errorf("only %d boards were solved", n)
	}
}

// solveAll prints the table.
func solveAll(t *testing.T, limit time.Duration) {
	v := NewSolver(1 << 30)
	for size := 5; size <= 13; size += 2 {
		for towers := 1; towers <= 9; towers++ {
			for distance := 0; distance <= 3; distance++ {
				b := Solved{Size: size, Towers: towers, Distance: distance}
				p, err := b.start()
				if err != nil || towers == 1 && distance != 1 {
					continue // it does not fit, or is the same as another
				}
				if only := os.Getenv("CASTELLAN_BOARDS"); only != "" &&
					!slices.Contains(strings.Split(only, ","), fmt.Sprintf("%d/%d/%d", size, towers, distance)) {
					continue
				}
				begin := time.Now()
				_, quick, _ := splitNodes(stateOf(t, p).geo.scaled(Engine().Strongest().Limits.Nodes))
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				r := v.Solve(ctx, stateOf(t, p), 0)
				if r.Winner >= 0 {
					var line strings.Builder
					s := stateOf(t, p)
					writeLine(ctx, &line, v, s, r.Winner, quick)
					if strings.Trim(line.String(), string(stop)) != "" {
						b.line = line.String()
					}
				}
				if ctx.Err() == nil {
					fmt.Printf("\t{%d, %d, %d, %d, %q}, // %d positions, %.0f s\n",
						size, towers, distance, r.Winner+1, b.line, r.Nodes, time.Since(begin).Seconds())
				} else {
					fmt.Printf("\t// {%d, %d, %d}: not after %d positions, %.0f s (winner %d)\n", size, towers, distance, r.Nodes, time.Since(begin).Seconds(), r.Winner+1)
				}
				cancel()
			}
		}
	}
}

// writeLine writes the winner's book line up to positions that few nodes solve.
func writeLine(ctx context.Context, to *strings.Builder, v *Solver, s *State, winner int, quick int64) {
	if s.Seat() < 0 || ctx.Err() != nil {
		return
	}
	if s.Seat() != winner {
		for _, d := range order {
			if s.LegalMoves().Has(d) {
				s.Make(search.Move(d))
				writeLine(ctx, to, v, s, winner, quick)
				s.Unmake()
			}
		}
		return
	}
	if NewSolver(search.DefaultMemory/2).Solve(ctx, s, quick).Winner >= 0 {
		to.WriteByte(stop)
		return
	}
	r := v.Solve(ctx, s, 0)
	if r.Winner < 0 {
		return
	}
	d := r.Wins[0]
	to.WriteByte(letters[d])
	s.Make(search.Move(d))
	writeLine(ctx, to, v, s, winner, quick)
	s.Unmake()
}

// A book line leads to where the solver takes over, whatever the opponent does,
// and no further.
func TestBookLines(t *testing.T) {
	for _, b := range solved {
		if b.line == "" {
			continue
		}
		p, err := b.start()
		if err != nil {
			t.Fatal(err)
		}
		// A position that is not on the board is sought until the line ends.
		w := bookFinder{state: stateOf(t, p), target: stateOf(t, p), line: b.line, winner: b.Winner, turns: -1}
		w.find(0)
		if w.line != "" || w.found {
			t.Errorf("%v: %q is left", b, w.line)
		}
	}
}

// The book finds the positions of its lines and plays legal moves.
func TestBookMoves(t *testing.T) {
	for _, b := range solved {
		if b.line == "" {
			continue
		}
		p, err := b.start()
		if err != nil {
			t.Fatal(err)
		}
		for p.Seat() != b.Winner {
			p = apply(t, p, p.Legal()[0])
		}
		for turn := range 3 {
			d, ok, _ := findInBook(p, stateOf(t, p))
			if !ok && turn == 0 {
				t.Errorf("%v: the line is not found", b)
			}
			if !ok {
				break
			}
			p = apply(t, p, d)
			if p.Seat() == engine.Nobody {
				break
			}
			p = apply(t, p, p.Legal()[len(p.Legal())-1])
		}
	}
	p := position(t, "size=9")
	decision := searchtest.Think(t, Engine().Strongest().Player, p, search.Limits{Nodes: 100})
	if decision.Values[0] != 1 || decision.Nodes != 0 {
		t.Errorf("the top does not know that it wins: %v", decision)
	}
	if _, ok, _ := findInBook(position(t, "size=21"), stateOf(t, position(t, "size=21"))); ok {
		t.Error("a board that nobody has solved has an opening")
	}
}

// On a solved board the winner wins against every player.
func TestSolvedWinKept(t *testing.T) {
	top := Engine().Strongest().Player
	for i, options := range []string{"size=7 towers=1", "size=7", "size=7 towers=3 distance=2", "size=9 towers=1", "size=5"} {
		for seed := range uint64(4) {
			var p engine.Position = position(t, options)
			winner := engine.Seat(1)
			if i == 4 {
				winner = 2
			}
			for p.Seat() != engine.Nobody {
				player := search.Player(search.Random{})
				if seed == 0 {
					skilled, _ := Engine().Level("skilled")
					player = skilled.Player
				}
				if p.Seat() == winner {
					player = top
				}
				p = apply(t, p, searchtest.Think(t, player, p, search.Limits{Nodes: 15_000, Seed: seed}).Actions[0])
			}
			if r, _ := p.Result(); r.Winners[0] != winner {
				t.Errorf("%s: seat %d has lost", options, winner)
			}
		}
	}
}
