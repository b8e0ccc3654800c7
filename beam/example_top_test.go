package beamsort_test

import (
	"context"
	"fmt"
	"log"

	beamsort "example.com/sorter/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func showFirst(clicks []Click) { fmt.Println("first:", clicks) }

func showPages(user string, clicks []Click) { fmt.Println(user, clicks) }

func init() {
	beam.RegisterFunction(showFirst)
	beam.RegisterFunction(showPages)
}

// The first clicks of all, those of each user, and all of each user in order.
func ExampleTopK() {
	p, s := beam.NewPipelineWithRoot()
	clicks := beam.ParDo(s, clicksOf, beam.Impulse(s)) // pairs of a user and a click
	beam.ParDo0(s, showFirst, beamsort.TopK(s, beam.DropKey(s, clicks), 2, byMinute))
	beam.ParDo0(s, showPages, beamsort.TopPerKey(s, clicks, 1, byMinute))
	beam.ParDo0(s, showPages, beamsort.SortValues(s, clicks, byMinute))
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// first: [{0 3} {3 1}]
	// ada [{0 3}]
	// bob [{7 1}]
	// ada [{0 3} {3 1} {10 4} {95 0} {100 2} {301 5}]
	// bob [{7 1}]
}
