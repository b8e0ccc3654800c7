package arrowsort_test

import (
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// generated is a reader of random batches, one at a time.
type generated struct {
	endless
	left int
	r    *rand.Rand
	b    *array.RecordBuilder
}

func (g *generated) Schema() *arrow.Schema { return g.b.Schema() }
func (g *generated) Err() error            { return nil }
func (g *generated) Next() bool {
	if g.batch != nil {
		g.batch.Release()
		g.batch = nil
	}
	if g.left == 0 {
		return false
	}
	n := min(g.left, 8192)
	g.left -= n
	for range n {
		g.b.Field(0).(*array.Int64Builder).Append(g.r.Int64N(1 << 20))
		g.b.Field(1).(*array.StringBuilder).Append(strings.Repeat("text", 1+g.r.IntN(9)))
	}
	g.batch = g.b.NewRecordBatch()
	return true
}

func newGenerated(rows int) *generated {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	return &generated{left: rows, r: rand.New(rand.NewPCG(8, 9)), b: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
}
