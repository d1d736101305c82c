package draw

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Arabic letters take different forms beside different letters. Unicode's block
// Arabic Presentation Forms-B has a character for each form, grouped by letter
// in the order isolated, final, initial, medial. A letter with two forms joins
// the preceding letter only.
const (
	firstForm = 0xFE80
	lastForm  = 0xFEF4
)

func arabicForms(letter rune) (first rune, count int) {
	if letter < 0x0621 || letter > 0x064A {
		return 0, 0
	}
	for r := rune(firstForm); r <= lastForm; r++ {
		if norm.NFKC.String(string(r)) == string(letter) {
			if count == 0 {
				first = r
			}
			count++
		}
	}
	return first, count
}

// joinArabic replaces Arabic letters, in logical order, by their joined forms.
func joinArabic(s string) string {
	letters := []rune(s)
	var b strings.Builder
	joined := false // whether the preceding letter joins this one
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		if i+1 < len(letters) {
			if both, ok := lamAlif(r, letters[i+1]); ok {
				if joined {
					both++
				}
				b.WriteRune(both)
				joined = false
				i++
				continue
			}
		}
		first, count := arabicForms(r)
		if count == 0 {
			b.WriteRune(r)
			joined = false
			continue
		}
		joinsNext := false
		if count == 4 && i+1 < len(letters) {
			_, next := arabicForms(letters[i+1])
			joinsNext = next >= 2
		}
		form := rune(0)
		if joined {
			form = 1
		}
		if joinsNext {
			form += 2
		}
		// Hamza has one form only, so the preceding letter does not join it.
		b.WriteRune(first + form)
		joined = joinsNext
	}
	return b.String()
}

// lamAlif returns the isolated form of the ligature of lam and an alif. The
// final form is the next character.
func lamAlif(lam, alif rune) (rune, bool) {
	if lam != 0x0644 {
		return 0, false
	}
	switch alif {
	case 0x0622: // with madda
		return 0xFEF5, true
	case 0x0623: // with hamza above
		return 0xFEF7, true
	case 0x0625: // with hamza below
		return 0xFEF9, true
	case 0x0627:
		return 0xFEFB, true
	}
	return 0, false
}
