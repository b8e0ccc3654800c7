package gpu_test

import (
	"errors"
	"fmt"
	"log"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/perm"
)

// Memory that is used again and again for large sorts is worth pinning. Where there is no device,
// the CPU sorts in ordinary memory.
func ExampleAlloc() {
	prices, err := gpu.Alloc[float32](5)
	switch {
	case errors.Is(err, sorter.ErrNoDevice):
		prices = make([]float32, 5)
	case err != nil:
		log.Fatal(err)
	default:
		defer gpu.Unpin(prices)
	}
	copy(prices, []float32{2.5, 0.5, 9, 1, 4})
	if err := sorter.SortKeys(prices); err != nil {
		log.Fatal(err)
	}
	fmt.Println(prices)
	// Output: [0.5 1 2.5 4 9]
}

// Keys and the memory of their order are pinned once, for all orders to come.
func ExamplePin() {
	keys, order := []uint64{30, 10, 20}, make(perm.Perm, 3)
	for _, err := range []error{gpu.Pin(keys), gpu.Pin(order)} {
		if err != nil && !errors.Is(err, sorter.ErrNoDevice) {
			log.Fatal(err)
		}
	}
	order, err := sorter.OrderKeys(keys, sorter.Into(order))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(order)
	gpu.Unpin(keys)
	gpu.Unpin(order)
	// Output: [1 2 0]
}

// All devices of the machine, and an engine on two of them.
func ExampleOpen() {
	devices, err := gpu.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range devices {
		fmt.Println(d.Ordinal, d.Name, d.Memory>>30, "GiB")
	}
	e, err := gpu.Open(gpu.Device(0, 1), gpu.Memory(8<<30), gpu.Verify())
	if errors.Is(err, sorter.ErrNoDevice) {
		fmt.Println("sorting on the CPU")
		return
	} else if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	keys := make([]uint64, 100_000_000)
	var st sorter.Stats
	if err := sorter.SortKeys(keys, sorter.On(e), sorter.Report(&st)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Name(), e.Runs(sorter.Radix), st.Total)
	fmt.Println(e.Calibration())
	if err := e.Trim(); err != nil { // until the next sort its memory is for others
		log.Fatal(err)
	}
}

// Codes in device memory are ordered there, and the values that belong to them gathered.
func ExampleEngine_OrderDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n = 1 << 20
	var (
		codes, order   gpu.Ptr    // n uint32 each
		values, sorted gpu.Ptr    // n elements of 16 bytes each
		uploads        gpu.Stream // on which the program has sent codes and values
	)
	if err := e.OrderDevice(sorter.Auto, codes, 32, n, order, uploads); err != nil {
		log.Fatal(err)
	}
	if err := e.GatherDevice(order, n, values, 16, sorted); err != nil {
		log.Fatal(err)
	}
	if err := e.SortDevice(sorter.Auto, codes, 32, n, order); err != nil { // the codes alone
		log.Fatal(err)
	}
}

// Segments of a list are ordered, or sorted, each by itself.
func ExampleEngine_OrderWithinDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n, segments = 1 << 20, 1000
	var (
		codes   gpu.Ptr // n uint64
		offsets gpu.Ptr // segments+1 uint32
		order   gpu.Ptr // n uint32
		sorted  gpu.Ptr // n uint64
	)
	if err := e.OrderWithinDevice(codes, 64, n, offsets, segments, order); err != nil {
		log.Fatal(err)
	}
	if err := e.SortWithinDevice(codes, 64, n, offsets, segments, sorted); err != nil {
		log.Fatal(err)
	}
}

// The lowest codes, and the one in the middle, without an order of all.
func ExampleEngine_TopDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n, k = 1 << 20, 100
	var (
		codes  gpu.Ptr // n uint64
		order  gpu.Ptr // k uint32
		sorted gpu.Ptr // k uint64
	)
	if err := e.TopDevice(codes, 64, n, k, order, sorted); err != nil {
		log.Fatal(err)
	}
	if err := e.NthDevice(codes, 64, n, []int{n / 2}, order, 0); err != nil { // the position alone
		log.Fatal(err)
	}
	if err := e.QuantilesDevice(codes, 64, n, []float64{0.5, 0.99}, 0, sorted); err != nil { // the codes alone
		log.Fatal(err)
	}
}

// The lowest codes of each segment of a list.
func ExampleEngine_TopWithinDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n, segments, k = 1 << 20, 100, 10
	var (
		codes   gpu.Ptr // n uint32
		offsets gpu.Ptr // segments+1 uint32
		order   gpu.Ptr // k * segments uint32: segment s has those from s*k on
	)
	if err := e.TopWithinDevice(codes, 32, n, offsets, segments, k, order, 0); err != nil {
		log.Fatal(err)
	}
}

// A list in parts on two devices, of which each receives half of the result.
func ExampleEngine_SortParts() {
	e, err := gpu.Open(gpu.Device(0, 1))
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	var codes, results [2]gpu.Ptr // of each device
	parts := []gpu.Part{
		{Codes: codes[0], N: 3 << 20, Result: results[0], Results: 2 << 20},
		{Codes: codes[1], N: 1 << 20, Result: results[1], Results: 2 << 20},
	}
	if err := e.SortParts(sorter.Auto, 32, parts); err != nil {
		log.Fatal(err)
	}
	// The order has 64-bit words, which name a device and a place there.
	if err := e.OrderParts(sorter.Auto, 32, parts); err != nil {
		log.Fatal(err)
	}
}

// The median and the 99th percentile of each segment, and its third code.
func ExampleEngine_QuantilesWithinDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n, segments = 1 << 20, 1000
	var (
		codes   gpu.Ptr // n uint64
		offsets gpu.Ptr // segments+1 uint32
		sorted  gpu.Ptr // 2*segments uint64
		third   gpu.Ptr // segments uint32
	)
	if err := e.QuantilesWithinDevice(codes, 64, n, offsets, segments, []float64{0.5, 0.99}, 0, sorted); err != nil {
		log.Fatal(err)
	}
	if err := e.NthWithinDevice(codes, 64, n, offsets, segments, []int{2}, third, 0); err != nil { // the positions alone
		log.Fatal(err)
	}
}

// A table on the device is sorted by two of its columns, as Apache Arrow has them.
func ExampleEngine_OrderColumnsDevice() {
	e, err := gpu.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	const n, bytes = 1 << 20, 20 << 20
	var (
		cities, offsets gpu.Ptr // bytes of texts, n+1 uint32
		prices, valid   gpu.Ptr // n float64, a bit each
		order, ties     gpu.Ptr // n uint32, a bit each in words of 32
	)
	cols := []gpu.Column{
		{Type: gpu.Text32, Values: cities, Offsets: offsets, Bytes: bytes},
		{Type: gpu.Float64, Values: prices, Validity: valid, Desc: true},
	}
	if err := e.OrderColumnsDevice(cols, n, order, ties); err != nil {
		log.Fatal(err)
	}
	sorted := []gpu.Column{
		{Type: gpu.Text32, Values: cities, Offsets: offsets, Bytes: bytes}, // of other memory
		{Type: gpu.Float64, Values: prices, Validity: valid},
	}
	if err := e.GatherColumnsDevice(order, n, cols, sorted); err != nil {
		log.Fatal(err)
	}
}
