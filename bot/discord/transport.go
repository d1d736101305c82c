package discord

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/bwmarrin/discordgo"
)

// Transport redirects requests for discord.com to another base address, such as
// that of the sandbox. Without a Base it leaves them as they are.
type Transport struct {
	Base *url.URL
	Next http.RoundTripper // nil means one like http.DefaultTransport

	once sync.Once
	own  *http.Transport // used if Next is nil
}

// connections returns http.DefaultTransport, except that it keeps as many idle
// connections to one host as to all. Every request goes to one host, and a proxy
// or a sandbox may not know HTTP/2, which needs only one connection.
func (t *Transport) connections() *http.Transport {
	t.once.Do(func() {
		t.own = &http.Transport{}
		if standard, ok := http.DefaultTransport.(*http.Transport); ok {
			t.own = standard.Clone()
		}
		t.own.MaxIdleConnsPerHost = t.own.MaxIdleConns
	})
	return t.own
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = t.connections()
	}
	if t.Base != nil && r.URL.Host == "discord.com" {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = t.Base.Scheme, t.Base.Host, t.Base.Host
		// Both forms of the path: an escaped slash is not a separator.
		raw := strings.TrimSuffix(t.Base.EscapedPath(), "/") + r.URL.EscapedPath()
		r.URL.Path = strings.TrimSuffix(t.Base.Path, "/") + r.URL.Path
		r.URL.RawPath = raw
	}
	return next.RoundTrip(r)
}

// NewSession returns a discordgo session for requests alone: it is never
// opened, caches nothing and does not retry.
func NewSession(token string, base *url.URL, next http.RoundTripper) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.StateEnabled = false
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.Client.Transport = &Transport{Base: base, Next: next}
	return s, nil
}
