// Package setup has what the bots of all libraries for Go have in common.
package setup

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// What the test asks for.
var (
	API      = os.Getenv("SANDBOX_API")
	Token    = os.Getenv("SANDBOX_TOKEN")
	TwoShard = os.Getenv("SANDBOX_SHARDS") == "2"
	Compress = os.Getenv("SANDBOX_COMPRESS")
)

// Plain lists the commands without options.
var Plain = []string{"reply", "defer", "buttons", "menus", "layout", "modal", "labels", "choices", "activity", "thread", "direct", "members", "react"}

// Buttons lists the buttons in the order of their styles.
var Buttons = []string{"update", "defer-update", "answer", "later"}

// Note is the content of note.txt.
const Note = "a note"

// Pixel is a PNG.
var Pixel = func() []byte {
	raw, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
	Check(err)
	return raw
}()

// Check ends the bot if there is an error.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Must returns v, or ends the bot.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Pairs joins names and values: "a=1;b=2".
func Pairs(pairs []string) string { return strings.Join(pairs, ";") }

// Wait returns when the bot is told to stop.
func Wait() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
}

// Download returns the content of a file.
func Download(link string) []byte {
	res := Must(http.Get(link))
	defer res.Body.Close()
	return Must(io.ReadAll(res.Body))
}

// Redirect sends requests for discord.com to the sandbox. It serves libraries
// with a fixed host that take no HTTP client.
func Redirect() { http.DefaultTransport = redirect{Must(url.Parse(API)), http.DefaultTransport} }

type redirect struct {
	to   *url.URL
	next http.RoundTripper
}

func (t redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "discord.com" {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = t.to.Scheme, t.to.Host, ""
	}
	return t.next.RoundTrip(r)
}
