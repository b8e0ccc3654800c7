//go:build linux && (amd64 || arm64)

package radix

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

func TestSort(t *testing.T) { testSort(t, Large) }

// TestSmall has the kernels of devices with little shared memory, which run on others, too.
func TestSmall(t *testing.T) {
	if !testkit.Long() { // where the size of a tile may change anything
		w, r := gputest.Workspace(t, Small.Modules()...), rand.New(rand.NewPCG(3, 4))
		gputest.CheckSort(t, w, gputest.CodesOf["uniform"](r, Small.tile+1), Small.Sort)
		return
	}
	testSort(t, Small)
}

// TestTiles checks that the small kernels fit the devices they are for.
func TestTiles(t *testing.T) {
	const shared = 64 << 10                                                               // of a block, with compute capability 7.5
	if most := device.Shared(Small.Modules()); most > shared || 2*Small.shared > shared { // see SmallTile of radix.cuh
		t.Errorf("a block takes %d bytes, two tiles %d", most, 2*Small.shared)
	}
	if Small.tile > Large.tile { // see RadixMaxN
		t.Errorf("the small tile has %d elements", Small.tile)
	}
}

// testSort sorts codes of every distribution, at sizes around those that the kernels
// cut: a warp's part of a tile, a tile, and as many as are looked back at at once.
func testSort(t *testing.T, s *Sorter) {
	w, tile := gputest.Workspace(t, s.Modules()...), s.tile
	r := rand.New(rand.NewPCG(3, 4))
	for name, make := range gputest.CodesOf {
		all := append([]int{0, 1, 2, 31, 33, 511, 513, tile - 1, tile, tile + 1, 6*tile + 5}, gputest.Large...)
		if !testkit.Long() {
			if name != "uniform" { // TestCalls has passes that are not needed
				continue
			}
			all = gputest.SmallSizes(name)
		}
		for _, n := range all {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) { gputest.CheckSort(t, w, make(r, max(n, 1))[:n], s.Sort) })
		}
	}
}

// TestPlaces sorts codes whose digits differ in some places only: the first
// pass, the last, and the change from the low word to the high one fall on any.
func TestPlaces(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, Large.Modules()...)
	r := rand.New(rand.NewPCG(5, 6))
	const n = 3000
	step := 1
	if !testkit.Long() {
		step = 101
	}
	for places := 0; places < 256; places += step {
		mask := uint64(0)
		for p := range 8 {
			mask |= uint64(places>>p&1) * 0xff << (8 * p)
		}
		list := gputest.Fill(n, func(int) uint64 { return 0x123456789abcdef0&^mask | r.Uint64()&mask&0x0707070707070707 })
		t.Run(fmt.Sprintf("%08b", places), func(t *testing.T) { gputest.CheckSort(t, w, list, Large.Sort) })
	}
}
