package bot

import (
	"bytes"
	"encoding/json"
	"testing"

	"castellan/bot/discord"
	"castellan/bot/message"
)

// Discord returns defaults as null or as values, and lists in another order.
// Neither counts as a change.
func TestRegisteredCommandsCompare(t *testing.T) {
	const board = `{"type":1,"name":"board","description":"Show",`
	for _, c := range []struct {
		listed, guild string
		same          bool
	}{
		{board + `"contexts":[2,1,0],"integration_types":[1,0],"options":[],"default_member_permissions":null,"nsfw":false,"dm_permission":true,"id":"1"}`, "", true},
		{board + `"contexts":null,"integration_types":[0,1],"options":null,"name_localizations":null}`, "", true},
		{board + `"contexts":[0],"integration_types":[0,1]}`, "", false},
		{board + `"contexts":null,"integration_types":null}`, "", false}, // Discord's default is the guild install alone
		{board + `"contexts":null,"integration_types":[0]}`, "1", true},
		{board + `"contexts":[0],"options":[{"type":4,"name":"zoom","description":"How"}]}`, "1", false},
	} {
		var listed discord.Command
		if err := json.Unmarshal([]byte(c.listed), &listed); err != nil {
			t.Fatal(err)
		}
		wanted := wantedCommands([]discord.Command{{Name: "board", Description: "Show", Contexts: message.Anywhere}}, c.guild)
		if same := bytes.Equal(canonicalJSON([]discord.Command{listed}, c.guild), canonicalJSON(wanted, c.guild)); same != c.same {
			t.Errorf("%s in guild %q: the same %t", c.listed, c.guild, same)
		}
	}
}
