package stonesearch

// handWeights is a first guess.
func handWeights() *weights {
	w := &weights{tempo: [2]int{20 * unit, 20 * unit}, fade: 50}
	for p := range w.square {
		for level := range 4 {
			for lead := range mostLead + 1 {
				w.square[p][level][lead] = [2]int{
					(20 + 8*min(lead, 3) + 6*level) * unit,
					(60 + 8*min(lead, 2)) * unit,
				}
			}
		}
	}
	return w
}

var fitted = newWorth(handWeights())
