package imaging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strconv"

	"castellan/engine"
	"castellan/imaging/draw"
)

// Replay is a match as an animated picture.
type Replay struct {
	Scenes   []Scene  // one per frame, at least one
	Captions []string // of the scenes: what was played, in notation
	// Notes holds words behind some of the captions, by the index of the scene:
	// they are never cut.
	Notes map[int]engine.Phrase
	// MaxBytes bounds the file. If it would be longer, it leaves out how pieces move,
	// then every other turn, or three of four and so on, but never the last. 0 means no bound.
	MaxBytes int
}

// ErrBusy reports that too many replays are waiting to be drawn.
var ErrBusy = errors.New("imaging: too many replays at a time")

// replayColours is the most colours of a replay besides the transparent one: fewer
// than a picture has, so that edges and shades have few different ones.
const replayColours = 63

// maxSteps is the most frames of a turn before its last, and maxMoves the most beside
// them in which something moves, of which an action has maxActionMoves: a third would
// make files more than half again as large as without any.
const (
	maxSteps       = 3
	maxMoves       = 3
	maxActionMoves = 2
)

// maxReplays is how many replays are drawn or wait. One is drawn at a time.
const maxReplays = 4

// How long a frame is shown, in hundredths of a second: as long as the whole
// lasts a minute, within bounds. The last one stays longer.
const (
	replayTime   = 6000
	minFrameTime = 25
	maxFrameTime = 120
	lastTime     = 800
	endTime      = 200 // of the end before its card
	stepTime     = 20  // of an action within a turn
	moveTime     = 4   // of a frame while something moves, taken from what follows
	leastTime    = 16  // of the end of a turn
)

// Replay draws an animated GIF of half the width and height of the scenes'
// pictures, with a line for the caption below. Frames hold only the pixels that
// have changed. Of painters whose sets are a [Mover], pieces move from turn to turn.
// The last frame stays for some seconds before the picture starts again. If the last
// scene has a history, the card of the end then takes the place of plates and caption.
//
// Replays wait for each other, but not for other pictures. Replay fails with
// ErrBusy if several wait already.
func (r *Renderer) Replay(ctx context.Context, p Replay, theme string) ([]byte, error) {
	if len(p.Scenes) == 0 || len(p.Captions) != len(p.Scenes) {
		return nil, errors.New("imaging: a replay needs scenes, and a caption for each")
	}
	if r.replays.Add(1) > maxReplays {
		r.replays.Add(-1)
		return nil, ErrBusy
	}
	defer r.replays.Add(-1)
	select {
	case r.replaySlot <- struct{}{}:
		defer func() { <-r.replaySlot }()
	case <-ctx.Done():
		return nil, fmt.Errorf("imaging: waiting to draw a replay: %w", ctx.Err())
	}
	set, err := r.set(p.Scenes[0], theme)
	if err != nil {
		return nil, err
	}
	t, err := draw.ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	if file, err := r.animate(ctx, set, t, p, 1, maxMoves); err != nil || p.fits(file) {
		return file, err
	}
	for step := 1; ; step *= 2 {
		file, err := r.animate(ctx, set, t, p, step, 0)
		if err != nil || p.fits(file) {
			return file, err
		}
		if step > len(p.Scenes) {
			return nil, fmt.Errorf("imaging: the last frame alone has more than %d bytes", p.MaxBytes)
		}
	}
}

// fits reports whether a file is within the bound.
func (p Replay) fits(file []byte) bool { return p.MaxBytes == 0 || len(file) <= p.MaxBytes }

// animate draws every step-th scene, counted back from the last, with some frames for
// what moves in a turn. It stops when the file has become too long.
func (r *Renderer) animate(ctx context.Context, set *pooledSet, t draw.Theme, p Replay, step, moves int) ([]byte, error) {
	canvas := set.canvases.Get().(*draw.Canvas)
	defer set.canvases.Put(canvas)
	a := &animation{set: set, canvas: canvas}
	last := len(p.Scenes) - 1
	if err := a.start(r.font, t, p.Scenes[last]); err != nil {
		return nil, err
	}
	delay := min(maxFrameTime, max(minFrameTime, replayTime*step/len(p.Scenes)))
	for i := last % step; i <= last; i += step {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("imaging: drawing a replay: %w", err)
		}
		s := p.Scenes[i]
		a.caption.text, a.caption.note, a.caption.turns = p.Captions[i], "", p.Scenes[last].Turn.Number
		if word, ok := p.Notes[i]; ok {
			a.caption.note = " " + s.Word(word, a.caption.face, float64(a.width)/3)
		}
		s.Captioned = a.caption.holds(a.caption.text + a.caption.note)
		end := s
		if i < last {
			end = between(s)
		}
		all := []phase{{after: end}}
		if step == 1 {
			all = phases(s, end)
		}
		for n, ph := range all {
			most := 0 // of the turn's frames for what moves, shared out evenly
			if left := len(all) - n; moves > 0 && left <= moves {
				most = min(maxActionMoves, moves/min(len(all), moves))
			}
			moved := a.move(ph, most)
			switch {
			case n < len(all)-1:
				a.frame(ph.after, stepTime-moved*moveTime)
			case i < last:
				a.frame(ph.after, max(leastTime, delay-moved*moveTime))
			case a.card.Empty():
				a.frame(ph.after, lastTime)
			default:
				a.frame(ph.after, endTime)
				a.finish(ph.after)
			}
		}
		if p.MaxBytes > 0 && a.gif.out.Len() > p.MaxBytes {
			break
		}
	}
	return bytes.Clone(a.gif.finish()), nil
}

