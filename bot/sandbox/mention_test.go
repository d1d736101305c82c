package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

// notified returns the names of the people whom do notifies.
func (r *rig) notified(do func()) string {
	r.t.Helper()
	people := map[string]string{"anna": anna, "ben": ben, "chloe": chloe}
	before := map[string]int{}
	for name, id := range people {
		before[name] = r.box.As(id).Mentions(yard)
	}
	do()
	var out []string
	for _, name := range []string{"anna", "ben", "chloe"} {
		if r.box.As(people[name]).Mentions(yard) > before[name] {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

func TestAllowedMentions(t *testing.T) {
	r := newRig(t)
	const both = "<@" + anna + "> <@!" + ben + ">"
	tests := []struct {
		name    string
		content string
		allowed any // nil: not sent
		want    string
	}{
		{"absent: everybody", both, nil, "anna ben"},
		{"null: everybody", both, "null", "anna ben"},
		{"empty object: nobody", both, body{}, ""},
		{"empty parse: nobody", both, body{"parse": list{}}, ""},
		{"parse users", both, body{"parse": list{"users"}}, "anna ben"},
		{"parse roles only", both, body{"parse": list{"roles"}}, ""},
		{"listed users", both, body{"users": list{ben}}, "ben"},
		{"listed but not mentioned", both, body{"users": list{chloe}}, ""},
		{"parse everyone", "@everyone @here", body{"parse": list{"everyone"}}, "anna ben chloe"},
		{"in code", "`<@" + anna + ">` ```<@" + ben + ">``` <@" + chloe + ">", nil, "chloe"},
		{"unknown user", "<@" + nobody + ">", nil, ""},
		{"no mention", "@anna", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			what := body{"content": tt.content}
			switch {
			case tt.allowed == "null":
				what["allowed_mentions"] = nil
			case tt.allowed != nil:
				what["allowed_mentions"] = tt.allowed
			}
			got := r.notified(func() {
				m := r.post(r.channel(), what).ok(http.StatusOK)
				if n := len(m["mentions"].(list)); m["mention_everyone"] == false && n != len(strings.Fields(tt.want)) {
					t.Errorf("%d mentions in the message", n)
				}
			})
			if got != tt.want {
				t.Errorf("notified %q, want %q", got, tt.want)
			}
		})
	}
	for _, bad := range []struct {
		allowed    body
		path, code string
	}{
		{body{"parse": list{"users"}, "users": list{ben}}, "allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
		{body{"parse": list{"roles"}, "roles": list{keep}}, "allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
		{body{"parse": list{"people"}}, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"},
		{body{"users": list{"ben"}}, "allowed_mentions.users.0", "NUMBER_TYPE_COERCE"},
	} {
		r.post(r.channel(), body{"content": "x", "allowed_mentions": bad.allowed}).invalid(bad.path, bad.code)
	}
}

func TestNotifications(t *testing.T) {
	r := newRig(t)
	const hey = "hey <@" + ben + ">"
	plain := r.say(body{"content": "x", "components": list{button("b")}})
	for name, tt := range map[string]struct {
		do   func()
		want string
	}{
		"message":            {func() { r.say(body{"content": hey}) }, "ben"},
		"components v2":      {func() { r.say(v2(container(textDisplay(hey)))) }, "ben"},
		"v2, not allowed":    {func() { m := v2(textDisplay(hey)); m["allowed_mentions"] = body{"users": list{anna}}; r.say(m) }, ""},
		"made silent":        {func() { r.say(body{"content": hey, "flags": 4096}) }, ""},
		"embed":              {func() { r.say(body{"embeds": list{body{"description": hey}}}) }, ""},
		"channel edit":       {func() { r.patch(r.channel()+"/"+plain, body{"content": hey}).ok(200) }, ""},
		"answer":             {func() { r.post(r.play().callback(), content(hey)).ok(204) }, "ben"},
		"answer to its user": {func() { r.post(r.play().callback(), content("<@"+anna+">")).ok(204) }, "anna"},
		"private answer": {func() {
			r.post(r.play().callback(), body{"type": 4, "data": body{"content": hey, "flags": 64}}).ok(204)
		}, ""},
		"update": {func() {
			r.post(r.click(anna, plain, "b").callback(), body{"type": 7, "data": body{"content": hey}}).ok(204)
		}, ""},
		"edit of an answer": {func() {
			in := r.play()
			r.post(in.callback(), content("x"))
			r.patch(r.webhook(in)+"/messages/@original", body{"content": hey}).ok(200)
		}, ""},
		"edit of a deferral": {func() {
			in := r.play()
			r.post(in.callback(), body{"type": 5})
			r.patch(r.webhook(in)+"/messages/@original", body{"content": hey}).ok(200)
		}, ""},
		"first after deferral": {func() {
			in := r.play()
			r.post(in.callback(), body{"type": 5})
			r.post(r.webhook(in), body{"content": hey}).ok(200)
		}, ""},
		"follow-up": {func() {
			in := r.play()
			r.post(in.callback(), content("x"))
			r.post(r.webhook(in), body{"content": hey}).ok(200)
		}, "ben"},
		"private follow-up": {func() {
			in := r.play()
			r.post(in.callback(), content("x"))
			r.post(r.webhook(in), body{"content": hey, "flags": 64}).ok(200)
		}, ""},
		"the nonce's second": {func() {
			m := body{"content": hey, "nonce": "n", "enforce_nonce": true}
			r.say(m)
			r.box.As(ben).Read(yard)
			r.say(m)
		}, "ben"},
		"oneself":              {func() { must(r.box.As(ben).Say(yard, hey)) }, ""},
		"a person":             {func() { must(r.box.As(anna).Say(yard, hey)) }, "ben"},
		"a person to everyone": {func() { must(r.box.As(anna).Say(yard, "@everyone come")) }, "ben chloe"},
		"another channel":      {func() { must(r.box.As(anna).Say(hall, hey)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.notified(tt.do); got != tt.want {
				t.Errorf("notified %q, want %q", got, tt.want)
			}
		})
	}
}
