package discord_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/apispec"
)

// call is a method of the client that sends a body.
type call struct {
	name    string
	do      func(context.Context, *discord.Client, discord.Message) error
	message bool // the body is a message
	answer  bool // to an interaction
}

var calls = []call{
	{"CreateMessage", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		_, err := c.CreateMessage(ctx, "5", "b1-x", m)
		return err
	}, true, false},
	{"EditMessage", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		return c.EditMessage(ctx, "5", "6", m)
	}, true, false},
	{"BulkOverwriteCommands", func(ctx context.Context, c *discord.Client, _ discord.Message) error {
		_, err := c.BulkOverwriteCommands(ctx, "9", "", []discord.Command{})
		return err
	}, false, false},
	{"Reply", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		return c.Reply(ctx, interaction, m)
	}, true, true},
	{"UpdateMessage", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		return c.UpdateMessage(ctx, interaction, m)
	}, true, true},
	{"DeferReply", func(ctx context.Context, c *discord.Client, _ discord.Message) error {
		return c.DeferReply(ctx, interaction)
	}, false, true},
	{"DeferUpdate", func(ctx context.Context, c *discord.Client, _ discord.Message) error {
		return c.DeferUpdate(ctx, interaction)
	}, false, true},
	{"Autocomplete", func(ctx context.Context, c *discord.Client, _ discord.Message) error {
		return c.Autocomplete(ctx, interaction, nil)
	}, false, true},
	{"EditOriginalResponse", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		return c.EditOriginalResponse(ctx, interaction, m)
	}, true, true},
	{"CreateFollowup", func(ctx context.Context, c *discord.Client, m discord.Message) error {
		return c.CreateFollowup(ctx, interaction, m)
	}, true, true},
}

var hello = discord.Message{Components: []discord.Component{discord.TextDisplay{Content: "Hello"}}}

// Flags 32768 means components v2, 32832 components v2 and ephemeral. Every body
// must be what Discord's description allows.
func TestCalls(t *testing.T) {
	const (
		text    = `"components":[{"type":10,"content":"Hello"}],"allowed_mentions":{"parse":[]},"attachments":[]`
		public  = `{"flags":32768,` + text + `}`
		private = `{"flags":32832,` + text + `}`
		at      = "/interactions/71/" + interactionToken + "/callback"
		webhook = "/webhooks/9/" + interactionToken
	)
	for _, c := range []struct{ name, method, uri, body string }{
		{"CreateMessage", "POST", "/channels/5/messages", `{"flags":32768,` + text + `,"nonce":"b1-x","enforce_nonce":true}`},
		{"EditMessage", "PATCH", "/channels/5/messages/6", public},
		{"BulkOverwriteCommands", "PUT", "/applications/9/commands", `[]`},
		{"Reply", "POST", at + "?with_response=true", `{"type":4,"data":` + private + `}`},
		{"UpdateMessage", "POST", at + "?with_response=true", `{"type":7,"data":` + public + `}`},
		{"DeferReply", "POST", at, `{"type":5,"data":{"flags":64}}`},
		{"DeferUpdate", "POST", at, `{"type":6}`},
		{"Autocomplete", "POST", at, `{"type":8,"data":{"choices":[]}}`},
		{"EditOriginalResponse", "PATCH", webhook + "/messages/@original", public},
		{"CreateFollowup", "POST", webhook, private},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := `{"id":"1","channel_id":"5"}`
			if c.name == "BulkOverwriteCommands" {
				reply = `[]`
			}
			d := newDiscord(t, answer(200, reply))
			i := slices.IndexFunc(calls, func(one call) bool { return one.name == c.name })
			if err := calls[i].do(t.Context(), d.client, hello); err != nil {
				t.Fatal(err)
			}
			got := d.only(t)
			if got.method != c.method || got.uri != "/api/v10"+c.uri {
				t.Errorf("%s %s", got.method, got.uri)
			}
			if string(got.body) != c.body {
				t.Errorf("body\n%s, want\n%s", got.body, c.body)
			}
			for _, err := range apispec.NewChecker().Check(api.Exchange{Method: got.method, Route: got.path(), RequestJSON: got.body, Status: 500}) {
				t.Error(err)
			}
			if a := got.header.Get("Authorization"); a != "Bot "+botToken {
				t.Errorf("Authorization %q", a)
			}
			if kind := got.header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("Content-Type %q", kind)
			}
			if !strings.HasPrefix(got.header.Get("User-Agent"), "DiscordBot (") {
				t.Errorf("User-Agent %q does not start with DiscordBot", got.header.Get("User-Agent"))
			}
		})
	}
}

