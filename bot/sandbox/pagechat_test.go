package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Selectors of the page.
const (
	pageComposer    = `[data-testid="composer"]`
	pageMoreOptions = `[data-testid="more-options"]`
	pageSend        = `[data-testid="send"]`
	pageColour      = `[data-option="colour"] input`
	pageLastMessage = `[...document.querySelectorAll("[data-message-id]")].at(-1)`
	pageFreshList   = `document.querySelector('[data-testid="suggestions"]:not([hidden])[data-busy="false"] [aria-selected="true"]')`
)

// TestPage tests the page with the example bot in a real browser. The hooks that
// it relies on are listed at the top of assets/js/main.js.
func TestPage(t *testing.T) {
	chrome := browser.Start(t)
	t.Run("chat", func(t *testing.T) { testChat(t, chrome) })
	t.Run("faults", func(t *testing.T) { testFaults(t, chrome) })
	for _, s := range []browser.Screen{browser.Wide, browser.Phone} {
		t.Run(screenName(s), func(t *testing.T) { testPlaces(t, chrome, s) })
	}
}

func testChat(t *testing.T, chrome context.Context) {
	run := func(name string, world sandbox.World, test func(*testing.T, *pageRig)) {
		t.Run(name, func(t *testing.T) { test(t, newPageRig(t, chrome, world)) })
	}
	var defaults sandbox.World
	run("command by keyboard", defaults, testPageKeyboard)
	run("thinking and failing", defaults, testPageWaiting)
	run("markdown without markup", pageMarkupWorld(), testPageMarkdown)
	run("reconnect", defaults, testPageReconnect)
	run("two reloads at once", defaults, testPageReload)
	run("many windows", defaults, testPageWindows)
	run("idle", defaults, testPageIdle)
	run("focus and announcements", defaults, testPageFocus)
	run("people write", defaults, testPagePeople)
	run("a person's language", defaults, testPageLanguage)
	run("time", defaults, testPageTime)
	run("forced colours", defaults, testPageForcedColours)
}

func testPageKeyboard(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	recordRequests(tab)
	tab.Do(chromedp.SendKeys(pageComposer, "/an"))
	tab.Until(`document.querySelectorAll('[data-testid="suggestion"]').length === 2`) // the subcommands of /answer
	tab.Do(chromedp.SendKeys(pageComposer, strings.Repeat(kb.Backspace, 2)+"pa"))
	tab.Until(pageFreshList + `?.dataset.name === "/paint"`)
	tab.Shot("commands")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	// Nothing is typed, so Enter picks nothing of what is offered.
	tab.Until(`document.querySelector('[data-testid="suggestions"][data-busy="false"] [data-testid="suggestion"]')?.dataset.name.startsWith("amber")`)
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(fmt.Sprintf(`document.querySelector(%s).value === "" && document.querySelector('[data-testid="composer-error"]:not([hidden])')`, browser.Quote(pageColour)))
	tab.Do(chromedp.KeyEvent("s"))
	tab.Until(pageFreshList + `?.dataset.name === "slate · its roof"`)
	tab.Shot("suggestions")
	tab.Do(chromedp.KeyEvent(kb.ArrowDown))
	tab.Until(pageFreshList + `?.dataset.value === "sky"`)
	tab.Do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Tab))
	tab.Until(fmt.Sprintf(`document.querySelector(%s).value === "slate · its roof"`, browser.Quote(pageColour)))
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(pageLastMessage + `?.querySelector("img")?.alt === "A keep painted in slate"`)
	tab.Until(pageLastMessage + `.querySelector('[data-testid="used"]').textContent.endsWith("Anna used /paint")`)
	tab.Until(`!document.querySelector("[data-outgoing]") && document.querySelector('[data-testid="composer-form"]').dataset.mode === "text"`)
	tab.Shot("answer")
	// Discord's clients send the suggestion's name, not its value.
	if got := browser.Read[string](tab, `sent.find(([path]) => path.endsWith("/commands"))[1].options[0].value`); got != "slate · its roof" {
		t.Errorf("sent %q for the option, want the suggestion's name", got)
	}
	if n := len(rig.box.As(rig.user(0)).Messages(rig.channel(0))); n != 1 {
		t.Errorf("%d messages after one command", n)
	}
}

