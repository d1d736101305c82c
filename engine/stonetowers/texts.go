package stonetowers

import "castellan/engine"

// texts is never changed; Game.Texts returns copies.
var texts = engine.Texts{
	"stone-towers.name":    {Other: "Stone Towers"},
	"stone-towers.tagline": {Other: "Build castles, outweigh your opponent square by square, and own the larger empire in the end."},

	"stone-towers.option.width":       {Other: "Width of the board"},
	"stone-towers.option.width.help":  {Other: "Squares from left to right: from 4 to 16."},
	"stone-towers.option.height":      {Other: "Height of the board"},
	"stone-towers.option.height.help": {Other: "Squares from bottom to top: from 4 to 16."},
	"stone-towers.option.turns":       {Other: "Turns per player: 10 short, 20 standard, 40 long"},
	"stone-towers.option.turns.help":  {Other: "From 5 to 100 for each player. 10 make a short game, 20 a standard one, 40 a long one."},

	"stone-towers.reason.turns": {Other: "All turns are played, and the number of squares decides."},

	"stone-towers.step.pass": {Other: "Pass"},

	"stone-towers.red":  {Other: "Red"},
	"stone-towers.blue": {Other: "Blue"},

	"stone-towers.notation": {Other: "“{{.Token}}” is no action. An action is a square to build on, such as d4, a castle of yours to fortify, such as d4+ (d4 alone will do), or pass."},

	"stone-towers.illegal.foreign":        {Other: "“{{.Token}}” is no action of Stone Towers. An action is a square to build on, such as d4, a castle to fortify, such as d4+, or pass."},
	"stone-towers.illegal.over":           {Other: "The game is over: all turns are played."},
	"stone-towers.illegal.pass":           {Other: "You cannot pass: that is allowed only where nothing can be built or fortified, and you can play {{.Action}}, for example."},
	"stone-towers.illegal.beyond":         {Other: "There is no square {{.Square}}: this board goes from a1 to {{.Corner}}."},
	"stone-towers.illegal.castle":         {Other: "You cannot build on {{.Square}}: a castle of {{.Opponent}} stands there, and nobody builds on land of the opponent."},
	"stone-towers.illegal.land":           {Other: "You cannot build on {{.Square}}: it is land of {{.Opponent}}, and nobody builds on land of the opponent."},
	"stone-towers.illegal.build.own":      {Other: "You cannot build on {{.Square}}: a castle of yours stands there already; {{.Square}}+ fortifies it."},
	"stone-towers.illegal.level":          {Other: "You cannot fortify {{.Square}}: your castle there has level 3 already, and no castle is stronger."},
	"stone-towers.illegal.fortify.none":   {Other: "You cannot fortify {{.Square}}: you have no castle there; {{.Square}} without a plus builds one."},
	"stone-towers.illegal.fortify.theirs": {Other: "You cannot fortify {{.Square}}: the castle there is one of {{.Opponent}}, and only your own can be fortified."},

	"stone-towers.in.build":   {Other: "builds a castle"},
	"stone-towers.in.fortify": {Other: "to level {{.Level}}"},
	"stone-towers.in.gain":    {One: "{{.What}}, gains 1 square", Other: "{{.What}}, gains {{.Count}} squares"},
	"stone-towers.in.destroy": {One: "{{.What}}, destroys 1 castle", Other: "{{.What}}, destroys {{.Count}} castles"},

	"stone-towers.status":      {Other: "Squares: Red {{.Red}}, Blue {{.Blue}}; turn {{.Turn}} of {{.Turns}}."},
	"stone-towers.status.over": {Other: "Squares: Red {{.Red}}, Blue {{.Blue}}; all turns are played."},

	"stone-towers.squares":      {One: "1 square", Other: "{{.Count}} squares"},
	"stone-towers.squares.none": {Other: "no square"},
	"stone-towers.castles":      {One: "1 castle", Other: "{{.Count}} castles"},
	"stone-towers.castles.none": {Other: "no castle"},
	"stone-towers.free":         {One: "1 square is nobody’s.", Other: "{{.Count}} squares are nobody’s."},
	"stone-towers.free.none":    {Other: "Every square is owned."},

	"stone-towers.summary":        {Other: "Stone Towers on {{.Width}} by {{.Height}}. {{.Red}} {{.Blue}} {{.Free}} {{.Status}} {{.Turn}}"},
	"stone-towers.summary.player": {Other: "{{.Player}} owns {{.Squares}} and has {{.Castles}}."},

	"stone-towers.describe.board": {Other: "A board {{.Width}} squares wide and {{.Height}} high; each player has {{.Turns}} turns."},
	"stone-towers.describe.castles": {
		One:   "{{.Player}} has a castle of level {{.Level}} on {{.Squares}}.",
		Other: "{{.Player}} has castles of level {{.Level}} on {{.Squares}}.",
	},
	"stone-towers.describe.letters": {Other: "R and B are castles of Red and Blue with their level, r and b are flags on their land, a dot is a square of nobody."},

	"stone-towers.turn":         {Other: "{{.Player}} is to move and can build on {{.Squares}} or fortify {{.Castles}}."},
	"stone-towers.turn.build":   {Other: "{{.Player}} is to move and can build on {{.Squares}}."},
	"stone-towers.turn.fortify": {Other: "{{.Player}} is to move and can fortify {{.Castles}}."},
	"stone-towers.turn.pass":    {Other: "{{.Player}} is to move and has to pass: nothing can be built or fortified."},
	"stone-towers.won":          {Other: "{{.Player}} has won with the larger empire."},
	"stone-towers.drawn":        {Other: "The game is drawn: both empires are equally large."},
}
