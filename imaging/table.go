package imaging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"

	"castellan/engine"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Table is the table of a tournament: a row for each player, with a sign for each round.
type Table struct {
	Title string // its name
	Note  string // on the right of the title, such as the round
	Rows  []TableRow
}

// TableRow is a player in a table.
type TableRow struct {
	Place  string // empty before the start
	Name   string
	Points string
	Figure string // beside the points, such as a tie-break; empty for all if there is none
	Signs  []Sign // of the rounds; the last mostSigns are shown
	Gone   bool   // the player has left: the name is dim
}

// Sign says how a round went for a player.
type Sign uint8

// The signs, which differ in their shapes.
const (
	SignNone Sign = iota // not played yet
	SignWon
	SignDrawn
	SignLost
	SignPlaying
	SignFree // a point without a game
	SignAway // no game and no point
)

// Lengths of a table in u: 1080 pixels wide, and as high as its rows. Letters are at least
// 11 pixels high on a phone 341 wide.
const (
	tableWidth   = 40
	tableMargin  = 1.0
	tableTitle   = 3.4
	tableRow     = 2.3
	tableBottom  = 0.8
	tableCapital = 1.05
	tablePlace   = 2.2 // room for a place
	tablePoints  = 3.2
	tableFigure  = 3.2
	tableSign    = 1.9
	tableRadius  = 0.62
	tableLeast   = 10.0 // of a name
	mostSigns    = 11
	// MostTableRows is how many rows a table can have.
	MostTableRows = 20
)

func tableDesign() draw.Design {
	own, other := draw.Seat(engine.Blue), draw.Seat(engine.Red)
	return draw.Design{Over: map[draw.Role][]draw.Role{
		draw.Background: {draw.Text, draw.Dim, draw.Gold, own, other},
		draw.Line:       {draw.Background},
	}}
}

// Table draws a table and returns it as PNG, 1080 pixels wide. The empty theme is
// [draw.Dark]. The same table always gives the same bytes. It fails if the table has no
// rows or more than MostTableRows.
func (r *Renderer) Table(ctx context.Context, t Table, theme string) ([]byte, error) {
	if len(t.Rows) == 0 || len(t.Rows) > MostTableRows {
		return nil, fmt.Errorf("imaging: a table has 1 to %d rows, not %d", MostTableRows, len(t.Rows))
	}
	th, err := draw.ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	colours, err := r.tablePalette(th)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: drawing a table: %w", err)
	}
	c := draw.NewCanvas(colours, draw.Px(tableWidth), draw.Px(tableTitle+tableRow*float64(len(t.Rows))+tableBottom))
	newTabling(t, r.font).paint(c)
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(errors.New("imaging: encoding a table"), err)
	}
	return r.encoder.encode(c.Paletted)
}

// tablePalette returns the palette of tables in a theme, computed when first needed.
func (r *Renderer) tablePalette(t draw.Theme) (*draw.Palette, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.tables[t.Name]; ok {
		return p, nil
	}
	p, err := draw.NewPalette(t, tableDesign())
	if err == nil {
		r.tables[t.Name] = p
	}
	return p, err
}

// tabling is a table laid out for drawing.
type tabling struct {
	Table
	face  *draw.Face
	signs int     // columns
	right float64 // end of the names
	marks map[Sign]*draw.Mask

	figures float64 // room for them
}