// between returns a scene with nobody to move: to mark that would change two cards in
// each frame.
func between(s Scene) Scene {
	s.Outcome, s.Footer.Reason = &Outcome{Void: true}, ""
	return s
}

// phase is a part of a turn that has a frame of its own.
type phase struct {
	during Scene         // before the action, if there is one
	action engine.Action // the phase's last; nil for none
	after  Scene
}

// phases returns how the turn of a scene was played: its first action, its second, and
// so on to the last, after which there is another scene; or that scene alone if the
// turn cannot be played again. Of more than maxSteps before the last, it joins some.
func phases(s, end Scene) (all []phase) {
	actions := s.Turn.Actions
	if n := len(actions); n > 1 && actions[n-1].String() == engine.End {
		actions = actions[:n-1]
	}
	position, n := s.Turn.Before, len(actions)-1
	for i, action := range actions {
		during := between(s)
		during.Position, during.Earlier = position, nil
		during.Turn.Actions, during.Turn.Open = actions[:i:i], true
		if i == n {
			return append(all, phase{during, action, end})
		}
		next, err := position.Apply(action)
		if err != nil {
			break
		}
		if position = next; i*maxSteps/n == (i+1)*maxSteps/n && n > maxSteps {
			continue
		}
		after := during
		after.Position, after.Turn.Actions = position, actions[:i+1:i+1]
		all = append(all, phase{during, action, after})
	}
	return []phase{{after: end}}
}

// animation is a replay that is being drawn.
type animation struct {
	set       *pooledSet
	canvas    *draw.Canvas
	repainter *draw.Repainter // nil for pictures of [Plain]
	caption   *caption

	colours     color.Palette
	table       [256]uint8 // from the picture's colours
	transparent uint8      // the last of the colours
	halves      []int16
	gif         *gifWriter
	width       int
	card        image.Rectangle // of the picture of the end, at full size
	top         int             // of the caption
	blank       []byte          // a row in the background colour

	// At half size:
	shown   []byte // the frame before; transparent at first
	delta   []byte // this frame; transparent where nothing has changed
	clear   []byte // a transparent row
	row     []byte // being drawn
	changed image.Rectangle
	pixels  []byte // of the changed rectangle
}

// start prepares for frames with the colours of a scene.
func (a *animation) start(font *draw.Font, t draw.Theme, s Scene) (err error) {
	model := a.set.paint(a.canvas, s)
	if a.canvas != nil {
		a.repainter = draw.NewRepainter(a.canvas)
	}
	if model.Rect.Dx() < 2 || model.Rect.Dy() < 2 {
		return fmt.Errorf("imaging: a picture of %v is too small for a replay", model.Rect.Size())
	}
	whole := a.finished(model, s)
	a.card = image.Rect(0, model.Rect.Dy(), model.Rect.Dx(), whole.Rect.Dy())
	colours := draw.Thin(whole, replayColours)
	a.colours = append(colours[:len(colours):len(colours)], color.RGBA{})
	a.transparent = uint8(len(colours))
	a.table = tableTo(colours, model.Palette)
	a.width = model.Rect.Dx() / 2
	if a.caption, err = newCaption(font, t, a.width, colours, s.Footer); err != nil {
		return err
	}
	// The card lies below the board, whose plates and caption may be lower than it.
	a.top = model.Rect.Dy() / 2
	size := image.Pt(a.width, a.top+a.caption.line.Rect.Dy())
	if !a.card.Empty() {
		a.blank = bytes.Repeat([]byte{a.table[a.set.blank().Pix[0]]}, a.width)
		size.Y += max(0, a.set.part().Max.Y/2+a.card.Dy()/2-a.top-captionHeight)
	}
	a.delta = bytes.Repeat([]byte{a.transparent}, size.X*size.Y)
	a.shown, a.clear, a.row = bytes.Clone(a.delta), bytes.Clone(a.delta[:a.width]), make([]byte, a.width)
	a.halves = make([]int16, 1<<16)
	for i := range a.halves {
		a.halves[i] = -1
	}
	a.gif = newGIF(size, a.colours)
	return nil
}

