//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
)

// openDevices opens an engine of as many devices as there are, at most the given number.
func openDevices(t *testing.T, most int, opts ...Option) *Engine {
	t.Helper()
	infos, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	var ordinals []int
	for i := range min(len(infos), most) {
		ordinals = append(ordinals, i)
	}
	if ordinals == nil {
		t.Skip("no device")
	}
	return open(t, append(opts, Device(ordinals...))...)
}

// cutAt cuts a list at the ends of parts.
func cutAt[W any](list []W, ends ...int) (parts [][]W) {
	for i, end := range ends {
		begin := 0
		if i > 0 {
			begin = ends[i-1]
		}
		parts = append(parts, list[begin:end])
	}
	return parts
}

// placed are parts on the devices, beside pinned memory for their results.
type placed struct {
	parts   []Part
	devices []cuda.Context
	host    []unsafe.Pointer
}

const guard = 0xdbdbdbdb

// place puts parts of a list on the devices, with memory for results, after which a guard comes.
func place[W codes.Word](t *testing.T, e *Engine, list [][]W, results []int, resultSize int) *placed {
	t.Helper()
	p := &placed{}
	for i, part := range list {
		c := e.devs[i].Context
		size := int(unsafe.Sizeof(*new(W)))
		own := Part{N: len(part), Results: results[i]}
		bytes := max(size*len(part), resultSize*results[i]+8)
		host, err := c.HostAlloc(bytes)
		if err == nil {
			p.host = append(p.host, host)
			copy(words[W](host, len(part)), part)
			own.Codes, err = allocated(c.Alloc(max(1, size*len(part))))
		}
		if err == nil {
			own.Result, err = allocated(c.Alloc(resultSize*results[i] + 8))
		}
		p.parts, p.devices = append(p.parts, own), append(p.devices, c)
		if err == nil {
			err = steps(
				func() error { return c.CopyToDevice(cuda.Ptr(own.Codes), host, size*len(part), 0) },
				func() error { return c.Memset32(cuda.Ptr(own.Result), guard, resultSize*results[i]/4+2, 0) },
				func() error { return c.SyncStream(0) },
			)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// resultsOf brings the results of all parts together, and checks that nothing else was written.
func resultsOf[R codes.Word](t *testing.T, p *placed) (all []R) {
	t.Helper()
	for i, part := range p.parts {
		c, n := p.devices[i], part.Results*int(unsafe.Sizeof(*new(R)))
		err := steps(
			func() error { return c.CopyToHost(p.host[i], cuda.Ptr(part.Result), n+8, 0) },
			func() error { return c.SyncStream(0) },
		)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, words[R](p.host[i], part.Results)...)
		if after := words[uint32](unsafe.Add(p.host[i], n), 2); after[0] != guard || after[1] != guard {
			t.Errorf("part %d: %#x after its results", i, after)
		}
	}
	return all
}

func (p *placed) free(t *testing.T) {
	t.Helper()
	for i, part := range p.parts {
		c := p.devices[i]
		if err := errors.Join(c.Free(cuda.Ptr(part.Codes)), c.Free(cuda.Ptr(part.Result)), c.HostFree(p.host[i])); err != nil {
			t.Error(err)
		}
	}
}

// placesOf is the stable order of parts: each part above the position there.
func placesOf[W codes.Word](parts [][]W) (places []uint64) {
	for i, part := range parts {
		for at := range part {
			places = append(places, uint64(i)<<32|uint64(at))
		}
	}
	order := gputest.Stable(slices.Concat(parts...))
	sorted := make([]uint64, len(order))
	for i, at := range order {
		sorted[i] = places[at]
	}
	return sorted
}

// checkParts sorts and orders parts.
func checkParts[W codes.Word](t *testing.T, e *Engine, a engine.Algorithm, parts [][]W, results []int) {
	t.Helper()
	bits := 8 * int(unsafe.Sizeof(*new(W)))
	sorted := slices.Sorted(slices.Values(slices.Concat(parts...)))
	p := place(t, e, parts, results, bits/8)
	if err := e.SortParts(a, bits, p.parts); err != nil || !slices.Equal(resultsOf[W](t, p), sorted) {
		t.Errorf("keys of %d bits by %v, to %v: error %v, or wrong results", bits, a, results, err)
	}
	p.free(t)
	p = place(t, e, parts, results, 8)
	if err := e.OrderParts(a, bits, p.parts); err != nil || !slices.Equal(resultsOf[uint64](t, p), placesOf(parts)) {
		t.Errorf("order of %d bits by %v, to %v: error %v, or wrong results", bits, a, results, err)
	}
	p.free(t)
}

// TestParts sorts parts on the devices of the machine.
func TestParts(t *testing.T) {
	e := openDevices(t, 8, Verify())
	devices := len(e.devs)
	r := rand.New(rand.NewPCG(51, 52))
	for _, n := range append([]int{10_007}, gputest.Large...) {
		for _, name := range gputest.SomeCodes() {
			list := gputest.CodesOf[name](r, n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				var ends, results []int
				for i := range devices {
					ends = append(ends, n*(i+1)/devices)
					results = append(results, ends[i]-n*i/devices)
				}
				checkParts(t, e, engine.Auto, cutAt(list, ends...), results)
				checkParts(t, e, engine.Auto, cutAt(gputest.Fill32(list), ends...), results)
			})
		}
	}
}

// TestPartsPanics has parts that do not fit each other or the engine, before there is a device.
func TestPartsPanics(t *testing.T) {
	one := func(n, results int) []Part { return []Part{{Codes: 4096, N: n, Result: 1 << 40, Results: results}} }
	for want, f := range map[string]func(e *Engine){
		"2 parts on 1 devices":                      func(e *Engine) { e.SortParts(engine.Auto, 32, make([]Part, 2)) },
		"1 codes of 16 bits":                        func(e *Engine) { e.SortParts(engine.Auto, 16, one(1, 1)) },
		"part 0: -1 codes of 32 bits and 0 results": func(e *Engine) { e.OrderParts(engine.Auto, 32, one(-1, 0)) },
		"part 0: 0 codes of 32 bits and -1 results": func(e *Engine) { e.OrderParts(engine.Auto, 32, one(0, -1)) },
		"4294967296 codes":                          func(e *Engine) { e.SortParts(engine.Auto, 32, one(1<<32, 1<<32)) },
		"1 codes more than results":                 func(e *Engine) { e.SortParts(engine.Auto, 32, one(2, 1)) },
		"part 0: 10 results at 0x1024 overlap": func(e *Engine) {
			e.SortParts(engine.Auto, 32, []Part{{Codes: 0x1000, N: 10, Result: 0x1024, Results: 10}})
		},
		"part 0: 10 results at 0xfb4 overlap": func(e *Engine) {
			e.OrderParts(engine.Auto, 32, []Part{{Codes: 0x1000, N: 10, Result: 0xfb4, Results: 10}})
		},
		"by QuickMerge":           func(e *Engine) { e.SortParts(engine.QuickMerge, 32, one(1, 1)) },
		"part 0: 933232641 codes": func(e *Engine) { e.OrderParts(engine.Auto, 32, one(933_232_641, 933_232_641)) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "sorter: gpu: ") || !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			f(&Engine{})
		}()
	}
	if err := (&Engine{}).SortParts(engine.Auto, 32, nil); err != nil {
		t.Errorf("no parts: %v", err)
	}
}

