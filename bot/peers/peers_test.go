package peers_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/language"
	"castellan/bot/peers"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// open opens a database as a process whose own clock is wrong by a duration.
func open(t *testing.T, url string, skew time.Duration) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Connections(2), postgres.OwnClock(func() time.Time { return time.Now().Add(skew) }))
	hosttest.Must(t, err)
	t.Cleanup(func() { hosttest.Must(t, s.Close()) })
	return s
}

// worldOn returns a world on a database.
func worldOn(t *testing.T, s storage.Store) *hosttest.World {
	t.Helper()
	return hosttest.New(t, hosttest.Options{Wrap: func(storage.Store) storage.Store { return s }})
}

// hostOn returns a host as castellan run makes it.
func hostOn(w *hosttest.World, s *postgres.Store) *host.Host {
	return host.New(host.Config{Store: s, Games: w.Games, Now: s.Now, Seed: func() uint64 { return 1 }, Logger: slog.New(slog.DiscardHandler)})
}

// Processes whose own clocks are hours apart agree on what is overdue, which posts are
// due, how long a turn has lasted, and who is in their quiet hours.
func TestSkewedClocks(t *testing.T) {
	t.Parallel()
	const skew = 3 * time.Hour // the more, the easier it is to see
	url := pgtest.Migrated(t)
	var hosts []*host.Host
	stores := []*postgres.Store{open(t, url, skew), open(t, url, -skew), open(t, url, 0)}
	w := worldOn(t, stores[0])
	for _, s := range stores {
		hosts = append(hosts, hostOn(w, s))
	}
	fast, slow, right := hosts[0], hosts[1], hosts[2]
	quietHour := right.Now().Add(2 * time.Hour).Hour()
	hosttest.Must(t, w.Account.SetPreferences(t.Context(), storage.Preferences{
		Person: hosttest.Anna.ID, Zone: "UTC", QuietFrom: quietHour, QuietTo: (quietHour + 5) % 24,
	}))
	start := func(h *host.Host) storage.MatchID {
		t.Helper()
		ch, err := h.CreateChallenge(t.Context(), w.Actor(hosttest.Anna), host.Proposal{
			Place: hosttest.Here, Opponents: []storage.Person{hosttest.Ben}, Game: trails.Game{}.Key(), First: host.FirstMe, Clock: "2h",
		})
		hosttest.Must(t, err)
		_, v, err := h.Accept(t.Context(), w.Actor(hosttest.Ben), ch.ID)
		hosttest.Must(t, err)
		return v.Record.ID
	}
	begun := map[string]storage.MatchID{"fast": start(fast), "slow": start(slow), "right": start(right)}
	overdue, later := begun["fast"], begun["slow"]
	hosttest.Must(t, stores[0].Update(t.Context(), func(tx storage.Tx) error {
		now := right.Now()
		for id, at := range map[storage.MatchID]time.Time{overdue: now.Add(-time.Hour), later: now.Add(time.Hour), begun["right"]: now.Add(time.Hour)} {
			if err := tx.SetDeadline(id, at); err != nil {
				return err
			}
			boards, err := tx.ActiveBoards(id)
			if err != nil {
				return err
			}
			if err := tx.PostponeBoard(boards[0].ID, at); err != nil {
				return err
			}
		}
		return nil
	}))
	for name, h := range map[string]*host.Host{"fast": fast, "slow": slow, "right": right} {
		late, err := h.Overdue(t.Context(), 10)
		if err != nil || len(late.Matches) != 1 || late.Matches[0] != overdue {
			t.Errorf("%s: overdue matches: %v, %v, want %d", name, late.Matches, err, overdue)
		}
		work, err := h.PendingWork(t.Context(), 10)
		if err != nil || len(work.Boards) != 1 || work.Boards[0].Match != overdue {
			t.Errorf("%s: due boards: %v, %v, want that of match %d", name, work.Boards, err, overdue)
		}
		for by, id := range begun {
			v, err := h.Match(t.Context(), id)
			hosttest.Must(t, err)
			if ago := h.Now().Sub(v.Since()); ago < 0 || ago > time.Minute {
				t.Errorf("the %s process says that a match begun by the %s one began %v ago", name, by, ago)
			}
			if seat := v.SeatOf(hosttest.Anna.ID); !v.QuietUntil(seat).IsZero() {
				t.Errorf("%s: the quiet hours have begun", name)
			}
		}
	}
}

// handled passes the signals of a store on and reports each that was handled.
type handled struct {
	storage.Peers
	done chan storage.Signal
}

func (h handled) Listen(ctx context.Context, handle func(storage.Signal)) {
	h.Peers.Listen(ctx, func(s storage.Signal) { handle(s); h.done <- s })
}

// await waits until a signal was handled.
func (h handled) await(k storage.SignalKind) {
	for s := range h.done {
		if s.Kind == k {
			return
		}
	}
}

type woken chan struct{}

