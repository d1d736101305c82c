package sandbox_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// testPlaces tests threads, several guilds, direct messages and modals.
func testPlaces(t *testing.T, chrome context.Context, s browser.Screen) {
	var defaults sandbox.World
	t.Run("space for a late picture", func(t *testing.T) { testPagePicture(t, newPageRig(t, chrome, defaults), s) })
	t.Run("guilds and direct messages", func(t *testing.T) { testPageServers(t, newPageRig(t, chrome, defaults), s) })
	t.Run("reactions", func(t *testing.T) { testPageReactions(t, newPageRig(t, chrome, defaults), s) })
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
	tab.Until(pageLastMessage + `.textContent.includes("whom: ` + rig.user(1) + `")`)
	showList(tab, s)
	touch(tab, s, `[data-testid="wire-open"]`)
	tab.Until(`document.querySelector('[data-testid="wire-entry"]')?.dataset.kind === "request"`)
	touch(tab, s, `[data-testid="wire-entry"][data-kind="interaction"] summary`)
	tab.Until(`document.querySelector('[data-testid="wire-entry"][open] pre').textContent.includes('"custom_id": "order"')`)
	tab.Fits("traffic")
	tab.Shot("traffic")
}

// testPageReactions tests that a reaction is counted and toggled.
func testPageReactions(t *testing.T, rig *pageRig, s browser.Screen) {
	ben := rig.box.As(rig.user(1))
	said, err := ben.Say(rig.channel(0), "Who brings the dice?")
	if err == nil {
		err = ben.React(rig.channel(0), said.ID, "🎲")
	}
	if err != nil {
		t.Fatal(err)
	}
	tab := rig.open(t, rig.user(0), s)
	touch(tab, s, ".reaction")
	tab.Until(`document.querySelector('.reaction[aria-pressed="true"]')?.textContent === "🎲2"`)
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
	rig.bot.register(t, rig.box, `[
		{"name": "fill", "description": "Fill in"},
		{"name": "send", "description": "Send a file", "options": [{"type": 11, "name": "file", "description": "Which", "required": true}]}]`)
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
