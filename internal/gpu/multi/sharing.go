// Package multi sorts one job on several devices by a sample sort across them. Each device
// uploads a part of the list (extract), learns from samples of all parts which range of codes
// it sorts, fetches that range from the others (exchange), and sorts it. Every code crosses
// the host's bus once and the devices' links once. Merging sorted parts instead would move all
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

// LeastN is the number of elements from which devices share a sort. 2026-11, two H200 of one
// host, speed relative to one: orders of 2^24 codes 0.9, of 2^26 1.02 (32 bits) and 1.26 (64
// bits), of 2^28 1.45 and 1.58; keys alone 1.04 to 1.10, 1.18 and 1.38, 1.43 and 1.49.
const LeastN = 1 << 25

// ErrCrowded reports a list whose part does not fit one of the devices.
var ErrCrowded = errors.New("sorter: gpu: a part of the list is too long for a device")

// Shares reports whether devices share a job, if it has least elements or more. Then each
// device gets elements. A job that takes ties runs on one device: equal codes may lie in two
// parts, whose boundary may lie inside a word of the bitmap.
func Shares(job *engine.Job, devices, least int) bool {
	return devices > 1 && job.Algorithm != engine.Hybrid && job.Ties == nil && job.N >= least && (devices-1)*partLength(job.N, devices) < job.N
}

// partLength returns the number of elements of n that each device uploads, except the last.
func partLength(n, devices int) int { return transfer.Blocks((n + devices - 1) / devices) }

// sharing is one job that several devices share.
type sharing struct {
	job      *engine.Job
	wide     bool
	capacity int // received elements that fit the memory taken before the exchange
	list     []*part
	failed   transfer.Fault
}

// part is the share of one of the devices.
type part struct {
	*transfer.Session
	note   *note // pinned
	index  int
	lo, hi int // range of the list that it uploads
	codes  device.Block
	sample []codes.Key // keys of these elements, sorted

	sends    device.Block // codes and positions by destination
	routed   routed
	receives device.Block
	received runs.Runs // codes and positions to sort

	n, place int // elements to sort, and their first place in the order
	found    codes.Finding
	result   cuda.Ptr // sorted positions, or codes if the job takes these
}

func newSharing(job *engine.Job, sessions []transfer.Session) *sharing {
	length := partLength(job.N, len(sessions))
	p := &sharing{job: job, wide: job.Bits > 32, capacity: length + length/spareShare + engine.Block}
	for i := range sessions {
		p.list = append(p.list, &part{Session: &sessions[i], index: i, lo: i * length, hi: min((i+1)*length, job.N)})
	}
	return p
}

// spareShare bounds the extra memory for received elements: 1/spareShare of a device's share.
// The error of a sample of 8192 per part is a tenth of that.
const spareShare = 16

// input returns a sort of n elements on one of the devices.
func (p *sharing) input(n int) codes.Input {
	return codes.Input{Wide: p.wide, N: n, Keys: transfer.TakesCodes(p.job)}
}

// each runs a step on all devices at once and waits for all of them, also if one fails.
// Afterwards no device accesses memory of another.
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
// and the element count of each destination.
type note struct {
	sample    sample.Keys
	splitters [kernels.MaxDestinations]struct{ code, position uint64 }
	totals    [kernels.MaxDestinations]uint32
}

// routed is a part divided among devices, in device memory.
type routed struct {
	runs.Runs                 // codes beside their positions in the whole list, unless they are keys alone, by destination
	splitters, totals, counts cuda.Ptr
}