func (w woken) Wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// What a process has in memory follows what another process changes.
func TestCaches(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.Migrated(t)
	other, store := open(t, url, 0), open(t, url, 0)
	a, b := worldOn(t, other), worldOn(t, store)
	session, err := discordgo.New("Bot token")
	hosttest.Must(t, err)
	posts, computers := make(woken, 1), make(woken, 1)
	spent := ""
	p := peers.Parts{
		Accounts: b.Account, Languages: language.New(b.Host, b.Account, b.Texts), Client: discord.NewClient(session), Publisher: posts, Computer: computers, Now: store.Now,
		Spend: func(budget string, n int) { spent = fmt.Sprint(budget, n) },
	}
	h := handled{store, make(chan storage.Signal, 100)}
	go p.Listen(ctx, h)
	h.await(storage.SignalsLost)
	<-posts
	<-computers
	const guild = "1"
	anna := hosttest.Anna.ID
	inA := language.New(a.Host, a.Account, a.Texts)
	check := func(step, theme, public, locale string) {
		t.Helper()
		own, err := b.Account.Preferences(ctx, anna)
		settings, err2 := b.Account.Settings(ctx, guild)
		if err != nil || err2 != nil || own.Theme != theme || settings.Theme != public {
			t.Errorf("%s: %q and %q, %v, %v, want %q and %q", step, own.Theme, settings.Theme, err, err2, theme, public)
		}
		if got := p.Languages.Printer(ctx, "", anna).Language(); got != locale {
			t.Errorf("%s: the person reads %s, want %s", step, got, locale)
		}
	}
	check("nothing is chosen", "", "", "en")
	hosttest.Must(t, a.Account.ChangePreferences(ctx, anna, func(p *storage.Preferences) { p.Theme = "dark" }))
	h.await(storage.PreferencesChanged)
	check("a person chose", "dark", "", "en")
	_, err = a.Account.ChangeSettings(ctx, guild, func(s *storage.GuildSettings) { s.Theme = "light" })
	hosttest.Must(t, err)
	h.await(storage.SettingsChanged)
	check("a guild chose", "dark", "light", "en")
	inA.Saw(anna, "de")
	hosttest.Must(t, inA.Keep(ctx, anna))
	h.await(storage.LocaleChanged)
	check("the client's language is known", "dark", "light", "de")
	hosttest.Must(t, a.Account.Forget(ctx, a.Actor(hosttest.Anna)))
	h.await(storage.PersonForgotten)
	check("the person is forgotten", "", "light", "en")

	// A post that has failed is tried again, wherever the bot hears that it can be.
	refused := func() bool { return p.Client.CheckPost(hosttest.Here.Channel) != nil }
	p.Client.SetPermissions(hosttest.Here.Guild, hosttest.Here.Channel, 0)
	v := a.Start(trails.Game{}.Key())
	_, err = a.Host.BoardFailed(ctx, storage.ShowLease{}, v.Board, host.Failure{Blocked: true})
	hosttest.Must(t, err)
	if !refused() {
		t.Error("a post that cannot succeed is tried")
	}
	waiting, err := a.Host.RetryPlace(ctx, hosttest.Here)
	if err != nil || !waiting {
		t.Errorf("nothing waits for the place: %v", err)
	}
	h.await(storage.PostsDue)
	<-posts
	if refused() {
		t.Error("the post is still held back")
	}
	hosttest.Must(t, a.Store.Update(ctx, func(tx storage.Tx) error { return tx.SetComputerTurn(v.Record.ID, hosttest.Start) }))
	h.await(storage.ComputerToMove)
	<-computers

	peers.Spent(other)("of somebody: ", 7)
	h.await(storage.BudgetSpent)
	if spent != "of somebody: 7" {
		t.Errorf("spent: %q", spent)
	}
	peers.Sharing{Peers: other}.Refused(discord.Refusal{Channel: "77", Code: discord.CodeMissingAccess, Permissions: discord.PermissionViewChannel})
	h.await(storage.ChannelRefused)
	if err := p.Client.CheckPost("77"); !discord.HasCode(err, discord.CodeMissingAccess) {
		t.Errorf("a post to a channel that has refused another process: %v", err)
	}
}

// answers answers the requests of a client.
type answers func() *http.Response

func (a answers) RoundTrip(*http.Request) (*http.Response, error) { return a(), nil }

// What Discord says to one process holds for the others.
func TestSharing(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	refuse := answers(func() *http.Response {
		const body = `{"message":"slow down","retry_after":3600,"global":true}`
		return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	})
	accept := answers(func() *http.Response {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"id":"1"}`))}
	})
	client := func(a answers) (*discord.Client, handled) {
		session, err := discordgo.New("Bot token")
		hosttest.Must(t, err)
		session.Client.Transport = a
		c, s := discord.NewClient(session), open(t, url, 0)
		c.Share(peers.Sharing{Peers: s})
		w := worldOn(t, s)
		h := handled{s, make(chan storage.Signal, 100)}
		go peers.Parts{
			Accounts: w.Account, Languages: language.New(w.Host, w.Account, w.Texts), Client: c, Publisher: make(woken, 1), Computer: make(woken, 1), Now: s.Now,
		}.Listen(t.Context(), h)
		h.await(storage.SignalsLost)
		return c, h
	}
	send := func(c *discord.Client) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.CreateMessage(ctx, "1", "n", discord.Message{})
		return err
	}
	a, _ := client(refuse)
	b, heard := client(accept)
	hosttest.Must(t, send(b))
	if err := send(a); !discord.RateLimited(err) {
		t.Fatalf("the refused request: %v", err)
	}
	heard.await(storage.RequestsPaused)
	if err := send(b); !discord.RateLimited(err) {
		t.Errorf("the other process: %v, want that it waits for Discord", err)
	}
}
