package rings_test

import (
	"fmt"

	"castellan/engine/rings"
)

// A match is set up by options in text form and played by tokens.
func Example() {
	game := rings.Game{}
	options, err := game.Options().Parse("side=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	position, err := game.New(options, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, token := range []string{"G5", "end", "h6", "end", "F5", "end", "pass", "end", "E6", "end", "pass", "end", "F7", "10"} {
		action, err := position.Parse(token)
		if err == nil {
			position, err = position.Apply(action)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(position.Summary())
	// Output:
	// Rings, a board of 19 circles. Circles held: ● Blue 1, ◆ Red 0. 49 points are empty. Blue has nothing to convert and can only end the turn.
}