func newTabling(t Table, f *draw.Font) tabling {
	g := tabling{Table: t, face: f.Face(draw.Px(tableCapital)), marks: map[Sign]*draw.Mask{}}
	for _, row := range t.Rows {
		g.signs = max(g.signs, min(len(row.Signs), mostSigns))
	}
	for _, row := range t.Rows {
		if row.Figure != "" {
			g.figures = tableFigure
		}
	}
	rest := tablePoints + g.figures
	for g.signs > 0 && tableWidth-2*tableMargin-tablePlace-rest-tableSign*float64(g.signs) < tableLeast {
		g.signs--
	}
	g.right = tableWidth - tableMargin - rest - tableSign*float64(g.signs)
	r := tableRadius * draw.U
	area := image.Rect(-draw.Px(1), -draw.Px(1), draw.Px(1), draw.Px(1))
	mask := func(s Sign, drawing func(*gg.Context)) { g.marks[s] = draw.NewMask(area, drawing) }
	mask(SignWon, func(dc *gg.Context) { draw.FillDisc(dc, 0, 0, r) })
	mask(SignLost, func(dc *gg.Context) { draw.FillRing(dc, 0, 0, r*0.88, r*0.28) })
	mask(SignDrawn, func(dc *gg.Context) {
		draw.FillRing(dc, 0, 0, r*0.88, r*0.28)
		dc.DrawArc(0, 0, r, gg.Radians(90), gg.Radians(270))
		dc.Fill()
	})
	mask(SignPlaying, func(dc *gg.Context) {
		for _, x := range []float64{-0.7, 0, 0.7} {
			draw.FillDisc(dc, x*r, 0, r*0.2)
		}
	})
	mask(SignFree, func(dc *gg.Context) {
		dc.DrawRectangle(-r*0.75, -r*0.15, r*1.5, r*0.3)
		dc.DrawRectangle(-r*0.15, -r*0.75, r*0.3, r*1.5)
		dc.Fill()
	})
	mask(SignAway, func(dc *gg.Context) {
		dc.DrawRectangle(-r*0.6, -r*0.14, r*1.2, r*0.28)
		dc.Fill()
	})
	return g
}

// fit returns a text and the face in which it fits.
func (g tabling) fit(text string, room float64) (*draw.Face, string) {
	return g.face.FitName([]string{text}, 1, room*draw.U)
}

func (g tabling) paint(c *draw.Canvas) {
	c.Fill(c.Rect, draw.Background)
	y := tableTitle / 2 * draw.U
	note := 0.0
	if g.Note != "" {
		face, text := g.fit(g.Note, tableWidth/2)
		face.Write(c, text, (tableWidth-tableMargin)*draw.U, y, draw.Right, draw.Dim)
		note = face.Width(text)/draw.U + 1
	}
	face, text := g.fit(g.Title, tableWidth-2*tableMargin-note)
	face.Write(c, text, tableMargin*draw.U, y, draw.Left, draw.Text)
	for i, row := range g.Rows {
		top := draw.Px(tableTitle + tableRow*float64(i))
		c.Fill(image.Rect(draw.Px(tableMargin), top-1, draw.Px(tableWidth-tableMargin), top+1), draw.Line)
		g.row(c, row, float64(top)+tableRow/2*draw.U)
	}
}

// row draws a row around a height in pixels.
func (g tabling) row(c *draw.Canvas, row TableRow, y float64) {
	name, place := draw.Text, draw.Dim
	if row.Place == "1" {
		place = draw.Gold
	}
	if row.Gone {
		name = draw.Dim
	}
	g.face.Write(c, row.Place, (tableMargin+tablePlace-0.6)*draw.U, y, draw.Right, place)
	face, text := g.fit(row.Name, g.right-tableMargin-tablePlace-0.6)
	face.Write(c, text, (tableMargin+tablePlace)*draw.U, y, draw.Left, name)
	signs := row.Signs[max(0, len(row.Signs)-g.signs):]
	for i, s := range signs {
		x := (g.right + tableSign*(float64(i)+0.5)) * draw.U
		with := draw.Seat(engine.Blue)
		switch s {
		case SignNone:
			continue
		case SignLost:
			with = draw.Seat(engine.Red)
		case SignPlaying, SignAway, SignFree:
			with = draw.Dim
		}
		c.Stamp(g.marks[s], int(x), int(y), with)
	}
	x := g.right + tableSign*float64(g.signs) + tablePoints
	g.face.Write(c, row.Points, (x-0.2)*draw.U, y, draw.Right, draw.Text)
	g.face.Write(c, row.Figure, (x+g.figures)*draw.U, y, draw.Right, draw.Dim)
}

// Points returns half points as people write them.
func Points(half int) string {
	switch {
	case half == 1:
		return "½"
	case half%2 == 1:
		return strconv.Itoa(half/2) + "½"
	}
	return strconv.Itoa(half / 2)
}
