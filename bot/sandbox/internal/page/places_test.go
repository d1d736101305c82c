package page_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const pageComposerNode = `document.querySelector('[data-testid="composer"]')`

// testPlaces tests threads, several guilds, direct messages and modals.
func testPlaces(t *testing.T, chrome context.Context, s browser.Screen) {
	var defaults sandbox.World
	t.Run("thread from the menu of a message", func(t *testing.T) { testPageThread(t, newPageRig(t, chrome, defaults), s) })
	t.Run("scroll position", func(t *testing.T) { testPageStays(t, newPageRig(t, chrome, defaults), s) })
	t.Run("space for a late picture", func(t *testing.T) { testPagePicture(t, newPageRig(t, chrome, defaults), s) })
	t.Run("guilds and direct messages", func(t *testing.T) { testPageServers(t, newPageRig(t, chrome, defaults), s) })
	t.Run("reactions, pins and polls", func(t *testing.T) { testPageReactions(t, newPageRig(t, chrome, defaults), s) })
	t.Run("uploads and choices", func(t *testing.T) { testPageUploads(t, newPageRig(t, chrome, defaults), s) })
	t.Run("modal and raw traffic", func(t *testing.T) { testPageModal(t, newPageRig(t, chrome, defaults), s) })
}

func screenName(s browser.Screen) string {
	if s == browser.Phone {
		return "phone"
	}
	return "desktop"
}

// touch clicks, or taps on a touch screen.
func touch(tab *browser.Tab, s browser.Screen, selector string) {
	if s == browser.Phone {
		tab.Do(browser.Tap(selector))
		return
	}
	tab.Do(browser.Click(selector))
}

// showList opens the drawer if the screen has one.
func showList(tab *browser.Tab, s browser.Screen) {
	if s == browser.Phone {
		touch(tab, s, `[data-testid="drawer-open"]`)
		tab.Until(`document.body.dataset.drawer === "open" && document.querySelector("#sidebar").getBoundingClientRect().left === 0`)
	}
}

func testPageThread(t *testing.T, rig *pageRig, s browser.Screen) {
	rig.paint(t, 0, "moss")
	tab := rig.open(t, rig.user(1), s)
	tab.Until(`document.querySelector('[data-testid="picture"] img')?.complete`)
	touch(tab, s, `[data-message-id] [data-testid="message-menu"]`)
	tab.Until(`document.querySelector('[data-testid="menu"] [data-menu-item="Greet"]')`)
	tab.Fits("menu")
	tab.Shot("menu")
	touch(tab, s, `[data-menu-item="Start a thread"]`)
	tab.Until(`document.querySelector('[data-testid="thread-card"]')?.textContent.includes("1 message")`)
	tab.Fits("thread card")
	tab.Shot("thread-card")
	touch(tab, s, `[data-testid="thread-card"]`)
	tab.Until(`document.querySelector("#channel-name").textContent === "About this picture" && ` + pageLastMessage + `.textContent.includes("talk about it here")`)
	tab.Do(chromedp.SendKeys(pageComposer, "Well painted\r"))
	tab.Until(pageLastMessage + `.textContent.includes("Well painted")`)
	long := strings.Repeat("A long name ", 8)
	if _, err := rig.bot.session.ChannelEdit(browser.Read[string](tab, `document.body.dataset.channelId`), &discordgo.ChannelEdit{Name: long}); err != nil {
		t.Fatal(err)
	}
	tab.Until(pageComposerNode + `.placeholder.includes("A long name A long name")`)
	if cut := browser.Read[string](tab, `(() => {
		const hint = document.querySelector(".composer-hint"), line = `+pageComposerNode+`;
		return line.scrollHeight > line.clientHeight ? "wrapped" : hint.scrollWidth <= hint.clientWidth || getComputedStyle(hint).textOverflow !== "ellipsis" ? "not cut by an ellipsis" : "";
	})()`); cut != "" {
		t.Errorf("the name of the thread in the composer is %s", cut)
	}
	tab.Fits("thread")
	tab.Shot("thread")
	showList(tab, s)
	tab.Until(fmt.Sprintf(`document.querySelector('#channels [data-thread=%q][aria-current]')`, rig.channel(0)))
	tab.Fits("list")
	tab.Shot("list")
	if n := len(rig.box.As(rig.user(0)).Messages(rig.channel(0))); n != 1 {
		t.Errorf("%d messages in the channel: the thread's are not there, private ones are their reader's", n)
	}
}

