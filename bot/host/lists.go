package host

import (
	"cmp"
	"context"
	"slices"

	"castellan/storage"
)

// Page is a part of a list of matches.
type Page struct {
	Matches []*View
	// Page is from 1; Pages is at least 1. Total is the length of the list.
	Page, Pages, Total int
}

// Own is a page, from 1, of the matches that a person plays: those that wait
// for them first, the one that has waited longest at the front; then the
// others, the newest turn first.
func (h *Host) Own(ctx context.Context, person string, page, size int) (Page, error) {
	all, err := h.Running(ctx, person, "")
	if err != nil {
		return Page{}, err
	}
	all = slices.DeleteFunc(all, func(v *View) bool { return !v.Match.Playing(v.SeatOf(person)) })
	slices.SortStableFunc(all, func(a, b *View) int {
		waitsA, waitsB := a.waitsFor(person), b.waitsFor(person)
		switch {
		case waitsA && waitsB:
			return cmp.Or(a.Since().Compare(b.Since()), cmp.Compare(a.Record.ID, b.Record.ID))
		case waitsA != waitsB && waitsA:
			return -1
		case waitsA != waitsB:
			return 1
		}
		return cmp.Or(b.Since().Compare(a.Since()), cmp.Compare(b.Record.ID, a.Record.ID))
	})
	return cut(all, page, size), nil
}

// waitsFor reports whether it is a person's turn.
func (v *View) waitsFor(person string) bool {
	p, ok := v.ToMove()
	return ok && p.ID == person
}

// Here is a page, from 1, of the matches of a channel that have not ended,
// whoever plays, the one with the newest entry first.
func (h *Host) Here(ctx context.Context, channel string, page, size int) (Page, error) {
	var p Page
	err := h.store.View(ctx, func(r storage.Reader) error {
		records, err := r.RunningInChannel(channel)
		if err != nil {
			return err
		}
		var offset int
		p = Page{Total: len(records)}
		p.Page, p.Pages, offset = turn(page, size, len(records))
		p.Matches, err = h.views(r, records[offset:min(offset+size, len(records))])
		return err
	})
	return p, err
}

// Finished is a page, from 1, of a person's matches that have ended, the newest
// first.
func (h *Host) Finished(ctx context.Context, person string, page, size int) (Page, error) {
	var p Page
	err := h.store.View(ctx, func(r storage.Reader) error {
		q := storage.EndedQuery{Person: person}
		_, total, err := r.EndedMatches(q)
		if err != nil {
			return err
		}
		p, q.Limit = Page{Total: total}, size
		p.Page, p.Pages, q.Offset = turn(page, size, total)
		records, _, err := r.EndedMatches(q)
		if err != nil {
			return err
		}
		p.Matches, err = h.views(r, records)
		return err
	})
	return p, err
}

func cut(all []*View, page, size int) Page {
	p := Page{Total: len(all)}
	var offset int
	p.Page, p.Pages, offset = turn(page, size, len(all))
	p.Matches = all[offset:min(offset+size, len(all))]
	return p
}
