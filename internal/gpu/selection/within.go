package selection

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/segments"
	"example.com/sorter/kernels"
)

// WithinInput is codes in segments, of which the K lowest of each are wanted.
type WithinInput struct {
	segments.Input
	K int
}

// WithinModules has the kernels of selections within segments.
var WithinModules = []*device.Module{{Image: kernels.TopSegments, Kernels: withinKernels()}}

func withinKernels() map[string]int {
	k := map[string]int{"split_tops": 0}
	for _, wide := range []bool{false, true} {
		width, tops, rows := codes.Width(wide), topShared(wide), rowsShared(wide)
		k["top_segments"+width], k["top_joined"+width] = tops, tops
		k["sort_rows"+width], k["first_rows"+width], k["ranked_rows"+width] = rows, 0, 0
	}
	return k
}

func topShared(wide bool) int {
	if wide {
		return kernels.TopSharedU64
	}
	return kernels.TopSharedU32
}

func rowsShared(wide bool) int {
	if wide {
		return kernels.TopRowsSharedU64
	}
	return kernels.TopRowsSharedU32
}

// shortest is the mean number of elements of a segment below which a sort of all segments, several in a block, takes less
// time than a block for each.
const shortest = 256

// Within writes the K lowest elements of each segment, in stable order, to K places for each segment. Places after the
// elements of a shorter segment are not written. It returns when the device is done. Offsets that descend or exceed the
// codes are an error; nothing is written then. whole sorts large segments where all are sorted.
func Within(w *device.Workspace, in WithinInput, whole codes.Whole, to Result) error {
	switch {
	case in.Count == 0 || in.K == 0:
		return nil
	case in.K > kernels.TopMost || in.N/in.Count < shortest:
		return withinSorted(w, in, whole, to)
	}
	if err := w.Load(WithinModules); err != nil {
		return err
	}
	note, err := device.Pinned[tops](w)
	if err != nil {
		return err
	}
	c := withinCall{w: w, in: in, to: to, note: note}
	block, err := w.Lay(func(a *device.Area) { c.withinHead = layOutHead(a, in.N) })
	if err != nil {
		return err
	}
	defer w.Put(block)
	if err := c.split(); err != nil {
		return err
	}
	block, err = w.Lay(func(a *device.Area) { c.rows, c.parts = c.layOutRows(a) })
	if err != nil {
		return err
	}
	defer w.Put(block)
	q := w.Queue()
	c.find(&q)
	return q.Sync()
}

// tops is struct TopCounts of topsegments.cuh.
type tops struct{ wrong, joined, pieces uint32 }

const topsBytes = int(unsafe.Sizeof(tops{}))

// withinHead is the device memory of each selection: counts, and the lists of long segments and of their pieces.
type withinHead struct{ counts, joined, pieces cuda.Ptr }

func layOutHead(a *device.Area, n int) withinHead {
	long := n/kernels.TopPiece + 1
	return withinHead{a.Take(topsBytes), a.Take(kernels.TopJoinedBytes * long), a.Take(kernels.TopPieceBytes * 2 * long)}
}

type withinCall struct {
	withinHead
	rows, parts Result // of segments, and of pieces
	w           *device.Workspace
	in          WithinInput
	to          Result
	note        *tops
}

// split checks the offsets and cuts long segments.
func (c *withinCall) split() error {
	q, in := c.w.Queue(), c.in
	q.Fill(c.counts, 0, topsBytes/4)
	grid := min(8*c.w.Info.SMs, (in.Count-1)/kernels.TopSplitThreads+1)
	q.Run("split_tops", grid, kernels.TopSplitThreads, 0, uint64(in.Offsets), uint64(in.Count), uint64(in.N), uint64(c.counts), uint64(c.joined), uint64(c.pieces))
	q.ToHost(unsafe.Pointer(c.note), c.counts, topsBytes)
	if err := q.Sync(); err != nil {
		return err
	}
	return segments.Wrong(int(c.note.wrong), in.Input)
}

// inBlocks reports whether blocks sort rows; otherwise rows are sorted afterwards, and have codes and positions until then.
func (c *withinCall) inBlocks() bool { return c.in.K <= kernels.TopRanked }

