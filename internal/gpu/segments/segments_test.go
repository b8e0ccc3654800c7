//go:build linux && (amd64 || arm64)

package segments

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// poison is in results before a sort.
const poison = 0xdbdbdbdb

// plain is the plain twin of all kernels: positions of each segment in stable order, poison
// outside of the segments.
func plain[W codes.Word](list []W, offsets []uint32) []uint32 {
	order := slices.Repeat([]uint32{poison}, len(list))
	for s, begin := range offsets[:len(offsets)-1] {
		for i, at := range gputest.Stable(list[begin:offsets[s+1]]) {
			order[int(begin)+i] = begin + at
		}
	}
	return order
}

// whole sorts large segments, and counts its calls.
func whole(calls *int) codes.Whole {
	return func(w *device.Workspace, in codes.Input, to cuda.Ptr) error {
		*calls++
		_, err := runs.Sort(w, in, to)
		return err
	}
}

// onDevice has a list sorted into memory that is full of poison.
func onDevice[R, W codes.Word](t *testing.T, w *device.Workspace, list []W, offsets []uint32, keys bool) ([]R, int, error) {
	t.Helper()
	to := gputest.Up(t, w, slices.Repeat([]uint32{poison}, len(list)*int(unsafe.Sizeof(*new(R)))/4))
	in := Input{
		Input:   codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list), Keys: keys},
		Offsets: gputest.Up(t, w, offsets), Count: len(offsets) - 1,
	}
	calls := 0
	err := Sort(w, in, whole(&calls), to)
	return gputest.Down[R](t, w, to, len(list)), calls, err
}

func workspace(t *testing.T) *device.Workspace {
	return gputest.Workspace(t, append(Modules[:1:1], runs.Modules...)...)
}

// check compares both results with the plain twin, for codes and their high halves.
func check(t *testing.T, w *device.Workspace, wide []uint64, offsets []uint32) {
	t.Helper()
	checkWidth(t, w, wide, offsets)
	checkWidth(t, w, gputest.Fill32(wide), offsets)
}

func checkWidth[W codes.Word](t *testing.T, w *device.Workspace, list []W, offsets []uint32) {
	t.Helper()
	want := plain(list, offsets)
	order, calls, err := onDevice[uint32](t, w, list, offsets, false)
	if err != nil || !slices.Equal(order, want) {
		t.Errorf("%d codes in %d segments, wide %v, %d sorts of large ones: wrong order, or error %v", len(list), len(offsets)-1, gputest.IsWide[W](), calls, err)
	}
	sorted, _, err := onDevice[W](t, w, list, offsets, true)
	for i, at := range want {
		code := W(poison)
		if at != poison {
			code = list[at]
		} else if gputest.IsWide[W]() {
			code |= code << 16 << 16
		}
		if err != nil || sorted[i] != code {
			t.Fatalf("%d codes in %d segments, wide %v: place %d has %#x, want %#x, or error %v", len(list), len(offsets)-1, gputest.IsWide[W](), i, sorted[i], code, err)
		}
	}
}

// of returns the offsets of segments of the given lengths after skip codes.
func of(skip int, lengths ...int) []uint32 {
	offsets := []uint32{uint32(skip)}
	for _, n := range lengths {
		skip += n
		offsets = append(offsets, uint32(skip))
	}
	return offsets
}

func end(offsets []uint32) int { return int(offsets[len(offsets)-1]) }

// TestLengths has segments of lengths about those at which another kernel sorts them, alone and
// among others, from the start of the list or a later place on, and with codes after them.
func TestLengths(t *testing.T) {
	w, r := workspace(t), gputest.Drawing(t)
	const tile = 1 << kernels.WindowBits
	lengths := []int{0, 1, 2, 8, 9, 16, 17, 31, 32, 33, 128, 129, 130, 895, 896, 897, tile - 1, tile, tile + 1, 2*tile + 1, 4*tile - 1, 4*tile + 1, 8 * tile, 8*tile + 1, 16 * tile, 16*tile + 1}
	if !testkit.Long() {
		lengths = []int{0, 1, 32, 33, 897, tile + 1, 16*tile + 1}
	}
	for i, n := range lengths {
		for j, offsets := range [][]uint32{of(0, n), of(3, n, n), of(900, 7, n, 0, 0, 5), of(77, 40, n, 896, n)} {
			if testkit.ThreadSanitizer() && (i+j)%3 != 0 {
				continue
			}
			check(t, w, gputest.CodesOf["uniform"](r, end(offsets)+r.IntN(3)), offsets)
		}
	}
}

