package parquetsort

// Typed reports whether rows are sorted as Go values.
func Typed[T any](w *Writer[T]) bool { return w.typed != nil }
