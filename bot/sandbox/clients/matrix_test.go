package clients_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

var update = flag.Bool("update", false, "with CASTELLAN_CLIENTS=1, rewrite the table in docs/build/sandbox-clients.md")

// Why cells are empty.
const (
	noPayload = "the library compresses the transport or nothing"
	noZstd    = "the library does not have it"
	noV2      = "the library has components v1 alone"
	noLabels  = "the library has text inputs in rows alone"
)

// clients are the libraries of the table.
var clients = []*client{
	{name: "discord.js", module: "discord.js", prepare: node, file: "discordjs.mjs", lacks: map[string]string{payload: noPayload, zstd: noZstd}},
	{name: "Oceanic", module: "oceanic.js", prepare: node, file: "oceanic.mjs", lacks: map[string]string{payload: noPayload}},
	{name: "Eris", module: "eris", prepare: node, file: "eris.mjs", lacks: map[string]string{payload: noPayload, zstd: noZstd}},
	{name: "Discordeno", module: "@discordeno/bot", prepare: node, file: "discordeno.mjs"},
	{name: "discord.py", version: "2.2.2", prepare: python, file: "bot.py", commands: commands - 4, lacks: map[string]string{
		v2: noV2, labels: noLabels, choices: noLabels, activity: "the library does not have it", payload: noPayload, zstd: noZstd,
	}},
}

// Rows that a library may lack.
const (
	v2       = "components v2"
	labels   = "modals with labels and selects"
	choices  = "modals with radio groups, checkboxes and files"
	activity = "launches an activity"
	payload  = "payload compression"
	zlib     = "zlib-stream"
	zstd     = "zstd-stream"
)

// commands is how many commands a bot registers.
const commands = 18

// capability is a row of the table.
type capability struct {
	name string
	test func(r *rig)
	env  []string // if there are any, the bot is started anew with them
}

var capabilities = []capability{
	{name: "connects on its defaults, with a presence", test: testPresence},
	{name: "registers commands", test: testRegister},
	{name: "answers: at once, deferred, followed up", test: testResponses},
	{name: "every type of option", test: testOptions},
	{name: "autocomplete", test: testSuggest},
	{name: "context menus", test: testContextMenus},
	{name: "buttons; updates, deferred or not", test: testButtons},
	{name: "select menus of every kind", test: testMenus},
	{name: v2, test: testLayout},
	{name: "modals", test: testModal},
	{name: labels, test: testLabels},
	{name: choices, test: testChoices},
	{name: activity, test: testActivity},
	{name: "files, both ways", test: testFiles},
	{name: "threads and history", test: testThread},
	{name: "messages with their content", test: testMessages},
	{name: "direct messages", test: testDirect},
	{name: "members, by the gateway", test: testMembers},
	{name: "reactions and their events", test: testReactions},
	{name: "resumes after a lost connection", test: testResume},
	{name: "two shards", test: testShards, env: []string{"SANDBOX_SHARDS=2"}},
	{name: payload, test: testCompression("payload"), env: []string{"SANDBOX_COMPRESS=payload"}},
	{name: zlib, test: testCompression("zlib-stream"), env: []string{"SANDBOX_COMPRESS=zlib-stream"}},
	{name: zstd, test: testCompression("zstd-stream"), env: []string{"SANDBOX_COMPRESS=zstd-stream"}},
}

func testPresence(r *rig) {
	r.until("its presence", func() bool {
		status, activities := r.box.BotPresence()
		return status == "idle" && len(activities) == 1 && activities[0]["name"] == "in the sandbox"
	})
}

func testRegister(r *rig) {
	for _, c := range r.box.As(anna).CommandsIn(yard) {
		if c.Name == "options" && len(c.Options) != 8 || c.Name == "suggest" && !c.Options[0].Autocomplete {
			r.t.Errorf("%+v", c)
		}
	}
}

func testResponses(r *rig) {
	r.command("reply", "reply")
	r.command("deferred", "defer")
	if m := r.says(yard, "follow-up"); m.Flags&api.FlagEphemeral == 0 {
		r.t.Errorf("the follow-up is public: %+v", m)
	}
}

