package imaging

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Arabic letters change their form with their neighbours. The forms have
// characters of their own, Arabic Presentation Forms-B of Unicode, where every
// letter's stand together as isolated, final, initial, medial. A letter with
// two forms joins the letter before it only.
const (
	firstForm = 0xFE80
	lastForm  = 0xFEF4
)

// arabicForms is the first form of a letter and how many it has.
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

// joinArabic puts Arabic letters, in the order in which they are read, into
// the forms that they take beside each other.
func joinArabic(s string) string {
	letters := []rune(s)
	var b strings.Builder
	joined := false // whether the letter before reaches out to this one
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
		reaches := false
		if count == 4 && i+1 < len(letters) {
			_, next := arabicForms(letters[i+1])
			reaches = next >= 2
		}
		form := rune(0)
		if joined {
			form = 1
		}
		if reaches {
			form += 2
		}
		// Hamza, with one form, is never joined: the letter before it does
		// not reach out, because it has fewer than two.
		b.WriteRune(first + form)
		joined = reaches
	}
	return b.String()
}

// lamAlif is the isolated form of the one character that lam and an alif are
// always written as; the final form comes next.
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
