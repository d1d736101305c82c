package imaging

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"castellan/engine"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// ellipsis stands for the part of a name that has no room.
const ellipsis = "…"

// longestName is how many characters of a name are looked at: more never fit.
const longestName = 64

// seatName is the name of a seat as the typeface can show it, in the order in
// which it is drawn, cut to a width in pixels. A name of which nothing is left
// is the seat's number.
func (f *face) seatName(names []string, seat engine.Seat, room float64) string {
	var name string
	if i := int(seat) - 1; i < len(names) {
		name = f.printable(names[i])
	}
	if name == "" {
		return strconv.Itoa(int(seat))
	}
	runes := []rune(name)
	if f.width(name) <= room {
		return visual(name)
	}
	for n := len(runes) - 1; n > 0; n-- {
		cut := visual(strings.TrimSpace(string(runes[:n])) + ellipsis)
		if f.width(cut) <= room {
			return cut
		}
	}
	return ellipsis
}

// printable is a name without what the typeface lacks, without accents that
// have no letter of their own, control characters and double spaces. A letter
// in fancy dress, such as the mathematical ones, becomes the plain letter.
func (t *typeface) printable(name string) string {
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

// visual is a line in the order in which it is drawn, from left to right, with
// Arabic letters in their joined forms.
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
	// Order splits the line into runs, but leaves these in the order in which
	// they are read. A line that starts from the right goes on from there.
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

// startsRight reports whether the first letter of a line with a direction of
// its own is written from the right.
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

// rightToLeft reports whether a letter is written from the right.
func rightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
