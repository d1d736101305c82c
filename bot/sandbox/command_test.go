package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

func (r *rig) commands(scope string, what any) answer {
	r.t.Helper()
	return r.send(10, http.MethodPut, "/applications/"+r.box.ApplicationID()+scope+"/commands", what)
}

func option(kind int, name string, more ...body) body {
	o := body{"type": kind, "name": name, "description": "An option"}
	for _, m := range more {
		for k, v := range m {
			o[k] = v
		}
	}
	return o
}

func command(name string, options ...any) body {
	return body{"name": name, "description": "A command", "options": options}
}

func choices(n int) body {
	var out list
	for i := range n {
		out = append(out, body{"name": fmt.Sprint("choice ", i), "value": fmt.Sprint(i)})
	}
	return body{"choices": out}
}

func repeat(n int, make func(i int) any) list {
	var out list
	for i := range n {
		out = append(out, make(i))
	}
	return out
}

func TestCommandValidation(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	long := strings.Repeat("x", 100)
	tests := []struct {
		name     string
		commands list
		path     string
		code     string
	}{
		{"name missing", list{body{"description": "x"}}, "0.name", "BASE_TYPE_REQUIRED"},
		{"name too long", list{command(strings.Repeat("a", 33))}, "0.name", "BASE_TYPE_BAD_LENGTH"},
		{"name in upper case", list{command("Play")}, "0.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"name with a space", list{command("play it")}, "0.name", "APPLICATION_COMMAND_INVALID_NAME"},
		{"localised name", list{body{"name": "play", "description": "x", "name_localizations": body{"de": "Spielen"}}}, "0.name_localizations.de", "APPLICATION_COMMAND_INVALID_NAME"},
		{"unknown locale", list{body{"name": "play", "description": "x", "name_localizations": body{"xx": "y"}}}, "0.name_localizations.xx", "LOCALE_INVALID"},
		{"description missing", list{body{"name": "play"}}, "0.description", "BASE_TYPE_REQUIRED"},
		{"description empty", list{body{"name": "play", "description": ""}}, "0.description", "BASE_TYPE_BAD_LENGTH"},
		{"same name twice", list{command("play"), command("play")}, "1", "APPLICATION_COMMANDS_DUPLICATE_NAME"},
		{"26 options", list{command("play", repeat(26, func(i int) any { return option(3, fmt.Sprint("o", i)) })...)}, "0.options", "BASE_TYPE_MAX_LENGTH"},
		{"option name twice", list{command("play", option(3, "a"), option(3, "a"))}, "0.options.1.name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"},
		{"required after optional", list{command("play", option(3, "a"), option(3, "b", body{"required": true}))}, "0.options.1", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"},
		{"unknown option type", list{command("play", option(12, "a"))}, "0.options.0.type", "BASE_TYPE_CHOICES"},
		{"subcommand beside an option", list{command("play", option(1, "a"), option(3, "b"))}, "0.options.1.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"},
		{"group in a group", list{command("play", option(2, "a", body{"options": list{option(2, "b")}}))}, "0.options.0.options.0.type", "BASE_TYPE_CHOICES"},
		{"subcommand in a subcommand", list{command("play", option(1, "a", body{"options": list{option(1, "b")}}))}, "0.options.0.options.0.type", "BASE_TYPE_CHOICES"},
		{"options in a plain option", list{command("play", option(3, "a", body{"options": list{option(3, "b")}}))}, "0.options.0.options", "BASE_TYPE_MAX_LENGTH"},
		{"choices beside autocomplete", list{command("play", option(3, "a", choices(1), body{"autocomplete": true}))}, "0.options.0.choices", "APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE_EXCLUSIVE"},
		{"autocomplete of a user", list{command("play", option(6, "a", body{"autocomplete": true}))}, "0.options.0.autocomplete", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID_TYPE"},
		{"choice value too long", list{command("play", option(3, "a", body{"choices": list{body{"name": "n", "value": long + "x"}}}))}, "0.options.0.choices.0.value", "BASE_TYPE_MAX_LENGTH"},
		{"choice value of another type", list{command("play", option(4, "a", body{"choices": list{body{"name": "n", "value": "x"}}}))}, "0.options.0.choices.0.value", "NUMBER_TYPE_COERCE"},
		{"choice name twice", list{command("play", option(3, "a", body{"choices": list{body{"name": "n", "value": "1"}, body{"name": "n", "value": "2"}}}))}, "0.options.0.choices.1.name", "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS"},
		{"min above max", list{command("play", option(4, "a", body{"min_value": 3, "max_value": 2}))}, "0.options.0.min_value", "APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX"},
		{"min of a text", list{command("play", option(3, "a", body{"min_value": 3}))}, "0.options.0.min_value", "APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE"},
		{"max_length of zero", list{command("play", option(3, "a", body{"max_length": 0}))}, "0.options.0.max_length", "NUMBER_TYPE_MIN"},
		{"no object", list{"play"}, "0", "DICT_TYPE_CONVERT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, scope := range []string{"", "/guilds/" + keep} {
				a := r.commands(scope, tt.commands)
				a.t = t
				a.invalid(tt.path, tt.code)
			}
		})
	}
	if n := len(r.box.As(anna).Commands()); n != 0 {
		t.Errorf("%d commands were registered all the same", n)
	}
}

func TestCommandNameScripts(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	names := []string{"play", "jouer-à", "ходить", "遊ぶ", "खेलना", "เล่น", "a_b-c'd", strings.Repeat("a", 32), "7"}
	var all list
	for _, n := range names {
		all = append(all, command(n))
	}
	r.commands("", all).ok(http.StatusOK)
}

// TestCommandTextLimit: a command has at most 8,000 characters; of localised
// texts the longest counts.
func TestCommandTextLimit(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	build := func(description int) list {
		var options list
		for i := range 20 { // 20 × (2 + 97 + 25 × (5 + 7)) = 7,980
			var cs list
			for j := range 25 {
				cs = append(cs, body{"name": fmt.Sprintf("n%04d", j), "value": strings.Repeat("v", 7)})
			}
			options = append(options, body{"type": 3, "name": fmt.Sprintf("%02d", i), "description": strings.Repeat("d", 97), "choices": cs})
		}
		return list{body{"name": "play", "description": strings.Repeat("d", description), "options": options,
			"name_localizations": body{"de": "spielens", "fr": "jouer"}}} // 8, the longest
	}
	r.commands("", build(12)).ok(http.StatusOK)
	r.commands("", build(13)).invalid("0", "APPLICATION_COMMAND_TOO_LARGE")
}

func TestCommandCountLimit(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	make := func(i int) any { return command(fmt.Sprint("c", i)) }
	r.commands("", repeat(100, make)).ok(http.StatusOK)
	r.commands("", repeat(101, make)).fails(http.StatusBadRequest, 30032)
}

func TestOverwriteCommandsKeepsIDs(t *testing.T) {
	r := newRig(t)
	read := func(a answer) []api.ApplicationCommand { a.ok(http.StatusOK); return r.box.As(anna).Commands() }
	first := read(r.commands("", list{command("play"), command("stop")}))
	second := read(r.commands("", list{body{"name": "play", "description": "Changed"}, command("board")}))
	if len(second) != 2 || second[0].ID != first[0].ID || second[0].Version == first[0].Version || second[1].Name != "board" {
		t.Errorf("before %+v, after %+v", first, second)
	}
	third := read(r.commands("/guilds/"+keep, list{command("here")}))
	if len(third) != 3 || third[0].Name != "here" || third[0].GuildID != keep {
		t.Errorf("the guild's commands are apart from the global ones: %+v", third)
	}
	got := r.get("/applications/" + r.box.ApplicationID() + "/commands")
	got.ok(http.StatusOK)
	if s := string(got.raw); !strings.Contains(s, `"board"`) || strings.Contains(s, `"here"`) {
		t.Errorf("GET of the global commands: %s", s)
	}
	r.commands("", list{}).ok(http.StatusOK)
	if n := len(r.box.As(anna).Commands()); n != 1 {
		t.Errorf("%d commands left", n)
	}
}

func TestCommandLocalizations(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	r.commands("", list{body{"name": "play", "description": "x", "name_localizations": body{"de": "spielen"}}}).ok(http.StatusOK)
	path := "/applications/" + r.box.ApplicationID() + "/commands"
	if got := r.get(path); strings.Contains(string(got.raw), "spielen") {
		t.Errorf("without asking: %s", got.raw)
	}
	if got := r.get(path + "?with_localizations=True"); !strings.Contains(string(got.raw), "spielen") {
		t.Errorf("when asked: %s", got.raw)
	}

	// The page shows descriptions and choices in the person's language.
	r.commands("", list{body{"name": "play", "description": "Play", "description_localizations": body{"fr": "Jouer"}, "options": list{
		body{"type": 3, "name": "who", "description": "Who", "description_localizations": body{"fr": "Qui"}, "choices": list{
			body{"name": "me", "value": "me", "name_localizations": body{"fr": "moi"}}, body{"name": "you", "value": "you"}}}}}}).ok(http.StatusOK)
	for locale, want := range map[string][]string{"en-US": {`"description":"Play"`, `"description":"Who"`, `"name":"me"`}, "fr": {`"description":"Jouer"`, `"description":"Qui"`, `"name":"moi"`, `"name":"you"`}} {
		shown := string(r.fetch(r.srv.URL + "/sandbox/commands?locale=" + locale).raw)
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Errorf("the page in %s lacks %s: %s", locale, w, shown)
			}
		}
	}
}