func testPageWaiting(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.SendKeys(pageComposer, "/answer later "))
	// A number is the value of an option, not its name.
	tab.Do(chromedp.SendKeys(pageMoreOptions, "1"+kb.Enter))
	tab.Until(`document.querySelector('[data-option="seconds"] input')?.value === "1"`)
	tab.Do(chromedp.SendKeys(`[data-option="seconds"] input`, kb.Enter))
	tab.Until(`document.querySelector('[data-thinking="true"]')?.textContent.includes("Painter is thinking…")`)
	tab.Shot("thinking")
	rig.bot.thought <- struct{}{}
	tab.Until(`document.querySelector('[data-message-id]:not([data-thinking])')?.textContent.includes("After 1s of thinking")`)
	tab.Do(chromedp.SendKeys(pageComposer, "/answer never "+kb.Enter))
	tab.Until(`document.querySelector("[data-outgoing]:not([data-failed])")`)
	rig.timers.fire()
	tab.Until(`document.querySelector('[data-outgoing][data-failed="true"]')?.textContent.includes("did not answer in time")`)
	tab.Shot("failed")
	tab.Do(browser.Click(`[data-outgoing] [data-testid="dismiss"]`))
	tab.Until(`!document.querySelector("[data-outgoing]")`)
}

// pageMarkup must be shown as text everywhere.
const pageMarkup = `<img src=x onerror="window.broken=1">`

func pageMarkupWorld() sandbox.World {
	w := sandbox.DefaultWorld()
	w.Users[3].GlobalName = pageMarkup
	return w
}