func testOptions(r *rig) {
	r.command(fmt.Sprintf("options: text=a;whole=3;number=1.5;yes=true;user=%s;channel=%s;role=%s;mentionable=%s", ben, hall, wardens, ben), "options",
		sandbox.Opt("text", "a"), sandbox.Opt("whole", 3), sandbox.Opt("number", 1.5), sandbox.Opt("yes", true),
		sandbox.Opt("user", ben), sandbox.Opt("channel", hall), sandbox.Opt("role", wardens), sandbox.Opt("mentionable", ben))
}

func testSuggest(r *rig) {
	choices, err := r.box.As(anna).Autocomplete(r.t.Context(), yard, "suggest", sandbox.Focused("what", "x"))
	if err != nil || len(choices) != 2 || choices[1].Text() != "x2" {
		r.t.Errorf("suggestions %v, %v", choices, err)
	}
	r.command("suggest: x2", "suggest", sandbox.Opt("what", "x2"))
}

func testContextMenus(r *rig) {
	i, err := r.box.As(anna).CommandOnUser(yard, "Inspect", ben)
	r.content(r.answered(i, err), "inspect: ben")
	said, err := r.box.As(ben).Say(yard, "well said")
	if err != nil {
		r.t.Fatal(err)
	}
	i, err = r.box.As(anna).CommandOnMessage(yard, "Quote", said.ID)
	r.content(r.answered(i, err), "quote: well said")
}

// settle waits until the bot has answered another command. A test can press a
// button before the bot has read that its message was accepted. discord.py does
// not know the button until then.
func settle(r *rig) { r.command("reply", "reply") }

func testButtons(r *rig) {
	m := r.command("buttons", "buttons")
	settle(r)
	if len(m.Embeds) != 1 || len(m.Components) != 1 || len(m.Components[0].Components) != 5 {
		r.t.Fatalf("%+v", m)
	}
	click := func(id string) api.Message {
		i, err := r.box.As(anna).Click(yard, m.ID, id)
		return r.answered(i, err)
	}
	r.content(click("answer"), "answered")
	r.content(click("later"), "later")
	click("defer-update")
	r.says(yard, "edited later")
	if after := click("update"); after.ID != m.ID || after.Content != "updated" || len(after.Components) != 0 {
		r.t.Errorf("the update: %+v", after)
	}
}

func testMenus(r *rig) {
	m := r.command("menus", "menus")
	settle(r)
	for _, c := range []struct {
		id     string
		values []string
	}{{"string", []string{"a", "b"}}, {"user", []string{ben}}, {"role", []string{wardens}}, {"mentionable", []string{ben}}, {"channel", []string{hall}}} {
		i, err := r.box.As(anna).Select(yard, m.ID, c.id, c.values...)
		r.content(r.answered(i, err), c.id+": "+strings.Join(c.values, ","))
	}
}

func testLayout(r *rig) {
	m := r.command("", "layout")
	settle(r)
	if m.Flags&api.FlagComponentsV2 == 0 || len(m.Components) != 1 || len(m.Components[0].Components) != 7 {
		r.t.Fatalf("%+v", m)
	}
	parts := m.Components[0].Components
	if parts[0].Accessory.Media.Width == nil || *parts[0].Accessory.Media.Width != 1 || parts[5].Name != "note.txt" || *m.Components[0].AccentColor != 0x336699 {
		r.t.Errorf("%+v", parts)
	}
	i, err := r.box.As(anna).Select(yard, m.ID, "string", "c")
	r.content(r.answered(i, err), "string: c")
	i, err = r.box.As(anna).Click(yard, m.ID, "press")
	if after := r.answered(i, err); after.ID != m.ID || len(after.Components) != 1 || after.Components[0].Content != "pressed" {
		r.t.Errorf("after the press: %+v", after)
	}
}

