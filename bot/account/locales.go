package account

import (
	"cmp"
	"context"
	"maps"
	"sync"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/storage"
)

// maxRecent bounds how many locales are held in memory.
const maxRecent = 20_000

// Locales chooses the language of a message. For a person it is the language of
// their preferences, by default their client's; for a guild the language of its
// settings, by default the guild's own. It is safe for concurrent use.
type Locales struct {
	host     *host.Host
	accounts *Service
	texts    *catalogue.Catalogue

	mu     sync.Mutex
	recent map[string]recent // by person or guild
}

// recent is a locale that Discord has named since the start, or that was read from
// the store.
type recent struct {
	locale string
	kept   bool // as it is in the store
}

// NewLocales returns locales that are kept in the host's store.
func NewLocales(h *host.Host, accounts *Service, texts *catalogue.Catalogue) *Locales {
	return &Locales{host: h, accounts: accounts, texts: texts, recent: map[string]recent{}}
}

// Observe notes the locale that Discord names for a person or a guild.
func (l *Locales) Observe(id, locale string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id == "" || locale == "" || l.recent[id].locale == locale {
		return
	}
	l.note(id, recent{locale: locale})
}

func (l *Locales) note(id string, r recent) {
	if len(l.recent) >= maxRecent {
		clear(l.recent)
	}
	l.recent[id] = r
}

// Persist stores the locale last seen of a person or a guild, for posts after a
// restart. It writes nothing if that is English and nothing is stored. If it
// fails, the next call tries again.
func (l *Locales) Persist(ctx context.Context, id string) error {
	r := l.last(id)
	if r.locale == "" || r.kept {
		return nil
	}
	stored, err := read(ctx, l.host, func(s storage.PeopleReader) (string, error) { return s.Locale(id) })
	isDefault := l.texts.Printer(r.locale).Language() == l.texts.Printer().Language()
	if err == nil && stored != r.locale && (stored != "" || !isDefault) {
		err = write(ctx, l.host, func(tx storage.PeopleStore) error { return tx.SetLocale(id, r.locale) })
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recent[id].locale == r.locale {
		l.recent[id] = recent{locale: r.locale, kept: true}
	}
	return nil
}

// Forget forgets a person whose data has been deleted, so that Persist does not
// store it again.
func (l *Locales) Forget(person string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.recent, person)
}

// Invalidate forgets what another process has changed.
func (l *Locales) Invalidate(n storage.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n.Kind {
	case storage.LocaleChanged:
		if l.recent[n.ID].kept {
			delete(l.recent, n.ID)
		}
	case storage.PersonForgotten:
		delete(l.recent, n.ID)
	case storage.SignalsLost:
		maps.DeleteFunc(l.recent, func(_ string, r recent) bool { return r.kept })
	}
}

func (l *Locales) last(id string) recent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.recent[id]
}

// Printer returns a printer for messages in a guild, or without a guild for those
// to a person. It uses the locale last seen if the store cannot be read, and
// English if none is known.
func (l *Locales) Printer(ctx context.Context, guild, person string) *catalogue.Printer {
	chosen := ""
	if guild != "" {
		s, _ := l.accounts.Settings(ctx, guild)
		chosen = s.Locale
	} else {
		p, _ := l.accounts.Preferences(ctx, person)
		chosen = p.Locale
	}
	if chosen == "" {
		chosen = l.known(ctx, cmp.Or(guild, person))
	}
	return l.texts.Printer(chosen)
}

// known returns the locale last seen of a person or a guild, or else the stored
// one.
func (l *Locales) known(ctx context.Context, id string) string {
	if r := l.last(id); r.locale != "" || r.kept {
		return r.locale
	}
	stored, err := read(ctx, l.host, func(r storage.PeopleReader) (string, error) { return r.Locale(id) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && l.recent[id] == (recent{}) {
		l.note(id, recent{locale: stored, kept: true})
	}
	return stored
}
