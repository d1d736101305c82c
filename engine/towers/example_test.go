package towers_test

import (
	"fmt"

	"castellan/engine/towers"
)

// A match is set up by options in text form and played by tokens.
func Example() {
	game := towers.Game{}
	options, err := game.Options().Parse("size=6 rules=tower-out")
	if err != nil {
		fmt.Println(err)
		return
	}
	position, err := game.New(options, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, token := range []string{"b2-c2", "end", "+1", "c6/b6"} {
		action, err := position.Parse(token)
		if err == nil {
			position, err = position.Apply(action)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Print(position.(*towers.Position).Text())
	fmt.Println(position.Status())
	// Output:
	// 6 r   r2# R   r   r   r
	//  5 r   r   r   r   r   r
	//  4 .   .   .   .   .   .
	//  3 .   .   .   .   .   .
	//  2 b   .   b2  b   b   b
	//  1 b   b   b   B   b   b
	//    a   b   c   d   e   f
	// Red has 0 of 2 move points left. Reserve: Blue 2, Red 1.
}
