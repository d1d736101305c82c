package modeltest

import (
	"maps"
	"slices"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// options lists options of small boards for each game. With the first, a match is
// rated.
var options = map[string][]map[string]string{
	"stone-towers": {{"turns": "10"}, {"width": "5", "height": "4", "turns": "6"}},
	"towers":       {{}, {"rules": "none"}},
	"rings":        {{"side": "4"}, {"side": "3"}},
	"trails":       {{"size": "9"}, {"size": "7"}},
}

var clocks = []string{"", "", "", "1d", "2d+1h/4d", "2h+0s/2h", "10m", "5m+10s/15m"}

func computer(level string) storage.Person { return host.ComputerPlayer(level, level) }

func isIn(all []storage.Person, p storage.Person) bool {
	return slices.ContainsFunc(all, func(q storage.Person) bool { return q.ID == p.ID })
}

func without(all []storage.Person, p storage.Person) (rest []storage.Person) {
	for _, q := range all {
		if q.ID != p.ID {
			rest = append(rest, q)
		}
	}
	return rest
}

func computersOf(all []storage.Person) (computers, people []storage.Person) {
	for _, p := range all {
		if host.IsComputer(p) {
			computers = append(computers, p)
		} else if !p.IsFormer() {
			people = append(people, p)
		}
	}
	return computers, people
}

// challenge has somebody propose a match.
func (w *world) challenge() {
	if len(w.matches(running)) > 4 {
		w.play()
		return
	}
	by := one(w, everyone[:6]...)
	keys := []string{"stone-towers", "towers", "rings", "rings", "trails", "trails"}
	p := host.Proposal{Place: here, Game: one(w, keys...), Unrated: w.chance(3), Clock: one(w, clocks...)}
	p.Options = one(w, options[p.Game]...)
	others := without(everyone[:6], by)
	w.r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	if p.Game == "rings" && !w.chance(4) {
		p.Seats = 3 + w.r.IntN(4)
		p.Opponents = others[:w.r.IntN(p.Seats)]
		for i := range p.Opponents {
			if w.chance(3) {
				p.Opponents[i] = computer(one(w, search.LevelKeys...))
			}
		}
	} else {
		p.First = one(w, host.FirstChoices()...)
		switch w.r.IntN(6) {
		case 0:
			p.Seats = 2
		case 1:
			p.Opponents = []storage.Person{computer(one(w, search.LevelKeys...))}
		default:
			p.Opponents = others[:1]
		}
	}
	var want error
	if w.blocked(by, p.Opponents) {
		want = host.ErrCannotChallenge
	}
	w.Logf("%s proposes %+v, expecting %v", by.Name, p, want)
	a := w.by(by)
	ch, err := w.host.CreateChallenge(w.ctx(), a, p)
	if w.expect(err, want); want != nil {
		return
	}
	w.made(ch, by, p)
	w.done = append(w.done, deed{by.ID, "the challenge", func() (*host.View, error) {
		_, err := w.host.CreateChallenge(w.ctx(), a, p)
		return nil, err
	}})
}

// made records a challenge, whose match begins at once if all seats are taken.
func (w *world) made(ch storage.Challenge, by storage.Person, p host.Proposal) {
	w.Helper()
	if p.Seats == 0 {
		p.Seats = len(p.Opponents) + 1
	}
	if p.First == "" {
		p.First = host.FirstRandom
	}
	game, _ := games.Lookup(p.Game)
	computers, people := computersOf(p.Opponents)
	standard := must(game.Options().Options(p.Options)).Standard()
	lifetime := host.ChallengeLifetime
	if p.Clock == "10m" || p.Clock == "5m+10s/15m" {
		lifetime = host.LiveChallengeLifetime
	}
	want := &storage.Challenge{
		ID: ch.ID, Challenger: by, Seats: p.Seats, Joined: append([]storage.Person{by}, computers...), Invited: people, Game: p.Game,
		Options: ch.Options, Unrated: p.Unrated || !standard, Clock: p.Clock, First: p.First, State: storage.ChallengeOpen,
		ExpiresAt: w.now.Add(lifetime).Truncate(1e9),
	}
	if _, twice := w.challenges[ch.ID]; twice {
		w.Fatalf("challenge %d is made twice", ch.ID)
	}
	if ch.Match != 0 && !isIn(ch.Joined, by) { // an organiser has started it
		want.Joined, want.Invited = p.Opponents, nil
	}
	w.challenges[ch.ID] = want
	if len(want.Joined) == want.Seats {
		want.State, want.Match = storage.ChallengeAccepted, ch.Match
		v, err := w.host.Match(w.ctx(), ch.Match)
		w.must(err)
		w.started(want, v)
	}
	w.checkChallenge(want, ch)
}

func (w *world) started(ch *storage.Challenge, v *host.View) {
	w.Helper()
	if _, twice := w.games[v.Record.ID]; twice || v.Record.ID == 0 {
		w.Fatalf("match %d begins twice", v.Record.ID)
	}
	seats := v.Record.Seats
	if len(seats) != len(ch.Joined) || slices.ContainsFunc(ch.Joined, func(p storage.Person) bool { return !isIn(seats, p) }) ||
		ch.First == host.FirstMe && seats[0].ID != ch.Joined[0].ID || ch.First == host.FirstThem && seats[1].ID != ch.Joined[0].ID {
		w.Fatalf("%v have joined, and the seats are %v; first is %s", ch.Joined, seats, ch.First)
	}
	rules, _ := games.Lookup(ch.Game)
	options := must(rules.Options().Parse(ch.Options))
	start, err := rules.New(options, len(seats))
	w.must(err)
	g := &game{
		usual: rules.(engine.Paced).UsualTurns(options, len(seats)),
		m:     &w.model, id: v.Record.ID, rules: rules, players: seats, clock: must(match.ParseClock(ch.Clock)), created: w.now,
		plans: map[engine.Seat]plan{}, rated: !ch.Unrated && host.DistinctPlayers(seats),
	}
	g.begin(start, w.now)
	w.games[g.id] = g
	if g.timed() {
		w.meet()
	}
	g.schedule()
	g.show(g.someoneToNotify())
	w.check(g, v)
}

// answer has somebody do something with a challenge.
func (w *world) answer() {
	ids := slices.Sorted(maps.Keys(w.challenges))
	open := slices.DeleteFunc(slices.Clone(ids), func(id storage.ChallengeID) bool { return w.challenges[id].State != storage.ChallengeOpen })
	if !w.chance(10) {
		ids = open
	}
	if len(ids) == 0 {
		w.challenge()
		return
	}
	ch := w.challenges[one(w, ids...)]
	by := one(w, everyone...)
	if len(ch.Invited) > 0 && !w.chance(4) {
		by = one(w, ch.Invited...)
	}
	type answer func(host.Actor) (storage.Challenge, *host.View, error)
	h, id, level := w.host, ch.ID, one(w, search.LevelKeys...)
	alone := func(do func(host.Actor) (storage.Challenge, error)) answer {
		return func(a host.Actor) (storage.Challenge, *host.View, error) {
			ch, err := do(a)
			return ch, nil, err
		}
	}
	after, free := *ch, ch.Seats-len(ch.Joined)-len(ch.Invited)
	var does answer
	var err error
	sit := func(p storage.Person) {
		after.Invited, after.Joined = without(after.Invited, p), append(slices.Clip(after.Joined), p)
		if len(after.Joined) == after.Seats {
			after.State = storage.ChallengeAccepted
		}
	}
	verb := one(w, "accept", "accept", "accept", "join", "join", "join", "leave", "start", "decline", "cancel", "add", "remove")
	if verb == "cancel" || verb == "add" || verb == "remove" || verb == "start" {
		if !w.chance(4) {
			by = ch.Challenger
		}
	}
	isJoined, isInvited := isIn(ch.Joined, by), isIn(ch.Invited, by)
	isMaker := by.ID == ch.Challenger.ID
	last := w.rematches[id]
	switch verb {
	case "accept":
		does = func(a host.Actor) (storage.Challenge, *host.View, error) { return h.Accept(w.ctx(), a, id) }
		if !isInvited {
			err = host.ErrNotInvited
		} else {
			sit(by)
		}
	case "join":
		does = func(a host.Actor) (storage.Challenge, *host.View, error) { return h.Join(w.ctx(), a, id) }
		switch {
		case isJoined:
			err = host.ErrAlreadyJoined
		case !isInvited && free == 0:
			err = host.ErrNoFreeSeat
		case !isInvited && last != nil && !isIn(last.players, by):
			err = host.ErrDidNotPlay
		default:
			sit(by)
		}
	case "leave":
		does = alone(func(a host.Actor) (storage.Challenge, error) { return h.Leave(w.ctx(), a, id) })
		switch {
		case !isJoined:
			err = host.ErrNotJoined
		case isMaker:
			after.State = storage.ChallengeCancelled
		default:
			after.Joined = without(after.Joined, by)
		}
	case "start":
		does = func(a host.Actor) (storage.Challenge, *host.View, error) { return h.Start(w.ctx(), a, id) }
		switch {
		case !isMaker:
			err = host.ErrNotStarter
		case len(ch.Joined) < 2:
			err = host.ErrTooFewPlayers
		default:
			after.State = storage.ChallengeAccepted
		}
	case "decline":
		does = alone(func(a host.Actor) (storage.Challenge, error) { return h.Decline(w.ctx(), a, id) })
		switch {
		case !isInvited:
			err = host.ErrNotInvited
		case ch.Seats > 2:
			after.Invited = without(after.Invited, by)
		default:
			after.State = storage.ChallengeDeclined
		}
	case "cancel":
		does = alone(func(a host.Actor) (storage.Challenge, error) { return h.Cancel(w.ctx(), a, id) })
		if after.State = storage.ChallengeCancelled; !isMaker {
			err = host.ErrNotYourChallenge
		}
	case "add":
		does = func(a host.Actor) (storage.Challenge, *host.View, error) {
			return h.AddComputer(w.ctx(), a, id, computer(level))
		}
		switch {
		case !isMaker:
			err = host.ErrNotChallenger
		case free == 0:
			err = host.ErrNoFreeSeat
		default:
			after.Joined = append(slices.Clip(after.Joined), computer(level))
			if len(after.Joined) == after.Seats {
				after.State = storage.ChallengeAccepted
			}
		}
	case "remove":
		does = alone(func(a host.Actor) (storage.Challenge, error) { return h.RemoveComputer(w.ctx(), a, id) })
		i := len(ch.Joined) - 1
		for i >= 0 && !host.IsComputer(ch.Joined[i]) {
			i--
		}
		switch {
		case !isMaker:
			err = host.ErrNotChallenger
		case i < 0:
			err = host.ErrNoComputerSeated
		default:
			after.Joined = slices.Delete(slices.Clone(ch.Joined), i, i+1)
		}
	}
	switch {
	case ch.State == storage.ChallengeExpired || ch.State == storage.ChallengeOpen && !w.now.Before(ch.ExpiresAt):
		err = host.ErrExpired
	case ch.State == storage.ChallengeAccepted && verb == "join" && len(ch.Joined) == ch.Seats && !isJoined:
		err = host.ErrNoFreeSeat
	case ch.State != storage.ChallengeOpen:
		err = host.ErrAnswered
	}
	if isJoin := verb == "accept" || verb == "join"; err == nil && isJoin && w.blocked(by, slices.Concat(without(after.Joined, by), after.Invited)) {
		err = host.ErrCannotJoin
	}
	w.Logf("%s: %s challenge %d, expecting %v", by.Name, verb, id, err)
	a := w.by(by)
	got, v, gotErr := does(a)
	w.expect(gotErr, err)
	if err != nil {
		return
	}
	if *ch = after; after.State == storage.ChallengeAccepted {
		if v == nil {
			w.Fatalf("challenge %d is accepted, and no match begins", id)
		}
		ch.Match = v.Record.ID
		w.started(ch, v)
	}
	w.checkChallenge(ch, got)
	w.done = append(w.done, deed{by.ID, verb, func() (*host.View, error) { _, v, err := does(a); return v, err }})
}

// rematch has a player ask for another match, or agree to one.
func (w *world) rematch() {
	over := w.matches(func(g *game) bool { return g.end != nil })
	if w.chance(5) {
		over = w.matches(func(*game) bool { return true })
	}
	if len(over) == 0 {
		w.play()
		return
	}
	g := one(w, over...)
	_, people := computersOf(g.players)
	by := one(w, append(slices.Clone(people), stranger)...)
	var err error
	var asked *storage.Challenge
	for _, id := range slices.Sorted(maps.Keys(w.rematches)) { // the newest counts
		if w.rematches[id] == g {
			asked = w.challenges[id]
		}
	}
	if asked != nil && asked.State != storage.ChallengeAccepted && (asked.State != storage.ChallengeOpen || !w.now.Before(asked.ExpiresAt)) {
		asked = nil
	}
	switch {
	case g.seatOf(by) == engine.Nobody:
		err = host.ErrNotSeated
	case g.end == nil:
		err = host.ErrNotOver
	case asked != nil && asked.State == storage.ChallengeAccepted:
		err = host.ErrRematchStarted
	case asked != nil && isIn(asked.Joined, by):
		err = host.ErrRematchPending
	case asked != nil && w.blocked(by, slices.Concat(asked.Joined, without(asked.Invited, by))):
		err = host.ErrCannotJoin
	case asked == nil && w.blocked(by, without(g.players, by)):
		err = host.ErrCannotChallenge
	}
	w.Logf("%s wants a rematch of match %d, expecting %v", by.Name, g.id, err)
	a := w.by(by)
	ch, v, gotErr := w.host.Rematch(w.ctx(), a, g.id, here, false)
	w.expect(gotErr, err)
	switch {
	case err != nil:
		return
	case asked == nil:
		last := w.challenges[w.challengeOf(g)]
		p := host.Proposal{Game: g.rules.Key(), Seats: len(g.players), Unrated: last.Unrated, Clock: last.Clock, Opponents: without(g.players, by)}
		if p.Seats == 2 { // they change seats
			p.First = map[engine.Seat]string{1: host.FirstThem, 2: host.FirstMe}[g.seatOf(by)]
		}
		if ch.Options != last.Options {
			w.Fatalf("the rematch has the options %s, not %s", ch.Options, last.Options)
		}
		w.made(ch, by, p)
		w.rematches[ch.ID] = g
	default:
		asked.Invited, asked.Joined = without(asked.Invited, by), append(slices.Clip(asked.Joined), by)
		if len(asked.Joined) == asked.Seats {
			asked.State, asked.Match = storage.ChallengeAccepted, ch.Match
			w.started(asked, v)
		}
		w.checkChallenge(asked, ch)
	}
	w.done = append(w.done, deed{by.ID, "the rematch", func() (*host.View, error) {
		_, v, err := w.host.Rematch(w.ctx(), a, g.id, here, false)
		return v, err
	}})
}

func (w *world) challengeOf(g *game) storage.ChallengeID {
	for id, ch := range w.challenges {
		if ch.Match == g.id {
			return id
		}
	}
	w.Fatalf("match %d has no challenge", g.id)
	return 0
}
