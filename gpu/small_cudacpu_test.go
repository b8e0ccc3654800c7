//go:build cudacpu && linux && amd64

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/radix"
	"example.com/sorter/internal/testkit"
)

// TestCapability opens devices that are older than the kernels.
func TestCapability(t *testing.T) {
	defer cudacpu.Configure(cudacpu.DefaultDevice)
	old := cudacpu.DefaultDevice
	old.Major, old.Minor = 7, 0
	cudacpu.Configure(old)
	if _, err := Open(); !errors.Is(err, engine.ErrNoDevice) || !strings.Contains(err.Error(), "7.0, the kernels need 7.5") {
		t.Errorf("error %v", err)
	}
}

// TestFaultsOfSmall fails every call of what small devices do in their own way.
func TestFaultsOfSmall(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Shrink(t)
	in, sorted := readings(radix.Small.Tile() + 100)
	t.Run("opening", TestFaultsOfOpening)
	t.Run("sorts", func(t *testing.T) { walkSorts(t, sorter.Auto, in, sorted) })
	t.Run("with fallback", TestFaultsWithFallback)
	t.Run("keys", func(t *testing.T) { walkKeys(t, 5000, sorter.Auto, func(*Engine) {}) })
	c := cut{engine.Auto, 3, true} // more elements than the small path takes
	t.Run("chunks", func(t *testing.T) {
		walkKeys(t, c.n(engine.Block), c.algorithm, func(e *Engine) { e.devs[0].Limit = c.limit(e, true, true, engine.Block) })
	})
}

// TestSmallAmongOthers sorts on two devices of which one is small. Each uses its own
// kernels, and no algorithm runs that only one of them has.
func TestSmallAmongOthers(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 2, true)
	defer cudacpu.Configure(cudacpu.DefaultDevice)
	cudacpu.ConfigureOne(1, cudacpu.SmallDevice)
	e := openSharing(t, 2, Verify())
	r := rand.New(rand.NewPCG(17, 18))
	for _, a := range []engine.Algorithm{engine.Auto, engine.Radix, engine.MergeSort} {
		list := gputest.CodesOf["gauss"](r, 3*engine.Block)
		testSharing(t, e, a, list)
		testSharing(t, e, a, gputest.Fill32(list))
	}
	for _, splits := range []int{1, 1 << 20} { // both, or the first alone
		e.settings.ShareN = splits
		list := gputest.CodesOf["gauss"](r, 3*engine.Block)
		if _, err := sorter.OrderKeys(list, sorter.On(e), sorter.Use(sorter.BucketBitonic)); !errors.Is(err, sorter.ErrNoDevice) {
			t.Errorf("lists shared from %d elements on: error %v", splits, err)
		}
	}
	in := input{N: dispatch.MaxNByBuckets}
	if most := [2]int{e.devs[0].Bytes(engine.Auto, in), e.devs[1].Bytes(engine.Auto, in)}; most[0] == e.devs[0].Bytes(engine.Radix, in) || most[1] != e.devs[1].Bytes(engine.Radix, in) {
		t.Errorf("long lists take %d bytes", most)
	}
}

// TestSmallChosen leaves the choice of the engine to the planner, which learns that
// the device is small when a sort has it opened.
func TestSmallChosen(t *testing.T) {
	testkit.SkipThreadSanitizer(t) // the planner measures in the background, for minutes there
	gputest.Shrink(t)
	keys := make([]int64, 4100) // more than the small path takes
	for i := range keys {
		keys[i] = int64(i) * -7046029254386353131
	}
	sorted := slices.Sorted(slices.Values(keys))
	sort := func(a sorter.Algorithm) (st sorter.Stats, err error) {
		s := slices.Clone(keys)
		err = sorter.SortKeys(s, sorter.Use(a), sorter.Report(&st))
		if want := map[bool][]int64{true: sorted, false: keys}[err == nil]; !slices.Equal(s, want) {
			t.Errorf("%v: error %v, and wrong keys", a, err)
		}
		return st, err
	}
	for _, a := range []sorter.Algorithm{sorter.BucketBitonic, sorter.Bitonic} { // which the CPU lacks, and has
		t.Run(fmt.Sprint(a), func(t *testing.T) {
			e := &Engine{}
			automatic.Engine = e
			defer func() {
				automatic.Engine = nil
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}()
			calls := cudacpu.Calls()
			if !e.Runs(a) || cudacpu.Calls() != calls || e.opened != nil {
				t.Error("the device was asked before anybody sorts")
			}
			onCPU := sorter.CPU().Runs(a)
			switch st, err := sort(a); {
			case !onCPU && !errors.Is(err, sorter.ErrNoDevice), onCPU && (err != nil || !errors.Is(st.Fallback, sorter.ErrNoDevice) || st.Engine != "cpu"):
				t.Errorf("before it is open: error %v, %+v", err, st)
			}
			switch st, err := sort(a); {
			case !onCPU && !errors.Is(err, sorter.ErrNoDevice), onCPU && (err != nil || st.Fallback != nil || st.Engine != "cpu"):
				t.Errorf("when it is open: error %v, %+v", err, st)
			}
			if st, err := sort(sorter.Auto); err != nil || st.Fallback != nil || st.Engine != "cuda:0" || st.Algorithm != "MergeSort" {
				t.Errorf("the engine's choice: error %v, %+v", err, st)
			}
		})
	}
}