// modal opens a modal with a command, fills it in, and checks the answer.
func modal(r *rig, name, want string, fields ...sandbox.Field) {
	i, err := r.box.As(anna).Command(yard, name)
	r.answered(i, err)
	if m, open := r.box.Modal(i.ID); !open || m.Title != name {
		r.t.Fatalf("the modal: %+v, open: %v", m, open)
	}
	settle(r)
	i, err = r.box.As(anna).Submit(i.ID, fields...)
	r.content(r.answered(i, err), want)
}

func testModal(r *rig) { modal(r, "modal", "modal: text=x y", sandbox.Fill("text", "x y")) }

func testLabels(r *rig) {
	modal(r, "labels", fmt.Sprintf("labels: text=x;string=a,b;user=%s;role=%s;channel=%s", ben, wardens, hall),
		sandbox.Fill("text", "x"), sandbox.Fill("string", "a", "b"), sandbox.Fill("user", ben), sandbox.Fill("role", wardens), sandbox.Fill("channel", hall))
}

func testChoices(r *rig) {
	note, err := r.box.As(anna).Upload("note.txt", []byte("a note"))
	if err != nil {
		r.t.Fatal(err)
	}
	modal(r, "choices", "choices: radio=b;group=a,c;checkbox=true;file=note.txt",
		sandbox.Fill("radio", "b"), sandbox.Fill("group", "a", "c"), sandbox.Fill("checkbox", "true"), sandbox.Fill("file", note))
}

func testActivity(r *rig) {
	i, err := r.box.As(anna).Command(yard, "activity")
	r.answered(i, err)
	if now, _ := r.box.Interaction(i.ID); !slices.Equal(now.Callbacks, []int{12}) {
		r.t.Errorf("answered by %v", now.Callbacks)
	}
}

func testFiles(r *rig) {
	data := bytes.Repeat([]byte("castle "), 100)
	id, err := r.box.As(anna).Upload("a.txt", data)
	if err != nil {
		r.t.Fatal(err)
	}
	m := r.command("file", "file", sandbox.Opt("file", id))
	if len(m.Attachments) != 1 || m.Attachments[0].Filename != "copy.txt" {
		r.t.Fatalf("%+v", m.Attachments)
	}
	if f, ok := r.box.Attachment(m.Attachments[0].ID); !ok || !bytes.Equal(f.Data, data) {
		r.t.Errorf("the copy has %d bytes, want %d", len(f.Data), len(data))
	}
}

func testThread(r *rig) {
	i, err := r.box.As(anna).Command(yard, "thread")
	r.answered(i, err)
	m := r.says(yard, "thread: first, second")
	if m.Thread["name"] != "talk" {
		r.t.Errorf("its thread: %v", m.Thread)
	}
}

// hello has Anna say hello in a channel. wait waits for the bot's reply.
func hello(r *rig, channel string) (wait func()) {
	said, err := r.box.As(anna).Say(channel, "hello")
	if err != nil {
		r.t.Fatal(err)
	}
	return func() {
		r.message(channel, "no reply", func(m api.Message) bool {
			return m.Content == "hello anna" && m.MessageReference != nil && m.MessageReference.MessageID == said.ID
		})
	}
}

func testMessages(r *rig) { hello(r, hall)() }

func testDirect(r *rig) {
	r.command("direct", "direct")
	dm, err := r.box.As(anna).DirectMessages()
	if err != nil {
		r.t.Fatal(err)
	}
	r.says(dm, "in private")
	hello(r, dm)()
}

func testMembers(r *rig) { r.command("members: anna,ben,chloe,dmitri,eve_the_quiet", "members") }

func testReactions(r *rig) {
	m := r.command("react", "react")
	thumbs := func(n int) {
		r.until(fmt.Sprint(n, " reactions"), func() bool {
			for _, now := range r.box.As(anna).Messages(yard) {
				raw, err := json.Marshal(now.Reactions)
				if now.ID == m.ID && err == nil && strings.Contains(string(raw), fmt.Sprintf(`"count":%d,`, n)) {
					return true
				}
			}
			return false
		})
	}
	thumbs(1)
	if err := r.box.As(anna).React(yard, m.ID, "👍"); err != nil {
		r.t.Fatal(err)
	}
	r.says(yard, "reaction: 👍 "+anna)
	thumbs(2)
}

