package ranked

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// slowEngine sorts slowly, or fails at some time.
type slowEngine struct {
	worth  atomic.Bool
	fails  atomic.Int64 // positions after which it fails; negative: it does not
	places bool         // emits positions where it might emit codes
	plain  bool         // reads keys in memory, and writes positions, or sorted keys, there
	holds  int64        // bytes that it takes itself, by element
	last   engine.Job
	ends   func() // called before it fails
}

var errLost = errors.New("lost")

func (e *slowEngine) Name() string                 { return "slow" }
func (e *slowEngine) Worth(engine.Work) bool       { return e.worth.Load() }
func (e *slowEngine) Runs(a engine.Algorithm) bool { return a != engine.BucketRadix }

func (e *slowEngine) Order(_ context.Context, job *engine.Job) error {
	e.last = *job
	if job.Room != nil {
		if err := job.Room(e.holds * int64(job.N)); err != nil {
			return err
		}
	}
	if e.fails.Load() >= 0 { // its marks, and its name of a device, are of no use then
		job.Trace.Device, job.Trace.Rounds = "lost", 9
		for i := range job.Ties {
			job.Ties[i] |= 1 << (i % 32)
		}
	}
	codes, moves := make([]uint64, job.N), job.Elements
	plain := job.Plain != nil && e.plain && moves == nil
	var all []byte
	if moves != nil {
		all = make([]byte, job.N*moves.Size)
	}
	err := job.Loop.Run("pull", job.N, engine.Block, func(_, lo, hi int) {
		if plain {
			for i := lo; i < hi; i++ {
				codes[i] = job.Plain.Code.Of(plainBits(job, i), plainWidth(job))
			}
			job.Plain.Pass(lo, hi)
		} else if job.Bits > 32 {
			job.Codes64(codes[lo:hi], lo)
		} else {
			narrow := make([]uint32, hi-lo)
			job.Codes32(narrow, lo)
			for i, c := range narrow {
				codes[lo+i] = uint64(c)
			}
		}
		if moves != nil {
			moves.Pull(all[lo*moves.Size:hi*moves.Size], lo)
		}
	})
	if err = cmp.Or(err, job.Loop.Err()); err != nil { // once a context has ended, codes are missing
		return err
	}
	order := make([]uint32, job.N)
	for i := range order {
		order[i] = uint32(i)
	}
	testkit.SortStable(order, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	sorted := make([]uint64, job.N)
	for i, at := range order {
		sorted[i] = codes[at]
	}
	if job.Ties != nil {
		engine.MarkTies(job.Ties, 0, false, sorted)
	}
	switch {
	case moves != nil:
		return e.move(job, order, all)
	case plain && job.Index != nil:
		copy(job.Index, order[:e.done(job.N)])
		return e.failure()
	case plain && job.Plain.Overwrite != nil:
		e.overwrite(job, order)
		return e.failure()
	}
	piece := 777
	if e.places {
		piece = 2*engine.Block + 777
	}
	for lo := 0; lo < job.N; lo += piece {
		hi := min(lo+piece, job.N)
		if fails := e.fails.Load(); fails >= 0 && int64(lo) >= fails {
			return errLost
		}
		switch {
		case e.places || job.EmitCodes32 == nil && job.EmitCodes64 == nil:
			job.Emit(lo, order[lo:hi])
		case job.Bits > 32:
			job.EmitCodes64(lo, sorted[lo:hi])
		default:
			narrow := make([]uint32, hi-lo)
			for i, c := range sorted[lo:hi] {
				narrow[i] = uint32(c)
			}
			job.EmitCodes32(lo, narrow)
		}
	}
	return e.failure()
}

// reset makes it an engine that is worth no work, and does not fail.
func (e *slowEngine) reset() {
	e.worth.Store(false)
	e.fails.Store(-1)
	e.places, e.plain, e.holds, e.ends = false, false, 0, nil
}

// failure is the error of an engine that has failed.
func (e *slowEngine) failure() error {
	if e.fails.Load() < 0 {
		return nil
	}
	if e.ends != nil {
		e.ends()
	}
	return errLost
}

// done is the number of n elements after which the engine fails.
func (e *slowEngine) done(n int) int {
	if fails := e.fails.Load(); fails >= 0 {
		return int(min(fails, int64(n)))
	}
	return n
}

// plainWidth is the width in bits of the keys of a job in memory.
func plainWidth(job *engine.Job) int {
	if job.Bits > 32 {
		return 64
	}
	return 32
}

// plainBits returns the bits of a key of a job.
func plainBits(job *engine.Job, i int) uint64 {
	if job.Bits > 32 {
		return unsafe.Slice((*uint64)(job.Plain.At), job.N)[i]
	}
	return uint64(unsafe.Slice((*uint32)(job.Plain.At), job.N)[i])
}

// overwrite writes sorted keys where they were.
func (e *slowEngine) overwrite(job *engine.Job, order []uint32) {
	sorted := make([]uint64, job.N)
	for i, at := range order {
		sorted[i] = plainBits(job, int(at))
	}
	job.Commit()
	job.Plain.Overwrite()
	for i, key := range sorted[:e.done(job.N)] {
		if job.Bits > 32 {
			unsafe.Slice((*uint64)(job.Plain.At), job.N)[i] = key
		} else {
			unsafe.Slice((*uint32)(job.Plain.At), job.N)[i] = uint32(key)
		}
	}
}

// move emits positions of pieces with ties, and then moves the elements of the others.
func (e *slowEngine) move(job *engine.Job, order []uint32, all []byte) error {
	var free [][2]int
	for lo := 0; lo < job.N; lo += 777 {
		hi, tied := min(lo+777, job.N), lo/777%3 == 0
		for i := lo; i <= hi && i < job.N && job.Ties != nil; i++ {
			tied = tied || engine.Ties(job.Ties).Tied(i)
		}
		if tied {
			job.Emit(lo, order[lo:hi])
		} else {
			free = append(free, [2]int{lo, hi})
		}
	}
	if err := job.Elements.Settle(); err != nil {
		return err
	}
	job.Commit()
	for i, p := range free {
		if fails := e.fails.Load(); fails >= 0 && int64(i) >= fails%3 {
			return errLost
		}
		var piece []byte
		for _, at := range order[p[0]:p[1]] {
			piece = append(piece, all[int(at)*job.Elements.Size:][:job.Elements.Size]...)
		}
		job.Elements.Push(p[0], piece)
	}
	return e.failure()
}

// registered is an engine that is worth no work, unless a test says so.
var registered = func() *slowEngine {
	cpu.LinkApply()
	papers.Link()
	e := &slowEngine{}
	e.fails.Store(-1)
	engine.Register(e)
	return e
}()
