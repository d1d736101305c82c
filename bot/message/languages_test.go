package message

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/storage"
)

// limits are Discord's limits on texts, by the field of a component that has
// them.
var limits = map[string]int{
	"label": discord.MaxButtonLabel, "description": discord.MaxSelectOptionText, "placeholder": discord.MaxPlaceholder, "custom_id": discord.MaxCustomID,
}

// checkLimits reports texts of a message that Discord would refuse, and keys
// without a text.
func checkLimits(t *testing.T, name string, m discord.Message) {
	t.Helper()
	text, err := json.Marshal(m.Components)
	hosttest.Must(t, err)
	var all any
	hosttest.Must(t, json.Unmarshal(text, &all))
	length := func(s string) int { return len(utf16.Encode([]rune(s))) }
	total := 0
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for field, e := range v {
				s, ok := e.(string)
				if !ok {
					walk(e)
					continue
				}
				if strings.ContainsAny(s, "⟨⟩") || strings.Contains(s, "{{") {
					t.Errorf("%s: %q", name, s)
				}
				if field == "content" {
					total += length(s)
				}
				most, ok := limits[field]
				if v["media"] != nil {
					most = discord.MaxAltText
				}
				if ok && (length(s) > most || s == "") {
					t.Errorf("%s: %s has %d characters: %.80q", name, field, length(s), s)
				}
			}
		}
	}
	walk(all)
	for _, id := range regexp.MustCompile(`"custom_id":"[^"]*"`).FindAllString(string(text), -1) {
		if strings.Count(string(text), id) > 1 {
			t.Errorf("%s: %s occurs twice", name, id)
		}
	}
	if total > discord.MaxTextDisplay {
		t.Errorf("%s: its texts have %d characters together", name, total)
	}
	if n := count(m.Components); n > discord.MaxComponents {
		t.Errorf("%s: %d components", name, n)
	}
}

// allLevels returns as many levels as a game can have.
func allLevels() (levels []host.Level) {
	levels = []host.Level{{Key: host.EvenLevel}}
	for i, key := range search.LevelKeys {
		levels = append(levels, host.Level{Key: key, Number: i + 1, Rating: 2999})
	}
	return levels
}

// largest holds options of the largest boards.
var largest = map[string]map[string]string{"towers": {"size": "10"}, "stone-towers": {"width": "16", "height": "16"}}

// TestLanguages draws every kind of message with the longest names in every
// language, for each game at the start, in the middle and near the end, on the
// largest boards.
func TestLanguages(t *testing.T) {
	games := []engine.Game{rings.Game{}, stonetowers.Game{}, towers.Game{}, trails.Game{}}
	texts, err := catalogue.New(games...)
	hosttest.Must(t, err)
	texts = texts.Reporting(func(key string, err error) { t.Errorf("the text %q: %v", key, err) })
	if n := len(texts.Languages()); n < 6 {
		t.Errorf("%d languages", n)
	}
	var people []storage.Person
	for i := range engine.MaxSeats {
		people = append(people, storage.Person{ID: fmt.Sprintf("99999999999999999%02d", i), Name: strings.Repeat("W*", discord.MaxNickname/2)})
	}
	for _, lang := range texts.Languages() {
		say := texts.Printer(lang)
		var views []*host.View
		for _, g := range games {
			for _, v := range playthrough(t, g, people) {
				if len(v.Match.Turns()) > 0 && v.Match.Seat() != engine.Nobody {
					v.Record.ID += storage.MatchID(len(views)) // so that their buttons differ
					views = append(views, v)
				}
				checkMatch(t, lang+" "+g.Key(), say, v)
			}
			checkGame(t, lang+" "+g.Key(), say, g, people)
		}
		person := people[0].ID
		for _, list := range GameLists() {
			checkLimits(t, lang+" games "+list, Games(say, GamesData{
				Page: browse.Page{Matches: views[:min(8, len(views))], Page: 1, Pages: 99, Total: 999, Open: openOf(games, people)}, Person: person, List: list,
				Game: func(key string) (engine.Game, bool) { return games[0], key == games[0].Key() },
			}))
		}
		quiet := storage.Preferences{QuietFrom: 22, QuietTo: 7}
		checkLimits(t, lang+" settings", Settings(say, SettingsData{Texts: texts, Threads: true}))
		checkLimits(t, lang+" organise", Organise(say, OrganiseData{
			ToOrganise: host.ToOrganise{Running: slices.Repeat(views, 9), Last: views[0], Challenges: openOf(games, people)}, Freeze: host.Freeze{By: person, Until: time.Unix(1, 0)},
			Game: func(key string) (engine.Game, bool) { return games[0], key == games[0].Key() },
		}))
		for _, v := range views {
			checkLimits(t, lang+" organise a match", OrganiseMatch(say, v, person))
		}
		for _, g := range games {
			checkLimits(t, lang+" organise a new match", OrganiseNew(say, games, g, 3))
		}
		checkLimits(t, lang+" organisers", OrganiserActs(say, slices.Repeat([]storage.Act{{Operator: person, Kind: storage.ActFreeze, Note: "48"}, {Kind: storage.ActWithdraw, Target: "challenge 7"}}, 99)))
		checkLimits(t, lang+" preferences", Preferences(say, PreferencesData{Preferences: quiet, Texts: texts, Vacation: account.Vacation{Left: account.VacationDays}}))
		checkLimits(t, lang+" vacation", Preferences(say, PreferencesData{Preferences: quiet, Texts: texts, Vacation: account.Vacation{Until: time.Unix(1, 0)}}))
		checkLimits(t, lang+" daily", Daily(say, views, person))
		checkLimits(t, lang+" choose a match", ChooseMatch(say, views, person, "d4"))
		checkLimits(t, lang+" choose a game", ChooseGame(say, games, people[1]))
		checkLimits(t, lang+" choose rules", ChooseRules(say, games))
		levels, computers := allLevels(), map[string]storage.Person{}
		for _, g := range games {
			computers[g.Key()] = Computer(say, levels[len(levels)-1])
		}
		var rows []storage.LeaderboardRow
		for _, p := range people {
			rows = append(rows, storage.LeaderboardRow{Rating: storage.Rating{Person: p, Estimate: storage.Estimate{Mean: 2999}, Matches: 9999}, Place: 999})
		}
		tally := browse.Tally{Won: 9999, Shared: 999, Drawn: 9999, Lost: 9999}
		profile := browse.Profile{Person: person, BestStreak: 999, CurrentStreak: browse.Streak{Result: storage.Won, Length: 99}, HeadToHead: tally, Recent: nil}
		for _, g := range games {
			for _, list := range storage.RatingLists() {
				checkLimits(t, lang+" leaderboard", Leaderboard(say, LeaderboardData{
					Leaders: browse.Leaders{Game: g, List: list, Guild: "1", Rows: rows, OwnRow: &rows[0], Page: 1, Pages: 99, Total: 999},
					Scope:   ScopeServer, InGuild: true, Games: games, Levels: levels,
				}))
				profile.Games = append(profile.Games, browse.GameProfile{Game: g, List: list, Tally: tally, Rating: &rows[0].Rating})
			}
		}
		checkLimits(t, lang+" profile", Profile(say, people[1].ID, profile, &profile.Games[0], discord.File{Name: "x.png", Description: "x"}))
		checkLimits(t, lang+" help", Help(say, HelpData{
			Person: person, Waiting: views[:2], Playing: views[2:4], Elsewhere: views[4:], ChannelGames: games, Games: games, Computers: computers, Range: host.Medium,
			CanStart: true, Ref: engine.Game.Key, CommandID: func(string) string { return "1234567890123456789" }, Invite: "https://example.com",
		}))
	}
}