// finished returns the picture of a scene with the card of its end, if it has one. The
// footer is below the caption.
func (a *animation) finished(picture *image.Paletted, s Scene) *image.Paletted {
	if a.canvas == nil {
		return picture
	}
	s.Footer = Footer{}
	return a.set.finished(a.canvas, s)
}

// frame adds a frame with a scene, shown for a time in hundredths of a second.
func (a *animation) frame(s Scene, delay int) {
	a.paint(func(c *draw.Canvas) *image.Paletted { return a.set.paint(c, s) })
	a.captioned(s)
	a.emit(delay)
}

// move adds frames of the action of a phase while it is carried out, at most some. It
// returns how many.
func (a *animation) move(p phase, most int) int {
	if p.action == nil || most == 0 {
		return 0
	}
	moving := a.set.moving(p.during, p.action)
	if moving == nil {
		return 0
	}
	for i := range most {
		share := float64(i+1) / float64(most+1)
		share *= share * (3 - 2*share) // slow at first and at last
		a.paint(func(c *draw.Canvas) *image.Paletted {
			moving(c, share)
			return c.Paletted
		})
		a.captioned(p.during)
		a.emit(moveTime)
	}
	return most
}

// finish adds the frame with the card of the end, below the board.
func (a *animation) finish(s Scene) {
	bottom := len(a.shown)/a.width - (a.caption.line.Rect.Dy() - captionHeight)
	for y := a.set.part().Max.Y / 2; y < bottom; y++ {
		a.put(0, y, a.blank)
	}
	a.shrink(a.finished(a.canvas.Paletted, s), a.card, bottom-a.card.Dy()/2-a.card.Min.Y/2)
	a.emit(lastTime)
}

// paint puts a picture into the frame: of one drawn on the canvas, what has changed.
func (a *animation) paint(painting func(*draw.Canvas) *image.Paletted) {
	if a.repainter != nil {
		a.repainter.Paint(func(c *draw.Canvas) { painting(c) }, func(area image.Rectangle) { a.shrink(a.canvas.Paletted, area, 0) })
		return
	}
	now := painting(nil)
	a.table = tableTo(a.colours[:a.transparent], now.Palette)
	a.shrink(now, now.Rect, 0)
}

// captioned puts the caption of a scene and the footer into the frame, the latter at
// the bottom.
func (a *animation) captioned(s Scene) {
	line := a.caption.draw(s)
	for y := a.top + captionHeight; y < len(a.shown)/a.width-(line.Rect.Dy()-captionHeight); y++ {
		a.put(0, y, a.blank) // a card that is higher needs the room
	}
	for y := range line.Rect.Dy() {
		for x, index := range line.Pix[y*line.Stride:][:a.width] {
			a.row[x] = a.caption.table[index]
		}
		at := a.top + y
		if y >= captionHeight {
			at += len(a.shown)/a.width - a.top - line.Rect.Dy()
		}
		a.put(0, at, a.row)
	}
}

// emit adds what has changed as a frame.
func (a *animation) emit(delay int) {
	if a.changed.Empty() {
		a.changed = image.Rect(0, 0, 1, 1) // a frame has at least one pixel
	}
	a.pixels = a.pixels[:0]
	for y := a.changed.Min.Y; y < a.changed.Max.Y; y++ {
		row := a.delta[y*a.width:][a.changed.Min.X:a.changed.Max.X]
		a.pixels = append(a.pixels, row...)
		copy(row, a.clear)
	}
	a.gif.frame(a.changed, a.pixels, delay)
	a.changed = image.Rectangle{}
}

// tableTo returns the nearest of a palette for each colour of another.
func tableTo(palette, from color.Palette) (table [256]uint8) {
	for i, c := range from {
		table[i] = uint8(palette.Index(c))
	}
	return table
}

// put gives pixels of the frame their colours, from a place to the right.
func (a *animation) put(x, y int, row []byte) {
	shown, delta := a.shown[y*a.width+x:][:len(row)], a.delta[y*a.width+x:][:len(row)]
	first, last := len(row), -1
	for i, index := range row {
		if shown[i] != index {
			shown[i], delta[i] = index, index
			first, last = min(first, i), i
		}
	}
	a.changed = a.changed.Union(image.Rect(x+first, y, x+max(first, last+1), y+1))
}