// A message without allowed_mentions notifies everyone it mentions; an edit
// without attachments keeps pictures that nothing shows.
func TestMentionsAndAttachments(t *testing.T) {
	messages := map[string]discord.Message{
		"plain":       hello,
		"empty":       {},
		"to a person": {Components: hello.Components, Mentions: discord.AllowedMentions{Users: []string{"42"}}},
		"picture":     {Components: hello.Components, Files: []discord.File{{Name: "a.png", ContentType: "image/png", Data: []byte("x")}}},
	}
	for _, c := range calls {
		for name, m := range messages {
			if !c.message {
				continue
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				d := newDiscord(t, answer(200, `{"id":"1"}`))
				if err := c.do(t.Context(), d.client, m); err != nil {
					t.Fatal(err)
				}
				got := d.only(t)
				body := got.body
				if len(m.Files) > 0 {
					_, byName := parts(t, got)
					body = byName["payload_json"].data
				}
				at := ""
				if strings.Contains(got.uri, "callback") {
					at = "data."
				}
				mentions, _ := json.Marshal(field(t, body, at+"allowed_mentions"))
				want := `{"parse":[]}`
				if len(m.Mentions.Users) > 0 {
					want = `{"parse":[],"users":["42"]}`
				}
				if string(mentions) != want {
					t.Errorf("allowed_mentions %s, want %s", mentions, want)
				}
				if list, ok := field(t, body, at+"attachments").([]any); !ok || len(list) != len(m.Files) {
					t.Errorf("attachments %v for %d files", field(t, body, at+"attachments"), len(m.Files))
				}
				if flags := field(t, body, at+"flags").(float64); int(flags)&discord.FlagComponentsV2 == 0 {
					t.Errorf("flags %v lack components v2", flags)
				}
			})
		}
	}
}

func TestMultipart(t *testing.T) {
	d := newDiscord(t, answer(200, `{"id":"77","channel_id":"5"}`))
	m := discord.Message{
		Components: []discord.Component{discord.MediaGallery{File: "board-1-2.png", Description: "A board"}},
		Files: []discord.File{
			{Name: "board-1-2.png", ContentType: "image/png", Description: "A board", Data: []byte("\x89PNG\r\n--boundary\x00")},
			{Name: "record.txt", ContentType: "text/plain; charset=utf-8", Data: []byte("1. up")},
		},
	}
	posted, err := d.client.CreateMessage(t.Context(), "5", "n", m)
	if err != nil || posted != (discord.CreatedMessage{ID: "77", ChannelID: "5"}) {
		t.Fatalf("%+v, %v", posted, err)
	}
	names, byName := parts(t, d.only(t))
	if want := []string{"payload_json", "files[0]", "files[1]"}; !slices.Equal(names, want) {
		t.Fatalf("parts %q, want %q", names, want)
	}
	for name, want := range map[string]part{
		"payload_json": {"", "application/json", []byte(`{"flags":32768,` +
			`"components":[{"type":12,"items":[{"media":{"url":"attachment://board-1-2.png"},"description":"A board"}]}],` +
			`"allowed_mentions":{"parse":[]},` +
			`"attachments":[{"id":"0","filename":"board-1-2.png","description":"A board"},{"id":"1","filename":"record.txt"}],` +
			`"nonce":"n","enforce_nonce":true}`)},
		"files[0]": {"board-1-2.png", "image/png", m.Files[0].Data},
		"files[1]": {"record.txt", "text/plain; charset=utf-8", m.Files[1].Data},
	} {
		if got := byName[name]; got.file != want.file || got.contentType != want.contentType || string(got.data) != string(want.data) {
			t.Errorf("%s: %q %q\n%s, want\n%s", name, got.file, got.contentType, got.data, want.data)
		}
	}
}

func TestNonce(t *testing.T) {
	d := newDiscord(t, answer(200, `{"id":"1"}`))
	if _, err := d.client.CreateMessage(t.Context(), "5", "", hello); err != nil {
		t.Fatal(err)
	}
	if body := string(d.only(t).body); strings.Contains(body, "nonce") {
		t.Errorf("without a nonce: %s", body)
	}
}