func TestPartsAfter(t *testing.T) { testPartsAfter(t, openDevices(t, 3)) }

// testPartsAfter sorts codes that streams of the parts' devices are still to bring.
func testPartsAfter(t *testing.T, e *Engine) {
	r := rand.New(rand.NewPCG(53, 54))
	var parts [][]uint64
	var results []int
	for range e.devs {
		parts, results = append(parts, gputest.Fill(3000, func(int) uint64 { return r.Uint64N(1 << 16) })), append(results, 3000)
	}
	p := place(t, e, parts, results, 8)
	defer p.free(t)
	for i := range p.parts {
		c := p.devices[i]
		own, err := c.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer c.DestroyStream(own)
		err = steps(
			func() error { return c.Memset32(cuda.Ptr(p.parts[i].Codes), 7, 6000, 0) },
			func() error { return c.SyncStream(0) },
			func() error { return c.CopyToDevice(cuda.Ptr(p.parts[i].Codes), p.host[i], 8*3000, own) },
		)
		if err != nil {
			t.Fatal(err)
		}
		p.parts[i].After = []Stream{0, Stream(own)}
	}
	if err := e.OrderParts(engine.Auto, 64, p.parts); err != nil || !slices.Equal(resultsOf[uint64](t, p), placesOf(parts)) {
		t.Errorf("error %v, or wrong results", err)
	}
}
