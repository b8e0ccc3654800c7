package loops

// PartCrowd writes the places of codes that are a given one to places, and those of the others, and their codes,
// to others and own. All have the length of codes. It returns the number of the former.
func PartCrowd[C Code](places, others []uint32, own, codes []C, code C) (crowded int) {
	n := len(codes)
	places, others, own = places[:n], others[:n], own[:n]
	crowded, done := partCrowdVectors(places, others, own, codes, code)
	for i := done; i < n; i++ { // no branch: it would be mispredicted
		k := uint(i - crowded)
		if k >= uint(n) || uint(crowded) >= uint(n) {
			break // never: the compiler knows no bound of either
		}
		own[k], others[k], places[crowded] = codes[i], uint32(i), uint32(i)
		same := 0
		if codes[i] == code {
			same = 1
		}
		crowded += same
	}
	return crowded
}