// testPageStays renders the log again while the user reads further up, and
// while a menu is open.
func testPageStays(t *testing.T, rig *pageRig, s browser.Screen) {
	rig.paint(t, 0, "moss")
	rig.paint(t, 0, "moss")
	tab := rig.open(t, rig.user(1), s)
	drawn := func(n int) {
		t.Helper()
		tab.Until(fmt.Sprintf(`document.querySelectorAll("[data-message-id]").length === %d && [...document.querySelectorAll('[data-testid="picture"] img')].every((img) => img.complete)`, n))
	}
	drawn(2)
	if _, err := rig.box.As(rig.user(1)).Command(rig.channel(0), "answer", sandbox.Sub("privately")); err != nil {
		t.Fatal(err)
	}
	drawn(3)
	tab.Until(`document.querySelector("#log").scrollTop > 0 && document.querySelector('[data-testid="dismiss"]')`)
	// The scroll event comes with the next frame, after this render.
	if top := browser.Read[float64](tab, `(() => {
		const log = document.querySelector("#log");
		log.scrollTop = 0;
		document.querySelector('[data-testid="dismiss"]').click();
		return log.scrollTop;
	})()`); top != 0 {
		t.Errorf("the log was moved to %v under somebody who has just gone to its beginning", top)
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("#log").scrollTop = 1e6)`))

	touch(tab, s, `[data-message-id]:last-child [data-testid="message-menu"]`)
	tab.Until(`document.querySelector('[data-testid="menu"] [data-menu-item="Greet"]')`)
	at := browser.Read[float64](tab, `document.querySelector("#log").scrollTop`)
	rig.paint(t, 0, "moss")
	drawn(3)
	tab.Until(`!document.querySelector("#jump-present").hidden`)
	tab.Fits("menu over a new message")
	tab.Shot("menu")
	if now := browser.Read[float64](tab, `document.querySelector("#log").scrollTop`); now != at {
		t.Errorf("the log was moved from %v to %v under a menu", at, now)
	}
	touch(tab, s, `[data-menu-item="Greet"]`)
	tab.Until(`document.querySelector("#jump-present").hidden && document.querySelectorAll("[data-message-id]").length === 4`)
}

// testPagePicture loads a picture late: nothing may move when it arrives.
func testPagePicture(t *testing.T, rig *pageRig, s browser.Screen) {
	rig.paint(t, 0, "moss")
	rig.pictures.Lock()
	answer := sync.OnceFunc(rig.pictures.Unlock)
	defer answer()
	tab := rig.open(t, rig.user(1), s)
	const where = `(() => {
		const log = document.querySelector("#log"), picture = document.querySelector('[data-testid="picture"] img').getBoundingClientRect();
		return [log.scrollTop, log.scrollHeight, picture.x, picture.y, picture.width, picture.height].map(Math.round);
	})()`
	before := browser.Read[[]int](tab, where)
	if browser.Read[bool](tab, `document.querySelector('[data-testid="picture"] img').complete`) {
		t.Fatal("the picture is there already")
	}
	answer()
	tab.Until(`document.querySelector('[data-testid="picture"] img').complete`)
	if after := browser.Read[[]int](tab, where); !slices.Equal(before, after) {
		t.Errorf("scrolled by, height of the log, left, top, width and height of the picture: %v before it came, %v after", before, after)
	}
	// The old picture stays visible until the one that replaces it has come.
	rig.pictures.Lock()
	again := sync.OnceFunc(rig.pictures.Unlock)
	defer again()
	const stands = `document.querySelector('[data-testid="picture"] img').style.background`
	tab.Do(chromedp.Focus(`[data-select]`), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector("[data-message-id] img")?.alt !== "A keep painted in moss"`)
	if got := browser.Read[string](tab, stands); !strings.Contains(got, "/attachments/") {
		t.Errorf("while the new picture loads, its place shows %q", got)
	}
	again()
	tab.Until(stands + ` === ""`)
	// A link to the newest message shows its end, where its buttons are.
	low := rig.open(t, rig.user(1), browser.Screen{Name: "low", Width: s.Width, Height: 420, Touch: s.Touch})
	low.Do(chromedp.Evaluate[chromedp.Void](`void (() => {
		history.pushState(null, "", location.search + "#message-" + ` + pageLastMessage + `.dataset.messageId);
		dispatchEvent(new PopStateEvent("popstate"));
	})()`))
	low.Until(pageLastMessage + `.dataset.highlighted === "true"`)
	if hidden := browser.Read[float64](low, `(() => { const log = document.querySelector("#log"); return log.scrollHeight - log.scrollTop - log.clientHeight; })()`); hidden > 1 {
		t.Errorf("%v pixels of the newest message are hidden below", hidden)
	}
	if width, height := before[4], before[5]; width < 300 || height < 150 {
		t.Errorf("the picture is drawn in %d by %d", width, height)
	}
}