// TestMixed has segments of all lengths in one list, of unequal codes and of equal ones.
func TestMixed(t *testing.T) {
	w, r := workspace(t), gputest.Drawing(t)
	for name, lengths := range map[string]func() int{
		"tiny":   func() int { return r.IntN(4) },
		"short":  func() int { return r.IntN(33) },
		"medium": func() int { return r.IntN(400) },
		"long":   func() int { return r.IntN(3000) },
		"skewed": func() int { return 1 << r.IntN(15) },
		"empty":  func() int { return r.IntN(200) / 199 * r.IntN(2000) },
	} {
		var all []int
		for n := 0; n < 40_000 && len(all) < 20_000; n += all[len(all)-1] {
			all = append(all, lengths())
		}
		if !testkit.Long() {
			all = all[:min(len(all), 12)]
		}
		offsets := of(r.IntN(2000), all...)
		for _, codes := range []string{"uniform", "16 values"} {
			t.Run(name+", "+codes, func(t *testing.T) { check(t, w, gputest.CodesOf[codes](r, end(offsets)+5), offsets) })
		}
	}
}

// TestCodes has codes of all distributions, and those that words of a block tell apart by their low bits only.
func TestCodes(t *testing.T) {
	w, r := workspace(t), gputest.Drawing(t)
	offsets := of(5, 20, 20, 11, 300, 300, 300, 1100, 5000, 16_500, 0, 17_000)
	if !testkit.Long() {
		offsets = of(5, 20, 300, 300, 1100, 16_500)
	}
	makes := map[string]func(r *rand.Rand, n int) []uint64{
		"crowds at both ends": func(r *rand.Rand, n int) []uint64 {
			return gputest.Fill(n, func(int) uint64 { return -r.Uint64N(2) ^ r.Uint64N(5) })
		},
		"two distances": func(r *rand.Rand, n int) []uint64 {
			return gputest.Fill(n, func(int) uint64 { return r.Uint64N(3)<<62 + r.Uint64N(1<<30) })
		},
	}
	for _, name := range gputest.SomeCodes() {
		makes[name] = gputest.CodesOf[name]
	}
	for name, codes := range makes {
		t.Run(name, func(t *testing.T) { check(t, w, codes(r, end(offsets)), offsets) })
	}
}

// TestOffsets has offsets that are no segments, and memory that is as it was.
func TestOffsets(t *testing.T) {
	w := workspace(t)
	list := gputest.Fill(1000, func(i int) uint64 { return uint64(-i) })
	for _, c := range []struct {
		offsets []uint32
		text    string
	}{
		{[]uint32{0, 10, 9, 1000}, "segment 1 of 3"},
		{[]uint32{0, 10, 1001}, "segment 1 of 2"},
		{[]uint32{0, 1 << 31, 1000}, "segment 0 of 2"},
		{[]uint32{1 << 31, 1<<32 - 1}, "segment 0 of 1"},
		{[]uint32{1<<32 - 1, 0}, "segment 0 of 1"},
	} {
		got, _, err := onDevice[uint32](t, w, list, c.offsets, false)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d: error %v", c.offsets, err)
		}
		if i := slices.IndexFunc(got, func(p uint32) bool { return p != poison }); i >= 0 {
			t.Errorf("%d: place %d was written", c.offsets, i)
		}
	}
	for _, offsets := range [][]uint32{{0}, {1 << 31}, {1000}, {0, 0}, {1000, 1000, 1000}} { // nothing to sort
		if _, _, err := onDevice[uint32](t, w, list, offsets[:], true); len(offsets) > 1 && err != nil {
			t.Errorf("%d: error %v", offsets, err)
		}
	}
	if _, _, err := onDevice[uint32](t, w, list[:0], []uint32{0, 0}, false); err != nil {
		t.Error(err)
	}
}

