package towers

import "castellan/engine/towers/internal/board"

// PositionOf returns the position of a state, after a turn of each player.
func PositionOf(s *board.State) *Position { return &Position{state: *s, turns: 2} }

// Cell returns the cell of a square.
func Cell(s Square) board.Cell { return cellOf(s) }

// Actions returns every action that can be written, on the largest board.
func Actions() []Action {
	out := []Action{ActionOf(board.EndTurn)}
	for n := board.Cell(1); n <= 12; n++ {
		out = append(out, ActionOf(board.NewMove(board.Import, 0, n)))
	}
	const most = board.MaxSize
	for a := range most * most {
		for b := range most * most {
			from, to := cellOf(Square{X: a % most, Y: a / most}), cellOf(Square{X: b % most, Y: b / most})
			out = append(out, ActionOf(board.NewMove(board.Walk, from, to)), ActionOf(board.NewMove(board.Out, from, to)))
		}
	}
	return out
}
