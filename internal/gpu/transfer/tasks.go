package transfer

// Task is work for one worker.
type Task = func(worker int)

// InTurns interleaves lists.
func InTurns(lists ...[]Task) (work []Task) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l) {
				work, more = append(work, l[i]), true
			}
		}
	}
	return work
}

// Pieces cuts [lo, hi) into pieces of grain elements.
func Pieces(lo, hi, grain int, piece func(lo, hi int) Task) (work []Task) {
	for ; lo < hi; lo += grain {
		work = append(work, piece(lo, min(lo+grain, hi)))
	}
	return work
}
