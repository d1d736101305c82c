package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"castellan/bot/sandbox"

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

// exampleBot is a small bot, written with unmodified discordgo.
type exampleBot struct {
	session *discordgo.Session
	thought chan struct{} // /answer later waits for it
	picture []byte
}

const exampleCommands = `[
	{"name": "paint", "description": "Paint a picture and show it with a menu", "options": [
		{"type": 3, "name": "colour", "description": "The colour to paint in", "required": true, "autocomplete": true}]},
	{"name": "answer", "description": "Answer in one of the ways that there are", "options": [
		{"type": 1, "name": "later", "description": "After thinking", "options": [
			{"type": 4, "name": "seconds", "description": "How long to think", "min_value": 1, "max_value": 20}]},
		{"type": 1, "name": "never", "description": "Not at all: the interaction fails"}]},
	{"name": "form", "description": "Ask for something in a dialog"}]`

// startBot connects the bot and registers its commands.
func startBot(t *testing.T, base string, box *sandbox.Sandbox) *exampleBot {
	t.Helper()
	b := &exampleBot{must(discordgo.New("Bot " + box.Token())), make(chan struct{}), picture(t, 640, 480)}
	b.session.Client = &http.Client{Transport: transport{must(url.Parse(base)), http.DefaultTransport.(*http.Transport).Clone()}}
	b.session.Identify.Intents = discordgo.IntentsGuilds
	b.session.AddHandler(b.handle)
	check(t, b.session.Open())
	b.register(t, box, exampleCommands)
	return b
}

// register replaces the bot's commands.
func (b *exampleBot) register(t *testing.T, box *sandbox.Sandbox, commands string) {
	t.Helper()
	var list []*discordgo.ApplicationCommand
	check(t, json.Unmarshal([]byte(commands), &list))
	must(b.session.ApplicationCommandBulkOverwrite(box.ApplicationID(), "", list))
}

// Close disconnects the bot. It does not reconnect, even if a heartbeat finds
// the connection closed.
func (b *exampleBot) Close() error {
	b.session.Lock()
	b.session.ShouldReconnectOnError = false
	b.session.Unlock()
	return b.session.Close()
}

// handle responds to an interaction. That a response fails is what some tests
// plan, and others see on the page.
func (b *exampleBot) handle(s *discordgo.Session, e *discordgo.InteractionCreate) {
	respond := func(kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
		_ = s.InteractionRespond(e.Interaction, &discordgo.InteractionResponse{Type: kind, Data: data})
	}
	switch e.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		typed := e.ApplicationCommandData().Options[0].StringValue()
		respond(discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{Choices: suggest(typed)})
	case discordgo.InteractionApplicationCommand:
		switch data := e.ApplicationCommandData(); data.Name {
		case "paint":
			respond(discordgo.InteractionResponseChannelMessageWithSource, b.easel(data.Options[0].StringValue()))
		case "answer":
			if how := data.Options[0]; how.Name == "later" {
				respond(discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
				<-b.thought
				text := fmt.Sprintf("After %ds of thinking: nothing, <@%s>.", how.GetOption("seconds").IntValue(), e.Member.User.ID)
				_, _ = s.InteractionResponseEdit(e.Interaction, &discordgo.WebhookEdit{Content: &text})
			}
		case "form":
			respond(discordgo.InteractionResponseModal, exampleForm())
		}
	case discordgo.InteractionMessageComponent:
		respond(discordgo.InteractionResponseUpdateMessage, b.easel(e.MessageComponentData().Values[0]))
	case discordgo.InteractionModalSubmit:
		respond(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: submitted(e.ModalSubmitData())})
	}
}

// colours are the suggestions of /paint.
var colours = []string{
	"amber · warm, like lamplight", "brick · the colour of the keep", "moss · what grows on it",
	"slate · its roof", "sky · above it", "plum · the banners",
}

// suggest returns the colours with a prefix as choices.
func suggest(typed string) []*discordgo.ApplicationCommandOptionChoice {
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, c := range colours {
		if strings.HasPrefix(c, strings.ToLower(typed)) {
			value, _, _ := strings.Cut(c, " ")
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: c, Value: value})
		}
	}
	return out
}

// colourMenu returns a select of the colours.
func colourMenu(id string) discordgo.SelectMenu {
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: id}
	for _, c := range colours {
		value, remark, _ := strings.Cut(c, " · ")
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: value, Value: value, Description: remark})
	}
	return menu
}

// easel returns the message with the picture, in components v2. The colour is a
// suggestion's name or value.
func (b *exampleBot) easel(colour string) *discordgo.InteractionResponseData {
	name, _, _ := strings.Cut(colour, " ")
	accent, description := 0xA04A38, "A keep painted in "+name
	return &discordgo.InteractionResponseData{
		Flags: discordgo.MessageFlagsIsComponentsV2,
		Files: []*discordgo.File{{Name: name + ".png", ContentType: "image/png", Reader: bytes.NewReader(b.picture)}},
		Components: []discordgo.MessageComponent{discordgo.Container{AccentColor: &accent, Components: []discordgo.MessageComponent{
			discordgo.TextDisplay{Content: "## The keep in " + name + "\nPainted with a **broad** brush."},
			discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{
				Media: discordgo.UnfurledMediaItem{URL: "attachment://" + name + ".png"}, Description: &description,
			}}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Label: "Not for sale", Style: discordgo.SecondaryButton, CustomID: "none", Disabled: true},
			}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{colourMenu("repaint")}},
		}}},
	}
}

// exampleForm returns a dialog with a field of each kind.
func exampleForm() *discordgo.InteractionResponseData {
	one, need := 1, true
	several := colourMenu("colours")
	several.MinValues, several.MaxValues = &one, 2
	return &discordgo.InteractionResponseData{CustomID: "order", Title: "Order a picture", Components: []discordgo.MessageComponent{
		discordgo.TextDisplay{Content: "What should be **painted**?"},
		discordgo.Label{Label: "Title", Description: "It stands below the picture.", Component: discordgo.TextInput{
			CustomID: "title", Style: discordgo.TextInputShort, MinLength: 2, MaxLength: 40, Required: &need,
		}},
		discordgo.Label{Label: "Colours", Component: several},
		discordgo.Label{Label: "For whom", Component: discordgo.SelectMenu{CustomID: "whom", MenuType: discordgo.UserSelectMenu}},
	}}
}

// submitted returns what was filled in.
func submitted(data discordgo.ModalSubmitInteractionData) string {
	text := "Ordered."
	for _, c := range data.Components {
		if label, ok := c.(*discordgo.Label); ok {
			switch in := label.Component.(type) {
			case *discordgo.TextInput:
				text += fmt.Sprintf("\n%s: %s", in.CustomID, in.Value)
			case *discordgo.SelectMenu:
				text += fmt.Sprintf("\n%s: %s", in.CustomID, strings.Join(in.Values, ", "))
			}
		}
	}
	return text
}
