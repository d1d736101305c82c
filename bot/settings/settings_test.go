package settings

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

// Both messages keep to Discord's limits in every language.
func TestLimits(t *testing.T) {
	texts := hosttest.New(t, hosttest.Options{}).Texts
	for _, language := range texts.Languages() {
		say := texts.Printer(language)
		quiet := storage.Preferences{QuietFrom: 22, QuietTo: 7}
		for name, m := range map[string]discord.Message{
			"settings":    guildMessage(say, guildData{Texts: texts, Threads: true}),
			"preferences": personMessage(say, personData{Preferences: quiet, Texts: texts, Vacation: account.Vacation{Left: account.VacationDays}}),
			"vacation":    personMessage(say, personData{Preferences: quiet, Texts: texts, Vacation: account.Vacation{Until: time.Unix(1, 0)}}),
		} {
			data, err := json.Marshal(m.Components)
			hosttest.Must(t, err)
			if n := strings.Count(string(data), `"type":`); n > discord.MaxComponents {
				t.Errorf("%s, %s: %d components", language, name, n)
			}
			if len(data) == 0 || strings.Contains(string(data), "⟨") || strings.Contains(string(data), `"label":""`) {
				t.Errorf("%s, %s: a text is missing: %s", language, name, data)
			}
		}
	}
}
