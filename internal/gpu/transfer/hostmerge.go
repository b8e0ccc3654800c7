package transfer

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/scratch"
)

// hostRun is a run in host memory: sorted codes and their positions, nil if only keys are
// sorted.
type hostRun[W codes.Word] struct {
	codes     []W
	positions []uint32
}

func takeRun[W codes.Word](job *engine.Job, n int) hostRun[W] {
	run := hostRun[W]{codes: scratch.Take[W](&job.Arena, n)}
	if !TakesCodes(job) {
		run.positions = scratch.Take[uint32](&job.Arena, n)
	}
	return run
}

// runBytes bounds the host memory, in bytes, of a run of n elements.
func runBytes[W codes.Word](job *engine.Job, n int) int64 {
	bytes := scratch.Size(n, unsafe.Sizeof(W(0)))
	if !TakesCodes(job) {
		bytes += scratch.Size(n, 4)
	}
	return bytes
}

func (r *hostRun[W]) give(job *engine.Job) {
	scratch.Give(&job.Arena, r.codes, 1)
	scratch.Give(&job.Arena, r.positions, 1)
	*r = hostRun[W]{}
}

func (r hostRun[W]) cut(lo, hi int) hostRun[W] {
	if r.positions == nil {
		return hostRun[W]{codes: r.codes[lo:hi]}
	}
	return hostRun[W]{r.codes[lo:hi], r.positions[lo:hi]}
}

// merger merges parts of runs, one window at a time, in memory of its own.
type merger[W codes.Word] struct {
	windowRuns            [2]hostRun[W] // one window each
	parts                 []hostRun[W]
	from, at, end, middle []int // by run
}

// MergeWindow is the number of elements merged at a time: everything between the runs and the
// result stays in the second-level cache.
const MergeWindow = 1 << 14

// MergePiece is the number of elements that one task merges.
const MergePiece = 8 * MergeWindow

func newMerger[W codes.Word](job *engine.Job, runs int) *merger[W] {
	m := &merger[W]{from: make([]int, runs), at: make([]int, runs), end: make([]int, runs), middle: make([]int, runs)}
	for i := range m.windowRuns {
		m.windowRuns[i] = takeRun[W](job, MergeWindow)
	}
	return m
}

// windows calls f for each window of outputs [lo, hi), with the parts of the runs that are
// merged into it.
func (m *merger[W]) windows(runs []hostRun[W], lo, hi int, f func(lo, hi int, parts []hostRun[W]) error) error {
	clear(m.at)
	m.advance(runs, lo)
	for ; lo < hi; lo += MergeWindow {
		end := min(lo+MergeWindow, hi)
		copy(m.from, m.at)
		m.advance(runs, end-lo)
		m.parts = m.parts[:0]
		for r, run := range runs {
			m.parts = append(m.parts, run.cut(m.from[r], m.at[r]))
		}
		if err := f(lo, end, m.parts); err != nil {
			return err
		}
	}
	return nil
}

// tied reports whether the first code of a window equals its predecessor: the highest code
// that the runs have before their parts.
func (m *merger[W]) tied(runs []hostRun[W], code W) bool {
	for r, run := range runs {
		if at := m.from[r]; at > 0 && run.codes[at-1] == code {
			return true
		}
	}
	return false
}

// advance moves m.at on by further elements: m.at[i] is the number of elements of run i among
// the first ones of the merged list; ties belong to the earlier run. It finds the highest code
// with at most that many codes below it, bit by bit, within the remaining range of each run.
func (m *merger[W]) advance(runs []hostRun[W], further int) {
	at, end, middle := m.at, m.end[:len(runs)], m.middle[:len(runs)]
	for r, run := range runs {
		end[r] = min(at[r]+further, len(run.codes))
	}
	code := W(0)
	for bit := W(1) << (8*unsafe.Sizeof(code) - 1); bit > 0 && further > 0; bit /= 2 {
		below := 0
		for r, run := range runs {
			middle[r] = at[r] + lowerBound(run.codes[at[r]:end[r]], code|bit)
			below += middle[r] - at[r]
		}
		if below > further {
			copy(end, middle)
			continue
		}
		code |= bit
		further -= below
		copy(at, middle)
	}
	for r := range runs {
		equal := min(further, end[r]-at[r])
		at[r] += equal
		further -= equal
	}
}

// lowerBound returns the number of sorted codes below code.
func lowerBound[W codes.Word](codes []W, code W) int {
	lo, hi := 0, len(codes)
	for lo < hi {
		if middle := (lo + hi) / 2; codes[middle] < code {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	return lo
}

// tree merges the parts of a window in pairs until one is left; the last merge goes to to. A
// part without a partner stays in place. It may then lie after its destination in the same
// memory: writes never overtake reads.
func (m *merger[W]) tree(parts []hostRun[W], to hostRun[W]) {
	if len(parts) == 1 {
		copy(to.codes, parts[0].codes)
		copy(to.positions, parts[0].positions)
	}
	for round := bits.Len(uint(len(parts) - 1)); round > 0; round-- {
		dst := to
		if round > 1 {
			dst = m.windowRuns[round%2]
		}
		start := 0
		for p := 0; p+1 < len(parts); p += 2 {
			end := start + len(parts[p].codes) + len(parts[p+1].codes)
			merged := dst.cut(start, end)
			mergeTwo(merged, parts[p], parts[p+1])
			parts[p/2] = merged
			start = end
		}
		if odd := len(parts) - 1; odd%2 == 0 {
			parts[odd/2] = parts[odd]
		}
		parts = parts[:(len(parts)+1)/2]
	}
}

// mergeTwo merges a and b, ties from a first.
func mergeTwo[W codes.Word](to, a, b hostRun[W]) {
	for h := min(len(a.codes), len(b.codes)); h > 0; h = min(len(a.codes), len(b.codes)) {
		merge := mergeSome[W]
		if to.positions == nil {
			merge = mergeKeys[W]
		}
		n := merge(to.cut(0, h), a.cut(0, h), b.cut(0, h))
		to, a, b = to.cut(h, len(to.codes)), a.cut(n, len(a.codes)), b.cut(h-n, len(b.codes))
	}
	copy(to.codes[copy(to.codes, a.codes):], b.codes)
	copy(to.positions[copy(to.positions, a.positions):], b.positions)
}

// mergeSome fills to from runs of at least its length, which therefore cannot be exhausted,
// and returns how many elements are of a. Its conditions compile to conditional moves: every
// other branch on codes would be mispredicted.
func mergeSome[W codes.Word](to, a, b hostRun[W]) (i int) {
	n := len(to.codes)
	tc, ac, bc := to.codes, a.codes[:n], b.codes[:n]
	tp, ap, bp := to.positions[:n], a.positions[:n], b.positions[:n]
	for k := range tc {
		code, position := ac[i], ap[i]
		other, second := bc[k-i], bp[k-i]
		first := 1
		if other < code {
			first = 0
		}
		if other < code {
			position = second
		}
		tc[k], tp[k] = min(code, other), position
		i += first
	}
	return i
}

// mergeKeys is mergeSome without positions.
func mergeKeys[W codes.Word](to, a, b hostRun[W]) (i int) {
	n := len(to.codes)
	tc, ac, bc := to.codes, a.codes[:n], b.codes[:n]
	for k := range tc {
		code, other := ac[i], bc[k-i]
		first := 1
		if other < code {
			first = 0
		}
		tc[k] = min(code, other)
		i += first
	}
	return i
}
