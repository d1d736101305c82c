package towers

import "castellan/engine"

// texts is never changed; Game.Texts returns copies.
var texts = engine.Texts{
	"towers.name":    {Other: "Towers"},
	"towers.tagline": {Other: "Build towers of pawns, spend your move points well, and take the opponent’s master."},

	"towers.option.size":       {Other: "Size of the board"},
	"towers.option.size.help":  {Other: "Squares along an edge, from 5 to 10. Each player has that many pawns less 4 in reserve."},
	"towers.option.rules":      {Other: "Specific rules"},
	"towers.option.rules.help": {Other: "Any of the seven specific rules, joined by +, or none."},

	"towers.option.rules.tower-out":            {Other: "one pawn can leave any tower of yours"},
	"towers.option.rules.lock-after-move":      {Other: "a tower is locked wherever it arrives"},
	"towers.option.rules.lock-split-tower":     {Other: "a tower that a pawn leaves is locked"},
	"towers.option.rules.import-first":         {Other: "imports only before other actions"},
	"towers.option.rules.no-first-lock-master": {Other: "Blue’s master is free in the first turn"},
	"towers.option.rules.master-at-corner":     {Other: "the masters start in corners"},
	"towers.option.rules.no-master-win":        {Other: "a master cannot take the other master"},

	"towers.rule.tower-out":            {Other: "a pawn can be taken out of any own tower, not just the master’s"},
	"towers.rule.lock-after-move":      {Other: "whatever moves is locked where it arrives, on an empty square too"},
	"towers.rule.lock-split-tower":     {Other: "taking a pawn out of a tower locks that tower"},
	"towers.rule.import-first":         {Other: "imports come before any other action of the turn"},
	"towers.rule.no-first-lock-master": {Other: "Blue’s master is not locked in the first turn"},
	"towers.rule.master-at-corner":     {Other: "the masters start in opposite corners"},
	"towers.rule.no-master-win":        {Other: "a master cannot capture the enemy master"},

	"towers.reason.master":     {Other: "The opponent’s master is taken."},
	"towers.reason.passes":     {Other: "Both players passed, one after the other."},
	"towers.reason.repetition": {Other: "The positions after two successive turns had both stood before."},

	"towers.step.+":   {Other: "Import"},
	"towers.step./":   {Other: "Take a pawn out"},
	"towers.step.end": {Other: "End turn"},

	"towers.notation": {Other: "“{{.Token}}” is no action. Write b2-b4 to move a tower, e1/f1 to take one pawn out of a tower, +2 to import two pawns, or end."},

	"towers.illegal.foreign":  {Other: "“{{.Token}}” is no action of Towers. Write b2-b4, e1/f1, +2 or end."},
	"towers.illegal.over":     {Other: "The game is over: nobody can act any more."},
	"towers.illegal.board":    {Other: "{{.Square}} is not on this board of {{.Size}} by {{.Size}} squares."},
	"towers.illegal.own":      {Other: "There is no tower or pawn of yours on {{.Square}}."},
	"towers.illegal.straight": {Other: "{{.To}} does not lie in a straight line from {{.From}}: a move goes up, down, left or right."},
	"towers.illegal.way":      {Other: "The way from {{.From}} to {{.To}} is not empty: something stands on {{.Square}}."},
	"towers.illegal.points": {
		One:   "{{.Token}} costs {{.Cost}}, and you have 1 move point left.",
		Other: "{{.Token}} costs {{.Cost}}, and you have {{.Count}} move points left.",
	},
	"towers.illegal.locked":       {Other: "{{.Square}} is locked until the end of the turn: nothing moves from, onto or out of it, and no pawn is imported there."},
	"towers.illegal.locked.first": {Other: "{{.Square}} is locked: during the very first turn of the game the master of the player who begins can do nothing."},
	"towers.illegal.out.single":   {Other: "No pawn can be taken out of {{.Square}}: what stands there is only 1 high."},
	"towers.illegal.out.tower":    {Other: "No pawn can be taken out of {{.Square}}: only the master’s tower gives pawns, unless the rule tower-out is in force."},
	"towers.illegal.import.first": {Other: "Pawns are imported only before any other action of the turn: the rule import-first is in force."},
	"towers.illegal.raise":        {Other: "A tower of {{.Count}} cannot go onto your own tower on {{.Square}}: a tower is raised by one single pawn at a time."},
	"towers.illegal.raise.master": {Other: "A master may only be moved onto a single pawn, and the tower on {{.Square}} is {{.Height}} high."},
	"towers.illegal.attack": {
		One:   "The tower on {{.Square}} is {{.Height}} high: an attack takes a tower of at most the mover’s height, and that is 1.",
		Other: "The tower on {{.Square}} is {{.Height}} high: an attack takes a tower of at most the mover’s height, and that is {{.Count}}.",
	},
	"towers.illegal.master": {Other: "A master cannot capture the enemy master on {{.Square}}: the rule no-master-win is in force."},

	"towers.in.move":      {Other: "{{.Who}}, costs {{.Count}}"},
	"towers.in.move.onto": {Other: "{{.Who}}, {{.Does}}, costs {{.Count}}"},
	"towers.in.import":    {One: "puts 1 pawn on the master", Other: "puts {{.Count}} pawns on the master"},
	"towers.in.pass":      {Other: "passes"},
	"towers.in.end":       {One: "leaves 1 move point", Other: "leaves {{.Count}} move points"},
	"towers.who":          {One: "pawn", Other: "tower of {{.Count}}"},
	"towers.who.master":   {One: "master", Other: "master’s tower of {{.Count}}"},
	"towers.who.out":      {Other: "pawn out of the tower"},
	"towers.does.raise":   {Other: "raises {{.Square}} to {{.Count}}"},
	"towers.does.attack":  {One: "takes the pawn on {{.Square}}", Other: "takes the tower of {{.Count}} on {{.Square}}"},
	"towers.does.capture": {One: "captures the pawn on {{.Square}}", Other: "captures the tower of {{.Count}} on {{.Square}}"},
	"towers.does.win":     {Other: "takes the master on {{.Square}} and wins"},

	"towers.blue":    {Other: "Blue"},
	"towers.red":     {Other: "Red"},
	"towers.reserve": {Other: "Reserve: Blue {{.Blue}}, Red {{.Red}}."},
	"towers.status":  {Other: "Move points left: {{.Left}} of {{.Of}}. {{.Reserve}}"},
	"towers.summary": {Other: "Towers on {{.Size}} by {{.Size}}. {{.Blue}} {{.Red}} {{.Status}} {{.Turn}}"},

	"towers.describe.board": {Other: "A board of {{.Size}} by {{.Size}} squares."},
	"towers.describe.rule":  {Other: "Specific rule {{.Rule}}: {{.Effect}}."},
	"towers.describe.signs": {Other: "b and r are pawns of Blue and Red, B and R their masters; a number is the height of a tower, # marks what is locked, a dot is an empty square."},
	"towers.side":           {Other: "{{.Who}} has {{.Master}}, {{.Towers}}, {{.Pawns}}."},
	"towers.master.at":      {One: "the master on {{.Square}}", Other: "the master on {{.Square}} in a tower of {{.Count}}"},
	"towers.master.gone":    {Other: "no master any more"},
	"towers.towers":         {One: "a tower on {{.Squares}}", Other: "towers on {{.Squares}}"},
	"towers.towers.none":    {Other: "no tower"},
	"towers.pawns":          {One: "a pawn on {{.Squares}}", Other: "pawns on {{.Squares}}"},
	"towers.pawns.none":     {Other: "no pawn"},
	"towers.locked":         {Other: "Locked until the end of the turn: {{.Squares}}."},
	"towers.locked.none":    {Other: "Nothing is locked."},

	"towers.turn":  {Other: "It is the turn of {{.Who}}."},
	"towers.won":   {Other: "{{.Who}} has won. {{.Reason}}"},
	"towers.drawn": {Other: "The game is drawn. {{.Reason}}"},
}
