package draw

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"castellan/engine"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// The wide forms of Latin letters, and narrow ones of kana: better written as usual.
const firstWide, lastWide = '\uFF01', '\uFF9F'

// Ellipsis replaces the part of a line that has no room.
const Ellipsis = "…"

// anybody stands for a name without letters that can be written, such as one of
// emoji.
const anybody = "☺"

// longestName is the number of characters of a name that are read: more never
// fit.
const longestName = 64

// longestText is the number of characters of a text of several lines that are read.
const longestText = 400

// FitName returns the name of a seat ready to be written within a width in
// pixels, and the face to write it in: without signs that the font lacks, in Latin
// letters where it lacks a script, and in visual order. A long name gets letters that are up to a sixth smaller, and
// is cut if that is not enough. Element 0 of names is the name of seat 1. A seat
// without a printable name is shown by its number.
func (f *Face) FitName(names []string, seat engine.Seat, room float64) (face *Face, line string) {
	if i := int(seat) - 1; i >= len(names) || strings.TrimSpace(names[i]) == "" {
		return f, strconv.Itoa(int(seat))
	}
	name := f.printable(names[seat-1], longestName)
	if name == "" {
		name = anybody
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
func (f *Font) Printable(line string) string { return visual(f.printable(line, longestName)) }

// Wrap returns a text as lines within a width in pixels, ready to be written. They
// break between words or, without a space in their second half, between letters. If there are more
// than a number of lines, the last ends in an ellipsis.
func (f *Face) Wrap(text string, room float64, lines int) (all []string) {
	rest := []rune(f.printable(text, longestText))
	for len(rest) > 0 {
		if f.Width(string(rest)) <= room {
			return append(all, visual(string(rest)))
		}
		end, room := 1, room
		last := len(all) == lines-1
		if last {
			room -= f.Width(Ellipsis)
		}
		for end < len(rest) && f.Width(string(rest[:end+1])) <= room {
			end++
		}
		if last {
			return append(all, visual(strings.TrimSpace(string(rest[:end]))+Ellipsis))
		}
		for at := end; at > end/2; at-- {
			if rest[at] == ' ' {
				end = at
				break
			}
		}
		all = append(all, visual(strings.TrimSpace(string(rest[:end]))))
		rest = []rune(strings.TrimSpace(string(rest[end:])))
	}
	return all
}

// printable removes combining marks, control characters, double spaces and signs
// that the font lacks. Letters that it lacks become Latin ones. Compatibility forms
// that it lacks, such as mathematical letters, become plain letters. It reads up to
// longest characters.
func (t *Font) printable(name string, longest int) string {
	var b strings.Builder
	space, foreign, count := false, false, 0
	write := func(s string) {
		if s == "" {
			return
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteString(s)
	}
	for _, r := range norm.NFC.String(name) {
		if count++; count > longest {
			break
		}
		plain := string(r)
		if !t.has(r) || r >= firstWide && r <= lastWide && !unicode.IsPunct(r) {
			plain = norm.NFKC.String(plain)
		}
		for _, r := range plain {
			switch {
			case unicode.IsSpace(r):
				space, foreign = b.Len() > 0, false
			case !unicode.IsGraphic(r):
			case unicode.Is(unicode.M, r): // a vowel of a foreign letter, or an accent
				if foreign {
					write(latin(r))
				}
			case t.has(r):
				write(string(r))
				foreign = false
			case unicode.IsLetter(r), unicode.IsDigit(r):
				letters := latin(r)
				if space || b.Len() == 0 {
					letters = strings.ToUpper(letters[:min(1, len(letters))]) + letters[min(1, len(letters)):]
				}
				write(letters)
				foreign = true
			}
		}
	}
	return b.String()
}

// latin returns a character in Latin letters. It is empty for those without a sound,
// and beyond the Basic Multilingual Plane.
func latin(r rune) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, unidecode.Unidecode(string(r)))
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
