package gpu

import (
	"context"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gather"
	"example.com/sorter/internal/gpu/segments"
	"example.com/sorter/internal/gpu/transfer"
)

// Sorts of codes in device memory, for programs that work there themselves.

// Ptr is an address in device memory. Arithmetic on it is in bytes. A pointer of any other
// binding converts to it, such as cu.DevicePtr of package gorgonia.org/cu.
type Ptr uint64

// Stream is the handle of a driver's stream, CUstream in its header.
// The zero Stream is the default stream of the device. StreamOf of package gpu/cu
// converts a cu.Stream of package gorgonia.org/cu.
type Stream uintptr

// OrderDevice writes the stable order of n codes of 32 or 64 bits to order, as
// 32-bit positions. The engine has to run the algorithm.
//
// Both are memory of the engine's first device, in its primary context, which must not
// overlap. The device begins when all work given to the streams after, also of that
// context, has ended; without any the codes have to be there. OrderDevice returns when the
// device is done, also on an error, so that work given to any stream afterwards finds the
// order.
//
// It takes the memory of a sort besides codes and order, see [Engine]. It may be called
// concurrently, for memory that does not overlap. The error is a [*sorter.DeviceError],
// or [sorter.ErrNoDevice] under errors.Is when e is closed or lacks the algorithm. It
// panics if the algorithm does not take bits or n.
func (e *Engine) OrderDevice(a sorter.Algorithm, codes Ptr, bits, n int, order Ptr, after ...Stream) error {
	return e.onDevice(a, input{Codes: cuda.Ptr(codes), N: n}, bits, order, after)
}

// SortDevice writes n codes in ascending order to sorted, which must not overlap codes. codes
// is unchanged. Otherwise it is like [Engine.OrderDevice].
func (e *Engine) SortDevice(a sorter.Algorithm, codes Ptr, bits, n int, sorted Ptr, after ...Stream) error {
	return e.onDevice(a, input{Codes: cuda.Ptr(codes), N: n, Keys: true}, bits, sorted, after)
}

// OrderWithinDevice writes the stable order of each segment of n codes, as positions in the
// whole list. Segment s is the codes offsets[s] to offsets[s+1]-1. offsets is segments+1 ascending
// 32-bit numbers of device memory, none above n. Places of order outside of all segments are not
// written.
//
// Segments of up to 16384 codes are sorted by a block each, or several by one; on devices with
// less shared memory per block, those of up to 8192 or 4096. Larger ones are sorted together: 32-bit
// codes by a radix sort, whatever they are; a single one, and 64-bit codes, as [Engine.OrderDevice] sorts,
// which if there are several sorts them by segment, too. It takes a sixth of a byte per code, and for codes of
// larger segments up to 20 bytes and the memory of the sort. [Verify] does not apply. Waiting,
// concurrency and other errors are those of OrderDevice. Offsets that descend or exceed n are an
// error, and nothing is written then. It panics if bits is neither 32 nor 64, or if n or segments
// is negative or too large.
func (e *Engine) OrderWithinDevice(codes Ptr, bits, n int, offsets Ptr, segments int, order Ptr, after ...Stream) error {
	return e.withinOnDevice(input{Codes: cuda.Ptr(codes), N: n}, bits, offsets, segments, order, after)
}

// SortWithinDevice writes the codes of each segment in ascending order to sorted, which must not
// overlap codes. codes is unchanged. Otherwise it is like [Engine.OrderWithinDevice].
func (e *Engine) SortWithinDevice(codes Ptr, bits, n int, offsets Ptr, segments int, sorted Ptr, after ...Stream) error {
	return e.withinOnDevice(input{Codes: cuda.Ptr(codes), N: n, Keys: true}, bits, offsets, segments, sorted, after)
}

func (e *Engine) withinOnDevice(in input, bits int, offsets Ptr, count int, result Ptr, after []Stream) error {
	all := segmentsOf(in, bits, offsets, count)
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.SortSegments(s.Workspace, all, cuda.Ptr(result))
	})
}

// segmentsOf returns the segments of codes. It panics if there are too many of either.
func segmentsOf(in input, bits int, offsets Ptr, count int) segments.Input {
	in.Wide = bits == 64
	most, _ := dispatch.MaxN(engine.Auto, in)
	if in.N < 0 || in.N > most || count < 0 || count >= codes.MaxPositions || (bits != 32 && bits != 64) {
		panic(fmt.Sprintf("sorter: gpu: %d codes of %d bits in %d segments: at most %d codes, of 32 or 64, in %d", in.N, bits, count, most, codes.MaxPositions-1))
	}
	return segments.Input{Input: in, Offsets: cuda.Ptr(offsets), Count: count}
}

// input is the codes of a sort.
type input = codes.Input

func (e *Engine) onDevice(a engine.Algorithm, in input, bits int, result Ptr, after []Stream) error {
	in.Wide = bits == 64
	if most, ok := dispatch.MaxN(a, in); !ok || in.N < 0 || in.N > most || (bits != 32 && bits != 64) {
		panic(fmt.Sprintf("sorter: gpu: %d codes of %d bits by %v: at most %d, of 32 or 64", in.N, bits, a, most))
	}
	return e.toCaller(a, after, func(s *transfer.Session) error {
		_, err := s.Sort(a, in, cuda.Ptr(result))
		return err
	})
}

// toCaller runs f, which sorts by a and waits for the device, on the first device, after all
// work given to the streams after.
func (e *Engine) toCaller(a engine.Algorithm, after []Stream, f func(s *transfer.Session) error) error {
	return public(e.with(context.Background(), a, func(s *transfer.Session) error {
		for _, stream := range after {
			if err := s.After(s.Stream, cuda.Stream(stream)); err != nil {
				return err
			}
		}
		err := f(s)
		if err == nil {
			s.Quiet()
		}
		return err
	}))
}

// GatherDevice writes n elements of the given size to sorted: the i-th is element order[i].
// With the order of [Engine.OrderDevice] it sorts pairs of codes and values.
//
// All three are memory of the engine's first device, and sorted must not overlap the others.
// Elements are moved in words of 16, 8 or 4 bytes: the largest word that divides their size
// and to which elements and sorted are aligned. It takes no memory. Waiting, concurrency and
// errors are those of OrderDevice. It panics if n is negative or no word fits.
func (e *Engine) GatherDevice(order Ptr, n int, elements Ptr, size int, sorted Ptr, after ...Stream) error {
	from, to := cuda.Ptr(elements), cuda.Ptr(sorted)
	if n < 0 || gather.WordOf(size, from, to) == 0 {
		panic(fmt.Sprintf("sorter: gpu: %d elements of %d bytes at %#x to %#x: not of whole words", n, size, elements, sorted))
	}
	if n == 0 {
		return nil
	}
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		if err := s.Load(gather.Modules); err != nil {
			return err
		}
		if err := gather.Elements(s.Workspace, s.Stream, from, cuda.Ptr(order), 0, n, size, to); err != nil {
			return err
		}
		return s.SyncStream(s.Stream)
	})
}
