package discord

import (
	"net/http"
	"net/url"
	"strings"
)

// Transport redirects requests for discord.com to another base address, such as
// that of the sandbox. Without a Base it leaves them as they are.
type Transport struct {
	Base *url.URL
	Next http.RoundTripper // nil means http.DefaultTransport
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = http.DefaultTransport
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
