package payload

import (
	"slices"
)

// AllowedMentions says which mentions of a message may notify ("Allowed
// Mentions Object" on the page "Message Resource").
type AllowedMentions struct {
	ParseUsers  bool
	Everyone    bool
	Users       []string
	RepliedUser bool
}

// ReadAllowedMentions validates the object. A missing object allows
// everything, an empty one nothing.
func ReadAllowedMentions(n Node) AllowedMentions {
	if !n.IsSet() {
		return AllowedMentions{ParseUsers: true, Everyone: true, RepliedUser: true}
	}
	if !n.IsObject() {
		return AllowedMentions{}
	}
	var a AllowedMentions
	parse := map[string]bool{}
	for _, p := range n.Field("parse").Items(0, 3) {
		s := p.Text(0, 20)
		if s != "users" && s != "roles" && s != "everyone" {
			p.AddError("BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		}
		parse[s] = true
	}
	a.ParseUsers, a.Everyone = parse["users"], parse["everyone"]
	a.Users = readIDs(n.Field("users"))
	roles := readIDs(n.Field("roles"))
	a.RepliedUser = n.Field("replied_user").Boolean()
	// A kind may be listed in parse or by ids, not both.
	if a.ParseUsers && len(a.Users) > 0 {
		n.AddError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["users"] and users: [ids...] are mutually exclusive.`)
	}
	if parse["roles"] && len(roles) > 0 {
		n.AddError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["roles"] and roles: [ids...] are mutually exclusive.`)
	}
	return a
}

func readIDs(n Node) []string {
	var out []string
	for _, id := range n.Items(0, 100) {
		if s := id.Snowflake(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
