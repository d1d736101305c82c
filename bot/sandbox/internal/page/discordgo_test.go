package page_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/sandbox"
)

// These tests run the example bot, written with unmodified discordgo, against
// the sandbox over real websockets and HTTP.

// Ids of the default world.
const (
	anna = "1120000000000000011"
	ben  = "1120000000000000012"
	yard = "1150000000000000101"
	hall = "1150000000000000102"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func startExample(t *testing.T) (*sandbox.Sandbox, *exampleBot) {
	t.Helper()
	box := must(sandbox.New(sandbox.Options{}))
	srv := httptest.NewServer(box)
	t.Cleanup(srv.Close)
	bot := must(startBot(srv.URL, box.Token(), box.ApplicationID(), slog.New(slog.NewTextHandler(t.Output(), nil))))
	t.Cleanup(func() {
		if err := bot.Close(); err != nil {
			t.Error(err)
		}
		box.Close()
	})
	return box, bot
}

// answered waits until an interaction is answered and returns its message.
func answered(t *testing.T, box *sandbox.Sandbox, i sandbox.Interaction, err error) sandbox.Message {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
	defer cancel()
	if err := box.Wait(ctx, func() bool {
		i, _ = box.Interaction(i.ID)
		return i.State == sandbox.StateAnswered || i.State == sandbox.StateFailed
	}); err != nil || i.State == sandbox.StateFailed {
		t.Fatalf("%v, %s", err, i.State)
	}
	for _, m := range box.As(i.UserID).Messages(i.ChannelID) {
		if m.ID == i.MessageID {
			return m
		}
	}
	t.Fatalf("no message %s", i.MessageID)
	return sandbox.Message{}
}

func TestDiscordgoInteractions(t *testing.T) {
	t.Parallel()
	box, _ := startExample(t)
	p := box.As(anna)

	ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
	defer cancel()
	choices, err := p.Autocomplete(ctx, yard, "paint", sandbox.Focused("colour", "s"))
	if err != nil || len(choices) != 2 {
		t.Fatalf("suggestions %v, %v", choices, err)
	}
	i, err := p.Command(yard, "paint", sandbox.Opt("colour", choices[0].Name), sandbox.Opt("size", 320), sandbox.Opt("for", ben))
	m := answered(t, box, i, err)
	keep := m.Components[0]
	if media := keep.Components[1].Items[0].Media; *media.Width != 320 || *media.Height != 240 {
		t.Errorf("the picture: %+v", media)
	}
	if n := box.As(ben).Mentions(yard); n != 1 {
		t.Errorf("Ben was notified %d times", n)
	}

	buttons, menu := keep.Components[2].Components, keep.Components[3].Components[0]
	i, err = p.Click(yard, m.ID, buttons[0].CustomID)
	if private := answered(t, box, i, err); private.Flags&sandbox.FlagEphemeral == 0 {
		t.Errorf("the copy is not private: %+v", private)
	}
	i, err = p.Select(yard, m.ID, menu.CustomID, "moss")
	if again := answered(t, box, i, err); again.ID != m.ID || again.Components[0].Components[1].Items[0].Media.ID == keep.Components[1].Items[0].Media.ID {
		t.Error("the picture was not painted anew in its place")
	}
	i, err = p.Click(yard, m.ID, box.As(anna).Messages(yard)[0].Components[0].Components[2].Components[1].CustomID)
	if sold := answered(t, box, i, err); len(sold.Components) != 1 || !strings.HasPrefix(sold.Components[0].Content, "Sold") {
		t.Errorf("sold: %+v", sold)
	}

	i, err = p.Command(hall, "answer", sandbox.Sub("later", sandbox.Opt("private", true)))
	if later := answered(t, box, i, err); !strings.HasPrefix(later.Content, "After") || later.Flags != sandbox.FlagEphemeral {
		t.Errorf("later: %+v", later)
	}
	i, err = p.Command(hall, "classic")
	classic := answered(t, box, i, err)
	if len(classic.Attachments) != 1 || len(classic.Embeds) != 1 || len(classic.Components) != 2 {
		t.Errorf("classic: %+v", classic)
	}
	i, err = p.Click(hall, classic.ID, "style/danger")
	if style := answered(t, box, i, err); !strings.Contains(style.Content, "danger") {
		t.Errorf("style: %+v", style)
	}
}

func TestDiscordgoREST(t *testing.T) {
	t.Parallel()
	box, _ := startExample(t)
	srv := httptest.NewServer(box)
	t.Cleanup(srv.Close)
	s := must(newSession(srv.URL, box.Token()))
	ch, err := s.Channel(yard)
	if err != nil || ch.Name != "castle-yard" || ch.GuildID != "1150000000000000001" {
		t.Errorf("channel %+v, %v", ch, err)
	}
	me, err := s.User("@me")
	if err != nil || !me.Bot || me.ID != box.ApplicationID() {
		t.Errorf("user %+v, %v", me, err)
	}
	sent, err := s.ChannelMessageSendComplex(yard, &discordgo.MessageSend{
		Flags: discordgo.MessageFlagsIsComponentsV2,
		Files: []*discordgo.File{{Name: "a.png", ContentType: "image/png", Reader: bytes.NewReader(must(paintKeep(0, 16)))}},
		Components: []discordgo.MessageComponent{discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{
			Media: discordgo.UnfurledMediaItem{URL: "attachment://a.png"},
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := must(s.ChannelMessage(yard, sent.ID))
	if g, ok := got.Components[0].(*discordgo.MediaGallery); !ok || !strings.HasSuffix(g.Items[0].Media.URL, "/a.png") {
		t.Errorf("components %+v", got.Components)
	}
	_, err = s.ChannelMessage(yard, "1")
	if e, ok := err.(*discordgo.RESTError); !ok || e.Message.Code != discordgo.ErrCodeUnknownMessage {
		t.Errorf("error %v", err)
	}
	commands, err := s.ApplicationCommands(box.ApplicationID(), "")
	if err != nil || len(commands) != len(exampleCommands()) {
		t.Errorf("%d commands, %v", len(commands), err)
	}
}

func TestDiscordgoResumes(t *testing.T) {
	t.Parallel() // discordgo waits a second before it reconnects
	box, bot := startExample(t)
	// discordgo sends its first heartbeat beside Open. One that meets a lost
	// connection ends the next one too, and with it the session, and discordgo
	// locks up when a resume is refused. So it has to be sent before the drop.
	for !bot.beats() {
		i, err := box.As(anna).Command(yard, "answer", sandbox.Sub("privately"))
		answered(t, box, i, err)
	}
	box.DropGateway()
	i, err := box.As(anna).Command(yard, "answer", sandbox.Sub("publicly", sandbox.Opt("text", "through")))
	if m := answered(t, box, i, err); m.Content != "through" {
		t.Errorf("got %+v", m)
	}
}

// TestServeExample serves the page with the example bot at the address in
// CASTELLAN_EXAMPLE, such as 127.0.0.1:9090, until it is interrupted. Run it
// with -timeout 0.
func TestServeExample(t *testing.T) {
	address := os.Getenv("CASTELLAN_EXAMPLE")
	if address == "" {
		t.Skip("set CASTELLAN_EXAMPLE to an address to serve the example bot")
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	box := must(sandbox.New(sandbox.Options{Logger: log}))
	l := must(sandbox.Listen(address))
	go func() { t.Log(box.Serve(l)) }()
	must(startBot("http://"+l.Addr().String(), box.Token(), box.ApplicationID(), log))
	<-t.Context().Done()
}
