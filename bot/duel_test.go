package bot

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// onUser is a choice in the context menu of a person.
func (r *rig) onUser(p, target storage.Person, bot bool) *discordgo.Interaction {
	i := r.interaction(p, discordgo.InteractionApplicationCommand)
	i.Data = discordgo.ApplicationCommandInteractionData{
		Name: "Challenge", CommandType: discordgo.UserApplicationCommand, TargetID: target.ID,
		Resolved: &discordgo.ApplicationCommandInteractionDataResolved{Users: map[string]*discordgo.User{
			target.ID: {ID: target.ID, Username: target.Name, Bot: bot},
		}},
	}
	return i
}

func TestAChallengeFromAContextMenuInTwoTaps(t *testing.T) {
	r := newRig(t)
	slash := storage.Person{ID: "1120000000000000012", Name: "Ben / *B*"}
	got := r.serve(r.onUser(anna, slash, false))
	if len(got) != 1 || !got[0].private() || !strings.Contains(got[0].text(), `play against **Ben / \*B\***?`) {
		t.Fatalf("%s: %s", inShort(got), got[0].body)
	}
	id := duelID("trails", slash)
	if !strings.Contains(got[0].body, `"`+id+`"`) {
		t.Fatalf("no button %s: %s", id, got[0].body)
	}
	got = r.serve(r.click(anna, "8000", id))
	if inShort(got) != "POST /channels/2/messages, callback 7" || !strings.Contains(got[0].text(), "**Anna** challenges <@"+slash.ID+"> to **Trails") ||
		!strings.Contains(got[0].body, `"users":["`+slash.ID+`"]`) || !strings.Contains(got[1].text(), `Ben / \*B\* has been asked`) {
		t.Errorf("%s: %s\n%s", inShort(got), got[0].body, got[1].body)
	}
}

func TestAContextMenuRefuses(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		name   string
		target storage.Person
		bot    bool
		want   string
	}{
		{"oneself", anna, false, "You cannot challenge yourself"},
		{"another bot", storage.Person{ID: "99", Name: "Robot"}, true, "Bots do not play by challenge"},
	} {
		got := r.serve(r.onUser(anna, c.target, c.bot))
		if len(got) != 1 || !got[0].private() || !strings.Contains(got[0].text(), c.want) {
			t.Errorf("%s: %s: %s", c.name, inShort(got), got[0].text())
		}
	}
	got := r.serve(r.click(anna, "8000", duelID("chess", ben)))
	if len(got) != 1 || !strings.Contains(got[0].text(), "I do not know this game") {
		t.Errorf("%s", got[0].text())
	}
}

func TestDuelIDsKeepWithinDiscordsLimit(t *testing.T) {
	for _, name := range []string{"B", strings.Repeat("🏰", 32), strings.Repeat("é", 32), "a" + strings.Repeat("🏰", 31), strings.Repeat("x", 32)} {
		p := storage.Person{ID: "1120000000000000012", Name: name}
		id := duelID("stone-towers", p)
		kept := id[strings.LastIndex(id, "/")+1:]
		if len(id) > maxPath || !utf8.ValidString(id) || !strings.HasPrefix(name, kept) || kept == "" {
			t.Errorf("%d bytes: %q", len(id), id)
		}
		if len(id)-len(kept)+len(name) <= maxPath && kept != name {
			t.Errorf("%q was cut to %q", name, kept)
		}
	}
}