func testPageServers(t *testing.T, rig *pageRig, s browser.Screen) {
	tab := rig.open(t, rig.user(0), s)
	showList(tab, s)
	touch(tab, s, fmt.Sprintf(`#servers [data-guild-id=%q]`, rig.world.Guilds[0].ID))
	tab.Until(`document.querySelector("#channel-name").textContent === "watchfire"`)
	showList(tab, s)
	touch(tab, s, `#servers [data-guild-id="@me"]`) // nothing was begun: the bot's
	tab.Until(`document.querySelector("#channel-name").textContent === "Painter"`)
	tab.Until(`document.querySelector('[data-testid="welcome"] [data-command="paint"]')`)
	tab.Fits("conversation")
	tab.Do(chromedp.SendKeys(pageComposer, "Are you there?\r"))
	tab.Until(pageLastMessage + `?.textContent.includes("Are you there?")`)
	showList(tab, s)
	tab.Fits("conversations")
	tab.Shot("conversations")
	touch(tab, s, fmt.Sprintf(`#channels [data-direct=%q]`, rig.user(1)))
	tab.Until(`document.querySelector("#channel-name").textContent === "Ben"`)
	tab.Do(chromedp.SendKeys(pageComposer, "Hello Ben\r"))
	tab.Until(pageLastMessage + `?.textContent.includes("Hello Ben")`)
	openFaults(tab, s)
	touch(tab, s, `[data-testid="bot-install"]`)
	tab.Until(`document.querySelector('[data-testid="bot-install"]').textContent.includes("Take it off")`)
	tab.Fits("panel of a conversation")
	closeFaults(tab)
	showList(tab, s)
	touch(tab, s, fmt.Sprintf(`#people [data-user-id=%q]`, rig.user(1)))
	tab.Until(`document.body.dataset.ready === "true" && document.querySelector("#channel-name").textContent === "Anna"`)
	tab.Until(pageLastMessage + `.textContent.includes("Hello Ben")`)
}