func testPageMarkdown(t *testing.T, rig *pageRig) {
	dmitri := rig.box.As(rig.user(3))
	said := func(text string) string {
		m, err := dmitri.Say(rig.channel(0), text)
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	id := said(pageMarkup + ` <script>window.broken=1</script> **<b>bold</b>** [x](javascript:window.broken=1) ` + "`<i>`")
	said("# Title\n-# small\n> quoted\n- one\n- two\n```\n<pre>\n```")
	said(fmt.Sprintf("*slanted* __under__ ~~struck~~ ||hidden|| <@%s> <#%s> <t:%d:R> [there](https://discord.com/channels/1/%s/%s) [out](https://example.org/)",
		rig.user(0), rig.channel(1), time.Now().Unix()-7200, rig.channel(0), id))
	tab := rig.open(t, rig.user(0), browser.Phone)
	tab.Until(`document.querySelectorAll("[data-message-id]").length === 3`)
	for _, want := range []string{
		fmt.Sprintf(`document.querySelector(".author").textContent === %s`, browser.Quote(pageMarkup)),
		`[...document.querySelectorAll(".person-name")].some((n) => n.textContent === ` + browser.Quote(pageMarkup) + `)`,
		fmt.Sprintf(`document.querySelector(".markdown").textContent.startsWith(%s)`, browser.Quote(pageMarkup+" <script>")),
		`document.querySelectorAll("#log img, #people img, #log script, #log a[href^=javascript]").length === 0`,
		`document.querySelector(".markdown strong").textContent === "<b>bold</b>"`,
		`document.querySelector(".markdown h3").textContent === "Title" && document.querySelector(".markdown .subtext") && document.querySelector(".markdown blockquote")`,
		`document.querySelectorAll(".markdown li").length === 2 && document.querySelector(".markdown pre").textContent === "<pre>"`,
		`document.querySelector("em") && document.querySelector(".markdown u") && document.querySelector(".markdown s")`,
		`document.querySelector(".pill-me").textContent === "@Anna" && document.querySelector("[data-relative]").textContent === "2 hours ago"`,
		`document.querySelector('a[href="https://example.org/"]').rel.includes("noopener")`,
		`document.querySelector('[data-spoiler="hidden"]')`,
	} {
		tab.Until(want)
	}
	tab.Fits("markdown")
	tab.Shot("markdown")
	tab.Do(browser.Tap(`[data-spoiler]`))
	tab.Until(`document.querySelector('[data-spoiler="shown"]')`)
	tab.Do(browser.Tap(fmt.Sprintf(`a[data-jump-message="%s"]`, id)))
	tab.Until(fmt.Sprintf(`document.querySelector('[data-message-id="%s"]').dataset.highlighted === "true"`, id))
	tab.Until(`window.broken === undefined`)
}

func testPageReconnect(t *testing.T, rig *pageRig) {
	rig.paint(t, 1, "moss")
	rig.paint(t, 1, "moss")
	tab := rig.open(t, rig.user(0), browser.Phone)
	tab.Until(`document.querySelector("#log").scrollTop > 0 && [...document.querySelectorAll('[data-testid="picture"] img')].every((img) => img.complete)`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("#log").scrollTop = 0)`))
	// The bot loses its connection and cannot come back yet.
	rig.down.Store(true)
	rig.box.Gateway.Drop()
	tab.Until(`document.querySelector('[data-banner="offline"]')`)
	tab.Fits("offline")
	tab.Shot("offline")
	// Then the page loses its own.
	rig.server.CloseClientConnections()
	tab.Until(`document.querySelector('[data-banner="lost"]')`)
	tab.Fits("lost")
	tab.Shot("lost")
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "said meanwhile"); err != nil {
		t.Fatal(err)
	}
	rig.down.Store(false)
	tab.Until(`document.body.dataset.ready && !document.querySelector("[data-banner]")`)
	tab.Until(pageLastMessage + `.textContent.includes("said meanwhile")`)
	// A reader further up gets a hint and keeps their position.
	tab.Until(`!document.querySelector("#jump-present").hidden`)
	if top := browser.Read[float64](tab, `document.querySelector("#log").scrollTop`); top != 0 {
		t.Errorf("the log scrolled to %v while somebody read its beginning", top)
	}
	// The hint covers neither the composer nor its error.
	for _, step := range []chromedp.Action[chromedp.Void]{chromedp.Focus(pageComposer), chromedp.SendKeys(pageComposer, "/pant"+kb.Enter)} {
		tab.Do(step)
		if gap := browser.Read[float64](tab, `document.querySelector("#composer").getBoundingClientRect().top - document.querySelector("#jump-present").getBoundingClientRect().bottom`); gap < 0 {
			t.Errorf("the hint reaches %v pixels into the composer", -gap)
		}
	}
	tab.Until(`document.querySelector('[data-testid="composer-error"]:not([hidden])')`)
	tab.Shot("hint-and-error")
}

// testPageReload has the page load its state again while it loads it. It is not
// disconnected then.
func testPageReload(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const fetch = window.fetch;
		window.held = [];
		window.fetch = (...request) => String(request[0]).startsWith("/sandbox/state") && !window.sending
			? new Promise((answer) => held.push(() => answer(fetch(...request))))
			: fetch(...request);
	})()`))
	if err := rig.box.As(rig.user(1)).CloseMessages(true); err != nil {
		t.Fatal(err)
	}
	tab.Until(`held.length === 1`)
	rig.open(t, rig.user(1), browser.Wide) // the shared stream of events begins anew
	tab.Until(`held.length >= 2`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (sending = true, held.forEach((send) => send()))`))
	tab.Until(`performance.getEntriesByType("resource").filter((r) => r.name.includes("/sandbox/state?")).length >= 3`)
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "said afterwards"); err != nil {
		t.Fatal(err)
	}
	tab.Until(`document.querySelector("#log").textContent.includes("said afterwards")`)
	if banner := browser.Read[string](tab, `document.querySelector("#banners").textContent`); banner != "" {
		t.Errorf("the page says: %s", banner)
	}
}

// testPageWindows opens more windows than a browser opens connections to a host.
func testPageWindows(t *testing.T, rig *pageRig) {
	var tabs []*browser.Tab
	for i := range 8 {
		tabs = append(tabs, rig.open(t, rig.user(i%5), browser.Wide))
	}
	hear := func(text string, tabs []*browser.Tab) {
		t.Helper()
		if _, err := rig.box.As(rig.user(0)).Say(rig.channel(0), text); err != nil {
			t.Fatal(err)
		}
		for _, tab := range tabs {
			tab.Until(pageLastMessage + `?.textContent.includes(` + browser.Quote(text) + `)`)
		}
	}
	oneStream := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
		defer cancel()
		if err := rig.box.Wait(ctx, func() bool { return rig.streams.Load() == 1 }); err != nil {
			t.Fatalf("%d streams of events are open, want one for all windows", rig.streams.Load())
		}
	}
	hear("eight windows", tabs)
	oneStream()
	// The first windows close, among them the only one of the fourth user.
	for _, tab := range tabs[:4] {
		tab.Close()
	}
	hear("the first are closed", tabs[4:])
	oneStream()
	// A window turns to another user, and the connection is lost.
	tabs[4].Do(browser.Click(fmt.Sprintf(`#people [data-user-id=%q]`, rig.user(3))))
	tabs[4].Until(`document.body.dataset.ready && document.body.dataset.userId === ` + browser.Quote(rig.user(3)))
	rig.down.Store(true)
	rig.server.CloseClientConnections()
	for _, tab := range tabs[4:] {
		tab.Until(`document.querySelector('[data-banner="lost"]')`)
	}
	rig.down.Store(false)
	hear("back again", tabs[4:])
	oneStream()
}

