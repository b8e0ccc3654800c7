package extsort

import (
	"example.com/sorter"
	"example.com/sorter/internal/spill"
)

// rows are elements in memory: as they came, then in order. They are those of a run that is
// filled, of one that is written, or of a part of a merge.
type rows[E any] interface {
	len() int
	bytes() int64  // of the elements on disk
	memory() int64 // bytes of pieces that were adopted, and of the elements in order

	// adopt takes the elements of a piece, and its memory.
	adopt(p piece[E])
	// reopen prepares rows in order for others. It frees memory of elements that were dropped.
	reopen()
	// roomy reports whether half of the room is free.
	roomy() bool
	// load takes the elements at places [begin, end) of a run from its blocks [from, to), whose
	// bytes are p. The error is errKeys if they do not fit.
	load(r *run[E], from, to int, p []byte, begin, end int64) error
	// reset drops all elements.
	reset()

	// sorted reports whether they are in order, and were so when the last of them came.
	sorted() bool
	// sort sorts the elements, stably, or makes them ready if they came in order. After an
	// error or a panic they are as they were.
	sort(inOrder bool, opts []sorter.Option) error
	// compact drops the elements that tie with the one before. They are in order.
	compact()
	// truncate drops all but the first n elements. They are in order.
	truncate(n int)
	// last returns the last element, which stays valid. The elements are in order.
	last() (E, error)
	// hand calls yield with batches of elements [lo, hi) in order, until it returns false, and
	// returns what it returned. A batch is valid during the call. Calls may be concurrent.
	hand(lo, hi int, yield func([]E) bool) bool
	// write writes all elements in order.
	write(w *runWriter[E]) error
	// release frees the memory.
	release()
}

// form is how elements are kept in memory and on disk. It divides the memory of a sort.
type form[E any] interface {
	// input returns rows for the first elements.
	input() rows[E]
	// next returns rows to fill while full is written. The rows before have been written.
	next(full rows[E]) rows[E]
	// waits reports whether there will be room in the rows that are filled once others are
	// written.
	waits(r rows[E]) bool
	// written frees the memory of rows that are on disk.
	written(r rows[E])

	// block returns the length of the blocks of the next run, of n elements that have a number
	// of bytes. It grows with what was written, so that the indices grow with the logarithm of
	// the input only.
	block(n, bytes int64) int
	// newWriter begins that run. It may be called on another goroutine.
	newWriter(n, bytes int64, block int, number uint64) (*runWriter[E], error)

	// share prepares for appenders, and returns rows with the elements of those that were filled.
	share(fill rows[E]) (rows[E], error)
	// join returns all elements of appenders, by appender.
	join(all []*Appender[E]) rows[E]
	// pieceLen returns the size of a piece with room for an encoding of a number of bytes, and
	// the most elements that it may have. So far, n elements have had some bytes.
	pieceLen(need int, bytes, n int64) (size, most int)
	// pieceBytes returns the memory of a piece.
	pieceBytes(size int) int64
	newPiece(size, most int) piece[E]
	// account returns the memory account, and count notes bytes of memory.
	account() *account
	count(bytes int64)

	// samples returns memory for elements, and a function that frees it. While runs are cut,
	// nothing else is in memory.
	samples(n int) ([]E, func())
	// mostSamples returns the largest number that may be asked for.
	mostSamples() int
	// find returns the place of a cut in block p: the number of its elements before e, or with
	// ties of those that do not come after it.
	find(d *loader, p []byte, e *E, ties bool) (int, error)
	// plan divides the memory for a merge of runs in which n goroutines each read and sort
	// parts, or for n = 0 different ones.
	plan(runs []*run[E], n int) plan
	// buffers returns memory for the parts of a plan.
	buffers(p plan) []rows[E]

	// held returns the most memory so far.
	held() int64
	// own makes the caller's what elements of a batch point to.
	own(batch []E)
	release()
}

// plan divides the memory of a merge.
type plan struct {
	readers int   // goroutines that read parts
	workers int   // goroutines that sort them
	buffers int   // of parts
	reader  int   // bytes of a reader's memory
	part    int64 // bytes of a part
	each    int64 // bytes that an element counts as at least
}

// elements returns the most elements of a part.
func (p *plan) elements() int { return int(p.part / p.each) }

// loader reads parts. It is for one goroutine.
type loader struct {
	reader  *spill.Reader
	offsets []int // of elements of a block
}
