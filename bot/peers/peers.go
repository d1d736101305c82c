// Package peers has a process heed what the other processes on its database do.
package peers

import (
	"context"

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
