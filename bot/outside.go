package bot

import (
	"errors"

	"castellan/bot/catalogue"
)

// Errors of asking for a match where no board can be posted.
var (
	errOutside = errors.New("boards cannot be posted outside servers")
	errGuest   = errors.New("the bot is no member of this server")
)

// postable says why boards cannot be posted where a request comes from. A board
// is a post and not an answer, for only a new post notifies
// (docs/decisions/0002-boards-are-channel-posts.md). The bot cannot post in the
// private channels of people; in its direct messages with one person nobody
// else would see the board; and of a server that has not installed it it is no
// member.
func postable(r *Request) error {
	switch {
	case r.Place.Guild == "":
		return errOutside
	case r.guest:
		return errGuest
	}
	return nil
}

// inviteLink is the way to invite the bot, with words for it.
func inviteLink(say *catalogue.Printer, address string) string {
	if address == "" {
		return ""
	}
	return "[" + say.T("invite.link") + "](" + address + ")"
}
