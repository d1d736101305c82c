// Package account keeps what a person or a guild has chosen, apart from any
// match: preferences, languages, vacations, daily messages, blocks, the settings of
// guilds, what operators order, and the export and deletion of a person's data. Each use case is one method and one transaction, as in package
// host, whose transactions it uses: they end with host.Host.Close.
//
// A use case of the host that depends on a choice reads it from the store in its
// own transaction, because the host does not import this package.
package account

import (
	"context"
	"slices"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Service reads and changes what people and guilds have chosen. It is safe for
// concurrent use. It keeps preferences and settings in memory, so all changes
// of a process must go through one service, and Invalidate has to be told of others.
type Service struct {
	host        *host.Host
	preferences cache[storage.Preferences]
	settings    cache[storage.GuildSettings]
	operators   cache[decrees] // with one entry
}

// New returns a service that uses the transactions and the clock of a host.
func New(h *host.Host) *Service { return &Service{host: h} }

// read runs a query of what people and guilds have chosen.
func read[T any](ctx context.Context, h *host.Host, query func(storage.PeopleReader) (T, error)) (T, error) {
	return host.Read(ctx, h, func(r storage.Reader) (T, error) { return query(r) })
}

// write changes what people and guilds have chosen.
func write(ctx context.Context, h *host.Host, fn func(storage.PeopleStore) error) error {
	return h.Write(ctx, func(tx storage.Tx) error { return fn(tx) })
}

// Preferences returns a person's preferences.
func (s *Service) Preferences(ctx context.Context, person string) (storage.Preferences, error) {
	return s.preferences.get(person, func() (storage.Preferences, error) {
		return read(ctx, s.host, func(r storage.PeopleReader) (storage.Preferences, error) { return r.Preferences(person) })
	})
}

// SetPreferences replaces a person's preferences.
func (s *Service) SetPreferences(ctx context.Context, p storage.Preferences) error {
	defer s.preferences.forget(p.Person)
	return write(ctx, s.host, func(tx storage.PeopleStore) error { return tx.SetPreferences(p) })
}

// ChangePreferences changes a person's preferences.
func (s *Service) ChangePreferences(ctx context.Context, person string, change func(*storage.Preferences)) error {
	defer s.preferences.forget(person)
	return write(ctx, s.host, func(tx storage.PeopleStore) error {
		p, err := tx.Preferences(person)
		if err != nil {
			return err
		}
		change(&p)
		return tx.SetPreferences(p)
	})
}

// Invalidate forgets what another process has changed.
func (s *Service) Invalidate(n storage.Signal) {
	switch n.Kind {
	case storage.PreferencesChanged, storage.PersonForgotten:
		s.preferences.forget(n.ID)
	case storage.SettingsChanged:
		s.settings.forget(n.ID)
	case storage.ActsChanged:
		s.operators.clear()
	case storage.SignalsLost:
		s.preferences.clear()
		s.settings.clear()
		s.operators.clear()
	}
}

// PreferencesIn returns the preferences of a person who looks at a match. It reads
// them if the view, which can be nil, does not have them.
func (s *Service) PreferencesIn(ctx context.Context, v *host.View, person string) (storage.Preferences, error) {
	if v != nil {
		if seat := v.SeatOf(person); seat != engine.Nobody {
			if p, known := v.Preferences(seat); known {
				return p, nil
			}
		}
	}
	return s.Preferences(ctx, person)
}

// Side returns the seat from whose side a person wants to see a match in private
// pictures, Nobody if they do not mind.
func Side(v *host.View, p storage.Preferences) engine.Seat {
	if !p.OwnSide {
		return engine.Nobody
	}
	return v.SeatOf(p.Person)
}

// Settings returns the settings of a guild. The caller must not change its list
// of channels.
func (s *Service) Settings(ctx context.Context, guild string) (storage.GuildSettings, error) {
	return s.settings.get(guild, func() (storage.GuildSettings, error) {
		return read(ctx, s.host, func(r storage.PeopleReader) (storage.GuildSettings, error) { return r.GuildSettings(guild) })
	})
}

// PlayedIn reports whether a person has finished a match in a guild.
func (s *Service) PlayedIn(ctx context.Context, person, guild string) (bool, error) {
	return read(ctx, s.host, func(r storage.PeopleReader) (bool, error) { return r.PlayedIn(person, guild) })
}

// ChangeSettings changes the settings of a guild.
func (s *Service) ChangeSettings(ctx context.Context, guild string, change func(*storage.GuildSettings)) (g storage.GuildSettings, err error) {
	defer s.settings.forget(guild)
	err = write(ctx, s.host, func(tx storage.PeopleStore) error {
		if g, err = tx.GuildSettings(guild); err != nil {
			return err
		}
		change(&g)
		return tx.SetGuildSettings(g)
	})
	return g, err
}

// PublicTheme returns the theme of pictures that are posted in a place: that of
// the guild, or in direct messages with the bot that of the person.
func (s *Service) PublicTheme(ctx context.Context, in storage.Place, v *host.View) (string, error) {
	if in.Guild != "" {
		g, err := s.Settings(ctx, in.Guild)
		return g.Theme, err
	}
	if v == nil {
		return "", nil
	}
	i := slices.IndexFunc(v.Record.Seats, func(p storage.Person) bool { return !host.IsComputer(p) })
	if i < 0 {
		return "", nil
	}
	p, err := s.PreferencesIn(ctx, v, v.Record.Seats[i].ID)
	return p.Theme, err
}
