package stonetowers_test

import (
	"fmt"

	"castellan/engine/stonetowers"
)

// A match is set up by options in text form and played by tokens.
func Example() {
	game := stonetowers.Game{}
	options, err := game.Options().Parse("width=5 height=4 turns=5")
	if err != nil {
		fmt.Println(err)
		return
	}
	position, err := game.New(options, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, token := range []string{"b2", "D3", "b2+", " d3 "} {
		action, err := position.Parse(token)
		if err == nil {
			position, err = position.Apply(action)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(position.Status())
	fmt.Print(position.(*stonetowers.Position).Text())
	// Output:
	// Squares: Red 5, Blue 5. Turn 5 of 10.
	//  4 .  .  .  b  .
	//  3 .  r  b  B2 b
	//  2 r  R2 r  b  .
	//  1 .  r  .  .  .
	//    a  b  c  d  e
}
