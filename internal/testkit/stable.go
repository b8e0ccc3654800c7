package testkit

// IsStable reports whether order is that of all codes, ties in input order: no other has each place
// before those of higher codes and before later ones of its own.
func IsStable(order []uint32, codes []uint64) bool {
	for i := 1; i < len(order); i++ {
		before, after := codes[order[i-1]], codes[order[i]]
		if before > after || before == after && order[i-1] >= order[i] {
			return false
		}
	}
	return len(order) == len(codes)
}