// shrink puts an area of a picture into the frame, down by a number of pixels.
func (a *animation) shrink(now *image.Paletted, area image.Rectangle, down int) {
	for y := area.Min.Y; y+1 < area.Max.Y; y += 2 {
		upper := now.Pix[now.PixOffset(area.Min.X, y):][:area.Dx()&^1]
		lower := now.Pix[now.PixOffset(area.Min.X, y+1):][:len(upper)]
		row := a.row[:len(upper)/2]
		for i := range row {
			u, l := upper[2*i:2*i+2], lower[2*i:2*i+2]
			if u[0] == u[1] && u[0] == l[0] && u[0] == l[1] {
				row[i] = a.table[u[0]]
			} else {
				row[i] = a.half(a.half(a.table[u[0]], a.table[u[1]]), a.half(a.table[l[0]], a.table[l[1]]))
			}
		}
		a.put(area.Min.X/2, y/2+down, row)
	}
}

// half returns the colour nearest to the mix of two.
func (a *animation) half(x, y uint8) uint8 {
	if x == y {
		return x
	}
	mixed := &a.halves[uint16(x)<<8|uint16(y)]
	if *mixed < 0 {
		c, d := color.RGBAModel.Convert(a.colours[x]).(color.RGBA), color.RGBAModel.Convert(a.colours[y]).(color.RGBA)
		*mixed = int16(a.colours[:a.transparent].Index(draw.Mix(c, d, 0.5)))
		a.halves[uint16(y)<<8|uint16(x)] = *mixed
	}
	return uint8(*mixed)
}

// captionUnit is the unit of lengths in the line below a replay, and captionHeight
// its height.
const (
	captionUnit   = draw.U / 2
	captionHeight = 12 * captionUnit / 5
)

// caption draws the line below a replay: the number of the turn and of all
// turns, who played it and what, and a bar for how far the match has come; and the
// footer below.
type caption struct {
	line  *draw.Canvas
	table [256]uint8 // from its colours to the replay's
	face  *draw.Face
	marks [6]*draw.Mask

	text, note string // of the scene
	turns      int    // in all

	footer *draw.FooterLines
}

func newCaption(font *draw.Font, t draw.Theme, width int, colours color.Palette, below draw.Footer) (*caption, error) {
	over := []draw.Role{draw.Text, draw.Dim, draw.Line}
	for c := engine.Blue; c <= engine.Wedge; c++ {
		over = append(over, draw.Seat(c))
	}
	p, err := draw.NewPalette(t, draw.Design{Over: map[draw.Role][]draw.Role{draw.Background: over}})
	if err != nil {
		return nil, err
	}
	footer := below.Lines(font, captionUnit, width)
	return &caption{
		line: draw.NewCanvas(p, width, captionHeight+footer.Height), table: tableTo(colours, p.Colours), footer: footer,
		face: font.Face(draw.Px(draw.NotationCapital) / 2), marks: draw.Marks(0.5 * captionUnit),
	}, nil
}

// holds reports whether a text fits into the line beside three-digit numbers.
func (c *caption) holds(text string) bool {
	return c.face.Width(text)+c.face.Width("000 / 000")+5.4*captionUnit <= float64(c.line.Rect.Dx())
}

func (c *caption) draw(s Scene) *image.Paletted {
	line, turns := c.line, c.turns
	line.Fill(line.Rect, draw.Background)
	x, y := 1.9*captionUnit, 0.9*captionUnit
	number := strconv.Itoa(s.Turn.Number)
	c.face.Write(line, number, x, y, draw.Left, draw.Text)
	x += c.face.Width(number)
	total := " / " + strconv.Itoa(turns)
	c.face.Write(line, total, x, y, draw.Left, draw.Dim)
	x += c.face.Width(total) + captionUnit
	if s.Turn.Number > 0 {
		colour := s.Game.Colours(max(len(s.Names), int(s.Turn.Seat)))[s.Turn.Seat-1]
		line.Stamp(c.marks[colour-engine.Blue], int(x)+captionUnit/2, int(y), draw.Seat(colour))
		x += 1.5 * captionUnit
		face, fitted := c.face.FitName([]string{c.text}, 1, float64(line.Rect.Dx())-x-captionUnit-c.face.Width(c.note))
		face.Write(line, fitted, x, y, draw.Left, draw.Text)
		c.face.Write(line, c.note, x+face.Width(fitted), y, draw.Left, draw.Dim)
	}
	bar := image.Rect(0, captionHeight-captionUnit/5, line.Rect.Dx()*s.Turn.Number/max(turns, 1), captionHeight)
	line.Fill(bar, draw.Line)
	c.footer.Write(line, captionHeight, s.Footer.Reason != "")
	return line.Paletted
}
