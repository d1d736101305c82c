// Package draw is the canvas kit that painters are built on: colours by role,
// a canvas of palette indices, shapes, signs, text, a framed board of square cells
// and the name plates below it. It knows neither games nor positions.
//
// A picture has at most 128 colours, all of them designed beforehand. A [Role]
// names a colour by its purpose, a [Theme] gives the colour, and a [Design]
// lists which roles touch which. From these [NewPalette] computes the colours
// and the blends that smooth edges need. [NewMask] rasterises a shape once with gg; [Canvas.Stamp] lays it in
// any colour over any ground by looking blends up, so nothing is quantised at
// run time. [NewSprite] does the same for a drawing in many colours, with light,
// shade and a soft shadow.
//
// Most board games can embed a [Board]: the empty board with coordinates, the
// plates, and a method that makes sprites. A picture is then a copy of the
// empty board, some sprites, some signs and the plates.
//
// A seat is recognised by the shape of its mark first and by its colour second.
// Signs have a colour of their own and a key line, which sets them off from
// any ground. The only words are names and notation, so that one picture
// serves every language.
//
// Lengths on the whole picture are in u, 1/40 of its width, see [Px]; lengths
// on the board are in cells, see [Grid.Length].
package draw