func testPageModal(t *testing.T, rig *pageRig, s browser.Screen) {
	tab := rig.open(t, rig.user(0), s)
	touch(tab, s, `[data-testid="welcome"] [data-command="form"]`)
	touch(tab, s, pageSend)
	tab.Until(`document.querySelector('[data-testid="modal"][open]')?.dataset.modal === "order"`)
	tab.Do(chromedp.SendKeys(`[data-modal-field="title"] input`, "K"))
	touch(tab, s, `[data-testid="modal-send"]`)
	tab.Until(`document.querySelector('[data-testid="modal-error"]:not([hidden])')?.textContent.includes("2 to 40")`)
	tab.Do(chromedp.SendKeys(`[data-modal-field="title"] input`, "eep"))
	touch(tab, s, `[data-modal-field="colours"] .modal-choice:nth-child(3)`)
	touch(tab, s, `[data-modal-field="colours"] .modal-choice:nth-child(4)`)
	tab.Do(chromedp.SetValue(`[data-modal-field="whom"] select`, rig.user(1)))
	tab.Fits("dialog")
	tab.Shot("dialog")
	touch(tab, s, `[data-testid="modal-send"]`)
	tab.Until(`!document.querySelector("dialog[open]") && ` + pageLastMessage + `?.textContent.includes("colours: moss, slate")`)
	tab.Until(pageLastMessage + `.querySelector("[data-mention]").textContent === "@Ben"`)
	showList(tab, s)
	touch(tab, s, `[data-testid="wire-open"]`)
	tab.Until(`document.querySelector('[data-testid="wire-entry"]')?.dataset.kind === "request"`)
	touch(tab, s, `[data-testid="wire-entry"][data-kind="interaction"] summary`)
	tab.Until(`document.querySelector('[data-testid="wire-entry"][open] pre').textContent.includes('"custom_id": "order"')`)
	tab.Fits("traffic")
	tab.Shot("traffic")
}

// testPageReactions tests that a reaction is counted and toggled, that a vote
// counts, and that a pin shows.
func testPageReactions(t *testing.T, rig *pageRig, s browser.Screen) {
	channel := rig.channel(0)
	send := func(method, path, body string) {
		t.Helper()
		req, err := http.NewRequest(method, rig.box.Base()+"/api/v10/channels/"+channel+"/messages"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bot "+rig.box.Token())
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %v, %v", method, path, res, err)
		}
		res.Body.Close()
	}
	post := func(body string) { t.Helper(); send(http.MethodPost, "", body) }
	post(`{"content": "Who brings the dice?"}`)
	post(`{"poll": {"question": {"text": "When do we play?"}, "answers": [{"poll_media": {"text": "Tonight"}}, {"poll_media": {"text": "Tomorrow"}}]}}`)
	ben := rig.box.As(rig.user(1))
	list := ben.Messages(channel)
	if err := ben.React(channel, list[len(list)-2].ID, "🎲"); err != nil {
		t.Fatal(err)
	}
	send(http.MethodPut, "/"+list[len(list)-2].ID+"/reactions/"+url.PathEscape("👍")+"/@me", "")
	tab := rig.open(t, rig.user(0), s)
	tab.Until(`document.querySelectorAll(".reaction").length === 2`)
	touch(tab, s, ".reaction")
	tab.Until(`document.querySelector('.reaction[aria-pressed="true"]')?.textContent === "🎲2"`)
	touch(tab, s, ".poll button")
	tab.Until(`document.querySelector(".poll button").textContent === "Tonight · 1"`)
	tab.Fits("reactions")
	tab.Shot("reactions")
}

