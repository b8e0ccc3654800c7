package loops

// Count adds to counts the number of words that are equal to each of values.
func Count[C Code](words []C, values *[4]C, counts *[4]int) {
	for _, w := range words[countVectors(words, values, counts):] {
		for i, v := range values {
			if w == v {
				counts[i]++
			}
		}
	}
}