// A message without an identifier could never be edited or found again.
func TestAnswerWithoutID(t *testing.T) {
	for _, body := range []string{``, `{}`, `null`, `{"id":""}`} {
		client := newDiscord(t, answer(200, body)).client
		if _, err := client.CreateMessage(t.Context(), "5", "n", hello); !discord.OutcomeUnknown(err) {
			t.Errorf("answer %q: %v", body, err)
		}
		if _, err := client.GetCurrentUser(t.Context()); err == nil {
			t.Errorf("%q is a user", body)
		}
	}
}

func TestBulkOverwriteCommands(t *testing.T) {
	one, most := 1, 9
	d := newDiscord(t, answer(200, `[{"id":"77","name":"challenge"}]`))
	registered, err := d.client.BulkOverwriteCommands(t.Context(), "9", "3", []discord.Command{{
		Name: "challenge", Description: "Challenge somebody", Contexts: []int{0},
		Options: []discord.Option{{
			Type: discord.OptionSubcommand, Name: "trails", Description: "A game",
			Options: []discord.Option{
				{Type: discord.OptionUser, Name: "opponent", Description: "Who", Required: true},
				{Type: discord.OptionInteger, Name: "towers", Description: "How many", MinValue: &one, MaxValue: &most},
				{Type: discord.OptionString, Name: "first", Description: "Who", Choices: []discord.Choice{{Name: "I", Value: "me"}}},
				{Type: discord.OptionInteger, Name: "size", Description: "How large", Choices: []discord.Choice{{Name: "5", Value: 5}}},
				{Type: discord.OptionString, Name: "turn", Description: "What", Autocomplete: true, MaxLength: 200},
			},
		}},
	}}, discord.RegisteredCommand{Raw: []byte(`{"id":"4","application_id":"9","version":"5","type":4,"name":"launch","description":"","handler":2,"contexts":null}`)})
	if err != nil || len(registered) != 1 || registered[0].ID != "77" || registered[0].Name != "challenge" {
		t.Fatalf("%+v, %v", registered, err)
	}
	got := d.only(t)
	if got.method != http.MethodPut || got.uri != "/api/v10/applications/9/guilds/3/commands" {
		t.Errorf("%s %s", got.method, got.uri)
	}
	want := `[{"name":"challenge","description":"Challenge somebody","contexts":[0],"options":[` +
		`{"type":1,"name":"trails","description":"A game","options":[` +
		`{"type":6,"name":"opponent","description":"Who","required":true},` +
		`{"type":4,"name":"towers","description":"How many","min_value":1,"max_value":9},` +
		`{"type":3,"name":"first","description":"Who","choices":[{"name":"I","value":"me"}]},` +
		`{"type":4,"name":"size","description":"How large","choices":[{"name":"5","value":5}]},` +
		`{"type":3,"name":"turn","description":"What","autocomplete":true,"max_length":200}]}]},` +
		`{"description":"","handler":2,"id":"4","name":"launch","type":4}]`
	if string(got.body) != want {
		t.Errorf("body\n%s, want\n%s", got.body, want)
	}
}

