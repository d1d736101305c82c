// Package peers has a process heed what the other processes on its database do.
package peers

import (
	"context"
	"fmt"
	"time"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/language"
	"castellan/storage"
)

// Parts are the parts of a process that depend on the others.
type Parts struct {
	Accounts  *account.Service
	Languages *language.Book
	Client    *discord.Client
	Publisher interface{ Wake() }
	Computer  interface{ Wake() }
	Now       func() time.Time
	Spend     func(budget string, n int) // interaction.Server.Spend
}

// Share has a client share Discord's limits with the other processes, if there can be
// any.
func Share(c *discord.Client, peers storage.Peers) {
	if peers != nil {
		c.Share(Sharing{peers})
	}
}

// Sharing has a client share Discord's limits with the other processes.
type Sharing struct{ storage.Peers }

// ShareRequests implements discord.Sharing.
func (s Sharing) ShareRequests(ctx context.Context, u discord.RequestUse) (discord.RequestShare, error) {
	share, err := s.Peers.ShareRequests(ctx, storage.RequestUse(u))
	return discord.RequestShare(share), err
}

// Refused implements discord.Sharing.
func (s Sharing) Refused(r discord.Refusal) {
	s.Notify(storage.Signal{Kind: storage.ChannelRefused, ID: fmt.Sprint(r.Channel, " ", r.Code), N: r.Permissions})
}

// Spent returns what tells the other processes of budgets spent, nil without any.
func Spent(p storage.Peers) func(budget string, n int) {
	if p == nil {
		return nil
	}
	return func(budget string, n int) {
		p.Notify(storage.Signal{Kind: storage.BudgetSpent, ID: budget, N: int64(n)})
	}
}

// Listen heeds the signals of other processes until ctx is done. A process on a file
// has no peers.
func (p Parts) Listen(ctx context.Context, peers storage.Peers) {
	if peers != nil {
		peers.Listen(ctx, p.handle)
	}
}

func (p Parts) handle(s storage.Signal) {
	p.Accounts.Changed(s)
	p.Languages.Changed(s)
	switch s.Kind {
	case storage.RequestsPaused:
		p.Client.Pause(time.UnixMilli(s.N).Sub(p.Now()))
	case storage.BudgetSpent:
		p.Spend(s.ID, int(s.N))
	case storage.ChannelRefused:
		r := discord.Refusal{Permissions: s.N}
		if _, err := fmt.Sscan(s.ID, &r.Channel, &r.Code); err == nil {
			p.Client.NoteRefusal(r)
		}
	case storage.PostsDue:
		if s.ID != "" {
			p.Client.ForgetPermissions(s.ID)
		}
		p.Publisher.Wake()
	case storage.ComputerToMove:
		p.Computer.Wake()
	case storage.SignalsLost:
		p.Client.ForgetAllPermissions()
		p.Publisher.Wake()
		p.Computer.Wake()
	}
}
