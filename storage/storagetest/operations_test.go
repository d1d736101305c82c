package storagetest_test

import (
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"castellan/storage"
)

// operation changes a store or a model in the same way.
type operation func(storage.Tx) (any, error)

// failing makes an operation of a method that only returns an error.
func failing(do func(storage.Tx) error) operation {
	return func(tx storage.Tx) (any, error) { return nil, do(tx) }
}

// generator draws arguments of operations on a model.
type generator struct {
	t *rapid.T
	m *model
}

func pick[T any](g generator, what string, from ...T) T {
	return rapid.SampledFrom(from).Draw(g.t, what)
}

func (g generator) number(what string, most int) int {
	return rapid.IntRange(0, most).Draw(g.t, what)
}
func (g generator) flag(what string) bool { return rapid.Bool().Draw(g.t, what) }
func (g generator) time() time.Time       { return minute(g.number("minute", 9)) }

func (g generator) maybeTime() time.Time {
	if g.flag("zero time") {
		return time.Time{}
	}
	return g.time()
}

func (g generator) place() storage.Place {
	return storage.Place{Guild: pick(g, "guild", "", "g"), Channel: pick(g, "channel", "x", "y")}
}

// people returns distinct people, and perhaps computers.
func (g generator) people() []storage.Person {
	all := rapid.Permutation([]storage.Person{alice, bob, carol, casual, casual}).Draw(g.t, "people")
	return all[:g.number("number of people", 4)]
}

// missing is an identifier that no record has.
const missing = 1 << 40

func (g generator) match() match {
	return pick(g, "match", append([]match{{Match: storage.Match{ID: missing}}}, g.m.matches...)...)
}

func (g generator) board() storage.BoardID {
	return pick(g, "board", append([]storage.Board{{ID: missing}}, g.m.boards...)...).ID
}

func (g generator) challenge() storage.Challenge {
	return pick(g, "challenge", append([]storage.Challenge{{ID: missing}}, g.m.challenges...)...)
}

func (g generator) entries(after int) (entries []storage.Entry) {
	for i := range g.number("entries", 3) {
		entries = append(entries, storage.Entry{Seq: after + 1 + i, Kind: "action", Seat: 1, Text: "b2", At: g.time(), Interaction: "i"})
	}
	return entries
}

func (g generator) newBoard(of storage.MatchID) storage.Board {
	return storage.Board{
		ID: 9, Match: of, Seq: g.number("seq", 2), Place: g.place(), Notify: g.flag("notify"), Offer: g.number("offer", 2), Edit: g.flag("edit"), NextAttempt: g.maybeTime(),
		State: storage.BoardPosted, Message: "ignored", Attempts: 7,
	}
}

func (g generator) interaction() storage.ProcessedInteraction {
	return storage.ProcessedInteraction{Interaction: pick(g, "interaction", interactions...), At: g.time(), Seq: g.number("seq", 3)}
}

var interactions = []string{"1", "2", "3", "4"}

func (g generator) tournament() storage.Tournament {
	return pick(g, "tournament", append([]storage.Tournament{{ID: missing}}, g.m.tournaments...)...)
}

