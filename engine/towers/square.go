package towers

import (
	"castellan/engine/grid"
	"castellan/engine/towers/internal/board"
)

// Square is a square of the board.
type Square = grid.Square

func cellOf(s Square) board.Cell { return board.Cell(s.Y*board.Stride + s.X) }

func squareOf(c board.Cell) Square { return Square{X: int(c % board.Stride), Y: int(c / board.Stride)} }
