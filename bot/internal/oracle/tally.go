package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// tally counts exchanges by key.
type tally struct {
	rows    map[string]*row
	unknown map[string]int // fields of answers that are not described, by key and place
}

type row struct {
	requests, files, answers int
	status                   map[int]int
}

func newTally() tally {
	return tally{rows: map[string]*row{}, unknown: map[string]int{}}
}

func (t tally) add(key string, files bool, status int, answer outcome) {
	r := t.rows[key]
	if r == nil {
		r = &row{status: map[int]int{}}
		t.rows[key] = r
	}
	r.requests++
	if files {
		r.files++
	}
	if answer.checked {
		r.answers++
	}
	r.status[status]++
	for _, p := range answer.unknown {
		t.unknown[key+" "+general(p).String()]++
	}
}

// general makes a pointer the same for all items of an array.
func general(p pointer) pointer {
	out := slices.Clone(p)
	for i, k := range out {
		if k != "" && strings.Trim(k, "0123456789") == "" {
			out[i] = "*"
		}
	}
	return out
}

// Count is how many exchanges were checked under a key: method and route, such
// as "POST /channels/{channel_id}/messages", and for first answers to
// interactions the callback type behind it, such as "POST
// /interactions/{interaction_id}/{interaction_token}/callback type 7". The
// parameters may have other names than in the description.
func (o *Oracle) Count(key string) int {
	o.counting.Lock()
	defer o.counting.Unlock()
	if r := o.tally.rows[o.canonical(key)]; r != nil {
		return r.requests
	}
	return 0
}

// canonical rewrites a key with the description's route.
func (o *Oracle) canonical(key string) string {
	name, kind, typed := strings.Cut(key, " type ")
	method, path, _ := strings.Cut(name, " ")
	r, ok := o.find(method, path)
	if !ok {
		return key
	}
	if typed {
		return r.key() + " type " + kind
	}
	return r.key()
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

// Assert checks an exchange and reports its faults as errors of the test.
func (o *Oracle) Assert(tb testing.TB, x Exchange) {
	tb.Helper()
	for _, err := range o.Check(x) {
		tb.Error(err)
	}
}

// Table is the tally as text: a line for each key, sorted, with the number of
// requests, how many of them carried files, how many answers were held against
// a description, and the statuses. Fields of answers that are not described
// follow, if there were any.
func (o *Oracle) Table() string {
	o.counting.Lock()
	defer o.counting.Unlock()
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

// statuses prints counts by status, such as "200×3 404×1".
func statuses(counts map[int]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d×%d", status, counts[status]))
	}
	return strings.Join(parts, " ")
}
