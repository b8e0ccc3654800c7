package extsort

import (
	"example.com/sorter"
	"example.com/sorter/internal/spill"
)

// rows are elements in memory: as they came, then in order. They are those of a run that is
// filled, of one that is written, or of a part of a merge.
type rows[E any] interface {
	Len() int
	Bytes() int64  // of the elements on disk
	Memory() int64 // bytes of pieces that were adopted, and of the elements in order

	// Adopt takes the elements of a piece, and its memory.
	Adopt(p piece[E])
	// Reopen prepares rows in order for others. It frees memory of elements that were dropped.
	Reopen()
	// HalfFree reports whether half of the memory is free.
	HalfFree() bool
	// Load takes the elements at places [begin, end) of a run from its blocks [from, to), whose
	// bytes are p. The error is errKeys if they do not fit.
	Load(r *run[E], from, to int, p []byte, begin, end int64) error
	// Reset drops all elements.
	Reset()

	// Sorted reports whether they are in order, and were so when the last of them came.
	Sorted() bool
	// Sort sorts the elements, stably, or makes them ready if they came in order. After an
	// error or a panic they are as they were.
	Sort(inOrder bool, opts []sorter.Option) error
	// Compact drops the elements that tie with the one before, which is before for the first; nil:
	// there is none. They are in order.
	Compact(before *E)
	// Truncate drops all but the first n elements. They are in order.
	Truncate(n int)
	// Last returns the last element, which stays valid. The elements are in order.
	Last() (E, error)
	// LastBytes returns the bytes that it takes beyond the size of its type.
	LastBytes() int64
	// Hand calls yield with batches of elements [lo, hi) in order, until it returns false, and
	// reports whether it never did. A batch is valid during the call. Calls may be concurrent.
	Hand(lo, hi int, yield func([]E) bool) bool
	// Write writes all elements in order.
	Write(w *runWriter[E]) error
	// Release frees the memory.
	Release()
}

// form is how elements are kept in memory and on disk. It divides the memory of a sort.
type form[E any] interface {
	// Input returns rows for the first elements.
	Input() rows[E]
	// Next returns rows to fill while full is written. The rows before have been written.
	Next(full rows[E]) rows[E]
	// Waits reports whether there will be space in the rows that are filled once others are
	// written.
	Waits(r rows[E]) bool
	// Written frees the memory of rows that are on disk.
	Written(r rows[E])

	// Block returns the length of the blocks of the next run, of n elements that have a number
	// of bytes. It grows with the bytes written, so that the indices grow with the logarithm of
	// the input only.
	Block(n, bytes int64) int
	// NewWriter begins that run. It may be called on another goroutine.
	NewWriter(n, bytes int64, block int, number uint64) (*runWriter[E], error)

	// Restore returns a kept run of n elements, whose blocks are of one size or not.
	Restore(bytes *spill.Run, same bool, n int64) (*run[E], error)
	// IndexBytes returns the memory of the index of a run, without that of its spill.Run.
	IndexBytes(r *run[E]) int64

	// Share prepares for appenders, and returns rows with the elements of those that were filled.
	Share(fill rows[E]) (rows[E], error)
	// Join returns all elements of appenders, by appender, none of which are in order. It is nil, and
	// they stay, if they cannot be sorted together. It moves them if their pieces, which need not be
	// full, take too much for that.
	Join(all []*Appender[E]) rows[E]
	// PieceLen returns the size of a piece with room for an encoding of a number of bytes, and
	// the most elements that it may have. So far, n elements have had some bytes.
	PieceLen(need int, bytes, n int64) (size, most int)
	// PieceBytes returns the memory of a piece.
	PieceBytes(size int) int64
	NewPiece(size, most int) piece[E]
	// Account returns the memory account, or nil, and Count notes bytes of memory.
	Account() *account
	Count(bytes int64)

	// Find returns the place of a cut in block p: the number of its elements before e, or with
	// ties of those that do not come after it.
	Find(d *loader, p []byte, e *E, ties bool) (int, error)
	// Plan divides the memory for a merge of runs in which n goroutines each read and sort parts, or for
	// n = 0 different ones. It tries to leave some bytes. If together is set, elements that tie are in
	// one part.
	Plan(runs []*run[E], n int, together bool, less int64) plan
	// Unused returns the memory that a merge of a plan leaves.
	Unused(p plan) int64
	// Buffers returns memory for the parts of a plan.
	Buffers(p plan) []rows[E]

	// Held returns the most memory so far.
	Held() int64
	// Own makes the caller's what elements of a batch point to.
	Own(batch []E)
	Release()
}

// plan divides the memory of a merge.
type plan struct {
	readers int   // goroutines that read parts
	workers int   // goroutines that sort them
	handing int   // goroutines that hand them out
	buffers int   // of parts
	reader  int   // bytes of a reader's memory
	ahead   int   // bytes that the only reader reads ahead at a time; there is memory for twice as many
	ends    int64 // bytes for the last blocks of parts, of each who loads parts in order
	part    int64 // bytes of a part
	each    int64 // bytes that an element counts as at least
	less    int64 // bytes that indices and cuts take beyond the share of indices; if negative, they leave some of it
	beyond  int64 // further ones, for which there is no memory
}

// elements returns the most elements of a part.
func (p *plan) elements() int { return int(p.part / p.each) }

// loader reads parts. It is for one goroutine.
type loader struct {
	reader  *spill.Reader
	memory  []byte        // of the reader
	ahead   []byte        // of blocks that are read ahead
	wanted  []spill.Range // of a call of Fetch
	fetched int           // number of the first slice, of all parts, after those that were fetched
	half    int           // number of the first slice of the last fetch
	offsets []int         // of elements of a block
	ends    *ends         // shared by those that load the parts of a range
	end     []byte        // the block that it has of them
}
