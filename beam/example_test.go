package beamsort_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Click is an action of a user, and its time in minutes.
type Click struct {
	Minute int64
	Page   int32
}

var byMinute = beamsort.Register("clicks by minute", beamsort.Fixed[Click](),
	sorter.Asc(func(c Click) int64 { return c.Minute }))

// Visits are clicks with less than half an hour between them. The function holds one of them, and
// not all clicks of a user.
var visits = beamsort.RegisterForEach("visits", byMinute,
	func(_ context.Context, user string, clicks iter.Seq2[Click, error], emit func(string)) error {
		var first, last int64
		pages := 0
		for c, err := range clicks {
			if err != nil {
				return err
			}
			if pages > 0 && c.Minute-last >= 30 {
				emit(fmt.Sprintf("%d to %d: %d pages", first, last, pages))
				pages = 0
			}
			if pages == 0 {
				first = c.Minute
			}
			last = c.Minute
			pages++
		}
		emit(fmt.Sprintf("%d to %d: %d pages", first, last, pages))
		return nil
	})

func clicksOf(_ []byte, emit func(string, Click)) {
	for i, minute := range []int64{95, 3, 100, 0, 10, 301} {
		emit("ada", Click{minute, int32(i)})
	}
	emit("bob", Click{7, 1})
}

func show(user, visit string) { fmt.Println(user, visit) }

func init() {
	beam.RegisterFunction(clicksOf)
	beam.RegisterFunction(show)
}

func ExampleForEachKey() {
	p, s := beam.NewPipelineWithRoot()
	clicks := beam.ParDo(s, clicksOf, beam.Impulse(s)) // pairs of a user and a click
	beam.ParDo0(s, show, beamsort.ForEachKey(s, clicks, visits))
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// ada 0 to 10: 3 pages
	// ada 95 to 100: 2 pages
	// ada 301 to 301: 1 pages
	// bob 7 to 7: 1 pages
}
