package discord

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Discord bans an address for 10,000 answers of 401, 403 or 429 in ten minutes
// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
// The budget stops long before that: first the requests that nobody waits for,
// then those that a person's action causes, last the responses to people.
const (
	invalidWindow = 10 * time.Minute

	backgroundBudget = 1000
	actionBudget     = 2500
	responseBudget   = 5000
)

// budgetSlots is the number of slots into which the window is divided.
const budgetSlots = 60

// budget counts the invalid requests of the last ten minutes. The zero value is
// ready, once now is set.
type budget struct {
	now    func() time.Time
	report func()       // called for each of them, unless nil
	others atomic.Int64 // of other processes

	mu    sync.Mutex
	slots [budgetSlots]struct {
		number int64 // the slot's number, counted from 1970
		count  int
	}
}

// record counts an answer if it is an invalid request.
func (b *budget) record(refused *Error) {
	if refused == nil || refused.unsent || refused.shared {
		return
	}
	switch refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return
	}
	if b.report != nil {
		defer b.report()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	number := b.now().UnixNano() / int64(invalidWindow/budgetSlots)
	s := &b.slots[number%budgetSlots]
	if s.number != number {
		s.number, s.count = number, 0
	}
	s.count++
}

// spent returns the number of invalid requests in the last ten minutes.
func (b *budget) spent() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest := b.now().UnixNano()/int64(invalidWindow/budgetSlots) - budgetSlots
	for _, s := range b.slots {
		if s.number > oldest {
			n += s.count
		}
	}
	return n + int(b.others.Load())
}

func (b *budget) setOthers(n int) { b.others.Store(int64(n)) }

// check fails with an *Error if the budget for such a request is spent.
func (b *budget) check(ctx context.Context, l rateLimiting) error {
	most := actionBudget
	switch {
	case l == unlimited:
		most = responseBudget
	case isBackground(ctx):
		most = backgroundBudget
	}
	if b.spent() < most {
		return nil
	}
	return &Error{
		Status: http.StatusTooManyRequests, RetryAfter: time.Minute, unsent: true, overBudget: true,
		Message: "too many requests of the last ten minutes were invalid",
	}
}

// InvalidRequests returns the number of answers of 401, 403 and 429 in the last
// ten minutes, those to other processes included. Discord bans an address for 10,000.
func (c *Client) InvalidRequests() int { return c.budget.spent() }

// LogBudget returns an observer that logs, at most once a minute, that requests
// are held back because too many have been invalid.
func LogBudget(log *slog.Logger, now func() time.Time) func(RequestResult) {
	var last atomic.Int64
	return func(r RequestResult) {
		before, at := last.Load(), now().Unix()
		if r.RateLimit == RateLimitBudget && at-before >= 60 && last.CompareAndSwap(before, at) {
			log.Error("requests to Discord are held back: too many were invalid", "route", r.Route,
				"remedy", "find the cause in castellan_discord_requests_total by status: 401 is a wrong token, 403 missing permissions, 429 another program with the same token")
		}
	}
}
