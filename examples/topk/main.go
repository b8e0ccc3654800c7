// Command topk finds the slowest of a million requests without sorting the
// other 999,994. Requests of equal duration come in the order of the log.
package main

import (
	"fmt"
	"log"
	"time"

	"example.com/sorter"
)

type request struct {
	at   time.Duration // since the log began
	path string
	took time.Duration
}

func main() {
	const k = 6
	requests := makeLog(1_000_000)
	took := func(r request) time.Duration { return r.took }
	if err := sorter.TopK(requests, k, took, sorter.Descending(), sorter.Stable()); err != nil {
		log.Fatal(err)
	}
	for _, r := range requests[:k] {
		fmt.Printf("%5v  at %-11v  %s\n", r.took, r.at, r.path)
	}
}

// makeLog returns the same log every time: most requests are quick, one in
// 30,000 waits for something.
func makeLog(n int) []request {
	paths := [...]string{"/", "/cart", "/search", "/report"}
	requests := make([]request, n)
	random := uint64(1)
	for i := range requests {
		random = random*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		took := time.Duration(1+random>>33%40) * time.Millisecond
		if random>>44%30_000 == 0 {
			took *= 50
		}
		requests[i] = request{time.Duration(i) * 10 * time.Millisecond, paths[random>>62], took}
	}
	return requests
}
