package sandbox_test

import (
	"context"
	"fmt"
	"testing"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/browser"

	"github.com/chromedp/chromedp"
)

// testFaults tests the panel of faults.
func testFaults(t *testing.T, chrome context.Context) {
	for _, s := range []browser.Screen{browser.Wide, browser.Phone} {
		t.Run("error and hold at "+s.Name, func(t *testing.T) { testPageFaults(t, newPageRig(t, chrome, sandbox.World{}), s) })
	}
	t.Run("deny, remove and add the bot", func(t *testing.T) { testPageWithoutBot(t, newPageRig(t, chrome, sandbox.World{})) })
}

const (
	pageFaults   = `[data-testid="faults"]`
	pageCallback = "POST /interactions/{interaction_id}/{interaction_token}/callback"
)

// openFaults opens the panel as a person does: on a phone it is in the drawer.
func openFaults(tab *browser.Tab, s browser.Screen) {
	if s.Touch {
		tab.Do(browser.Tap(`[data-testid="drawer-open"]`))
		tab.Until(`document.querySelector("#sidebar").getBoundingClientRect().left === 0`)
		tab.Fits("drawer")
		tab.Shot("drawer")
	}
	tab.Do(browser.Click(`[data-testid="faults-open"]`))
	tab.Until(`document.querySelector('[data-testid="faults-counts"]') && !document.body.dataset.drawer`)
}

func closeFaults(tab *browser.Tab) {
	tab.Do(browser.Click(`[data-testid="faults-close"]`))
	tab.Until(`!document.querySelector('` + pageFaults + `').open`)
}

// choose selects a value in a select element of the form.
func choose(tab *browser.Tab, field, value string) {
	tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const list = document.querySelector('[data-testid="fault-%s"]');
		list.value = %s;
		if (list.value !== %[2]s) throw new Error("no such choice");
		list.dispatchEvent(new Event("change", {bubbles: true}));
	})()`, field, browser.Quote(value))))
}

func testPageFaults(t *testing.T, rig *pageRig, s browser.Screen) {
	tab := rig.open(t, rig.user(0), s)
	openFaults(tab, s)
	tab.Fits("empty panel")
	choose(tab, "kind", "error")
	choose(tab, "route", pageCallback)
	choose(tab, "status", "500")
	choose(tab, "count", "-1") // the example bot's library tries again by itself
	tab.Do(browser.Click(`[data-testid="fault-plan"]`))
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="error"][data-hits="0"][data-over="false"]')`)
	closeFaults(tab)
	tab.Fits("chat")
	tab.Shot("chat")

	// The bot's answer meets it: the person is told when the time is over.
	anna := rig.box.As(rig.user(0))
	lost, err := anna.Command(rig.channel(0), "paint", sandbox.Opt("colour", "sky"))
	if err != nil {
		t.Fatal(err)
	}
	openFaults(tab, s)
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="error"][data-hits="4"][data-over="false"]')`)
	rig.timers.fire()
	tab.Until(`document.querySelector('[data-testid="faults-counts"]').textContent.endsWith("1 failed")`)
	if i, _ := rig.box.Interaction(lost.ID); i.State != sandbox.StateFailed {
		t.Errorf("the interaction is %s", i.State)
	}

	tab.Do(browser.Click(`[data-testid="fault"][data-kind="error"] [data-testid^="remove-"]`))
	tab.Until(`!document.querySelector('[data-testid="fault"]')`)

	// The next one is held, and released from the panel.
	choose(tab, "kind", "hold")
	choose(tab, "route", pageCallback)
	tab.Do(browser.Click(`[data-testid="fault-plan"]`))
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="hold"]')`)
	if _, err := anna.Command(rig.channel(0), "paint", sandbox.Opt("colour", "moss")); err != nil {
		t.Fatal(err)
	}
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="hold"][data-held="1"]')`)
	if n := len(anna.Messages(rig.channel(0))); n != 0 {
		t.Errorf("%d messages while the answer is held", n)
	}
	tab.Fits("held")
	tab.Shot("held")
	tab.Do(browser.Click(`[data-testid="fault"][data-kind="hold"] [data-testid^="release-"]`))
	tab.Until(pageLastMessage + `?.querySelector("img")?.alt === "A keep painted in moss"`)
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="hold"][data-over="true"]')`)
	tab.Until(`document.querySelector('[data-testid="faults-counts"]').textContent.startsWith("1 answered · 0 waiting")`)

	// Kinds of other things have other fields; what is wrong is said.
	choose(tab, "kind", "handshake")
	choose(tab, "op", "9 true")
	tab.Until(`!document.querySelector('[data-testid="fault-route"]')`)
	tab.Do(browser.Click(`[data-testid="fault-plan"]`))
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="handshake"]')`)
	choose(tab, "kind", "swap")
	choose(tab, "event", "MESSAGE_CREATE")
	tab.Do(browser.Click(`[data-testid="fault-plan"]`))
	tab.Until(`document.querySelector('[data-testid="fault"][data-kind="swap"]')`)
	tab.Fits("planned")
	tab.Do(browser.Click(`[data-testid="fault"][data-kind="swap"] [data-testid^="remove-"]`))
	tab.Until(`!document.querySelector('[data-testid="fault"][data-kind="swap"]')`)
	closeFaults(tab)
}

func testPageWithoutBot(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	openFaults(tab, browser.Wide)
	tab.Do(browser.Click(fmt.Sprintf(`[data-testid="deny-%d"]`, api.PermissionSendMessages)))
	tab.Until(fmt.Sprintf(`document.querySelector('[data-testid="deny-%d"]').getAttribute("aria-pressed") === "true"`, api.PermissionSendMessages))
	tab.Do(browser.Click(fmt.Sprintf(`[data-testid="deny-%d"]`, api.PermissionAttachFiles)))
	tab.Until(`document.querySelectorAll('.faults-toggle[aria-pressed="true"]').length === 2`)
	tab.Do(browser.Click(`[data-testid="bot-remove"]`))
	tab.Until(`document.querySelector('[data-testid="bot-add"]') && document.querySelector('[data-banner="removed"]')`)
	tab.Do(chromedp.ScrollIntoView(`[data-testid="faults-counts"]`))
	tab.Fits("removed")
	tab.Shot("removed")
	tab.Do(browser.Click(`[data-testid="bot-add"]`))
	tab.Until(`document.querySelector('[data-testid="bot-remove"]') && !document.querySelector("[data-banner]")`)
	tab.Do(browser.Click(`[data-testid="shards-recommend"]`))
	tab.Until(`document.querySelector('[data-testid="shards"][data-shards="2"]')`)
	tab.Fits("shards")
	tab.Shot("shards")
	tab.Do(browser.Click(`[data-testid="channel-remove"]`))
	tab.Until(fmt.Sprintf(`document.body.dataset.channelId === %s && document.querySelectorAll("#channels [data-channel-id]").length === 2`, browser.Quote(rig.channel(1))))
	tab.Until(`document.querySelectorAll('.faults-toggle[aria-pressed="true"]').length === 0`) // another channel
	closeFaults(tab)
	tab.Fits("one channel less")
}