// testPageIdle counts what the page fetches: its state and the commands once, and
// nothing because of time, of other windows or of what others read.
func testPageIdle(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	const fetched = `performance.getEntriesByType("resource").filter((r) => r.name.includes("/sandbox/") && !r.name.includes("/events") && !r.name.includes("/read")).map((r) => new URL(r.name).pathname)`
	tab.Until(fetched + `.includes("/sandbox/commands")`)
	other := rig.open(t, rig.user(1), browser.Wide)
	said, err := rig.box.As(rig.user(2)).Say(rig.channel(1), "<@"+rig.user(3)+"> look")
	if err != nil {
		t.Fatal(err)
	}
	for _, window := range []*browser.Tab{tab, other} { // both know that Dmitri was notified
		window.Until(fmt.Sprintf(`document.querySelector('#people [data-user-id="%s"]').dataset.mentions === "1"`, rig.user(3)))
	}
	rig.box.As(rig.user(3)).Read(said.ChannelID)
	tab.Until(fmt.Sprintf(`document.querySelector('#people [data-user-id="%s"]').dataset.mentions === "0"`, rig.user(3)))
	if got := browser.Read[[]string](tab, fetched); len(got) != 2 {
		t.Errorf("the page fetched %v, want its state and the commands", got)
	}
	if kind := browser.Read[int](tab, `performance.getEntriesByType("resource").find((r) => r.name.includes("/sandbox/state")).encodedBodySize`); kind == 0 || kind >= browser.Read[int](tab, `performance.getEntriesByType("resource").find((r) => r.name.includes("/sandbox/state")).decodedBodySize`) {
		t.Errorf("the state has %d bytes, and is not compressed", kind)
	}
}

// testPageFocus edits a message whose button has the focus: the new button in its
// place gets it. Screen readers hear one sentence.
func testPageFocus(t *testing.T, rig *pageRig) {
	buttons := func(labels ...string) string {
		var list []string
		for _, l := range labels {
			list = append(list, fmt.Sprintf(`{"type": 2, "style": 1, "label": %q, "custom_id": "turn-%[1]s-%d"}`, l, len(labels)))
		}
		return `{"content": "The board of ` + fmt.Sprint(len(labels)) + `", "components": [{"type": 1, "components": [` + strings.Join(list, ",") + `]}]}`
	}
	id := rig.write(t, "", buttons("Left", "Right", "Up"))
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.Focus(`[data-custom-id="turn-Right-3"]`))
	focused := func(want string) { tab.Until(`document.activeElement.` + want) }
	rig.write(t, id, buttons("Left", "Right"))
	focused(`dataset.customId === "turn-Right-2"`)
	rig.write(t, id, buttons("Left", "Down"))
	focused(`dataset.customId === "turn-Down-2"`)
	tab.Until(`document.querySelector("#announcer").textContent === "Painter: The board of 2"`)
	rig.write(t, id, `{"content": "It is over", "components": []}`)
	focused(`dataset.messageId === "` + id + `"`)
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "Well *played*"); err != nil {
		t.Fatal(err)
	}
	tab.Until(`document.querySelector("#announcer").textContent === "Ben: Well played"`)
	if live := browser.Read[int](tab, `document.querySelectorAll('#log [aria-live], #log[aria-live="polite"]').length`); live != 0 {
		t.Errorf("%d further live regions in the log", live)
	}
	if err := rig.box.Remove(rig.channel(0), id); err != nil {
		t.Fatal(err)
	}
	focused(`closest("article")?.textContent.includes("Well played")`)
}

