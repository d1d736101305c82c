package demobot

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"
)

// transport sends what is meant for Discord to another address.
type transport struct {
	base *url.URL
	next http.RoundTripper
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = t.base.Scheme, t.base.Host
	r.Host = ""
	return t.next.RoundTrip(r)
}

// Session is a discordgo session that talks to the Discord look-alike at base
// ("http://127.0.0.1:8080"). It is not open yet.
func Session(base, token string) (*discordgo.Session, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("parse the address of Discord: %w", err)
	}
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	s.Client = &http.Client{Transport: transport{base: u, next: http.DefaultTransport.(*http.Transport).Clone()}}
	s.Identify.Intents = discordgo.IntentsGuilds
	return s, nil
}

// Bot is the example, connected until Close.
type Bot struct {
	session *discordgo.Session
	log     *slog.Logger
}

// Start connects the bot and registers its commands for the application.
func Start(base, token, applicationID string, log *slog.Logger) (*Bot, error) {
	session, err := Session(base, token)
	if err != nil {
		return nil, err
	}
	b := &Bot{session: session, log: log}
	session.AddHandler(b.handle)
	if err := session.Open(); err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	if _, err := session.ApplicationCommandBulkOverwrite(applicationID, "", Commands()); err != nil {
		return nil, fmt.Errorf("register commands: %w", err)
	}
	return b, nil
}

// Close disconnects the bot.
func (b *Bot) Close() error { return b.session.Close() }
