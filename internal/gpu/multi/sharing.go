// Package multi sorts on several devices by a sample sort across them. Each device has a part
// of the list. Samples of all parts divide the codes into ranges, one for each device. Every
// element is sent to the device that sorts its range (exchange): after a count of the elements of
// each part in each range, or without one where they may come in any order. Then each device sorts
// the elements that it has received.
//
// [Order] sorts lists of the host: each device uploads a part of the list (extract), so that
// every code crosses the host's bus once and the devices' links once. [Sort] sorts parts that
// lie on the devices, and leaves the results there. Merging sorted parts instead would move all
// of them through one device or the CPU.
package multi

import (
	"errors"
	"sync"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/kernels"
)

// ErrCrowded reports a list whose part does not fit one of the devices.
var ErrCrowded = errors.New("sorter: gpu: a part of the list is too long for a device")

// sharing is one sort that several devices share.
type sharing struct {
	algorithm  engine.Algorithm
	wide, keys bool         // 64-bit codes; sorted codes are wanted, not their order
	stopped    func() error // returns the error of the sort's context
	list       []*part

	inList    bool // positions are those in the whole list, not in a part
	unordered bool // there is memory for elements that come in any order, see loose.go
	windows   bool // between the shares of two devices is a group for both, see groups

	// The samples decide:
	words     bool   // 32-bit codes are sorted as words, each above its position
	numbers   bool   // 64-bit codes are sorted with their positions as Numbers of codes.Input
	splitters []mark // between groups of the order
}

// part is the share of one of the devices.
type part struct {
	*transfer.Session
	note     *note // pinned
	index    int
	lo, hi   int      // positions of its elements: in the whole list if 32 bits number that, or else in the part
	want     int      // elements that it is to sort, about
	capacity int      // received elements that fit the memory taken for want
	codes    cuda.Ptr // of its elements
	sample   []mark   // of its elements, sorted
	regions  []region // of its elements, by group, if they come in any order

	block    device.Block // of routed
	routed   routed
	stage    device.Block // of staged
	staged   runs.Runs
	receives device.Block // of received
	received runs.Runs    // codes and positions to sort

	n, place int // elements to sort, and their first place in the order
	sure     int // of n, those before the window
	found    codes.Outcome
	sorted   cuda.Ptr // order of the received elements, or their sorted codes or words
}

// spareShare bounds the extra memory for received elements: 1/spareShare of a device's share.
// The error of a sample of 8192 per part is a tenth of that.
const spareShare = 16

// capacityFor returns the number of elements for which a device that is to sort want of them
// takes memory.
func capacityFor(want int) int { return want + want/spareShare + engine.Block }

// note is the pinned memory of routing: the keys of a sample, structs Splitter and Target of
// route.cuh, the element count of each destination, and structs Region, Origin and Lists.
type note struct {
	sample    sample.Keys
	splitters [kernels.MaxDestinations]struct{ code, position uint64 }
	targets   [kernels.MaxDestinations]struct{ codes, positions uint64 }
	totals    [kernels.MaxDestinations]uint32
	regions   [kernels.MaxDestinations]struct{ codes, capacity uint64 }
	origins   [kernels.MaxDestinations]struct{ first, position uint64 }
	lists     lists
}

// lists is struct Lists of numbered.cuh.
type lists struct {
	count uint64
	list  [kernels.MaxLists]struct{ first, codes uint64 }
}

const _ = uint(kernels.MaxLists - kernels.MaxDestinations)

// routed is the device memory of routing.
type routed struct{ splitters, targets, totals, origins, lists, counts cuda.Ptr }

// moved returns n elements as they are moved to a device and sorted there.
func (p *sharing) moved(n int) codes.Input {
	return codes.Input{Wide: p.wide || p.words, N: n, Keys: p.keys || p.words}
}

// groups returns the number of groups that elements are moved in. There is one for each device. With
// windows there is one more between each device and the next: the elements among which the border
// of their results lies, as the sample suggests. The first of both sorts them by themselves, so
// that the others, which belong to one device surely, are sorted to their places.
func (p *sharing) groups() int {
	if p.windows {
		return 2*len(p.list) - 1
	}
	return len(p.list)
}

// groupsOf returns the groups that a device sorts: [first, end).
func (p *sharing) groupsOf(q *part) (first, end int) {
	if p.windows {
		return 2 * q.index, min(2*q.index+2, p.groups())
	}
	return q.index, q.index + 1
}

// sorterOf returns the device that sorts a group.
func (p *sharing) sorterOf(group int) *part {
	if p.windows {
		group /= 2
	}
	return p.list[group]
}

// size returns the number of elements of all parts.
func (p *sharing) size() (n int) {
	for _, q := range p.list {
		n += q.hi - q.lo
	}
	return n
}

// each runs a step on all devices at once and waits for all of them, also if one fails. Where a
// step fails it waits for the work of its device. So afterwards no device accesses memory of
// another.
func (p *sharing) each(step func(q *part) error) error {
	if err := p.stopped(); err != nil {
		return err
	}
	var failed transfer.Fault
	var wait sync.WaitGroup
	for _, q := range p.list {
		wait.Go(func() {
			if err := step(q); err != nil {
				failed.Set(err)
				_ = device.FirstError(q.SyncStream(q.Stream), q.SyncStream(q.Up)) // err is the cause
			}
		})
	}
	wait.Wait()
	return failed.Err()
}
