// Package imaging draws positions: a theme, a canvas, and one painter a game.
//
// A picture is made in palette space. Each game has for each [Theme] one
// palette of at most 256 colours, designed beforehand: the base colours, and
// for every pair that touches the blends at a quarter, a half and three
// quarters. gg rasterises each shape once into a mask of quarters; a mask is
// stamped in any colour over any ground by looking blends up, so nothing is
// ever quantised. What fills a cell is stamped once into a sprite. A position
// is then a copy of the empty board, a few sprite copies and stamps, some
// text, and a paletted PNG.
//
// The parts that games share:
//
//   - theme.go, palette.go: colours by role, palettes and blends
//   - canvas.go, mask.go, shapes.go: pixels, coverage, the shapes drawn by gg
//   - text.go, name.go, arabic.go: the typeface and the names of players
//   - grid.go, signs.go, panel.go: the board, the signs on it, the column
//     beside it
//   - path.go, lock.go: where a piece went, what is picked, what is locked
//   - renderer.go, encode.go: what is kept between pictures, and PNG
//   - plot.go: the course of a rating, which is no position
//   - plain.go, drawing.go: painters that draw with gg alone, for a start
//
// A painter adds a design, the sprites that it needs and the order in which
// they are put: see trails.go and trails_kit.go. A player is a shape first and
// a colour second, signs are lines in a colour of their own, and there are no
// words but names and notation, so one picture serves every language.
package imaging
