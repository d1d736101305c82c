package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func row(components ...any) body { return body{"type": 1, "components": components} }

func container(components ...any) body { return body{"type": 17, "components": components} }

func press(customID string, more ...body) body {
	b := body{"type": 2, "style": 1, "label": "Press", "custom_id": customID}
	for _, m := range more {
		for k, v := range m {
			b[k] = v
		}
	}
	return b
}

func menu(customID string, options list, more ...body) body {
	m := body{"type": 3, "custom_id": customID, "options": options}
	for _, extra := range more {
		for k, v := range extra {
			m[k] = v
		}
	}
	return m
}

func selectOptions(n int) list {
	return repeat(n, func(i int) any { return body{"label": fmt.Sprint("option ", i), "value": fmt.Sprint(i)} })
}

func TestComponentLimits(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("x", 101)
	opt := selectOptions(2)
	tests := []struct {
		name       string
		v2         bool
		components list
		path, code string
	}{
		{"six rows", false, repeat(6, func(i int) any { return button(fmt.Sprint(i)) }), "components", "BASE_TYPE_MAX_LENGTH"},
		{"layout without the flag", false, list{textDisplay("x")}, "components.0.type", "BASE_TYPE_CHOICES"},
		{"button at the top", true, list{press("a")}, "components.0.type", "BASE_TYPE_CHOICES"},
		{"container in a container", true, list{container(container(textDisplay("x")))}, "components.0.components.0.type", "BASE_TYPE_CHOICES"},
		{"empty row", false, list{row()}, "components.0.components", "BASE_TYPE_REQUIRED"},
		{"menu beside a button", false, list{row(press("a"), menu("b", opt))}, "components.0.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
		{"custom_id missing", false, list{row(body{"type": 2, "style": 1, "label": "x"})}, "components.0.components.0.custom_id", "BASE_TYPE_REQUIRED"},
		{"custom_id too long", false, list{row(press(long))}, "components.0.components.0.custom_id", "BASE_TYPE_BAD_LENGTH"},
		{"custom_id twice", true, list{row(press("a")), container(row(press("a")))}, "components.1.components.0.components.0.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"},
		{"unknown style", false, list{row(press("a", body{"style": 9}))}, "components.0.components.0.style", "BASE_TYPE_CHOICES"},
		{"label too long", false, list{row(press("a", body{"label": long[:81]}))}, "components.0.components.0.label", "BASE_TYPE_MAX_LENGTH"},
		{"neither label nor emoji", false, list{row(press("a", body{"label": ""}))}, "components.0.components.0.label", "BUTTON_COMPONENT_INVALID_LABEL"},
		{"link without address", false, list{row(body{"type": 2, "style": 5, "label": "x"})}, "components.0.components.0.url", "BASE_TYPE_REQUIRED"},
		{"link with custom_id", false, list{row(body{"type": 2, "style": 5, "label": "x", "url": "https://example.org", "custom_id": "a"})}, "components.0.components.0.custom_id", "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"},
		{"option value twice", false, list{row(menu("a", list{body{"label": "x", "value": "1"}, body{"label": "y", "value": "1"}}))}, "components.0.components.0.options.1.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
		{"more values than options", false, list{row(menu("a", opt, body{"max_values": 3}))}, "components.0.components.0.max_values", "SELECT_COMPONENT_MAX_VALUES_TOO_LARGE"},
		{"41 components", true, list{container(repeat(40, func(int) any { return textDisplay("x") })...)}, "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"},
		{"texts above 4,000", true, list{textDisplay(strings.Repeat("x", 2000)), container(textDisplay(strings.Repeat("x", 2001)))}, "components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"},
		{"attachment that is not there", true, list{gallery("attachment://a.png")}, "components.0.items.0.media.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"},
		{"picture of another scheme", true, list{gallery("ftp://example.org/a.png")}, "components.0.items.0.media.url", "URL_TYPE_INVALID_SCHEME"},
		{"colour out of range", true, list{body{"type": 17, "accent_color": 1 << 24, "components": list{textDisplay("x")}}}, "components.0.accent_color", "NUMBER_TYPE_MAX"},
		{"section without accessory", true, list{body{"type": 9, "components": list{textDisplay("x")}}}, "components.0.accessory", "BASE_TYPE_REQUIRED"},
		{"file from elsewhere", true, list{body{"type": 13, "file": body{"url": "https://example.org/a.txt"}}}, "components.0.file.url", "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"},
		{"type missing", true, list{body{"content": "x"}}, "components.0.type", "BASE_TYPE_REQUIRED"},
		{"v2 without components", true, list{}, "components", "BASE_TYPE_REQUIRED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			what := body{"content": "x", "components": tt.components}
			if tt.v2 {
				what = v2(tt.components...)
			}
			a := r.post(r.channel(), what)
			a.t = t
			a.invalid(tt.path, tt.code)
		})
	}
}

func TestComponentsAtLimits(t *testing.T) {
	r := newRig(t)
	r.say(v2(container(repeat(39, func(int) any { return textDisplay(strings.Repeat("x", 102)) })...)))
	r.say(body{"content": "x", "components": repeat(5, func(i int) any {
		return row(repeat(5, func(j int) any {
			return press(strings.Repeat("i", 98)+fmt.Sprint(i, j)[:1]+fmt.Sprint(j), body{"label": strings.Repeat("l", 80)})
		})...)
	})})
	r.say(body{"content": "x", "components": list{row(menu("m", selectOptions(25), body{"max_values": 25, "min_values": 0}))}})
}

func TestV2ExcludesContentAndEmbeds(t *testing.T) {
	r := newRig(t)
	const legacy = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
	what := v2(textDisplay("x"))
	what["content"] = "x"
	r.post(r.channel(), what).invalid("content", legacy)
	what = v2(textDisplay("x"))
	what["embeds"] = list{body{"title": "x"}}
	r.post(r.channel(), what).invalid("embeds", legacy)

	id := r.say(v2(textDisplay("x")))
	one := r.channel() + "/" + id
	r.patch(one, body{"content": "x"}).invalid("content", legacy)
	got := r.patch(one, body{"flags": 0, "components": list{textDisplay("y")}}).ok(http.StatusOK)
	if got["flags"] != float64(1<<15) {
		t.Errorf("flags %v: the v2 flag cannot be taken off", got["flags"])
	}

	one = r.channel() + "/" + r.say(body{"content": "old"})
	r.patch(one, v2(textDisplay("new"))).invalid("content", legacy)
	what = v2(textDisplay("new"))
	what["content"] = nil
	if got := r.patch(one, what).ok(http.StatusOK); got["flags"] != float64(1<<15) || got["content"] != "" {
		t.Errorf("turned into v2: %v", got)
	}
}

func TestInvalidEditChangesNothing(t *testing.T) {
	r := newRig(t)
	id := r.say(v2(gallery("attachment://a.png")), upload{"files[0]", "a.png", picture(t, 3, 2)})
	before := r.get(r.channel() + "/" + id)
	r.patch(r.channel()+"/"+id, v2(textDisplay(""))).invalid("components.0.content", "BASE_TYPE_BAD_LENGTH")
	if after := r.get(r.channel() + "/" + id); string(after.raw) != string(before.raw) {
		t.Errorf("before %s\nafter %s", before.raw, after.raw)
	}
	r.fetch(text(t, before.ok(http.StatusOK), "components", 0, "items", 0, "media", "url")).ok(http.StatusOK)
}