func testPagePeople(t *testing.T, rig *pageRig) {
	said, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "Who begins?")
	if err != nil {
		t.Fatal(err)
	}
	tab := rig.open(t, rig.user(0), browser.Wide)
	menu := func(item string) {
		tab.Do(chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('[data-testid="message-menu"]')].at(-1).click()`))
		tab.Do(browser.Click(`[data-menu-item="` + item + `"]`))
	}
	menu("reply")
	tab.Until(`document.querySelector('[data-testid="answering"]:not([hidden])')?.textContent.startsWith("Replying to Ben")`)
	tab.Shot("replying")
	tab.Fits("replying")
	tab.Do(chromedp.SendKeys(pageComposer, "I do\r"))
	tab.Until(fmt.Sprintf(`document.querySelector('[data-testid="reply"][data-jump-message="%s"]')`, said.ID))
	menu("edit")
	tab.Until(`document.querySelector('[data-testid="composer"]').value === "I do"`)
	tab.Do(chromedp.SendKeys(pageComposer, " now\r"))
	tab.Until(pageLastMessage + `.dataset.edited === "true" && ` + pageLastMessage + `.textContent.includes("I do now")`)
	menu("delete")
	tab.Until(`document.querySelectorAll("[data-message-id]").length === 1`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (window.prompt = () => "A talk")`))
	menu("thread")
	tab.Until(`document.querySelector('[data-testid="thread-card"]')?.textContent.includes("A talk")`)
	tab.Do(browser.Click(fmt.Sprintf(`#people [data-user-id=%q]`, rig.user(1))))
	tab.Until(`document.body.dataset.userId === ` + browser.Quote(rig.user(1)) + ` && !document.querySelector("#leave").hidden`)
	tab.Do(browser.Click(`#leave`))
	tab.Until(fmt.Sprintf(`document.querySelector('#others [data-join="%s"]')`, rig.world.Guild.ID))
	tab.Shot("left")
	tab.Do(browser.Click(fmt.Sprintf(`#others [data-join="%s"]`, rig.world.Guild.ID)))
	tab.Until(`!document.querySelector("#others [data-join]")`)
}

func testPageLanguage(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Phone)
	showList(tab, browser.Phone)
	tab.Do(chromedp.SetValue(`#language`, "de"), chromedp.Evaluate[chromedp.Void](`void document.querySelector("#language").dispatchEvent(new Event("change"))`))
	tab.Until(`document.documentElement.lang === "de" && document.querySelector("#people-label").textContent === "Wer du bist"`)
	tab.Fits("German")
	tab.Shot("drawer-in-german")
	touch(tab, browser.Phone, `#drawer-close`)
	tab.Until(`document.querySelector("#sidebar").getBoundingClientRect().right <= 0 && document.querySelector('[data-testid="welcome"]').textContent.includes("Du bist Anna.")`)
	tab.Shot("german")
	tab.Fits("German")
}

func testPageTime(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), fmt.Sprintf("<t:%d:R>", time.Now().Add(90*time.Minute).Unix())); err != nil {
		t.Fatal(err)
	}
	tab.Until(`document.querySelector("[data-relative]")?.textContent === "in 1 hour"`)
	tab.Do(browser.Click(`[data-move="3600"]`))
	tab.Until(`/^in (29|30) minutes$/.test(document.querySelector("[data-relative]").textContent)`)
	tab.Do(browser.Click(`[data-move="86400"]`))
	tab.Until(`/^2[34] hours ago$/.test(document.querySelector("[data-relative]").textContent)`)
	tab.Shot("time")
	tab.Fits("time")
}

// testPageForcedColours checks that what is drawn by a background alone has a border
// if the person's system forces colours.
func testPageForcedColours(t *testing.T, rig *pageRig) {
	rig.paint(t, 1, "moss")
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}},
		})
		return err
	}))
	tab.Until(`matchMedia("(forced-colors: active)").matches`)
	tab.Until(`[...document.querySelectorAll(".picture img")].every((img) => img.complete)`)
	tab.Shot("forced")
	for _, selector := range []string{".button", ".channel", ".person", ".server", ".tag"} {
		if width := browser.Read[string](tab, `getComputedStyle(document.querySelector("`+selector+`")).borderTopWidth`); width == "0px" {
			t.Errorf("%s has no border", selector)
		}
	}
}
