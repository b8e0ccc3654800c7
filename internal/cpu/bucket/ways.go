package bucket

import "example.com/sorter/internal/ways"

// orderFew returns the order of the codes of a bucket, in [lowest, lowest + span], by one of its ways; nil if none is done. Its memory is
// that of long runs of equal leading bits, see [SizeWorkersOf].
func (w *Worker[C]) orderFew(codes []C, lowest, span C) (order []uint32) {
	if !w.mayCrowd(len(codes), span) {
		return nil
	}
	code, ok := crowd(codes, lowest, span)
	ways.Take(ways.Crowd, ok, func() bool {
		order = w.orderCrowd(codes, lowest, code)
		return true
	})
	return order
}
