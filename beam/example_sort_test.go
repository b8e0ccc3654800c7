package beamsort_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// lines are elements of any length, in bytewise order.
var lines = beamsort.Register("lines", extsort.Strings(), sorter.Asc(func(s string) string { return s }))

// folder returns one for the files of an example.
func folder() string {
	dir, err := os.MkdirTemp("", "sorted")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

// A sort to files of lines, whose manifest says where each begins and ends.
func ExampleSort() {
	dir := folder()
	defer os.RemoveAll(dir)
	prefix := filepath.Join(dir, "fruit")

	p, s := beam.NewPipelineWithRoot()
	fruit := beam.Create(s, "pear", "fig", "apple")
	beamsort.Sort(s, fruit, lines, beamsort.To(prefix), beamsort.Suffix(".txt"), beamsort.Shards(1),
		beamsort.As(beamsort.Lines), beamsort.Header("fruit"), beamsort.Manifest())
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}

	manifest, err := beamsort.ReadManifest(context.Background(), prefix)
	if err != nil {
		log.Fatal(err)
	}
	for _, shard := range manifest.Shards {
		first, err := lines.Decode(shard.First)
		if err != nil {
			log.Fatal(err)
		}
		text, err := os.ReadFile(shard.Path)
		fmt.Printf("%s: %d of %s from %s, %v\n%s", filepath.Base(shard.Path), shard.Count, lines.Name(), first, err, text)
	}
	// Output:
	// fruit-00000-of-00001.txt: 3 of lines from apple, <nil>
	// fruit
	// apple
	// fig
	// pear
}

// Sizes for a worker of 16 GB that sorts four parts at a time, to an object store.
func ExampleShardBytes() {
	dir := folder() // such as gs://bucket/sorted
	defer os.RemoveAll(dir)

	p, s := beam.NewPipelineWithRoot()
	clicks := beam.Create(s, Click{30, 1}, Click{10, 2})
	beamsort.Sort(s, clicks, byMinute, beamsort.To(filepath.Join(dir, "clicks")),
		beamsort.Direct(), // an object appears when it is complete: no rename
		beamsort.ShardBytes(1<<30),
		beamsort.PackBytes(64<<20),
		beamsort.Memory(3<<30), // of one part; the rest goes to disk
		beamsort.TempDir(os.TempDir()),
		beamsort.Workers(4),
	)
	_, err := beam.Run(context.Background(), "prism", p)
	fmt.Println(err)
	// Output: <nil>
}

// An order of a pipeline sorts slices as well, such as those of a test.
func ExampleOrdering() {
	clicks := []Click{{30, 1}, {10, 2}}
	err := byMinute.Order().Sort(clicks)
	fmt.Println(clicks, err)
	// Output: [{10 2} {30 1}] <nil>
}
