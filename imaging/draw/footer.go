package draw

// Lengths of the lines of a footer, in its unit.
const (
	footerLine  = 1.75
	footerAside = 0.75
	footerBelow = 0.5
)

// footerReason is the most lines in which a footer says why a match ended.
const footerReason = 2

// Footer is what a picture that has left its message says of its match: the title to
// the left, the date to the right, and below why it ended. Any may be empty.
type Footer struct{ Title, Date, Reason string }

// FooterLines is a footer for pictures of one width.
type FooterLines struct {
	Height int // in pixels; 0 if the footer is empty

	title, date string
	reason      []string
	face        *Face
	unit, width int
}

// Lines sets a footer for pictures of a width and a unit of lengths, both in pixels.
func (t Footer) Lines(font *Font, unit, width int) *FooterLines {
	l := &FooterLines{title: font.Printable(t.Title), date: font.Printable(t.Date), unit: unit, width: width}
	l.face = font.Face(Px(NotationCapital) * unit / U)
	l.reason = l.face.Wrap(t.Reason, float64(width)-2*footerAside*float64(unit), footerReason)
	if n := len(l.reason) + l.head(); n > 0 {
		l.Height = int((float64(n)*footerLine + footerBelow) * float64(unit))
	}
	return l
}

// head returns the number of lines above the reason.
func (l *FooterLines) head() int {
	if l.title == "" && l.date == "" {
		return 0
	}
	return 1
}

// Write writes the lines from a height, the reason only if the picture shows the end.
func (l *FooterLines) Write(c *Canvas, top int, ended bool) {
	unit := float64(l.unit)
	left, right, y := footerAside*unit, float64(l.width)-footerAside*unit, float64(top)+footerLine*unit/2
	l.face.Write(c, l.title, left, y, Left, Text)
	l.face.Write(c, l.date, right, y, Right, Dim)
	if !ended {
		return
	}
	for i, line := range l.reason {
		l.face.Write(c, line, left, y+float64(i+l.head())*footerLine*unit, Left, Dim)
	}
}
