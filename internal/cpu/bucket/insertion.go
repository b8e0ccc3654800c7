package bucket

// insertion sorts words or codes by insertion sort.
func insertion[C Code](words []C) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		j := i
		for ; j > 0 && words[j-1] > x; j-- {
			words[j] = words[j-1]
		}
		words[j] = x
	}
}

// insertionBy sorts places by their codes. Places ascend, so ties stay in order.
func insertionBy[C Code](places []uint32, codes []C) {
	for i := 1; i < len(places); i++ {
		x := places[i]
		c := codes[x]
		j := i
		for ; j > 0 && codes[places[j-1]] > c; j-- {
			places[j] = places[j-1]
		}
		places[j] = x
	}
}

// InsertPairs sorts codes, and numbers with them, by insertion; ties stay as they are.
func InsertPairs[C Code, T uint32 | uint64](codes []C, order []T) {
	for i := 1; i < len(codes); i++ {
		c, o := codes[i], order[i]
		j := i
		for ; j > 0 && codes[j-1] > c; j-- {
			codes[j], order[j] = codes[j-1], order[j-1]
		}
		codes[j], order[j] = c, o
	}
}
