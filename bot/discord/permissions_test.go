package discord_test

import (
	"testing"

	"castellan/bot/discord"
)

// In a thread, the permission to send messages is that to send them in threads.
func TestChannelPermissions(t *testing.T) {
	const send, inThreads = discord.PermissionSendMessages, discord.PermissionSendMessagesInThreads
	for _, c := range []struct {
		raw        string
		have, want int64
	}{
		{`{"channel":{"type":0}}`, send, send},
		{`{"channel":{"type":0}}`, inThreads, inThreads},
		{`{"channel":{"type":11}}`, send, discord.InThread | discord.NoThreads},
		{`{"channel":{"type":12}}`, inThreads, send | inThreads | discord.InThread | discord.NoThreads},
		{`{"channel":{"type":2}}`, send, send | discord.NoThreads},
		{`{}`, send, send},
		{`[]`, send, send},
	} {
		if got := discord.ChannelPermissions(c.have, []byte(c.raw)); got != c.want {
			t.Errorf("%s with %#x: %#x, want %#x", c.raw, c.have, got, c.want)
		}
	}
}
