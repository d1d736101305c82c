// Package imaging draws positions as PNG pictures, and the course of ratings as
// plots. A [Renderer] knows no game: it is given one [Painter] per game.
//
// A painter comes from a package of its own, see castellan/imaging/trails for
// one, which may lie in another module. There are two kinds:
//
//   - [Plain] makes one from a single function that draws each picture
//     from scratch with gg. That is simple and slow.
//   - [NewPainter] makes one that prepares a [Set] of sprites for each theme
//     and size of board and copies them into place, on the canvas of
//     castellan/imaging/draw. A picture takes 1 to 3 ms.
package imaging
