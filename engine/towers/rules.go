package towers

import (
	"slices"

	"castellan/engine/towers/internal/board"
)

// ruleNames names the specific rules in the order of board.Rules.
var ruleNames = [...]string{
	"tower-out", "lock-after-move", "lock-split-tower", "import-first",
	"no-first-lock-master", "master-at-corner", "no-master-win",
}

// rulesOf returns the rules with those names and ignores unknown names.
func rulesOf(names []string) (r board.Rules) {
	for i, name := range ruleNames {
		if slices.Contains(names, name) {
			r |= 1 << i
		}
	}
	return r
}
