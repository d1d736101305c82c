package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// kind is what a route answers.
type kind string

const (
	onCommand kind = "command"
	onClick   kind = "click"
	onSuggest kind = "suggest"
)

// handler carries out a request and returns what to answer. It is called with
// a context that has a deadline.
type handler func(ctx context.Context, r *Request) (Response, error)

// router finds the handler of a path. The same grammar serves commands
// ("challenge/{game}"), buttons ("match/{match}/{seq}/act/{token}") and
// suggestions ("move/turn"): parts between slashes, of which those in braces
// match any text, and one in braces with dots at the end all the rest.
type router struct{ routes []route }

type route struct {
	kind    kind
	parts   []string
	handler handler
}

// handle adds a route. Two routes that match the same path are an error.
func (r *router) handle(k kind, pattern string, h handler) error {
	parts := strings.Split(pattern, "/")
	for _, other := range r.routes {
		if other.kind == k && overlap(other.parts, parts) {
			return fmt.Errorf("routes %s and %s match the same %s", strings.Join(other.parts, "/"), pattern, k)
		}
	}
	r.routes = append(r.routes, route{k, parts, h})
	return nil
}

func overlap(a, b []string) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if takesRest(a[i]) || takesRest(b[i]) {
			return true
		}
		if a[i] != b[i] && !isVariable(a[i]) && !isVariable(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func takesRest(part string) bool { return strings.HasSuffix(part, "...}") }

func isVariable(part string) bool { return strings.HasPrefix(part, "{") }

// find is the handler of a path and the values of the parts in braces; ok is
// false where there is none.
func (r *router) find(k kind, path string) (h handler, values map[string]string, ok bool) {
	parts := strings.Split(path, "/")
	for _, route := range r.routes {
		parts := parts
		if n := len(route.parts); takesRest(route.parts[n-1]) && len(parts) > n {
			parts = append(slices.Clone(parts[:n-1]), strings.Join(parts[n-1:], "/"))
		}
		if route.kind != k || len(route.parts) != len(parts) {
			continue
		}
		values, fits := map[string]string{}, true
		for i, p := range route.parts {
			switch {
			case isVariable(p) && parts[i] != "":
				values[strings.Trim(p, "{.}")] = parts[i]
			case p != parts[i]:
				fits = false
			}
		}
		if fits {
			return route.handler, values, true
		}
	}
	return nil, nil, false
}

// routes is every handler of the bot.
func (b *Bot) routes() (*router, error) {
	r := &router{}
	for _, one := range []struct {
		kind    kind
		pattern string
		handler handler
	}{
		{onCommand, "challenge/{game}", b.onChallenge},
		{onSuggest, "challenge/{game}/{option}", b.suggestOption},
		{onClick, "challenge/{challenge}/accept", b.onAccept},
		{onClick, "challenge/{challenge}/decline", b.onDecline},
		{onClick, "challenge/{challenge}/cancel", b.onCancel},
		{onClick, "challenge/{challenge}/join", b.onJoin},
		{onClick, "challenge/{challenge}/leave", b.onLeave},
		{onClick, "challenge/{challenge}/start", b.onStart},
		{onClick, "challenge/{challenge}/computer/{revision}", b.onComputer},
		{onCommand, "move", b.onMove},
		{onSuggest, "move/turn", b.suggestTurn},
		{onSuggest, "move/match", b.suggestMatch},
		{onClick, "match/{match}/{seq}/act/{token...}", b.onAct},
		{onClick, "match/{match}/{seq}/turn", b.onTurn},
		{onClick, "match/{match}/{seq}/pick/{salt}/{path...}", b.onPick},
		{onClick, "match/{match}/{seq}/undo/{salt}", b.onUndo},
		{onClick, "match/{match}/{seq}/confirm/{line...}", b.onConfirmed},
		{onCommand, "hint", b.onHint},
		{onSuggest, "hint/match", b.suggestMatch},
		{onCommand, "undo", b.onUndoCommand},
		{onSuggest, "undo/match", b.suggestMatch},
		{onCommand, "end", b.onEnd},
		{onSuggest, "end/match", b.suggestMatch},
		{onCommand, "preferences", b.onPreferences},
		{onClick, "preferences/{which}/{choice}", b.onPreference},
		{onCommand, "board", b.onBoard},
		{onSuggest, "board/match", b.suggestMatch},
		{onCommand, "resign", b.onResign},
		{onSuggest, "resign/match", b.suggestMatch},
		{onClick, "match/{match}/{seq}/resign", b.onResignConfirmed},
		{onClick, "match/{match}/{seq}/stay", b.onStay},
		{onCommand, "claim", b.onClaim},
		{onSuggest, "claim/match", b.suggestMatch},
		{onClick, "match/{match}/{seq}/claim", b.onClaimButton},
		{onClick, "match/{match}/{seq}/claimed", b.onClaimConfirmed},
		{onClick, "match/{match}/{seq}/wait", b.onWait},
		{onCommand, "user/challenge", b.onChallengeUser},
		{onClick, "duel/{game}/{person}/{name...}", b.onDuel},
		{onCommand, "help", b.onHelp},
		{onCommand, "rematch", b.onRematch},
		{onClick, "match/{match}/{seq}/rematch", b.onRematchButton},
		{onCommand, "rules", b.onRules},
		{onClick, "rules/{game}/{page}", b.onRulesPage},
		{onCommand, "games", b.onGames},
		{onClick, "games/{verb}/{list}/{page}", b.onGamesPage},
		{onCommand, "leaderboard", b.onLeaderboard},
		{onClick, "leaders/{verb}/{game}/{list}/{scope}/{page}", b.onLeadersPage},
		{onCommand, "profile", b.onProfile},
		{onClick, "profile/{person}/{game}/{list}", b.onProfileGame},
	} {
		if err := r.handle(one.kind, one.pattern, one.handler); err != nil {
			return nil, err
		}
	}
	return r, nil
}
