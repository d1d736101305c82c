package page_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// transport redirects the requests to Discord to another host.
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
func newSession(base, token string) (*discordgo.Session, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("parse the base URL: %w", err)
	}
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, fmt.Errorf("create a session: %w", err)
	}
	s.Client = &http.Client{Transport: transport{base: u, next: http.DefaultTransport.(*http.Transport).Clone()}}
	s.Identify.Intents = discordgo.IntentsGuilds
	return s, nil
}

// exampleBot is a small bot, written with unmodified discordgo, that uses all
// features of the sandbox.
type exampleBot struct {
	session *discordgo.Session
	log     *slog.Logger
}

// startBot connects the bot and registers its commands for the application.
func startBot(base, token, applicationID string, log *slog.Logger) (*exampleBot, error) {
	session, err := newSession(base, token)
	if err != nil {
		return nil, err
	}
	b := &exampleBot{session: session, log: log}
	session.AddHandler(b.handle)
	if err := session.Open(); err != nil {
		return nil, fmt.Errorf("connect to the gateway: %w", err)
	}
	if _, err := session.ApplicationCommandBulkOverwrite(applicationID, "", exampleCommands()); err != nil {
		return nil, fmt.Errorf("register commands: %w", err)
	}
	return b, nil
}

// beats reports whether the bot has sent a heartbeat on its connection.
func (b *exampleBot) beats() bool {
	b.session.RLock()
	defer b.session.RUnlock()
	return b.session.DataReady
}

// Close disconnects the bot. It does not reconnect, even if a heartbeat finds
// the connection closed.
func (b *exampleBot) Close() error {
	b.session.Lock()
	b.session.ShouldReconnectOnError = false
	b.session.Unlock()
	return b.session.Close()
}

// exampleCommands returns the bot's commands, which have every kind of option
// and response, and the context menu commands of users and messages.
func exampleCommands() []*discordgo.ApplicationCommand {
	least, most := 1.0, 20.0
	str := discordgo.ApplicationCommandOptionString
	return []*discordgo.ApplicationCommand{
		{Name: "paint", Description: "Paint a picture and show it with buttons and a menu", Options: []*discordgo.ApplicationCommandOption{
			{Type: str, Name: "colour", Description: "The colour to paint in", Required: true, Autocomplete: true},
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "size", Description: "How large", Choices: []*discordgo.ApplicationCommandOptionChoice{
				{Name: "small", Value: 320}, {Name: "medium", Value: 640}, {Name: "large", Value: 1200},
			}},
			{Type: discordgo.ApplicationCommandOptionUser, Name: "for", Description: "Whom to tell of it"},
		}},
		{Name: "answer", Description: "Answer in one of the ways that there are", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "publicly", Description: "For everybody", Options: []*discordgo.ApplicationCommandOption{
				{Type: str, Name: "text", Description: "What to say", Required: true, MaxLength: 200},
			}},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "privately", Description: "For you alone"},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "later", Description: "After thinking", Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "seconds", Description: "How long to think", MinValue: &least, MaxValue: most},
				{Type: discordgo.ApplicationCommandOptionBoolean, Name: "private", Description: "Whether only you see it"},
			}},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "never", Description: "Not at all: the interaction fails"},
		}},
		{Name: "classic", Description: "A message with plain text, an attachment and buttons of every style"},
		{Name: "form", Description: "Ask for something in a dialog"},
		{Name: "Greet", Type: discordgo.UserApplicationCommand},
		{Name: "Count words", Type: discordgo.MessageApplicationCommand},
		{Name: "Start a thread", Type: discordgo.MessageApplicationCommand, Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild}},
	}
}

// colours are the suggestions of /paint.
var colours = []struct {
	name string
	rgb  uint32
}{
	{"amber · warm, like lamplight", 0xE0A030}, {"brick · the colour of the keep", 0xA04A38}, {"moss · what grows on it", 0x6A8A4A},
	{"slate · its roof", 0x5A6A7A}, {"sky · above it", 0x6AA8D8}, {"plum · the banners", 0x8A4A8A},
}

// suggest returns the colours with a prefix as choices.
func suggest(typed string) []*discordgo.ApplicationCommandOptionChoice {
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, c := range colours {
		if strings.HasPrefix(c.name, strings.ToLower(typed)) {
			value, _, _ := strings.Cut(c.name, " ")
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: c.name, Value: value})
		}
	}
	return out
}

// colour returns the colour that a client names by a suggestion's value or
// label.
func colour(text string) (name string, rgb uint32, ok bool) {
	text, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	for _, c := range colours {
		if name, _, _ := strings.Cut(c.name, " "); name == text {
			return name, c.rgb, true
		}
	}
	return "", 0, false
}

// paintKeep draws a keep in a colour as a PNG; its height is three quarters of its
// width in pixels.
func paintKeep(rgb uint32, width int) ([]byte, error) {
	height := width * 3 / 4
	ground := color.RGBA{R: 0x1A, G: 0x20, B: 0x28, A: 0xFF}
	paint := color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xFF}
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{ground, paint})
	unit := width / 16
	for y := range height {
		for x := range width {
			wall := y > height/2 && x > 3*unit && x < 13*unit
			crown := y > height/2-unit && y <= height/2 && x > 3*unit && x < 13*unit && (x/unit)%2 == 1
			gate := y > height*3/4 && x > 7*unit && x < 9*unit
			if (wall || crown) && !gate {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return buf.Bytes(), nil
}
