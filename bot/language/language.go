// Package language decides in which language the bot writes: to a person in the
// one that they chose, or else that of their client; in a guild in the one that
// its settings name, or else that of the guild.
package language

import (
	"cmp"
	"context"
	"maps"
	"sync"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/storage"
)

// maxRecent bounds how many locales are held in memory.
const maxRecent = 20_000

// Book knows the languages of people and guilds. It is safe for concurrent use.
type Book struct {
	host     *host.Host
	accounts *account.Service
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

// New returns a book that keeps locales in the host's store.
func New(h *host.Host, accounts *account.Service, texts *catalogue.Catalogue) *Book {
	return &Book{host: h, accounts: accounts, texts: texts, recent: map[string]recent{}}
}

// Saw notes the locale that Discord names for a person or a guild.
func (b *Book) Saw(id, locale string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id == "" || locale == "" || b.recent[id].locale == locale {
		return
	}
	b.note(id, recent{locale: locale})
}

func (b *Book) note(id string, r recent) {
	if len(b.recent) >= maxRecent {
		clear(b.recent)
	}
	b.recent[id] = r
}

// Keep stores the locale last seen of a person or a guild, for posts after a
// restart. It writes nothing if that is English and nothing is stored. If it
// fails, the next call tries again.
func (b *Book) Keep(ctx context.Context, id string) error {
	r := b.last(id)
	if r.locale == "" || r.kept {
		return nil
	}
	stored, err := host.Read(ctx, b.host, func(s storage.Reader) (string, error) { return s.Locale(id) })
	isDefault := b.texts.Printer(r.locale).Language() == b.texts.Printer().Language()
	if err == nil && stored != r.locale && (stored != "" || !isDefault) {
		err = b.host.Write(ctx, func(tx storage.Tx) error { return tx.SetLocale(id, r.locale) })
	}
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.recent[id].locale == r.locale {
		b.recent[id] = recent{locale: r.locale, kept: true}
	}
	return nil
}

// Forget forgets a person whose data has been deleted, so that Keep does not
// store it again.
func (b *Book) Forget(person string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.recent, person)
}

// Changed forgets what another process has changed.
func (b *Book) Changed(n storage.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch n.Kind {
	case storage.LocaleChanged:
		if b.recent[n.ID].kept {
			delete(b.recent, n.ID)
		}
	case storage.PersonForgotten:
		delete(b.recent, n.ID)
	case storage.SignalsLost:
		maps.DeleteFunc(b.recent, func(_ string, r recent) bool { return r.kept })
	}
}

func (b *Book) last(id string) recent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.recent[id]
}

// Printer returns a printer for messages in a guild, or without a guild for those
// to a person. It uses the locale last seen if the store cannot be read, and
// English if none is known.
func (b *Book) Printer(ctx context.Context, guild, person string) *catalogue.Printer {
	chosen := ""
	if guild != "" {
		s, _ := b.accounts.Settings(ctx, guild)
		chosen = s.Locale
	} else {
		p, _ := b.accounts.Preferences(ctx, person)
		chosen = p.Locale
	}
	if chosen == "" {
		chosen = b.known(ctx, cmp.Or(guild, person))
	}
	return b.texts.Printer(chosen)
}

// known returns the locale last seen of a person or a guild, or else the stored
// one.
func (b *Book) known(ctx context.Context, id string) string {
	if r := b.last(id); r.locale != "" || r.kept {
		return r.locale
	}
	stored, err := host.Read(ctx, b.host, func(r storage.Reader) (string, error) { return r.Locale(id) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && b.recent[id] == (recent{}) {
		b.note(id, recent{locale: stored, kept: true})
	}
	return stored
}
