package oracle

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// tally counts exchanges by key.
type tally struct {
	rows    map[string]*row
	unknown map[string]int // undescribed fields of answers, by key and pointer
}

type row struct {
	requests, files, answers int
	status                   map[int]int
}

func newTally() tally {
	return tally{rows: map[string]*row{}, unknown: map[string]int{}}
}

// add counts an exchange whose answer was checked or not, and the pointers of its
// undescribed fields.
func (t tally) add(key string, x Exchange, checked bool, unknown []string) {
	r := t.rows[key]
	if r == nil {
		r = &row{status: map[int]int{}}
		t.rows[key] = r
	}
	r.requests++
	if x.HasFiles {
		r.files++
	}
	if checked {
		r.answers++
	}
	r.status[x.Status]++
	for _, at := range unknown {
		t.unknown[key+" "+index.ReplaceAllString(at, "/*")]++
	}
}

// index matches the position in an array within a JSON pointer.
var index = regexp.MustCompile(`/[0-9]+\b`)

// Count returns how many exchanges were checked under a key: method and route,
// such as "POST /channels/{channel_id}/messages", and for interaction callbacks
// the type, such as "POST /interactions/{id}/{token}/callback type 7". The names
// of the parameters do not matter.
func (o *Oracle) Count(key string) int {
	name, kind, typed := strings.Cut(key, " type ")
	method, path, _ := strings.Cut(name, " ")
	if route, op := o.facts.find(method, path); op != nil {
		key = route
		if typed {
			key += " type " + kind
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.tally.rows[key]; r != nil {
		return r.requests
	}
	return 0
}

// Require fails the test for every key under which nothing was checked.
func (o *Oracle) Require(tb testing.TB, keys ...string) {
	tb.Helper()
	for _, k := range keys {
		if o.Count(k) == 0 {
			tb.Errorf("no request of this kind was made: %s", k)
		}
	}
}

// Assert checks an exchange and reports its faults as test errors.
func (o *Oracle) Assert(tb testing.TB, x Exchange) {
	tb.Helper()
	for _, err := range o.Check(x) {
		tb.Error(err)
	}
}

// Table returns the tally as text: for each key, sorted, the number of requests,
// how many of them had files, how many answers were checked, and the statuses.
// Undescribed fields of answers follow.
func (o *Oracle) Table() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "requests\tfiles\tanswers\tstatus\troute")
	var all row
	for _, key := range slices.Sorted(maps.Keys(o.tally.rows)) {
		r := o.tally.rows[key]
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\n", r.requests, r.files, r.answers, statuses(r.status), key)
		all.requests += r.requests
		all.files += r.files
		all.answers += r.answers
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t\tin all\n", all.requests, all.files, all.answers)
	for _, place := range slices.Sorted(maps.Keys(o.tally.unknown)) {
		fmt.Fprintf(w, "\t\t%d\t\tnot described in answers: %s\n", o.tally.unknown[place], place)
	}
	_ = w.Flush() // writes to memory
	return b.String()
}

// statuses formats counts by status, such as "200×3 404×1".
func statuses(counts map[int]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d×%d", status, counts[status]))
	}
	return strings.Join(parts, " ")
}
