package draw

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"castellan/engine"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// Ellipsis replaces the part of a line that has no room.
const Ellipsis = "…"

// longestName is the number of characters of a name that are read: more never
// fit.
const longestName = 64

// FitName returns the name of a seat ready to be written within a width in
// pixels, and the face to write it in: without characters that the font lacks and
// in visual order. A long name gets letters that are up to a sixth smaller, and
// is cut if that is not enough. Element 0 of names is the name of seat 1. A seat
// without a printable name is shown by its number.
func (f *Face) FitName(names []string, seat engine.Seat, room float64) (face *Face, line string) {
	var name string
	if i := int(seat) - 1; i < len(names) {
		name = f.printable(names[i])
	}
	if name == "" {
		return f, strconv.Itoa(int(seat))
	}
	least := (5*f.Capital + 5) / 6
	for capital := f.Capital; capital >= least; capital-- {
		if face = f.Face(capital); face.Width(name) <= room {
			return face, visual(name)
		}
	}
	runes := []rune(name)
	for n := len(runes) - 1; n > 0; n-- {
		cut := visual(strings.TrimSpace(string(runes[:n])) + Ellipsis)
		if face.Width(cut) <= room {
			return face, cut
		}
	}
	return face, Ellipsis
}

// Printable returns a line as the font can write it, in visual order. Of a line
// longer than 64 characters it returns the beginning.
func (f *Font) Printable(line string) string { return visual(f.printable(line)) }

// printable removes characters that the font lacks, combining marks, control
// characters and double spaces. Compatibility forms that the font lacks, such
// as mathematical letters, become plain letters.
func (t *Font) printable(name string) string {
	var b strings.Builder
	space, count := false, 0
	for _, r := range norm.NFC.String(name) {
		if count++; count > longestName {
			break
		}
		plain := string(r)
		if !t.has(r) {
			plain = norm.NFKC.String(plain)
		}
		for _, r := range plain {
			switch {
			case unicode.IsSpace(r):
				space = b.Len() > 0
			case !unicode.IsGraphic(r), unicode.Is(unicode.M, r), !t.has(r):
			default:
				if space {
					b.WriteByte(' ')
					space = false
				}
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// visual returns a line in visual order, from left to right, with Arabic
// letters in their joined forms.
func visual(s string) string {
	if strings.IndexFunc(s, rightToLeft) < 0 {
		return s
	}
	var p bidi.Paragraph
	if _, err := p.SetString(joinArabic(s)); err != nil {
		return s
	}
	order, err := p.Order()
	if err != nil {
		return s
	}
	// Order splits the line into runs, but leaves them in logical order.
	var runs []string
	for i := range order.NumRuns() {
		run := order.Run(i)
		line := run.String()
		if run.Direction() == bidi.RightToLeft {
			line = bidi.ReverseString(line)
		}
		runs = append(runs, line)
	}
	if startsRight(s) {
		slices.Reverse(runs)
	}
	return strings.Join(runs, "")
}

// startsRight reports whether the first letter with a direction is written from
// right to left.
func startsRight(s string) bool {
	for _, r := range s {
		if rightToLeft(r) {
			return true
		}
		if p, _ := bidi.LookupRune(r); p.Class() == bidi.L {
			return false
		}
	}
	return false
}

// rightToLeft reports whether a letter is written from right to left.
func rightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
