package parquetsort

// Typed reports whether rows are sorted as Go values.
func Typed[T any](w *Writer[T]) bool { return w.typed != nil }

// Shrink makes blocks and the memory of merges so small that merges of few rows take many rounds,
// until Reset or WriteRows.
func Shrink[T any](w *Writer[T]) {
	if w.typed != nil {
		w.typed.block, w.typed.least = 3, 20
	} else {
		w.rows.block, w.rows.least = 3, 20
	}
}
