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
