package bot

import (
	"strings"

	"github.com/bwmarrin/discordgo"
)

// missingIn is what the bot lacks to post in a channel, as Discord's clients
// call it; empty where it lacks nothing, or nothing is known: an interaction
// tells of its own channel alone.
func (r *Request) missingIn(channel string) string {
	if r.may == 0 || channel != r.Place.Channel {
		return ""
	}
	var missing []string
	for _, need := range []struct {
		any  int64 // one of these is enough
		name string
	}{
		{discordgo.PermissionViewChannel, r.Say.T("permission.view")},
		{discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads, r.Say.T("permission.send")},
		{discordgo.PermissionAttachFiles, r.Say.T("permission.attach")},
	} {
		if r.may&(need.any|discordgo.PermissionAdministrator) == 0 {
			missing = append(missing, need.name)
		}
	}
	return strings.Join(missing, ", ")
}
