//go:build cudacpu && linux && amd64

package multi

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/testkit"
)

// open opens the devices of the machine, and a session on each of the first.
func open(t *testing.T, devices int) []transfer.Session {
	t.Helper()
	ordinals := make([]int, devices)
	for i := range ordinals {
		ordinals[i] = i
	}
	devs, err := device.Open(ordinals)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(devs); err != nil {
			t.Error(err)
		}
	})
	var sessions []transfer.Session
	for _, d := range devs {
		sorter, err := dispatch.New(d, dispatch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, transfer.Session{Workspace: gputest.WorkspaceOf(t, d), Sorter: sorter, Verify: true})
	}
	return sessions
}

// jobOf is a job over codes, and the order that it emits.
func jobOf(ctx context.Context, list []uint64) (job *engine.Job, order []uint32) {
	order = make([]uint32, len(list))
	job = &engine.Job{N: len(list), Bits: 64, Env: new(engine.Env)}
	job.Loop.Ctx, job.Loop.Workers = ctx, 3
	job.Codes64 = func(dst []uint64, lo int) { copy(dst, list[lo:]) }
	job.Emit = func(lo int, positions []uint32) { copy(order[lo:], positions) }
	return job, order
}

// TestEvenShares holds the elements of devices to their room, whatever the
// codes: also equal ones are divided.
func TestEvenShares(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	const devices, n = 4, 4 * 8 * engine.Block
	gputest.Machine(t, devices, true)
	sessions := open(t, devices)
	for _, name := range gputest.SomeCodes() {
		job, _ := jobOf(t.Context(), gputest.CodesOf[name](rand.New(rand.NewPCG(19, 20)), n))
		p := newFromHost(job, sessions)
		for _, stage := range []func() error{p.open, p.extract, p.exchange} {
			if err := stage(); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range p.list {
			if q.n > q.capacity || q.n < n/devices*9/10 {
				t.Errorf("%s: device %d gets %d of %d elements, and has room for %d", name, q.index, q.n, n, q.capacity)
			}
			for _, b := range []device.Block{q.block, q.stage, q.receives} {
				q.Put(b)
			}
		}
		job.Arena.Release(1)
	}
}

// TestWindows sorts keys in parts, of which all but a few go to their places at once, and whose
// borders of results lie in windows. Those of codes that mislead the sample do not, and regions
// are too small for them.
func TestWindows(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	const n = 10_000
	lists := map[string]func(r *rand.Rand, n int) []uint64{"misled": func(_ *rand.Rand, n int) []uint64 {
		return gputest.Unseen(n, func(r *rand.Rand) uint64 { return r.Uint64() }, func(i int) uint64 { return uint64(i) })
	}}
	for _, name := range []string{"uniform", "sorted", "16 values", "flat", "gauss"} {
		lists[name] = gputest.CodesOf[name]
	}
	for _, devices := range []int{2, 3, mostLoose + 1} {
		gputest.Machine(t, devices, true)
		t.Run("", func(t *testing.T) {
			sessions := open(t, devices)
			for name, draw := range lists {
				var parts [][]uint64
				for i := range sessions {
					parts = append(parts, draw(rand.New(rand.NewPCG(23, uint64(i))), n))
				}
				for _, p := range []*onDevices{testOnDevices(t, parts, sessions), testOnDevices(t, narrow(parts), sessions)} {
					for _, q := range p.list {
						if most := n / 10; name != "misled" && (!p.atPlaces(q) || q.n-q.sure > most) {
							t.Errorf("%s: device %d of %d: %d sure elements at %d, window of %d", name, q.index, devices, q.sure, q.place, q.n-q.sure)
						}
					}
					again := slices.ContainsFunc(p.list, func(q *part) bool {
						return slices.ContainsFunc(q.regions, func(r region) bool { return r.n > n/10 && r.n == r.capacity })
					})
					if p.loose() && p.wide && name != "flat" && again != (name == "misled") {
						t.Errorf("%s: elements of %d devices were moved again: %v", name, devices, again)
					}
					if p.loose() != (devices <= mostLoose) {
						t.Errorf("%d devices, loose: %v", devices, p.loose())
					}
				}
			}
		})
	}
}

func narrow(parts [][]uint64) (list [][]uint32) {
	for _, p := range parts {
		list = append(list, gputest.Fill32(p))
	}
	return list
}

// testOnDevices sorts keys in parts, to results of other lengths.
func testOnDevices[W codes.Word](t *testing.T, parts [][]W, sessions []transfer.Session) *onDevices {
	t.Helper()
	var list []Part
	for i, part := range parts {
		results := len(part) + len(part)/20*(len(parts)-1-2*i)
		list = append(list, Part{Codes: gputest.Up(t, sessions[i].Workspace, part), N: len(part), Results: results,
			Result: gputest.Up(t, sessions[i].Workspace, make([]W, results))})
	}
	p := newOnDevices(engine.Auto, gputest.IsWide[W](), true, list, sessions)
	if err := p.sort(); err != nil {
		t.Fatal(err)
	}
	all := slices.Sorted(slices.Values(slices.Concat(parts...)))
	for i, q := range p.list {
		if got := gputest.Down[W](t, q.Workspace, list[i].Result, list[i].Results); !slices.Equal(got, all[p.starts[i]:p.starts[i+1]]) {
			t.Errorf("device %d of %d: wrong results", i, len(parts))
		}
	}
	return p
}

// TestNumbers orders 64-bit codes in parts by the positions in the whole list: codes that differ in
// leading bits, or in others only, or that tie.
func TestNumbers(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	const n = 8000
	alike := func(r *rand.Rand, n int) []uint64 {
		return gputest.Fill(n, func(int) uint64 { return r.Uint64N(3000)<<52 + r.Uint64N(300) })
	}
	for _, devices := range []int{2, 3} {
		gputest.Machine(t, devices, true)
		t.Run("", func(t *testing.T) {
			sessions := open(t, devices)
			for i := range sessions {
				sessions[i].Verify = false
			}
			for name, draw := range map[string]func(*rand.Rand, int) []uint64{"alike": alike, "uniform": gputest.CodesOf["uniform"], "gauss": gputest.CodesOf["gauss"],
				"outliers": gputest.Outside, "log": gputest.CodesOf["log"], "sorted": gputest.CodesOf["sorted"], "16 values": gputest.CodesOf["16 values"]} {
				var list []Part
				var all, want []uint64
				var places []uint64
				for i, s := range sessions {
					part := draw(rand.New(rand.NewPCG(33, uint64(i))), n+i)
					for at := range part {
						places = append(places, uint64(i)<<32|uint64(at))
					}
					all = append(all, part...)
					list = append(list, Part{Codes: gputest.Up(t, s.Workspace, part), N: n + i, Results: n + i, Result: gputest.Up(t, s.Workspace, make([]uint64, n+i))})
				}
				for _, at := range gputest.Stable(all) {
					want = append(want, places[at])
				}
				p := newOnDevices(engine.BucketBitonic, true, false, list, sessions)
				if err := p.sort(); err != nil {
					t.Fatal(err)
				}
				for i, q := range p.list {
					if got := gputest.Down[uint64](t, q.Workspace, list[i].Result, list[i].Results); !slices.Equal(got, want[p.starts[i]:p.starts[i+1]]) {
						t.Errorf("%s: device %d of %d: wrong places, by numbers: %v", name, i, devices, q.found.Numbers)
					}
					if numbers := name == "alike" || name == "uniform" || name == "gauss" || name == "outliers"; q.found.Numbers != numbers {
						t.Errorf("%s: device %d of %d: by numbers: %v", name, i, devices, q.found.Numbers)
					}
				}
			}
		})
	}
}

// TestCrowded has lists that fit no device's part, and those that just do: their parts take
// no more than they ask for.
func TestCrowded(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 2, true)
	sessions := open(t, 2)
	list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(21, 22)), 14*engine.Block)
	for _, spare := range []int{-1, 0} {
		job, order := jobOf(t.Context(), list)
		p := newFromHost(job, sessions)
		for i, s := range sessions {
			s.Limit = p.bytes(p.list[i]) + spare
		}
		switch err := Order(job, sessions); {
		case spare < 0 && !errors.Is(err, ErrCrowded):
			t.Errorf("a byte less than parts ask for: error %v", err)
		case spare == 0 && (err != nil || !slices.Equal(order, gputest.Stable(list))):
			t.Errorf("error %v, or wrong order", err)
		}
		for _, s := range sessions {
			if held := s.Held(); held > s.Limit {
				t.Errorf("%d bytes are held, %d are allowed", held, s.Limit)
			}
		}
		job.Arena.Release(1)
	}
}

