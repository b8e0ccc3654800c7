// Package multi sorts one job on several devices. That is a sample sort across them: each
// device takes a part of the list (extract), learns from samples of all parts which codes it
// is to sort, and fetches those from the others (exchange); the rest is a sort of its
// own. Every code crosses the host's bus once and the devices' links once. Merging
// sorted parts instead would bring all of them through one device or the CPU.
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

// LeastN is from how many elements on devices share a sort. 2026-11, two H200 of one host,
// times as fast as one: orders of 2^24 codes 0.9, of 2^26 1.02 (32 bits) and 1.26 (64 bits),
// of 2^28 1.45 and 1.58; keys alone 1.04 to 1.10, 1.18 and 1.38, 1.43 and 1.49.
const LeastN = 1 << 25

// ErrCrowded reports a list that does not fit the devices in parts.
var ErrCrowded = errors.New("sorter: gpu: a part of the list is too long for a device")

// Shares reports whether devices are to share a job, of least elements or more. Each
// of them has elements then. Ties are marked by one device: equal codes may lie in two
// parts, which begin in the middle of a word.
func Shares(job *engine.Job, devices, least int) bool {
	return devices > 1 && job.Algorithm != engine.Hybrid && job.Ties == nil && job.N >= least && (devices-1)*partLength(job.N, devices) < job.N
}

// partLength is how many elements of n each device is given, except the last.
func partLength(n, devices int) int { return transfer.Blocks((n + devices - 1) / devices) }

// sharing is one job that several devices share.
type sharing struct {
	job    *engine.Job
	wide   bool
	room   int // elements that each device has memory for before it knows how many it gets
	list   []*part
	failed transfer.Fault
}

// part is the share of one of the devices.
type part struct {
	*transfer.Session
	note   *note // pinned
	index  int
	lo, hi int // elements of the list that it is given
	codes  device.Block
	sample []codes.Key // of those elements, in order

	sends    device.Block // codes and positions by destination
	routed   routed
	receives device.Block
	received runs.Runs // codes and positions to be sorted

	n, place int // elements to be sorted, and where they come in the order
	found    codes.Finding
	result   cuda.Ptr // positions in order, or codes where the job takes those
}

func newSharing(job *engine.Job, sessions []transfer.Session) *sharing {
	length := partLength(job.N, len(sessions))
	p := &sharing{job: job, wide: job.Bits > 32, room: length + length/roomShare + engine.Block}
	for i := range sessions {
		p.list = append(p.list, &part{Session: &sessions[i], index: i, lo: i * length, hi: min((i+1)*length, job.N)})
	}
	return p
}

// roomShare is the part of a device's elements that it has room for beyond its
// share of them. A sample of 8192 of each part is off by a tenth of that.
const roomShare = 16

// input is a sort of n elements on one of the devices.
func (p *sharing) input(n int) codes.Input {
	return codes.Input{Wide: p.wide, N: n, Keys: transfer.TakesCodes(p.job)}
}

// each runs a step on all devices at once and waits for all of them, also when one
// fails: then nothing reads or writes memory of another device any more.
func (p *sharing) each(step func(q *part) error) error {
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	var failed transfer.Fault
	var wait sync.WaitGroup
	for _, q := range p.list {
		wait.Go(func() { failed.Set(step(q)) })
	}
	wait.Wait()
	return failed.Err()
}

// note is the pinned memory of routing: the keys of a sample, struct Splitter of route.cuh,
// and how many elements go to each destination.
type note struct {
	sample    sample.Keys
	splitters [kernels.MostDestinations]struct{ code, position uint64 }
	totals    [kernels.MostDestinations]uint32
}

// routed is a part divided among devices, in device memory.
type routed struct {
	runs.Runs                 // codes beside their positions in the whole list, unless they are keys alone, by destination
	splitters, totals, counts cuda.Ptr
}