// TestLarge has large segments sorted by as many sorts as the package says: none for 32-bit codes of
// several segments, which a radix sort sorts each by itself.
func TestLarge(t *testing.T) {
	w, r := workspace(t), gputest.Drawing(t)
	_, most := modulesFor(w.Info.SharedPerBlock)
	for _, c := range []struct {
		count, narrow, wide int // sorts of an order
	}{{0, 0, 0}, {1, 1, 1}, {2, 0, 2}} {
		offsets := of(10, append([]int{100}, slices.Repeat([]int{most + 1}, c.count)...)...)
		list := gputest.CodesOf["gauss"](r, end(offsets))
		_, narrow, err := onDevice[uint32](t, w, gputest.Fill32(list), offsets, false)
		_, wide, failed := onDevice[uint32](t, w, list, offsets, false)
		_, keys, failedKeys := onDevice[uint32](t, w, gputest.Fill32(list), offsets, true)
		if narrow != c.narrow || wide != c.wide || keys != c.narrow || err != nil || failed != nil || failedKeys != nil {
			t.Errorf("%d large segments: %d, %d and %d sorts, errors %v, %v, %v", c.count, narrow, wide, keys, err, failed, failedKeys)
		}
	}
}

// TestEach has large segments of lengths about those of tiles, in any order and with others between, of codes that
// have none, some and all places to be sorted by.
func TestEach(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w, r := workspace(t), gputest.Drawing(t)
	_, most := modulesFor(w.Info.SharedPerBlock)
	lengths := []int{most + 1, 2 * kernels.RadixTile, 2*kernels.RadixTile - 1, 2*kernels.RadixTile + 1, 3*kernels.RadixTile + 77}
	kinds := map[string]func(segment, i int) uint32{
		"random":                func(int, int) uint32 { return r.Uint32() },
		"flat":                  func(int, int) uint32 { return 42 },
		"flat in each":          func(segment, _ int) uint32 { return uint32(segment) << 20 },
		"one place":             func(int, int) uint32 { return r.Uint32N(256) << 8 },
		"two places":            func(int, int) uint32 { return r.Uint32N(256) << 24 & 0xff0000ff },
		"falling":               func(_, i int) uint32 { return -uint32(i) },
		"the ends of the range": func(_, i int) uint32 { return -uint32(i % 2) },
	}
	for name, code := range kinds {
		if !testkit.Long() && name != "random" && name != "flat in each" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			drawn := []int{0, 3, 40}
			for _, i := range r.Perm(len(lengths))[:testkit.Pick(3, len(lengths))] {
				drawn = append(drawn, lengths[i], r.IntN(2000))
			}
			offsets := of(r.IntN(100), drawn...)
			list := make([]uint32, end(offsets)+5)
			for s := range drawn {
				for i := offsets[s]; i < offsets[s+1]; i++ {
					list[i] = code(s, int(i))
				}
			}
			checkWidth(t, w, list, offsets)
		})
	}
}

// TestSmallDevice sorts on devices whose shared memory the last class does not fit.
func TestSmallDevice(t *testing.T) {
	for shared, want := range map[int]int{64 << 10: 4096, 99 << 10: 8192, 163 << 10: 16384} { // compute capability 7.5, 8.6, 8.0
		if modules, most := modulesFor(shared); most != want || device.Shared(modules) > shared {
			t.Errorf("%d bytes: segments of %d, %d bytes", shared, most, device.Shared(modules))
		}
	}
	gputest.Shrink(t)
	w, r := workspace(t), gputest.Drawing(t)
	offsets := of(1, 100, 4096, 4097, 5000)
	check(t, w, gputest.CodesOf["uniform"](r, end(offsets)), offsets)
}