// playthrough returns a match of a game with as many people as can play it: at
// the start, in the middle, and after many turns.
func playthrough(t *testing.T, g engine.Game, people []storage.Person) (views []*host.View) {
	t.Helper()
	_, seats := g.Seats()
	o, err := g.Options().Options(largest[g.Key()])
	hosttest.Must(t, err)
	m, err := match.Start(g, match.Settings{Game: g.Key(), Version: g.Version(), Options: o, Seats: seats})
	hosttest.Must(t, err)
	for n := range 41 {
		if n%20 == 0 {
			views = append(views, &host.View{
				Game: g, Match: m, Record: storage.Match{ID: 1 << 40, Game: g.Key(), Seats: people[:seats], CreatedAt: time.Unix(1e9, 0), Place: hosttest.Here},
			})
		}
		legal := m.Position().Legal()
		if len(legal) == 0 {
			break
		}
		entries, err := m.Act(m.Seat(), legal[(n*7)%len(legal)].String(), match.Cause{})
		hosttest.Must(t, err)
		m, err = m.With(entries...)
		hosttest.Must(t, err)
	}
	return views
}

// checkMatch checks the messages about a match.
func checkMatch(t *testing.T, name string, say *catalogue.Printer, v *host.View) {
	t.Helper()
	name = fmt.Sprintf("%s after %d actions", name, v.Match.Seq())
	checkEndings(t, name, say, v)
	picture, err := DrawBoard(t.Context(), Themed{Renderer: hosttest.Renderer{}}, say, v, v.Match, Scene(v, v.Match))
	hosttest.Must(t, err)
	if n := len([]rune(picture.Description)); n == 0 {
		t.Errorf("%s: no description", name)
	}
	seat := max(v.Match.Seat(), 1)
	person := v.Person(seat).ID
	all := map[string]discord.Message{
		"board": Board(say, v, v.Match, picture, nil), "collapsed": Collapsed(say, v, v.Match.PublicSeq()), "replay": Replay(say, v, v.Match, picture, true),
		"record": Record(say, v, nil), "look": LookBack(say, v, v.Match, len(v.Match.Turns()), picture, func(b string, n int) string { return LookID(v, b, n) }),
	}
	if _, over := v.Match.Over(); !over {
		all["resign"], all["claim"], all["hint"] = AskResign(say, v, person), AskClaim(say, v, person), Hint(say, v, "d4 d5+", []string{"x"}, picture)
		all["reminder"] = Reminder(say, v)
		paths := []string{""}
		for _, first := range choices(v.Match.Position().Legal(), "", maxPickerButtons) {
			paths = append(paths, first.path)
		}
		for i, path := range paths {
			all[fmt.Sprint("panel ", i)] = Panel(say, PanelState{View: v, Person: person, Path: path, Salt: "123456", Rules: v.Game.Key(), Zooms: true}, picture)
		}
	}
	if n := count(all["board"].Components); n > discord.MaxComponents-2 { // it can have a row for Claim as well
		t.Errorf("%s: the board has %d components", name, n)
	}
	for kind, m := range all {
		checkLimits(t, name+": "+kind, m)
	}
	if n := len([]rune(ThreadName(say, v))); n > discord.MaxThreadName {
		t.Errorf("%s: the name of its thread has %d characters", name, n)
	}
	sentences, _ := Describe(say, v, v.Match.Position())
	for _, text := range []string{sentences, say.Text(v.Match.Position().Summary()), say.Text(v.Match.Position().Status())} {
		if text == "" || strings.ContainsAny(text, "⟨⟩{}") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// checkEndings checks how the end of a match is told and asked about: every reason of
// the game, for every number of winners, and every other ending.
func checkEndings(t *testing.T, name string, say *catalogue.Printer, v *host.View) {
	t.Helper()
	check := func(kind, text string) { checkLimits(t, name+": "+kind, discord.TextMessage(text)) }
	seats := make([]engine.Seat, len(v.Record.Seats))
	for i := range seats {
		seats[i] = engine.Seat(i + 1)
	}
	for key := range v.Game.Texts() {
		reason, ok := strings.CutPrefix(key, v.Game.Key()+".reason.")
		for n := 0; ok && n <= len(seats); n++ {
			if args := strings.Count(v.Game.Texts()[key].Other, "{{"); args > 0 && n != 1 {
				continue // a draw has no loser to name
			}
			out := match.Outcome{Ending: match.ByRules, Result: engine.Result{Reason: reason, Winners: seats[:n]}}
			check(key, outcome(say, v, out, address))
			for _, ask := range []string{"confirm.loses", "confirm.ends", "confirm.draws"} {
				check(key+" "+ask, say.T(ask, "Reason", reasonText(say, v, out, Name)))
			}
		}
	}
	if _, ok := v.Game.Texts()[v.Game.Key()+".threat"]; ok {
		check("threat", riskText(say, v, v.Match, match.Exposes))
	}
	for _, ending := range []match.Ending{match.ByAbort, match.ByAgreement, match.ByTimeout, match.ByResignation, match.ByClaim} {
		out := match.Outcome{Ending: ending, By: 1, Result: engine.Result{Winners: seats[1:2]}}
		check(string(ending), outcome(say, v, out, address))
		out.By, out.TimedOut = engine.Nobody, 1
		check(string(ending)+" by the clock", outcome(say, v, out, address))
	}
}

// checkGame checks the messages of challenges to a game, and its rulebook.
func checkGame(t *testing.T, name string, say *catalogue.Printer, g engine.Game, people []storage.Person) {
	t.Helper()
	_, seats := g.Seats()
	start, err := g.New(g.Options().Defaults(), seats)
	hosttest.Must(t, err)
	for _, state := range []storage.ChallengeState{storage.ChallengeOpen, storage.ChallengeDeclined, storage.ChallengeCancelled, storage.ChallengeExpired} {
		d := ChallengeData{
			Challenge: storage.Challenge{ID: 1 << 40, Challenger: people[0], Seats: seats, Joined: people[:1], Invited: people[1:seats], Game: g.Key(), State: state},
			Game:      g, Options: g.Options().Defaults(), Start: start, Levels: allLevels(), CanStart: true,
		}
		picture, err := DrawChallenge(t.Context(), Themed{Renderer: hosttest.Renderer{}}, say, d)
		hosttest.Must(t, err)
		checkLimits(t, fmt.Sprintf("%s challenge %s", name, state), Challenge(say, d, picture))
	}
	for page := range g.Rulebook() {
		picture, err := DrawRules(t.Context(), Themed{Renderer: hosttest.Renderer{}}, say, g, page+1)
		hosttest.Must(t, err)
		checkLimits(t, fmt.Sprintf("%s rules %d", name, page+1), Rules(say, g, g.Key(), page+1, picture))
	}
}

// openOf returns as many open challenges as /games lists, with the longest names.
func openOf(games []engine.Game, people []storage.Person) (all []storage.Challenge) {
	for i := range maxOpenListed + 1 {
		all = append(all, storage.Challenge{
			ID: storage.ChallengeID(1<<40 + i), Game: games[i%len(games)].Key(), Joined: people[:1], Invited: people[1:],
			Place: storage.Place{Guild: "18446744073709551615", Channel: "18446744073709551615"}, Message: "18446744073709551615", ExpiresAt: time.Unix(1<<33, 0),
		})
	}
	return all
}