// uploadBot answers interactions over HTTP: /send with the file's name, /fill with
// a dialog of every newer component, and the dialog with what was filled in.
func uploadBot(key string) http.HandlerFunc {
	public, _ := hex.DecodeString(key) // the sandbox's own
	const options = `[{"label": "Moss", "value": "moss", "description": "green"}, {"label": "Slate", "value": "slate", "default": true}, {"label": "Sky", "value": "sky"}]`
	dialog := `{"type": 9, "data": {"custom_id": "fill", "title": "Everything", "components": [
		{"type": 18, "label": "One colour", "component": {"type": 21, "custom_id": "radio", "options": ` + options + `}},
		{"type": 18, "label": "Several", "component": {"type": 22, "custom_id": "group", "options": ` + options + `}},
		{"type": 18, "label": "Shall it be signed?", "component": {"type": 23, "custom_id": "check"}},
		{"type": 18, "label": "A text", "description": "Two at most", "component": {"type": 19, "custom_id": "files", "max_values": 2, "file_types": [".txt"]}}]}}`
	return func(w http.ResponseWriter, r *http.Request) {
		if !discordgo.VerifyInteraction(r, public) {
			http.Error(w, "invalid request signature", http.StatusUnauthorized)
			return
		}
		var i struct {
			Type int
			Data struct {
				Name       string
				Components []struct {
					Component struct{ Value, Values any }
				}
				Resolved struct {
					Attachments map[string]struct{ Filename string }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&i); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		names := []string{}
		for _, f := range i.Data.Resolved.Attachments {
			names = append(names, f.Filename)
		}
		content := "sent " + strings.Join(names, " ")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case i.Type == 1:
			fmt.Fprint(w, `{"type": 1}`)
			return
		case i.Data.Name == "fill":
			fmt.Fprint(w, dialog)
			return
		case i.Type == 5:
			c := i.Data.Components
			content = fmt.Sprintf("%v %v %v %v", c[0].Component.Value, c[1].Component.Values, c[2].Component.Value, names)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"type": 4, "data": map[string]any{"content": content}})
	}
}

func testPageUploads(t *testing.T, rig *pageRig, s browser.Screen) {
	bot := httptest.NewServer(uploadBot(rig.box.PublicKey()))
	defer bot.Close()
	if err := rig.box.SetInteractionsEndpoint(t.Context(), bot.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := rig.bot.session.ApplicationCommandBulkOverwrite(rig.box.ApplicationID(), "", []*discordgo.ApplicationCommand{
		{Name: "fill", Description: "Fill in"},
		{Name: "send", Description: "Send a file", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionAttachment, Name: "file", Description: "Which", Required: true},
		}},
	}); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(note, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := rig.open(t, rig.user(0), s)
	touch(tab, s, `[data-testid="welcome"] [data-command="send"]`)
	touch(tab, s, pageSend)
	tab.Until(`document.querySelector('[data-testid="composer-error"]:not([hidden])')?.textContent === "Choose a file for “file”."`)
	tab.Do(chromedp.SetUploadFiles(`[data-option="file"] input`, []string{note}))
	tab.Until(`document.querySelector('[data-option="file"]').dataset.uploaded === "true"`)
	tab.Fits("file option")
	tab.Shot("file-option")
	touch(tab, s, pageSend)
	tab.Until(pageLastMessage + `?.textContent.includes("sent note.txt")`)

	tab.Do(chromedp.SendKeys(pageComposer, "/fill "))
	touch(tab, s, pageSend)
	tab.Until(`document.querySelector('[data-testid="modal"][open]')?.dataset.modal === "fill"`)
	touch(tab, s, `[data-modal-field="radio"] .modal-choice:nth-child(3)`)
	touch(tab, s, `[data-modal-field="group"] .modal-choice:nth-child(1)`)
	touch(tab, s, `[data-modal-field="check"] .modal-choice`)
	tab.Fits("choices")
	tab.Shot("choices")
	touch(tab, s, `[data-testid="modal-send"]`)
	tab.Until(`document.querySelector('[data-testid="modal-error"]:not([hidden])')?.textContent.includes("A text")`)
	tab.Do(chromedp.SetUploadFiles(`[data-modal-field="files"] input`, []string{note}))
	touch(tab, s, `[data-testid="modal-send"]`)
	tab.Until(`!document.querySelector("dialog[open]") && ` + pageLastMessage + `?.textContent.includes("sky [moss slate] true [note.txt]")`)
}