func TestSingleCommand(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	path := "/applications/" + r.box.ApplicationID() + "/commands"
	id := text(t, r.post(path, command("play")).ok(http.StatusCreated), "id")
	if again := r.post(path, body{"name": "play", "description": "Anew"}).ok(http.StatusOK); again["id"] != id {
		t.Errorf("a command of the same name is another one: %v", again)
	}
	if got := parseList(t, r.get(path)); len(got) != 1 || dig(t, got, 0, "description") != "Anew" {
		t.Errorf("got %v", got)
	}
}

func TestForeignCommands(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	r.send(10, http.MethodPut, "/applications/"+nobody+"/commands", list{}).fails(http.StatusForbidden, 20012)
	r.commands("/guilds/"+nobody, list{}).fails(http.StatusNotFound, 10004)
}

func TestDefaultMemberPermissions(t *testing.T) {
	r := newRig(t)
	settings := command("settings")
	settings["default_member_permissions"] = "32" // manage server
	r.commands("", list{settings}).ok(http.StatusOK)
	if n := len(r.box.As(anna).Commands()); n != 1 {
		t.Error("the owner does not have the command")
	}
	if _, err := r.box.As(ben).Command(yard, "settings"); err == nil {
		t.Error("a member without the permission has the command")
	}
}

// TestClientValidatesOptions tests the checks of Discord's clients.
func TestClientValidatesOptions(t *testing.T) {
	r := newRig(t)
	r.commands("", list{command("play",
		option(1, "trails", body{"options": list{
			option(6, "opponent", body{"required": true}),
			option(4, "size", body{"min_value": 5, "max_value": 21}),
			option(3, "first", body{"choices": list{body{"name": "Me", "value": "me"}}}),
			option(3, "note", body{"max_length": 3}),
			option(5, "rated"),
		}}),
	)}).ok(http.StatusOK)
	play := func(options ...sandbox.CommandOption) error {
		_, err := r.box.As(anna).Command(yard, "play", sandbox.Sub("trails", options...))
		return err
	}
	against := sandbox.Opt("opponent", ben)
	bad := map[string]error{
		"needs the option":   play(),
		"no option":          play(against, sandbox.Opt("colour", "red")),
		"given twice":        play(against, against),
		"not a value of":     play(sandbox.Opt("opponent", nobody)),
		"at least 5":         play(against, sandbox.Opt("size", 4)),
		"at most 21":         play(against, sandbox.Opt("size", 22)),
		"must be a number":   play(against, sandbox.Opt("size", 5.5)),
		"one of the choices": play(against, sandbox.Opt("first", "Me")),
		"1 to 3 characters":  play(against, sandbox.Opt("note", "long")),
		"true or false":      play(against, sandbox.Opt("rated", "yes")),
	}
	_, bad["no command"] = r.box.As(anna).Command(yard, "leave")
	_, bad["no channel"] = r.box.As(anna).Command(nobody, "play")
	_, bad["subcommands"] = r.box.As(anna).Command(yard, "play")
	_, bad["no user"] = r.box.As(nobody).Command(yard, "play")
	for want, err := range bad {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a sentence with %q", err, want)
		}
	}
	check(t, play(against, sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("rated", false)))
	d := r.interaction().data
	sub := dig(t, d, "data", "options", 0)
	if text(t, sub, "name") != "trails" || dig(t, sub, "type") != 1.0 {
		t.Errorf("subcommand: %v", sub)
	}
	for i, want := range []body{{"name": "opponent", "type": 6.0, "value": ben}, {"name": "size", "type": 4.0, "value": 7.0},
		{"name": "first", "type": 3.0, "value": "me"}, {"name": "rated", "type": 5.0, "value": false}} {
		if got := dig(t, sub, "options", i); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("option %d: %v, want %v", i, got, want)
		}
	}
	if text(t, d, "data", "resolved", "users", ben, "username") != "ben" {
		t.Errorf("the opponent is not resolved: %v", d["data"])
	}
	if m := dig(t, d, "data", "resolved", "members", ben).(body); m["user"] != nil || m["joined_at"] == nil {
		t.Errorf("resolved member: %v", m)
	}
}
