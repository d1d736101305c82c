package trails_test

import (
	"fmt"

	"castellan/engine/trails"
)

// A match is set up by options in text form and played by tokens.
func Example() {
	game := trails.Game{}
	options, err := game.Options().Parse("size=5 towers=1 distance=0")
	if err != nil {
		fmt.Println(err)
		return
	}
	position, err := game.New(options, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, token := range []string{"down", "up", "d", "←"} {
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
	// Trails and Towers, a board of 5 by 5. The head of Blue is on a2, that of Red on d2. Free towers: c3. Towers: Blue 0, Red 0. One tower is needed to win. Blue can go down to a1, right to b2.
}
