// Package peers has a process heed what the other processes on its database do.
package peers

import (
	"context"
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