// TestShares checks which jobs devices share.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		job  engine.Job
		want bool
	}{
		{engine.Job{}, true},
		{engine.Job{Algorithm: engine.MergeSort}, true},
		{engine.Job{Algorithm: engine.Hybrid}, false},
		{engine.Job{Ties: make([]uint32, 1)}, false},
	} {
		if got := Shareable(&c.job); got != c.want {
			t.Errorf("by %v, ties %v: shareable %v", c.job.Algorithm, c.job.Ties != nil, got)
		}
	}
	for _, c := range []struct {
		devices, n int
		want       bool
	}{
		{1, 1, true},
		{2, engine.Block, false}, // nothing would be left for the second
		{2, engine.Block + 1, true},
		{2, 1<<32 - 1, true},
		{8, 8*engine.Block + 1, false}, // parts of two blocks
	} {
		if got := Divides(c.n, c.devices); got != c.want {
			t.Errorf("%d devices, %d elements: each gets some: %v", c.devices, c.n, got)
		}
	}
}

// TestMeasure measures devices, and leaves no device memory.
func TestMeasure(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 3, true)
	sessions := open(t, 3)
	r, err := Measure(sessions)
	if err != nil || len(r.Up) != 3 || len(r.Down) != 3 || r.Workers < 1 {
		t.Fatalf("%+v, error %v", r, err)
	}
	for _, pace := range append(append([]float64{r.Host, r.Exchange}, r.Up...), r.Down...) {
		if pace <= 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, s := range sessions {
		if held := s.Held(); held > 0 {
			t.Errorf("%d bytes are held", held)
		}
	}
}

// TestReach has kernels write only memory that they reach.
func TestReach(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, direct := range []bool{true, false} {
		gputest.Machine(t, 2, direct)
		t.Run("", func(t *testing.T) {
			p := newOnDevices(engine.Auto, false, true, make([]Part, 2), open(t, 2))
			a, b := p.list[0], p.list[1]
			if !p.direct(a, a) || p.direct(a, b) != direct || p.stagesCodes(b) == direct {
				t.Errorf("devices reach each other: %v; routed directly: %v", direct, p.direct(a, b))
			}
			if a.Staged = true; p.direct(a, b) {
				t.Error("routed directly, not by copies")
			}
		})
	}
}
