package trails

import "castellan/engine"

// texts is never changed; Game.Texts returns copies.
var texts = engine.Texts{
	"trails.name":    {Other: "Trails and Towers"},
	"trails.tagline": {Other: "Draw your trail, gather speed, jump, and take more than half of the towers."},

	"trails.option.size":          {Other: "Size of the board"},
	"trails.option.size.help":     {Other: "Squares along an edge: an odd number from 5 to 21."},
	"trails.option.towers":        {Other: "Number of towers"},
	"trails.option.towers.help":   {Other: "From 1 to 9; whoever takes more than half of them wins."},
	"trails.option.distance":      {Other: "Distance of the towers"},
	"trails.option.distance.help": {Other: "How many squares lie between two towers on the diagonal, from 0 to 3."},

	"trails.reason.towers":         {Other: "The winner has taken more than half of the towers."},
	"trails.reason.opponent-stuck": {Other: "The opponent has no move left."},
	"trails.reason.self-stuck":     {Other: "The loser has left themselves without a move."},

	"trails.step.up":    {Other: "↑ Up"},
	"trails.step.down":  {Other: "↓ Down"},
	"trails.step.left":  {Other: "← Left"},
	"trails.step.right": {Other: "→ Right"},

	"trails.direction.up":    {Other: "up"},
	"trails.direction.down":  {Other: "down"},
	"trails.direction.left":  {Other: "left"},
	"trails.direction.right": {Other: "right"},

	"trails.unfit": {
		One:   "{{.Towers}} towers with a distance of {{.Distance}} do not fit on a board of {{.Size}} by {{.Size}}: choose 1 tower, or a board of at least {{.Wide}} by {{.Wide}}.",
		Other: "{{.Towers}} towers with a distance of {{.Distance}} do not fit on a board of {{.Size}} by {{.Size}}: choose at most {{.Count}} towers, or a board of at least {{.Wide}} by {{.Wide}}.",
	},
	"trails.unfit.any": {
		One:   "{{.Towers}} towers with a distance of {{.Distance}} do not fit on any board: choose a smaller distance, or 1 tower on {{.Size}} by {{.Size}}.",
		Other: "{{.Towers}} towers with a distance of {{.Distance}} do not fit on any board: choose a smaller distance, or at most {{.Count}} towers on {{.Size}} by {{.Size}}.",
	},

	"trails.notation": {Other: "“{{.Token}}” is no move. A move is up, down, left or right; u, d, l, r and arrows (↑ ↓ ← →) will do as well."},

	"trails.illegal.foreign":  {Other: "“{{.Token}}” is no move of Trails and Towers. A move is up, down, left or right."},
	"trails.illegal.over":     {Other: "The game is over: nobody can move any more."},
	"trails.illegal.occupied": {Other: "You cannot go {{.Direction}}: {{.Square}} is occupied, and without a boost you only reach a free square next to your head."},
	"trails.illegal.tower":    {Other: "You cannot go {{.Direction}}: the tower on {{.Square}} can be taken only with a boost, so by playing one direction at least twice in a row."},
	"trails.illegal.jump": {
		Other: "You cannot go {{.Direction}}: with a boost of {{.Boost}} the move is {{.Count}} squares long and ends on {{.Square}}, which is occupied. The way may be occupied, the end may not.",
	},
	"trails.illegal.beyond":     {Other: "You cannot go {{.Direction}}: {{.Head}} is at the edge, and there is nothing beyond it."},
	"trails.illegal.edge":       {Other: "You cannot go {{.Direction}}: a boost of {{.Boost}} would carry you over the edge, and {{.Square}}, the last square before it, is not free."},
	"trails.illegal.edge.tower": {Other: "You cannot go {{.Direction}}: a boost of {{.Boost}} would carry you over the edge, and a tower on the last square, here {{.Square}}, is not taken by a move that the edge cuts short."},

	"trails.in.reach": {Other: "reaches {{.Square}}"},
	"trails.in.jump":  {Other: "jumps to {{.Square}}"},
	"trails.in.edge":  {Other: "to the edge at {{.Square}}"},
	"trails.in.tower": {Other: "takes the tower on {{.Square}}"},

	"trails.status": {
		One:   "Towers taken: Blue {{.Blue}}, Red {{.Red}}; one wins.",
		Other: "Towers taken: Blue {{.Blue}}, Red {{.Red}}; {{.Count}} win.",
	},

	"trails.summary": {Other: "Trails and Towers on {{.Size}} by {{.Size}}. The head of Blue is on {{.Blue}}, that of Red on {{.Red}}. {{.Towers}} {{.Score}} {{.Turn}}"},

	"trails.describe.board": {
		One:   "A board of {{.Size}} by {{.Size}} squares with 1 tower.",
		Other: "A board of {{.Size}} by {{.Size}} squares with {{.Count}} towers.",
	},
	"trails.describe.blue":      {Other: "Blue has the head on {{.Square}}, went {{.Direction}} last, has a boost of {{.Boost}} and has taken {{.Taken}}."},
	"trails.describe.red":       {Other: "Red has the head on {{.Square}}, went {{.Direction}} last, has a boost of {{.Boost}} and has taken {{.Taken}}."},
	"trails.describe.blue.base": {Other: "Blue has not moved yet; the base and head is on {{.Square}}."},
	"trails.describe.red.base":  {Other: "Red has not moved yet; the base and head is on {{.Square}}."},
	"trails.describe.letters":   {Other: "B and R are the heads of Blue and Red, b and r their other squares, T is a free tower, a dot is a free square."},
	"trails.taken.none":         {Other: "no tower"},
	"trails.taken.some":         {One: "the tower on {{.Squares}}", Other: "the towers on {{.Squares}}"},
	"trails.free":               {Other: "Free towers: {{.Squares}}."},
	"trails.free.none":          {Other: "All towers are taken."},

	"trails.turn.blue": {Other: "Blue can go {{.Moves}}."},
	"trails.turn.red":  {Other: "Red can go {{.Moves}}."},
	"trails.won.blue":  {Other: "Blue has won. {{.Reason}}"},
	"trails.won.red":   {Other: "Red has won. {{.Reason}}"},
	"trails.to":        {Other: "{{.Direction}} to {{.Square}}"},
	"trails.list":      {Other: "{{.First}}, {{.Rest}}"},
}
