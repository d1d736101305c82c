// Package account keeps what a person or a guild has chosen, apart from any
// match: preferences and daily messages. Settings of guilds, blocks and privacy
// belong here too. Each use case is one method and one transaction, as in package
// host, whose transactions it uses: they end with host.Host.Close.
//
// A use case of the host that depends on a choice reads it from the store in its
// own transaction, because the host does not import this package.
package account

import (
	"context"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Service reads and changes what people and guilds have chosen. It keeps no state
// and is safe for concurrent use.
type Service struct{ host *host.Host }

// New returns a service that uses the transactions and the clock of a host.
func New(h *host.Host) *Service { return &Service{h} }

// Preferences returns a person's preferences.
func (s *Service) Preferences(ctx context.Context, person string) (storage.Preferences, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (storage.Preferences, error) { return r.Preferences(person) })
}

// SetPreferences replaces a person's preferences.
func (s *Service) SetPreferences(ctx context.Context, p storage.Preferences) error {
	return s.host.Write(ctx, func(tx storage.Tx) error { return tx.SetPreferences(p) })
}

// Side returns the seat from whose side a person wants to see a match in private
// pictures, Nobody if they do not mind.
func (s *Service) Side(ctx context.Context, v *host.View, person string) (engine.Seat, error) {
	seat := v.SeatOf(person)
	if seat == engine.Nobody {
		return seat, nil
	}
	p, known := v.Preferences(seat)
	var err error
	if !known {
		p, err = s.Preferences(ctx, person)
	}
	if !p.OwnSide {
		seat = engine.Nobody
	}
	return seat, err
}
