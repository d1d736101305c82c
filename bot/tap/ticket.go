package tap

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/storage"
)

// lifetime is how long a link works.
const lifetime = 5 * time.Minute

// ticket is the content of a link: a person may go on with a turn until a time.
type ticket struct {
	match  storage.MatchID
	seq    int    // of the match when the link was made
	person string // the ID
	until  time.Time
}

var (
	errForged  = errors.New("the link is not one of this bot's")
	errExpired = errors.New("the link has expired")
)

// sign returns a ticket as part of an address.
func sign(key []byte, t ticket) string {
	said := fmt.Sprintf("%d.%d.%s.%d", t.match, t.seq, t.person, t.until.Unix())
	return said + "." + base64.RawURLEncoding.EncodeToString(mac(key, said))
}

func mac(key []byte, said string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(said))
	return h.Sum(nil)
}

// verify reads a ticket. It fails with errForged, or with errExpired and
// the ticket.
func verify(key []byte, text string, now time.Time) (ticket, error) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return ticket{}, errForged
	}
	signature, err := base64.RawURLEncoding.DecodeString(text[i+1:])
	if err != nil || !hmac.Equal(signature, mac(key, text[:i])) {
		return ticket{}, errForged
	}
	// The signature is right, so all fields are there.
	fields := strings.Split(text[:i], ".")
	id, _ := strconv.ParseInt(fields[0], 10, 64)
	seq, _ := strconv.Atoi(fields[1])
	until, _ := strconv.ParseInt(fields[3], 10, 64)
	t := ticket{storage.MatchID(id), seq, fields[2], time.Unix(until, 0)}
	if now.After(t.until) {
		return t, errExpired
	}
	return t, nil
}