// Discord lists more of a command than was registered; what was sent comes back
// unchanged.
func TestGetCommands(t *testing.T) {
	d := newDiscord(t, answer(200, `[{"id":"1","application_id":"9","version":"2","default_member_permissions":null,"type":1,
		"name":"board","name_localizations":null,"description":"Show","contexts":[0],"integration_types":[0],"nsfw":false,"options":[
		{"type":4,"name":"zoom","description":"How","required":false,"min_value":1,"choices":[{"name":"Large","name_localizations":null,"value":2}]}]},
		{"id":"3","type":2,"name":"Challenge","description":"","contexts":null}]`))
	got, err := d.client.GetCommands(t.Context(), "9", "3")
	if err != nil {
		t.Fatal(err)
	}
	if r := d.only(t); r.method != http.MethodGet || r.uri != "/api/v10/applications/9/guilds/3/commands?with_localizations=true" || len(r.body) != 0 {
		t.Errorf("%s %s %s", r.method, r.uri, r.body)
	}
	one := 1
	want, err := json.Marshal(discord.Command{Type: discord.CommandChatInput, Name: "board", Description: "Show", Contexts: []int{0}, IntegrationTypes: []int{0}, Options: []discord.Option{
		{Type: discord.OptionInteger, Name: "zoom", Description: "How", MinValue: &one, Choices: []discord.Choice{{Name: "Large", Value: 2}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Type != discord.CommandChatInput || got[1].Type == discord.CommandChatInput {
		t.Fatalf("%+v", got)
	}
	if first, err := json.Marshal(got[0].Command); err != nil || string(first) != string(want) {
		t.Errorf("%s, %v, want %s", first, err, want)
	}
}

func TestAutocompleteLimits(t *testing.T) {
	var many []discord.Choice
	for i := range 30 {
		many = append(many, discord.Choice{Name: fmt.Sprintf("%d %s", i, strings.Repeat("ä", 120)), Value: i})
	}
	d := newDiscord(t, answer(204, ""))
	if err := d.client.Autocomplete(t.Context(), interaction, many); err != nil {
		t.Fatal(err)
	}
	choices := field(t, d.only(t).body, "data.choices").([]any)
	if len(choices) != 25 {
		t.Fatalf("%d choices, want 25", len(choices))
	}
	for i, c := range choices {
		name := c.(map[string]any)["name"].(string)
		if n := len([]rune(name)); n != 100 || !strings.HasSuffix(name, "ä…") {
			t.Errorf("name %d has %d characters: %s", i, n, name)
		}
	}
	if len([]rune(many[0].Name)) < 101 {
		t.Error("the caller's choices were changed")
	}
}

// An identifier with a slash must not change the route.
func TestPathEscaping(t *testing.T) {
	d := newDiscord(t, answer(204, ""))
	odd := discord.Interaction{ID: "7/1", ApplicationID: "9?x", Token: "a/b#c"}
	if err := d.client.DeferReply(t.Context(), odd); err != nil {
		t.Fatal(err)
	}
	if err := d.client.CreateFollowup(t.Context(), odd, hello); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"/api/v10/interactions/7%2F1/a%2Fb%23c/callback", "/api/v10/webhooks/9%3Fx/a%2Fb%23c"} {
		if got := d.got[i].uri; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The shape of messages: https://docs.discord.com/developers/resources/message#message-object
func TestGetMessages(t *testing.T) {
	d := newDiscord(t, answer(200, `[
		{"id":"3","author":{"id":"9"},"components":[{"type":17,"components":[
			{"type":12,"items":[{"media":{"url":"https://cdn.discordapp.com/attachments/5/77/board-7-12.png?ex=1&is=2"}}]},
			{"type":10,"content":"hello"}]}]},
		{"id":"2","author":{"id":"8"},"components":[{"type":12,"items":[{"media":{"url":"://odd"}},{"media":{"url":"a.png"}}]}]},
		{"id":"1","author":{"id":"9"},"content":"plain"}]`))
	got, err := d.client.GetMessages(t.Context(), "5")
	want := []discord.ChannelMessage{{ID: "3", AuthorID: "9", Images: []string{"board-7-12.png"}}, {ID: "2", AuthorID: "8", Images: []string{"a.png"}}, {ID: "1", AuthorID: "9"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if r := d.only(t); r.method != "GET" || r.uri != "/api/v10/channels/5/messages?limit=100" || len(r.body) != 0 || r.header.Get("Content-Type") != "" {
		t.Errorf("%s %s %q", r.method, r.uri, r.body)
	}
}

func TestGetCurrentUser(t *testing.T) {
	d := newDiscord(t, answer(200, `{"id":"9","username":"Castellan"}`))
	if id, err := d.client.GetCurrentUser(t.Context()); err != nil || id != "9" {
		t.Errorf("%s, %v", id, err)
	}
	if r := d.only(t); r.method != "GET" || r.uri != "/api/v10/users/@me" {
		t.Errorf("%s %s", r.method, r.uri)
	}
}

func TestBlocked(t *testing.T) {
	for code, want := range map[int]bool{
		discord.CodeUnknownChannel: true, discord.CodeMissingAccess: true, discord.CodeMissingPermissions: true, discord.CodeArchivedThread: true,
		discord.CodeUnknownMessage: false, discord.CodeInvalidFormBody: false, 0: false,
	} {
		if discord.Blocked(fmt.Errorf("posting: %w", &discord.Error{Status: 403, Code: code})) != want {
			t.Errorf("code %d", code)
		}
	}
	if discord.Blocked(nil) {
		t.Error("Blocked(nil) is true")
	}
}

func TestGetGateway(t *testing.T) {
	d := newDiscord(t, answer(200, `{"url":"wss://gateway.example","shards":2,
		"session_start_limit":{"total":1000,"remaining":7,"reset_after":14400000,"max_concurrency":1}}`),
		answer(200, `{}`), answer(401, `{"message":"401: Unauthorized","code":0}`))
	got, err := d.client.GetGateway(t.Context())
	want := discord.GatewayInfo{URL: "wss://gateway.example", Shards: 2, SessionStartLimit: discord.SessionStartLimit{Total: 1000, Remaining: 7, ResetAfter: 4 * time.Hour, MaxConcurrency: 1}}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if r := d.got[0]; r.method != "GET" || r.uri != "/api/v10/gateway/bot" || len(r.body) != 0 {
		t.Errorf("sent %s %s %q", r.method, r.uri, r.body)
	}
	if _, err := d.client.GetGateway(t.Context()); err == nil {
		t.Error("an answer without an address is accepted")
	}
	var refused *discord.Error
	if _, err := d.client.GetGateway(t.Context()); !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("a refused token: %v", err)
	}
}

// Files are fetched without the bot's token, from Discord alone and not from
// where it redirects to, and no more of them than wanted.
func TestDownload(t *testing.T) {
	for _, f := range []struct {
		address  string
		limit    int
		requests int
		want     string // of the error
	}{
		{"https://cdn.discordapp.com/ephemeral-attachments/1/2/m.txt?ex=1", 5, 1, ""},
		{"https://media.discordapp.net/attachments/1/2/m.txt", 5, 1, ""},
		{"https://cdn.discordapp.com/attachments/1/2/m.txt", 4, 1, "too large"},
		{"https://cdn.discordapp.com/moved", 5, 1, "302"},
		{"http://cdn.discordapp.com/m.txt", 5, 0, "not Discord's"},
		{"https://cdn.discordapp.com.elsewhere.test/m.txt", 5, 0, "not Discord's"},
		{"https://elsewhere.test/cdn.discordapp.com", 5, 0, "not Discord's"},
		{"http://127.0.0.1/m.txt", 5, 0, "not Discord's"},
		{"file:///etc/passwd", 5, 0, "not Discord's"},
		{"%", 5, 0, "not Discord's"},
	} {
		s := newServer(func(_ int, r *http.Request) reply {
			if strings.Contains(r.URL.Path, "moved") {
				return reply{status: http.StatusFound, header: map[string]string{"Location": "https://elsewhere.test/x"}}
			}
			return answer(200, "12345")
		})
		data, err := discord.NewClient(botToken, nil, s).Download(t.Context(), f.address, f.limit)
		if f.requests > 0 && s.only(t).header.Get("Authorization") != "" {
			t.Error("a token is sent")
		}
		if s.count() != f.requests || (err == nil) != (f.want == "") || err != nil && !strings.Contains(err.Error(), f.want) || err == nil && string(data) != "12345" {
			t.Errorf("%s: %q, %v after %d requests", f.address, data, err, s.count())
		}
	}
}

// IsMember tells members from others, and its errors, which are logged, do not name the
// person.
func TestIsMember(t *testing.T) {
	const person = "1120000000000000011"
	for _, c := range []struct {
		name   string
		reply  reply
		member bool
		failed bool
	}{
		{"a member", answer(200, `{"user":{"id":"`+person+`"}}`), true, false},
		{"somebody else", answer(404, `{"code":10007,"message":"Unknown Member"}`), false, false},
		{"without access", answer(403, `{"code":50001,"message":"Missing Access"}`), false, true},
	} {
		bubble(t, replies(c.reply), func(t *testing.T, _ *server, client *discord.Client) {
			member, err := client.IsMember(t.Context(), "7", person)
			if member != c.member || (err != nil) != c.failed {
				t.Errorf("%s: %t, %v", c.name, member, err)
			}
			if err != nil && strings.Contains(err.Error(), person) {
				t.Errorf("%s: the error names the person: %v", c.name, err)
			}
		})
	}
}
