package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Digest digests the log of a match up to an entry, with the settings of the
// match: the first 16 bytes of the SHA-256 sum of the digest before it and the
// entry. So no entry can be changed without changing all digests that follow.
type Digest [16]byte

// String returns the digest in hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Root returns the digest before the first entry: that of the settings, which
// never change. Where the match is played, how far it has got and the
// identifiers are not among them.
func Root(m Match) Digest {
	var b digestBuffer
	b.text(m.Game)
	b.number(int64(m.RulesVersion))
	b.text(m.Options)
	b.number(int64(m.Seed))
	b.number(m.CreatedAt.UnixNano())
	b.number(int64(m.Challenge))
	if m.Unrated {
		b.number(1)
	}
	for _, p := range m.Seats {
		b.text(p.ID)
		b.text(p.Name)
		b.text(p.Level)
	}
	if m.Clock != "" {
		b.text(m.Clock)
	}
	return b.sum()
}

// Next returns the digest after an entry that follows d.
func (d Digest) Next(e Entry) Digest {
	b := digestBuffer(append(make([]byte, 0, 128), d[:]...))
	b.number(int64(e.Seq))
	b.text(e.Kind)
	b.number(int64(e.Seat))
	b.text(e.Text)
	b.number(e.At.UnixNano())
	b.text(e.Interaction)
	return b.sum()
}

// After returns the digest after entries that follow d.
func (d Digest) After(entries []Entry) Digest {
	for _, e := range entries {
		d = d.Next(e)
	}
	return d
}

// digestBuffer collects what is digested. A text is preceded by its length, so
// that no two lists of values look alike.
type digestBuffer []byte

func (b *digestBuffer) number(n int64) { *b = binary.BigEndian.AppendUint64(*b, uint64(n)) }

func (b *digestBuffer) text(s string) {
	b.number(int64(len(s)))
	*b = append(*b, s...)
}

func (b digestBuffer) sum() (d Digest) {
	whole := sha256.Sum256(b)
	copy(d[:], whole[:])
	return d
}

// CheckLog checks the digests of a match and its whole log. It fails with an
// *AlteredError.
func CheckLog(m Match, log []Entry) error {
	if m.Root != Root(m) {
		return &AlteredError{Match: m.ID}
	}
	before := m.Root
	for _, e := range log {
		if before.Next(e) != e.Digest {
			return &AlteredError{Match: m.ID, Seq: e.Seq}
		}
		before = e.Digest
	}
	if len(log) < m.Seq {
		return &AlteredError{Match: m.ID, Seq: len(log) + 1, Missing: true}
	}
	if before != m.Head {
		return &AlteredError{Match: m.ID, Seq: len(log)}
	}
	return nil
}

// AlteredError reports that a match was changed outside of Castellan.
type AlteredError struct {
	Match MatchID
	Seq   int // of the first entry that does not fit; 0 if it is the settings
	// Missing reports that the log ends before that entry.
	Missing bool
}

func (e *AlteredError) Error() string {
	switch {
	case e.Seq == 0:
		return "its settings were altered: they do not fit their digest"
	case e.Missing:
		return fmt.Sprintf("entry %d is missing: the log ends before it", e.Seq)
	}
	return fmt.Sprintf("entry %d was altered: it does not fit its digest", e.Seq)
}
