//go:build linux && (amd64 || arm64)

// Command gpu times the argsort of the GPU engine beside CUB's radix sort of
// pairs, in one process and on the same device buffers; with -keys the sort of keys
// alone beside CUB's of keys. CUB comes as a shared library built from cub.cu by the
// nvcc of the machine; run.sh does that.
//
// Ours is timed by the host's clock from call to return, CUB by device events,
// the better of its two count widths, without the values it needs written
// beforehand: both in CUB's favour.
//
// With -e2e it times whole sorts instead, from Go slices to Go slices, beside the
// CPU engine, slices.SortFunc and pargo; with -auto the planner's choice beside both engines for all distributions of
// keys that programs have; with -segments sorts of segments beside CUB's; with -selection and -within selections beside CUB's; with -columns orders of rows by columns on the device, with -host-rows of the host;
// with -several sorts that several devices share; with -spread sorts of lists that lie in parts on several devices;
// with -first the planner's choices in a fresh process; with -capped orders of lists that do not fit the memory that
// they may take; with -check it compares orders and sorted keys with those of the CPU engine, position by position.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/settings"
)

var (
	sizes  = flag.String("n", "16,20,24,26,28", "comma-separated sizes, as powers of two")
	dists  = flag.String("dists", "", "comma-separated distributions, all by default; \"held back\": those that nothing is tuned by; \"adversaries\": those that seem even to a sample")
	widths = flag.String("bits", "32,64", "comma-separated widths of the codes")
	keys   = flag.Bool("keys", false, "sort keys alone, beside CUB's sort of keys")
	names  = flag.String("algorithms", "Auto", "comma-separated names of algorithms to time or check, that the engine runs")
	per    = flag.Int("samples", 0, "samples of a tile in SampleSort, 16 to 512; 0 for its default")
	cub    = flag.String("cub", "./libcub.so", "the peer's library")
	reps   = flag.Int("reps", 9, "timed repetitions")

	whole   = flag.Bool("e2e", false, "time whole sorts from Go slices instead, without the peer's library")
	e2eN    = flag.String("e2e-n", "24000000,100000000", "comma-separated sizes of -e2e")
	columnN = flag.Int("column", 1<<28, "largest size of -e2e, for columns and keys only; 0 for none")
	e2eOnly = flag.String("cases", "", "what the names of the cases of -e2e contain; all by default")
	peersN  = flag.Int("peers", 24_000_000, "largest size of -e2e at which slices.SortFunc and pargo sort, too")

	devices  = flag.String("devices", "0", "comma-separated devices of -e2e, -several and -spread, or all")
	share    = flag.Bool("several", false, "time sorts that the devices share instead, beside those of the first, and compare their results")
	severalN = flag.String("several-n", "24,26,28", "comma-separated sizes of -several, as powers of two")

	cappedBytes = flag.Int64("capped", 0, "time orders with at most this number of bytes of device memory per sort instead, of up to four times the elements that fit, without the peer's library")

	segmented = flag.Bool("segments", false, "sort segments instead, beside both of CUB's sorts of segments, and compare the results")

	cuts = flag.String("cuts", "", "comma-separated names of the divisions of -segments, all by default")

	checks  = flag.Bool("check", false, "compare orders and keys with those of the CPU engine instead")
	longest = flag.Bool("longest", false, "sort 1<<31 + 1 keys and order 1<<30 instead, and check the results by themselves; 40 GB of memory")
	most    = flag.Int("most", 1<<27, "largest size of -check")
	every   = flag.Int("every", 1, "compare every k-th input of -check only, for slow tools")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	var err error
	switch {
	case *checks:
		err = on(func(e *gpu.Engine) error { return checkAll(e, *most, max(1, *every)) }, gpu.Verify())
	case *cappedBytes > 0:
		err = on(func(large *gpu.Engine) error {
			return on(func(small *gpu.Engine) error { return capped(small, large, *cappedBytes) }, gpu.Memory(*cappedBytes))
		})
	case *longest:
		err = on(checkLongest)
	case *share:
		err = several(powers(*severalN))
	case *spreads:
		err = spreadRows(powers(*spreadN))
	case *first:
		err = firstRows()
	case *autos:
		err = on(autoRows)
	case *whole:
		var chosen []int
		if chosen, err = ordinals(); err == nil {
			err = on(func(e *gpu.Engine) error { return endToEnd(e, ints(*e2eN), *columnN, *peersN) }, gpu.Device(chosen...))
		}
	case *selected:
		err = selections()
	case *within:
		err = selectionsWithin()
	case *byColumns:
		err = rowsByColumns()
	case *hostRows:
		err = hostRowsTable()
	case *segmented:
		err = segmentsBesideCUB()
	default:
		err = besideCUB()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// besideCUB times sorts of codes that are on the device.
func besideCUB() error {
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Printf("%s, driver %d; ms, median (least–most) of %d\n\n", b.info.Name, b.info.Driver, *reps)
	fmt.Println("| codes | n | distribution | algorithm | ours | CUB | ratio | spread, lost |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	return eachInput(b.row)
}

// eachInput calls row with all widths, sizes and distributions that the flags name. Where one fails,
// it prints why and goes on.
func eachInput(row func(bits, lg int, d dist.Codes) error) error {
	failed := false
	for _, bits := range ints(*widths) {
		for _, lg := range ints(*sizes) {
			for _, d := range distributions(slices.Concat(dist.Shapes, dist.Users), bits) {
				if err := row(bits, lg, d); err != nil {
					fmt.Printf("u%d, 2^%d, %s: %v\n", bits, lg, d.Name, err)
					failed = true
				}
			}
		}
	}
	if failed {
		return errors.New("some cases failed")
	}
	return nil
}

// distributions returns the distributions with codes of one of the widths that the flag names, or those of usual.
func distributions(usual []dist.Codes, bits ...int) []dist.Codes {
	all := usual
	if *dists != "" {
		all = slices.Concat(dist.Shapes, dist.Users, dist.HeldBack, dist.Adversaries, []dist.Codes{dist.Strided})
	}
	return slices.DeleteFunc(slices.Clone(all), func(d dist.Codes) bool {
		return !slices.ContainsFunc(bits, d.Has) || *dists != "" && !named(d)
	})
}

// named reports whether the flag names a distribution, or all of its list.
func named(d dist.Codes) bool {
	names := strings.Split(*dists, ",")
	return slices.Contains(names, d.Name) || d.Untuned != "" && slices.Contains(names, d.Untuned)
}

// bench holds the device, its buffers, and both contenders.
type bench struct {
	cuda.Context
	info                      cuda.Info
	ours, checked             *gpu.Engine
	attempts                  attempts // of ours
	stream                    cuda.Stream
	from, to                  cuda.Event
	codes, order, out, values cuda.Ptr
	tmp                       cuda.Ptr
	tmpBytes                  int
	theirSegments             func(tmp cuda.Ptr, bytes *uint64, in, out, values, order cuda.Ptr, n uint64, offsets cuda.Ptr, segments, keyBytes, radix uint64, stream cuda.Stream) int32
	theirTopK                 func(tmp cuda.Ptr, bytes *uint64, in, out, order cuda.Ptr, n, k, keyBytes uint64, stream cuda.Stream) int32
	theirWithin32             func(tmp cuda.Ptr, bytes *uint64, in, out, order cuda.Ptr, segments, length, k uint64, stream cuda.Stream) int32
	theirWithin64             func(tmp cuda.Ptr, bytes *uint64, in, out, order cuda.Ptr, segments, length, k uint64, stream cuda.Stream) int32
	theirColumns              func(tmp cuda.Ptr, bytes *uint64, kind uint64, columns *theirColumns, order cuda.Ptr, n uint64, stream cuda.Stream) int32
	version                   func() int32
	theirs                    func(tmp cuda.Ptr, bytes *uint64, in, out, values, order cuda.Ptr, n, keyBytes, wideCount uint64, stream cuda.Stream) int32
	host                      []uint64
	results                   [][]uint32 // see sameResults
}

func newBench() (*bench, error) {
	driver, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	infos, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	b := &bench{info: infos[0]}
	if b.Context, err = driver.Retain(0); err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the text of a failure belongs to the thread
	lib, err := purego.Dlopen(*cub, purego.RTLD_NOW)
	runtime.UnlockOSThread()
	if err != nil {
		return nil, err
	}
	purego.RegisterLibFunc(&b.theirs, lib, "cub_sort")
	purego.RegisterLibFunc(&b.theirSegments, lib, "cub_segments")
	purego.RegisterLibFunc(&b.theirTopK, lib, "cub_topk")
	purego.RegisterLibFunc(&b.theirWithin32, lib, "cub_topk_within_u32")
	purego.RegisterLibFunc(&b.theirWithin64, lib, "cub_topk_within_u64")
	purego.RegisterLibFunc(&b.theirColumns, lib, "cub_columns")
	purego.RegisterLibFunc(&b.version, lib, "cub_version")
	var opts []gpu.Option
	if *per != 0 {
		opts = append(opts, settings.Samples(*per))
	}
	counted := func(s *settings.Settings) error { s.Algorithms.Bucket.Attempts = &b.attempts.made; return nil }
	if b.ours, err = gpu.Open(append(slices.Clone(opts), counted)...); err != nil {
		return nil, err
	}
	if b.checked, err = gpu.Open(append(opts, gpu.Verify())...); err != nil {
		return nil, err
	}
	b.stream, err = b.NewStream()
	b.from, _ = b.NewEvent(true)
	b.to, _ = b.NewEvent(true)
	return b, err
}

// reserve makes the buffers large enough.
func (b *bench) reserve(n, size int) error {
	if n*size <= 8*len(b.host) {
		return nil
	}
	for _, p := range []cuda.Ptr{b.codes, b.order, b.out, b.values, b.tmp} {
		b.Free(p)
	}
	b.host = make([]uint64, n*size/8)
	b.tmpBytes = 12*n + 64<<20 + n*size
	var err error
	for _, p := range []struct {
		at    *cuda.Ptr
		bytes int
	}{{&b.codes, n * size}, {&b.out, n * size}, {&b.order, n * 4}, {&b.values, n * 4}, {&b.tmp, b.tmpBytes}} {
		if *p.at, err = b.Alloc(p.bytes); err != nil {
			return err
		}
	}
	positions := make([]uint32, n)
	for i := range positions {
		positions[i] = uint32(i)
	}
	b.CopyToDevice(b.values, unsafe.Pointer(&positions[0]), 4*n, b.stream)
	return b.SyncStream(b.stream)
}

// fill makes codes on the device.
func (b *bench) fill(bits, n int, d dist.Codes) error {
	size := bits / 8
	if err := b.reserve(n, size); err != nil {
		return err
	}
	if bits == 64 {
		dist.Fill(b.host[:n], d, 1)
	} else {
		dist.Fill(unsafe.Slice((*uint32)(unsafe.Pointer(&b.host[0])), n), d, 1)
	}
	b.CopyToDevice(b.codes, unsafe.Pointer(&b.host[0]), n*size, b.stream)
	return b.SyncStream(b.stream)
}

// row times sorts of one input.
func (b *bench) row(bits, lg int, d dist.Codes) error {
	n := 1 << lg
	if err := b.fill(bits, n, d); err != nil {
		return err
	}
	theirs, err := b.timeCUB(bits/8, n)
	if err != nil {
		return err
	}
	for _, a := range algorithms() {
		ours, err := b.timeOurs(a, bits, n)
		if err != nil {
			return fmt.Errorf("%v: %w", a, err)
		}
		fmt.Printf("| u%d | 2^%d | %s | %v | %s | %s | %.2f | %s |\n", bits, lg, d.Name, a, spread(ours), spread(theirs), median(theirs)/median(ours), b.attempts.since())
	}
	return nil
}

// algorithms are those that the flag names.
func algorithms() (chosen []sorter.Algorithm) {
	for _, name := range strings.Split(*names, ",") {
		a := sorter.Auto
		for a < engine.Algorithms && a.String() != name {
			a++
		}
		if a == engine.Algorithms {
			log.Fatalf("no algorithm %q", name)
		}
		chosen = append(chosen, a)
	}
	return chosen
}

// timeOurs checks a sort of ours and times others like it.
func (b *bench) timeOurs(a sorter.Algorithm, bits, n int) ([]float64, error) {
	sort, to, words := (*gpu.Engine).OrderDevice, b.order, n
	if *keys {
		sort, to, words = (*gpu.Engine).SortDevice, b.out, n*bits/32
	}
	b.Memset32(to, 0xdbdbdbdb, words, b.stream)
	b.SyncStream(b.stream)
	if err := sort(b.checked, a, gpu.Ptr(b.codes), bits, n, gpu.Ptr(to)); err != nil {
		return nil, err
	}
	var times []float64
	for i := range *reps + 2 {
		start := time.Now()
		if err := sort(b.ours, a, gpu.Ptr(b.codes), bits, n, gpu.Ptr(to)); err != nil {
			return nil, err
		}
		if i >= 2 {
			times = append(times, time.Since(start).Seconds()*1e3)
		}
	}
	return times, nil
}

// timeCUB returns the times of the better count width.
func (b *bench) timeCUB(size, n int) ([]float64, error) {
	values, order := b.values, b.order
	if *keys {
		values, order = 0, 0
	}
	var best []float64
	for wide := range uint64(2) {
		var times []float64
		for i := range *reps + 2 {
			took, err := b.timeOnce(func() int32 {
				bytes := uint64(b.tmpBytes)
				return b.theirs(b.tmp, &bytes, b.codes, b.out, values, order, uint64(n), uint64(size), wide, b.stream)
			})
			if err != nil {
				return nil, err
			}
			if i >= 2 {
				times = append(times, took)
			}
		}
		if best == nil || median(times) < median(best) {
			best = times
		}
	}
	return best, nil
}

// timeOnce returns the milliseconds of a sort of CUB's, by device events.
func (b *bench) timeOnce(sort func() int32) (float64, error) {
	b.Record(b.from, b.stream)
	if code := sort(); code != 0 {
		return 0, fmt.Errorf("CUB failed with %d", code)
	}
	b.Record(b.to, b.stream)
	if err := b.SyncEvent(b.to); err != nil {
		return 0, err
	}
	took, err := b.Elapsed(b.from, b.to)
	return took.Seconds() * 1e3, err
}

func median(t []float64) float64 {
	t = slices.Sorted(slices.Values(t))
	return t[len(t)/2]
}

func spread(t []float64) string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", median(t), slices.Min(t), slices.Max(t))
}

// powers are powers of two.
func powers(list string) (v []int) {
	for _, i := range ints(list) {
		v = append(v, 1<<i)
	}
	return v
}

func ints(list string) (v []int) {
	for _, s := range strings.Split(list, ",") {
		i, err := strconv.Atoi(s)
		if err != nil {
			log.Fatal(err)
		}
		v = append(v, i)
	}
	return v
}