// layOutRows returns the rows of segments, which are the results as far as these are wanted, and those of pieces.
func (c *withinCall) layOutRows(a *device.Area) (rows, parts Result) {
	rows = c.to
	if !c.inBlocks() && rows.Order == 0 {
		rows.Order = a.Take(4 * c.in.K * c.in.Count)
	}
	if !c.inBlocks() && rows.Sorted == 0 {
		rows.Sorted = a.Take(c.in.Size() * c.in.K * c.in.Count)
	}
	pieces := int(c.note.pieces)
	return rows, Result{a.Take(4*c.in.K*pieces + 1), a.Take(c.in.Size()*c.in.K*pieces + 1)} // a block has a byte or more
}

// mostBlocks bounds the blocks of a launch.
const mostBlocks = 1 << 20

func (c *withinCall) find(q *device.Queue) {
	in, width, shared, inOrder := c.in, codes.Width(c.in.Wide), topShared(c.in.Wide), uint64(0)
	if c.inBlocks() {
		inOrder = 1
	}
	tops := func(offsets cuda.Ptr, stride, segments int, inOrder uint64, rows Result) {
		q.Run("top_segments"+width, min(segments, mostBlocks), kernels.TopThreads, shared, uint64(in.Codes), uint64(offsets),
			uint64(stride), uint64(segments), kernels.TopPiece, uint64(in.K), inOrder, uint64(rows.Sorted), uint64(rows.Order))
	}
	tops(in.Offsets, 1, in.Count, inOrder, c.rows)
	if c.note.pieces > 0 {
		tops(c.pieces, kernels.TopPieceBytes/4, int(c.note.pieces), inOrder, c.parts)
		q.Run("top_joined"+width, int(c.note.joined), kernels.TopThreads, shared, uint64(c.joined), uint64(c.pieces),
			uint64(c.parts.Sorted), uint64(c.parts.Order), uint64(in.K), inOrder, uint64(c.rows.Sorted), uint64(c.rows.Order))
	}
	if !c.inBlocks() {
		q.Run("sort_rows"+width, (in.Count-1)/kernels.TopRowWarps+1, 32*kernels.TopRowWarps, rowsShared(in.Wide),
			uint64(in.Offsets), uint64(in.Count), uint64(in.K), uint64(c.rows.Sorted), uint64(c.rows.Order))
	}
}

// withinSorted takes the first places of each segment of their order.
func withinSorted(w *device.Workspace, in WithinInput, whole codes.Whole, to Result) error {
	order, err := w.Take(4 * in.N)
	if err != nil {
		return err
	}
	defer w.Put(order)
	if err := segments.Sort(w, in.Input, whole, order.At); err != nil {
		return err
	}
	q := w.Queue()
	q.Load(WithinModules)
	q.Run("first_rows"+codes.Width(in.Wide), 8*w.Info.SMs, kernels.TopSplitThreads, 0, uint64(in.Codes), uint64(in.Offsets), uint64(in.Count), uint64(in.K), uint64(order.At), uint64(to.Sorted), uint64(to.Order))
	return q.Sync()
}

// RanksWithin writes the elements of some ranks of each segment to a row of as many places: ranks are numbers from 0, or
// quantiles, the bits of a float64 in [0, 1] each. Places of ranks that a segment lacks are not written. All segments are sorted.
// Otherwise it is like [Within].
func RanksWithin(w *device.Workspace, in segments.Input, ranks []uint64, quantiles bool, whole codes.Whole, to Result) error {
	if in.Count == 0 || len(ranks) == 0 {
		return nil
	}
	var order, at cuda.Ptr
	block, err := w.Lay(func(a *device.Area) { order, at = a.Take(4*in.N+1), a.Take(8*len(ranks)) })
	if err != nil {
		return err
	}
	defer w.Put(block)
	if err := segments.Sort(w, in, whole, order); err != nil {
		return err
	}
	flag := uint64(0)
	if quantiles {
		flag = 1
	}
	q := w.Queue()
	q.Load(WithinModules)
	q.ToDevice(at, unsafe.Pointer(&ranks[0]), 8*len(ranks))
	q.Run("ranked_rows"+codes.Width(in.Wide), 8*w.Info.SMs, kernels.TopSplitThreads, 0,
		uint64(in.Codes), uint64(in.Offsets), uint64(in.Count), uint64(at), uint64(len(ranks)), flag, uint64(order), uint64(to.Sorted), uint64(to.Order))
	return q.Sync()
}
