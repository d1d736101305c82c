package rings

import "castellan/engine"

// texts is never changed; Game.Texts returns copies.
var texts = engine.Texts{
	"rings.name":    {Other: "Rings"},
	"rings.tagline": {Other: "Spread your influence over interlocking circles, convert stones and close rings."},

	"rings.option.side":      {Other: "Side of the board"},
	"rings.option.side.help": {Other: "Circles along an edge, from 3 (19 circles, quick) to 6 (91 circles)."},

	"rings.reason.passes": {Other: "Everybody has passed; the highest score wins."},
	"rings.reason.alone":  {Other: "Everybody else has retired."},

	"rings.step.pass": {Other: "Pass"},
	"rings.step.end":  {Other: "End turn"},

	"rings.seat.blue":   {Other: "● Blue"},
	"rings.seat.red":    {Other: "◆ Red"},
	"rings.seat.gold":   {Other: "▲ Gold"},
	"rings.seat.green":  {Other: "■ Green"},
	"rings.seat.violet": {Other: "✚ Violet"},
	"rings.seat.white":  {Other: "▼ White"},

	"rings.notation": {Other: "“{{.Token}}” is no action. Place a stone on a point, such as {{.Point}}, or pass; then convert circles by their number, such as {{.Circle}}, and end."},

	"rings.illegal.foreign":  {Other: "“{{.Token}}” is no action of Rings. Place a stone on a point, such as {{.Point}}, or pass; then convert circles by their number, such as {{.Circle}}, and end."},
	"rings.illegal.over":     {Other: "The game is over: everybody has passed, or only one is left."},
	"rings.illegal.column":   {Other: "There is no point {{.Point}}: the columns of this board are A to {{.Last}}."},
	"rings.illegal.row":      {Other: "There is no point {{.Point}}: column {{.Column}} has a point in every second row, from {{.Column}}{{.First}} to {{.Column}}{{.Last}}."},
	"rings.illegal.circle":   {Other: "There is no circle {{.Circle}}: the circles of this board are numbered from 1 to {{.Last}}."},
	"rings.illegal.occupied": {Other: "{{.Point}} is not empty: a stone of {{.Owner}} lies there, and stones are placed on empty points only."},
	"rings.illegal.placed":   {Other: "You have placed a stone or passed in this turn already: now you can convert circles, or end the turn."},
	"rings.illegal.pass":     {Other: "You can pass only at the start of a turn, instead of placing a stone: now you can convert circles, or end the turn."},
	"rings.illegal.end":      {Other: "A turn starts with a stone or a pass: do one of them before you end it."},
	"rings.illegal.first":    {Other: "You cannot convert circle {{.Circle}} yet: a turn starts with a stone or a pass, and conversions come after it."},
	"rings.illegal.majority": {Other: "You do not have the majority on circle {{.Circle}}: your influence is {{.Own}}, and it must be greater than the influence of all others and the empty points together, which is {{.Others}}."},
	"rings.illegal.safe":     {Other: "There is nothing to convert on circle {{.Circle}}: the stones of others there are safe in their rings."},
	"rings.illegal.nothing":  {Other: "There is nothing to convert on circle {{.Circle}}: it has no stone of anybody else."},

	"rings.retire.over":   {Other: "The game is over: nobody can retire any more."},
	"rings.retire.nobody": {Other: "There is no seat {{.Seat}}."},
	"rings.retire.twice":  {Other: "Seat {{.Seat}} has retired already."},
	"rings.retire.open":   {Other: "Seat {{.Seat}} can retire at the start of a turn only: the actions of the open turn must be taken back first."},

	"rings.in.ring": {
		One:   "closes ring {{.Circles}}",
		Other: "closes rings {{.Circles}}",
	},
	"rings.in.majority": {Other: "wins the majority on {{.Circles}}"},
	"rings.in.on": {
		One:   "on circle {{.Circles}}",
		Other: "on circles {{.Circles}}",
	},
	"rings.in.takes": {
		One:   "takes 1 stone",
		Other: "takes {{.Count}} stones",
	},
	"rings.in.takes.ring": {
		One:   "takes 1 stone, {{.Ring}}",
		Other: "takes {{.Count}} stones, {{.Ring}}",
	},

	"rings.score":  {Other: "{{.Seat}} {{.Score}}"},
	"rings.status": {Other: "Circles held: {{.Scores}}."},

	"rings.summary": {
		One:   "Rings on {{.Circles}} circles. {{.Scores}} 1 point is empty. {{with .Passed.String}}{{.}} {{end}}{{.Turn}}",
		Other: "Rings on {{.Circles}} circles. {{.Scores}} {{.Count}} points are empty. {{with .Passed.String}}{{.}} {{end}}{{.Turn}}",
	},

	"rings.describe.board": {
		One:   "A board of {{.Circles}} circles for {{.Seats}} players; of its {{.Points}} points 1 is empty.",
		Other: "A board of {{.Circles}} circles for {{.Seats}} players; of its {{.Points}} points {{.Count}} are empty.",
	},
	"rings.describe.seat": {
		One:   "{{.Seat}} has 1 stone, {{.Rings}} and {{.Held}}.",
		Other: "{{.Seat}} has {{.Count}} stones, {{.Rings}} and {{.Held}}.",
	},
	"rings.describe.retired": {
		One:   "{{.Seat}} has retired, and still has 1 stone, {{.Rings}} and {{.Held}}.",
		Other: "{{.Seat}} has retired, and still has {{.Count}} stones, {{.Rings}} and {{.Held}}.",
	},
	"rings.rings": {
		One:   "a ring on circle {{.Circles}}",
		Other: "{{.Count}} rings on circles {{.Circles}}",
	},
	"rings.rings.none": {Other: "no ring"},
	"rings.held": {
		One:   "the majority on 1 circle ({{.Circles}})",
		Other: "the majority on {{.Count}} circles ({{.Circles}})",
	},
	"rings.held.none": {Other: "no majority"},
	"rings.describe.letters": {
		Other: "Letters are stones, capitals are safe in a ring: {{.Letters}}. A dot is an empty point, a number between points is that of their circle.",
	},
	"rings.letter.blue":   {Other: "b Blue"},
	"rings.letter.red":    {Other: "r Red"},
	"rings.letter.gold":   {Other: "g Gold"},
	"rings.letter.green":  {Other: "n Green"},
	"rings.letter.violet": {Other: "v Violet"},
	"rings.letter.white":  {Other: "w White"},

	"rings.passes": {Other: "Passed in a row: {{.Seats}}."},

	"rings.turn.place": {Other: "{{.Seat}} can place a stone or pass."},
	"rings.turn.pass":  {Other: "{{.Seat}} can only pass: no point is empty."},
	"rings.turn.end":   {Other: "{{.Seat}} has nothing to convert and can only end the turn."},
	"rings.turn.convert": {
		One:   "{{.Seat}} can convert circle {{.Circles}} or end the turn.",
		Other: "{{.Seat}} can convert circles {{.Circles}} or end the turn.",
	},
	"rings.won": {
		One:   "{{.Seats}} has won. {{.Reason}}",
		Other: "{{.Seats}} share the win. {{.Reason}}",
	},
	"rings.list": {Other: "{{.First}}, {{.Rest}}"},
}
