package beamsort_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	beamsort "example.com/sorter/beam"
)

func ExampleSweep() {
	folder, err := os.MkdirTemp("", "sorted-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	left := filepath.Join(folder, ".trades-00003-of-00042.00f067aa0ba902b7.tmp") // by a worker that was killed
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		log.Fatal(err)
	}
	removed, err := beamsort.Sweep(context.Background(), filepath.Join(folder, "trades"))
	fmt.Println(removed, err)
	// Output: 1 <nil>
}