var operations = []func(generator) operation{
	func(g generator) operation {
		e := storage.Tournament{
			Place: storage.Place{Guild: pick(g, "guild", "g", "h"), Channel: "x"}, Organiser: pick(g, "organiser", alice, bob), Name: "Evening", Game: "a", Options: "size=9",
			Clock: "1d", Unrated: g.flag("unrated"), Thread: g.flag("thread"), Format: "swiss", Rounds: g.number("rounds", 3), State: storage.TournamentOpen,
			CreatedAt: g.time(), StartsAt: g.time(), CheckAt: g.maybeTime(), CalledAt: g.maybeTime(),
			ID: 9, EndedAt: minute(1), Message: "ignored", Revision: 3, Attempts: 2,
		}
		return func(tx storage.Tx) (any, error) { return tx.InsertTournament(e) }
	},
	func(g generator) operation {
		e := g.tournament()
		e.Revision += pick(g, "revision", 0, 0, 0, 1)
		e.Format = pick(g, "format", "swiss", "robin")
		e.State, e.Rounds, e.StartsAt, e.CheckAt, e.CalledAt, e.EndedAt = storage.TournamentRunning, g.number("rounds", 3), g.time(), g.maybeTime(), g.maybeTime(), time.Time{}
		if g.flag("over") {
			e.State, e.EndedAt = pick(g, "end", storage.TournamentEnded, storage.TournamentCancelled), g.time()
		}
		return failing(func(tx storage.Tx) error { return tx.SetTournament(e) })
	},
	func(g generator) operation {
		e, p := g.tournament(), storage.TournamentPlayer{Person: pick(g, "person", alice, bob, carol), JoinedAt: g.time(), Here: g.flag("here"), Seed: g.number("seed", 3), Rating: estimate(1).Mean, From: 1, Left: g.number("left", 2)}
		if e.ID == missing {
			return nil
		}
		return failing(func(tx storage.Tx) error { return tx.PutTournamentPlayer(e.ID, p) })
	},
	func(g generator) operation {
		e, person := g.tournament().ID, pick(g, "person", alice, bob, carol).ID
		return failing(func(tx storage.Tx) error { return tx.RemoveTournamentPlayer(e, person) })
	},
	func(g generator) operation {
		e, of := g.tournament(), g.match().ID
		for _, other := range g.m.tournaments {
			if slices.ContainsFunc(other.Games, func(g storage.TournamentGame) bool { return g.Match == of }) {
				of = missing
			}
		}
		if of == missing {
			of = 0
		}
		if e.ID == missing {
			return nil
		}
		game := storage.TournamentGame{Round: 1 + g.number("round", 1), Table: 1 + g.number("table", 1), Number: 1, First: 1, Second: g.number("second", 2), Match: of, Outcome: pick(g, "outcome", "", "", "1-0")}
		return failing(func(tx storage.Tx) error { return tx.PutTournamentGame(e.ID, game) })
	},
	func(g generator) operation {
		e, next, off := g.tournament(), g.time(), g.number("off", 1)
		if g.number("repost", 3) == 0 {
			return failing(func(tx storage.Tx) error { return tx.RepostTournament(e.ID) })
		}
		if g.flag("shown") {
			message, revision := pick(g, "message", "m", "n"), e.Revision-off
			return failing(func(tx storage.Tx) error { return tx.MarkTournamentShown(e.ID, message, revision) })
		}
		return failing(func(tx storage.Tx) error { return tx.ClaimTournament(e.ID, e.Attempts+off, next) })
	},
	func(g generator) operation {
		m := storage.Match{
			Place: g.place(), Game: pick(g, "game", "a", "b"), RulesVersion: 2, Options: "size=9", Seed: uint64(g.number("seed", 9)),
			Seats: g.people(), Unrated: g.flag("unrated"), CreatedAt: g.time(), CheckAt: g.maybeTime(), ComputerTurnSince: g.maybeTime(),
			Clock: pick(g, "clock", "", "1d"), Reminded: g.flag("reminded"), NewAccounts: uint8(g.number("new accounts", 63)),
			ID: 99, Seq: 5, ShownSeq: 4, Ending: "ignored", Offers: "ignored", EndedAt: minute(1), EndNumber: 3,
		}
		if c := g.challenge().ID; c != missing {
			m.Challenge = c
		}
		return func(tx storage.Tx) (any, error) { return tx.InsertMatch(m) }
	},
	func(g generator) operation {
		m := g.match()
		a := storage.Advance{Match: m.ID, After: pick(g, "after", m.Head, m.Head, m.Head, m.Root, storage.Digest{1})}
		if a.Entries = g.entries(m.Seq + pick(g, "offset", 0, 0, 0, -1, 1)); len(a.Entries) == 0 {
			return nil
		}
		if m.Ending == "" {
			a.CheckAt, a.ComputerTurnSince, a.Reminded = g.maybeTime(), g.maybeTime(), g.flag("reminded")
		}
		if g.flag("with board") {
			b := g.newBoard(m.ID)
			a.Board = &b
		}
		if g.flag("with interaction") {
			p := g.interaction()
			a.Processed = &p
		}
		return func(tx storage.Tx) (any, error) { return tx.Advance(a) }
	},
	func(g generator) operation {
		id, ending, at := g.match().ID, pick(g, "ending", "rules", "abort"), g.time()
		return failing(func(tx storage.Tx) error { return tx.EndMatch(id, ending, at) })
	},
	func(g generator) operation { // the end of a match as the host writes it
		m := g.match()
		var results []storage.SeatResult
		if g.flag("with results") {
			for range m.Seats {
				results = append(results, storage.SeatResult{Place: 1 + g.number("place", 2), Result: pick(g, "result", storage.Won, storage.Shared, storage.Drawn, storage.Lost)})
			}
		}
		return failing(func(tx storage.Tx) error {
			if err := tx.EndMatch(m.ID, "rules", minute(3)); err != nil && !errors.Is(err, storage.ErrConflict) {
				return err
			}
			return tx.RecordResults(m.ID, results)
		})
	},
	func(g generator) operation {
		m := g.match()
		if m.Ending != "" {
			return failing(func(tx storage.Tx) error { return tx.RecordResults(missing, nil) })
		}
		at, results := g.maybeTime(), make([]storage.SeatResult, len(m.Seats))
		return failing(pick(g, "of a running match",
			func(tx storage.Tx) error { return tx.SetCheckAt(m.ID, at) },
			func(tx storage.Tx) error { return tx.MarkReminded(m.ID, at) },
			func(tx storage.Tx) error { return tx.SetComputerTurn(m.ID, at) },
			func(tx storage.Tx) error { return tx.RecordResults(m.ID, results) }))
	},
	func(g generator) operation {
		id, offers := g.match().ID, pick(g, "offers", "", "1 draw")
		return failing(func(tx storage.Tx) error { return tx.SetOffers(id, offers) })
	},
	func(g generator) operation {
		id, at := g.match().ID, g.maybeTime()
		pauses := pick(g, "pauses", nil, []storage.Outage{{From: minute(1), To: minute(2)}}, []storage.Outage{{From: minute(1), To: minute(3)}, {From: minute(2), To: minute(4)}})
		return failing(func(tx storage.Tx) error { return tx.SetPauses(id, at, pauses) })
	},
	func(g generator) operation {
		id, board := g.match().ID, g.board()
		return failing(func(tx storage.Tx) error { return tx.SetCorrection(id, board) })
	},
	func(g generator) operation {
		id := g.match().ID
		p := storage.Prepared{
			Seat: 1 + g.number("seat", 2), Turns: g.number("turns", 3), Text: pick(g, "text", "", "\tb2"), Draft: pick(g, "draft", "", "c3\n"), Revision: g.number("revision", 3),
		}
		return failing(func(tx storage.Tx) error { return tx.SetPrepared(id, p) })
	},
	func(g generator) operation {
		m, to := g.match(), g.place()
		from := pick(g, "from", m.Place, g.place())
		return failing(func(tx storage.Tx) error { return tx.MoveMatch(m.ID, from, to) })
	},
	func(g generator) operation {
		m := g.match()
		if m.ID == missing {
			return nil // fails the update
		}
		b := g.newBoard(m.ID)
		return func(tx storage.Tx) (any, error) { return tx.InsertBoard(b) }
	},
	func(g generator) operation {
		id, message, next := g.board(), pick(g, "message", "m1", "m2"), g.maybeTime()
		return failing(pick(g, "of a board",
			func(tx storage.Tx) error { return tx.MarkBoardPosted(id, message) },
			func(tx storage.Tx) error { return tx.MarkBoardPosted(id, message) },
			func(tx storage.Tx) error { return tx.MarkBoardCollapsed(id) },
			func(tx storage.Tx) error { return tx.PostponeBoard(id, next) }))
	},
	func(g generator) operation {
		b := pick(g, "board", append([]storage.Board{{}}, g.m.boards...)...)
		if b.Message == "" {
			return nil
		}
		if b.NextAttempt = g.maybeTime(); g.flag("late") { // of a board that is not stored
			b.Message = "late"
		}
		return func(tx storage.Tx) (any, error) {
			if err := tx.MarkForEdit(b); err != nil {
				return nil, err
			}
			all, err := tx.Boards(b.Match)
			return all[len(all)-1].ID, err // the new board's, if it is late
		}
	},
	func(g generator) operation {
		id, to := g.match().ID, g.place()
		return failing(func(tx storage.Tx) error { return tx.MoveDueBoard(id, to) })
	},
	func(g generator) operation {
		p, now := pick(g, "in", g.place(), storage.Place{Guild: "g"}, storage.Place{}), g.time()
		return func(tx storage.Tx) (any, error) { return tx.RetryNow(p, now) }
	},
	func(g generator) operation {
		people := g.people()
		joined := g.number("joined", len(people))
		c := storage.Challenge{
			Place: g.place(), Challenger: pick(g, "challenger", alice, bob), Seats: 2 + g.number("seats", 3),
			Joined: people[:joined], Invited: people[joined:], Game: "a", Options: "o", Unrated: g.flag("unrated"), Clock: pick(g, "clock", "", "1d"), First: "me", Seed: 3,
			State: pick(g, "state", "", storage.ChallengeOpen), CreatedAt: g.time(), ExpiresAt: g.maybeTime(), NextAttempt: g.maybeTime(),
			Message: pick(g, "message", "", "m1"), Attempts: g.number("attempts", 2), ID: 99, Revision: 3, ShownRevision: 2,
		}
		if of := g.match().ID; of != missing && g.flag("accepted") {
			c.State, c.ResolvedAt, c.Match = storage.ChallengeAccepted, g.time(), of
		}
		return func(tx storage.Tx) (any, error) { return tx.InsertChallenge(c) }
	},
	func(g generator) operation {
		c, people := g.challenge(), g.people()
		revision, joined := c.Revision+pick(g, "offset", 0, 0, -1, 1), g.number("joined", len(people))
		return failing(func(tx storage.Tx) error {
			return tx.SetChallengePlayers(c.ID, revision, people[:joined], people[joined:])
		})
	},
	func(g generator) operation {
		c, at, of := g.challenge(), g.time(), g.match().ID
		state := pick(g, "state", storage.ChallengeAccepted, storage.ChallengeDeclined, storage.ChallengeCancelled, storage.ChallengeExpired)
		if state != storage.ChallengeAccepted || of == missing {
			of = 0
		}
		return failing(func(tx storage.Tx) error { return tx.ResolveChallenge(c.ID, state, of, at) })
	},
	func(g generator) operation {
		c, message, next := g.challenge(), pick(g, "message", "", "m1", "x"), g.maybeTime()
		revision := c.Revision - g.number("behind", 1)
		return failing(pick(g, "of a challenge",
			func(tx storage.Tx) error { return tx.ReviseChallenge(c.ID) },
			func(tx storage.Tx) error { return tx.RepostChallenge(c.ID, next) },
			func(tx storage.Tx) error { return tx.MarkChallengeShown(c.ID, message, revision) },
			func(tx storage.Tx) error { return tx.PostponeChallenge(c.ID, next) }))
	},
	func(g generator) operation {
		c, of := g.challenge().ID, g.match().ID
		state := pick(g, "thread", storage.ThreadNone, storage.ThreadWanted, storage.ThreadCreated, storage.ThreadRefused,
			storage.ThreadFull, storage.ThreadLocked, storage.ThreadDeleted, storage.ThreadArchived)
		if c == missing {
			return nil
		}
		if _, ok := g.m.rematches[c]; ok || of == missing {
			return failing(func(tx storage.Tx) error { return tx.SetThread(c, state) })
		}
		return failing(func(tx storage.Tx) error { return tx.RecordRematch(c, of) })
	},
	func(g generator) operation {
		m := g.match()
		if m.Ending == "" && m.ID != missing || m.ID != missing && len(m.Seats) == 0 {
			return nil
		}
		game, list, changes := m.Game, pick(g, "list", storage.RatingLists()...), []storage.RatingChange(nil)
		for i, p := range append(m.Seats, carol)[:max(len(m.Seats), 1)] {
			if slices.ContainsFunc(changes, func(c storage.RatingChange) bool { return c.Person.ID == p.ID }) {
				continue
			}
			p.Level = ""
			changes = append(changes, storage.RatingChange{
				Match: m.ID, Seat: i + 1, Person: p, Game: game, List: list, Place: 1 + i, At: g.time(), Weight: 1 / float64(1+i),
				Before: estimate(g.number("before", 2)), After: estimate(g.number("after", 2)), EstablishedUntil: g.maybeTime(),
			})
		}
		return failing(func(tx storage.Tx) error {
			err := tx.AddRatingChanges(changes)
			if errors.Is(err, storage.ErrConflict) && len(changes) > 1 {
				return tx.ReplaceRatingChanges(m.ID, changes[1:])
			}
			return err
		})
	},
	func(g generator) operation {
		m := g.match()
		without := g.flag("without ratings")
		return failing(func(tx storage.Tx) error {
			if without {
				if err := tx.ReplaceRatingChanges(m.ID, nil); err != nil {
					return err
				}
			}
			return tx.ReopenMatch(m.ID)
		})
	},
	func(g generator) operation {
		if now := g.time(); g.number("delete ratings", 9) > 0 {
			return func(tx storage.Tx) (any, error) { return tx.ExpireRatings(now) }
		}
		return failing(storage.Tx.DeleteRatings)
	},
	func(g generator) operation {
		p := storage.Preferences{Person: pick(g, "person", alice, bob).ID, ManualEndTurn: g.flag("manual"), ConfirmTurn: g.flag("confirm"), OwnSide: g.flag("side")}
		p.Reminders = pick(g, "reminders", storage.RemindInChannel, storage.RemindDirectly, storage.RemindNever)
		p.Theme, p.Locale, p.Zone = pick(g, "theme", "", "light"), pick(g, "locale", "", "de"), pick(g, "zone", "", "Europe/Berlin")
		p.QuietFrom, p.QuietTo = g.number("from", 23), g.number("to", 23)
		return failing(func(tx storage.Tx) error { return tx.SetPreferences(p) })
	},
	func(g generator) operation {
		from := g.number("from", 9) // in slots of their own, since vacations do not overlap
		v := storage.Vacation{Person: pick(g, "person", alice, bob).ID, From: minute(from), To: minute(from).Add(time.Duration(g.number("seconds", 50)) * time.Second)}
		return failing(func(tx storage.Tx) error { return tx.SetVacation(v) })
	},
	func(g generator) operation {
		s := storage.GuildSettings{Guild: pick(g, "guild", "g", "other"), Clock: pick(g, "clock", "", "1d"), Unrated: g.flag("unrated"), NoThreads: g.flag("no threads")}
		s.Theme, s.Locale = pick(g, "theme", "", "light"), pick(g, "locale", "", "de")
		s.Organiser = pick(g, "organiser", "", "role")
		s.Leaderboard = pick(g, "leaderboard", storage.LeaderboardForAll, storage.LeaderboardForPlayers, storage.LeaderboardForNobody)
		s.Channels = rapid.Permutation([]string{"x", "y", "z"}).Draw(g.t, "channels")[:g.number("channels", 3)]
		return failing(func(tx storage.Tx) error { return tx.SetGuildSettings(s) })
	},
	func(g generator) operation {
		id, locale := pick(g, "person", alice, bob).ID, pick(g, "locale", "", "de", "ja")
		return failing(func(tx storage.Tx) error { return tx.SetLocale(id, locale) })
	},
	func(g generator) operation {
		at := minute(len(g.m.outages))
		return failing(func(tx storage.Tx) error {
			return errors.Join(tx.RecordContact(at), tx.InsertOutage(storage.Outage{From: at, To: at.Add(time.Minute)}))
		})
	},
	func(g generator) operation {
		d := storage.DailyMessage{
			Person: pick(g, "person", alice, bob).ID, DueAt: g.maybeTime(), NextAttempt: g.time(), Attempts: g.number("attempts", 2), SendingSince: g.maybeTime(),
		}
		return failing(func(tx storage.Tx) error { return tx.SetDailyMessage(d) })
	},
	func(g generator) operation {
		person, at := pick(g, "person", alice, bob, carol).ID, g.maybeTime()
		return failing(func(tx storage.Tx) error { return tx.SetDeparture("g", person, at) })
	},
	func(g generator) operation {
		b := storage.Block{Person: pick(g, "person", alice, carol).ID, Blocked: bob, At: g.time()}
		if g.flag("back") {
			b.Person, b.Blocked = b.Blocked.ID, storage.Person{ID: b.Person, Name: "Name then"}
		}
		if g.flag("unblock") {
			return failing(func(tx storage.Tx) error { return tx.DeleteBlock(b.Person, b.Blocked.ID) })
		}
		return failing(func(tx storage.Tx) error { return tx.SetBlock(b) })
	},
	func(g generator) operation {
		a := storage.Act{At: g.time(), Operator: pick(g, "operator", alice, carol).ID, Kind: pick(g, "kind", storage.ActBan, storage.ActBan, storage.ActUnban, storage.ActLeave), Target: pick(g, "target", bob.ID, alice.ID, "g"), Note: pick(g, "note", "", "spam")}
		if g.flag("organiser") {
			a.Guild, a.Kind, a.Target = "g", pick(g, "kind", storage.ActFreeze, storage.ActThaw, storage.ActVoid), pick(g, "target", "", storage.MatchTarget(1))
		}
		return failing(func(tx storage.Tx) error { return tx.AddAct(a) })
	},
	func(g generator) operation {
		person, as, now := pick(g, "person", alice, bob, storage.Person{ID: "nobody"}).ID, former(g.m.forgotten), g.time()
		return failing(func(tx storage.Tx) error { return tx.ForgetPerson(person, as, now) })
	},
	func(g generator) operation {
		p, before := g.interaction(), g.time()
		if g.number("prune", 5) == 0 {
			return func(tx storage.Tx) (any, error) { return tx.PruneProcessed(before) }
		}
		return failing(func(tx storage.Tx) error { return tx.MarkProcessed(p) })
	},
}

// estimate returns a rating whose numbers have no short decimal form.
func estimate(n int) storage.Estimate {
	mean := 1500 + 100*float64(n)/3
	return storage.Estimate{Mean: mean, Deviation: mean / 7, Volatility: 1 / mean}
}
