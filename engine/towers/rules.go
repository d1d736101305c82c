package towers

import "slices"

// rules is a set of specific rules, a bit for each in the order of the rules
// page.
type rules uint8

const (
	towerOut          rules = 1 << iota // any own tower gives pawns
	lockAfterMove                       // lock every target, empty ones too
	lockSplitTower                      // taking a pawn out locks the tower
	importFirst                         // imports only before any other action of the turn
	noFirstLockMaster                   // seat 1's master is not locked in the first turn
	masterAtCorner                      // the masters start in opposite corners
	noMasterWin                         // a master cannot capture the enemy master
)

var ruleNames = [...]string{
	"tower-out", "lock-after-move", "lock-split-tower", "import-first",
	"no-first-lock-master", "master-at-corner", "no-master-win",
}

// rulesOf returns the rules with those names and ignores unknown names.
func rulesOf(names []string) (r rules) {
	for i, name := range ruleNames {
		if slices.Contains(names, name) {
			r |= 1 << i
		}
	}
	return r
}

// names returns the names of the rules in the order of the rules page.
func (r rules) names() (out []string) {
	for i, name := range ruleNames {
		if r>>i&1 != 0 {
			out = append(out, name)
		}
	}
	return out
}
