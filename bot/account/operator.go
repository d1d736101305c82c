package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// What a ban keeps from using the bot.
var (
	ErrBannedPerson = errors.New("the person is banned from the bot")
	ErrBannedGuild  = errors.New("the guild is banned from the bot")
)

// NoticeTime is how long boards show a notice of the operators.
const NoticeTime = 48 * time.Hour

// decrees are what operators have ordered: whom they have banned, and the newest notice.
type decrees struct {
	banned []string
	notice storage.Act
}

func (s *Service) decrees(ctx context.Context) (decrees, error) {
	return s.operators.get("", func() (decrees, error) {
		return host.Read(ctx, s.host, func(r storage.Reader) (d decrees, err error) {
			if d.banned, err = r.Banned(); err != nil {
				return d, err
			}
			acts, err := r.Acts("", s.host.Now().Add(-NoticeTime))
			for _, a := range acts {
				if a.Kind == storage.ActNotice {
					d.notice = a
				}
			}
			return d, err
		})
	})
}

// CheckBan fails with ErrBannedPerson or ErrBannedGuild if operators have banned a
// person, or the guild from which they use the bot; guild is empty outside of guilds.
func (s *Service) CheckBan(ctx context.Context, person, guild string) error {
	d, err := s.decrees(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(d.banned, person):
		return ErrBannedPerson
	case guild != "" && slices.Contains(d.banned, guild):
		return ErrBannedGuild
	}
	return nil
}

// Notice returns the notice of the operators that boards show now, or "".
func (s *Service) Notice(ctx context.Context) (string, error) {
	d, err := s.decrees(ctx)
	if d.notice.At.IsZero() || !s.host.Now().Before(d.notice.At.Add(NoticeTime)) {
		return "", err
	}
	return d.notice.Note, err
}

// BannedCount returns how many people and guilds are banned.
func (s *Service) BannedCount(ctx context.Context) (int, error) {
	d, err := s.decrees(ctx)
	return len(d.banned), err
}

// Act records what an operator does, with the present time. A ban or its withdrawal
// takes effect with it, and changes nothing if it is so already. The open challenges of who
// is banned are withdrawn. It changes nothing if
// the interaction has been carried out before.
func (s *Service) Act(ctx context.Context, a host.Actor, act storage.Act) error {
	defer s.operators.clear()
	return s.host.Write(ctx, func(tx storage.Tx) error {
		act.At, act.Operator = s.host.Now(), a.Person.ID
		err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: act.At})
		if errors.Is(err, storage.ErrAlreadyProcessed) {
			return nil
		}
		if err != nil {
			return err
		}
		banned, err := tx.Banned()
		if err != nil {
			return err
		}
		is := slices.Contains(banned, act.Target)
		if act.Kind == storage.ActBan && is || act.Kind == storage.ActUnban && !is {
			return nil
		}
		if act.Kind == storage.ActBan {
			if err := s.host.LeaveChallenges(tx, storage.Person{ID: act.Target}); err != nil {
				return err
			}
		}
		return tx.AddAct(act)
	})
}