// testResume writes a message while the bot is not connected: only a resumed
// session gets it.
func testResume(r *rig) {
	r.box.Gateway.Drop()
	hello(r, yard)()
	if s := r.box.Gateway.Sessions(); len(s) != 1 || s[0].Resumed != 1 {
		r.t.Errorf("sessions %+v", s)
	}
}

func testShards(r *rig) {
	r.until("two shards", func() bool { return len(r.box.Gateway.Sessions()) == 2 })
	for n, s := range r.box.Gateway.Sessions() {
		if s.Shard != n || s.Shards != 2 {
			r.t.Errorf("shard %d: %+v", n, s)
		}
	}
	r.command("reply", "reply")
	i, err := r.box.As(anna).Command(fire, "reply")
	r.content(r.answered(i, err), "reply")
}

func testCompression(want string) func(r *rig) {
	return func(r *rig) {
		if s := r.box.Gateway.Sessions(); len(s) != 1 || s[0].Compression != want {
			r.t.Errorf("sessions %+v", s)
		}
		r.command("reply", "reply")
	}
}

// TestClients runs every capability with every library, and compares the outcome
// with the table in the documentation.
func TestClients(t *testing.T) {
	requireClients(t)
	var mu sync.Mutex
	results := map[string]string{} // by client and row
	skipped := false
	t.Run("matrix", func(t *testing.T) {
		for _, c := range clients {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					skipped = skipped || t.Skipped()
				}()
				cmd := c.prepare(t, c)
				n := cmp.Or(c.commands, commands)
				shared := start(t, cmd, n)
				for _, row := range capabilities {
					cell := "—"
					if c.lacks[row.name] == "" {
						ok := t.Run(row.name, func(t *testing.T) {
							r := &rig{t, shared.box}
							if row.env != nil {
								r = start(t, cmd, n, row.env...)
							}
							row.test(r)
						})
						cell = map[bool]string{true: "✓", false: "fails"}[ok]
					}
					mu.Lock()
					results[c.name+"/"+row.name] = cell
					mu.Unlock()
				}
			})
		}
	})
	if !skipped {
		compareTable(t, func(c *client, row string) string { return results[c.name+"/"+row] })
	}
}

// TestTable checks that the table in the documentation has the clients, versions
// and rows of this package.
func TestTable(t *testing.T) {
	if *update {
		t.Skip("TestClients writes the table")
	}
	compareTable(t, func(c *client, row string) string {
		if c.lacks[row] != "" {
			return "—"
		}
		return "✓"
	})
}

// compareTable compares the table in the documentation with cells, or rewrites
// it.
func compareTable(t *testing.T, cell func(c *client, row string) string) {
	t.Helper()
	const begin, end = "<!-- table -->\n", "<!-- end of table -->\n"
	file := filepath.Join("..", "..", "..", "docs", "build", "sandbox-clients.md")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	var b strings.Builder
	line := func(first string, cell func(*client) string) {
		b.WriteString("| " + first)
		for _, c := range clients {
			b.WriteString(" | " + cell(c))
		}
		b.WriteString(" |\n")
	}
	line("", func(c *client) string { return c.name })
	line("---", func(*client) string { return ":-:" })
	line("version", func(c *client) string { return version(t, c) })
	for _, row := range capabilities {
		line(row.name, func(c *client) string { return cell(c, row.name) })
	}
	b.WriteString("\n")
	for _, c := range clients {
		reasons := map[string][]string{}
		for _, row := range capabilities {
			if why := c.lacks[row.name]; why != "" {
				reasons[why] = append(reasons[why], row.name)
			}
		}
		for _, why := range slices.Sorted(maps.Keys(reasons)) {
			fmt.Fprintf(&b, "- %s, %s: %s.\n", c.name, strings.Join(reasons[why], "; "), why)
		}
	}
	switch {
	case b.String() == have:
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: run make clients and review the diff. It should have:\n%s", file, &b)
	}
}

// version returns the pinned version of a client.
func version(t *testing.T, c *client) string {
	if c.version != "" {
		return c.version + " (Debian)"
	}
	return pinned(t, c.module)
}
