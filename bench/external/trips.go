package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go"

	"example.com/sorter/parquetsort"
)

// trip is a row like those of New York's taxis: mostly few distinct values, which have a dictionary, times and one amount
// without one, nulls, and two texts.
type trip struct {
	Vendor      int32    `parquet:"vendor_id,dict"`
	Pickup      int64    `parquet:"pickup_at,timestamp(microsecond)"`
	Dropoff     int64    `parquet:"dropoff_at,timestamp(microsecond)"`
	Passengers  *int32   `parquet:"passengers,optional,dict"`
	Distance    float64  `parquet:"distance,dict"`
	Rate        *int32   `parquet:"rate_code,optional,dict"`
	Forwarded   *string  `parquet:"store_and_fwd,optional,dict"`
	From        int32    `parquet:"pu_location,dict"`
	To          int32    `parquet:"do_location,dict"`
	Payment     int32    `parquet:"payment_type,dict"`
	Fare        float64  `parquet:"fare,dict"`
	Extra       float64  `parquet:"extra,dict"`
	Tax         float64  `parquet:"mta_tax,dict"`
	Tip         float64  `parquet:"tip,dict"`
	Tolls       float64  `parquet:"tolls,dict"`
	Improvement float64  `parquet:"improvement,dict"`
	Total       float64  `parquet:"total"`
	Congestion  *float64 `parquet:"congestion,optional,dict"`
	Note        *string  `parquet:"note,optional"`
	ID          string   `parquet:"trip_id"`
}

// randomTrip draws a trip. Optional values that several trips have are shared.
func randomTrip(r *rand.Rand) trip {
	const year = 366 * 24 * 3600
	maybe := func(values []int32) *int32 {
		if r.IntN(20) == 0 {
			return nil
		}
		return &values[r.IntN(len(values))]
	}
	cents := func(most int) float64 { return float64(r.IntN(100*most)) / 100 }
	pickup := (1704067200 + r.Int64N(year)) * 1e6
	t := trip{
		Vendor: 1 + r.Int32N(2), Pickup: pickup, Dropoff: pickup + (60+r.Int64N(3600))*1e6,
		Passengers: maybe(small), Rate: maybe(small), From: 1 + r.Int32N(263), To: 1 + r.Int32N(263), Payment: 1 + r.Int32N(4),
		Distance: math.Round(r.ExpFloat64()*300) / 100, Fare: cents(80), Extra: float64(r.IntN(6)) / 2, Tax: 0.5, Improvement: 1,
		Total: r.Float64() * 100, ID: fmt.Sprintf("%016x-%08x", r.Uint64(), r.Uint32()),
	}
	if r.IntN(20) > 0 {
		t.Forwarded, t.Congestion = &flags[min(r.IntN(100), 1)], &charge
	}
	if r.IntN(10) > 2 {
		t.Tip = cents(20)
	}
	if r.IntN(10) == 0 {
		t.Tolls = 6.94
	}
	if r.IntN(10) > 6 {
		note := fmt.Sprint("driver note ", r.IntN(1e9))
		t.Note = &note
	}
	return t
}

var (
	small  = []int32{1, 2, 3, 4, 5, 6}
	flags  = []string{"Y", "N"}
	charge = 2.5
)

// tripsPerGroup is DuckDB's default of rows in a row group.
const tripsPerGroup = 122_880

// makeTrips writes trips, unless a run before has left them.
func makeTrips(t task) error {
	_, err := makeInput(t, func(f *os.File) error {
		w := parquet.NewGenericWriter[trip](f, parquet.MaxRowsPerRowGroup(tripsPerGroup), parquet.Compression(&parquet.Snappy))
		r := rand.New(rand.NewPCG(9, 10))
		batch := make([]trip, 0, 4096)
		for i := range t.n {
			if batch = append(batch, randomTrip(r)); len(batch) == cap(batch) || i == t.n-1 {
				if _, err := w.Write(batch); err != nil {
					return err
				}
				batch = batch[:0]
			}
		}
		return w.Close()
	})
	return err
}

// tripsByUs sorts by the time of the pickup.
func tripsByUs(t task) error {
	return parquetsort.SortFile(t.out, []string{t.in}, []parquet.SortingColumn{parquet.Ascending("pickup_at")},
		parquetsort.MemoryLimit(t.memory), parquetsort.Workers(t.workers), parquetsort.TempDir(t.dir))
}

// checkTrips expects the values of each column of the input in the output, in order of the pickup, and a file that is
// hardly longer.
func checkTrips(t task) error {
	if t.want.lines == 0 {
		var err error
		if t.want.lines, t.want.sum, err = sumOfTrips(t.in, false); err != nil {
			return err
		}
	}
	got, sum, err := sumOfTrips(t.out, true)
	if err != nil {
		return err
	}
	if *t.want != (fileSum{got, sum}) {
		return fmt.Errorf("%d rows with sum %x, want %d with %x", got, sum, t.want.lines, t.want.sum)
	}
	info, err := os.Stat(t.out)
	if err == nil {
		fmt.Fprintf(os.Stderr, "%d bytes\n", info.Size())
		err = os.Remove(t.out)
	}
	return err
}

// sumOfTrips returns the rows of a file, and a sum of the hashes of all values, which differ by column.
func sumOfTrips(path string, ordered bool) (rows int, sum uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return 0, 0, err
	}
	last := int64(math.MinInt64)
	for _, g := range file.RowGroups() {
		for i, chunk := range g.ColumnChunks() {
			if err := eachValue(chunk, func(v parquet.Value, hash uint64) {
				if i == 1 && ordered && v.Int64() < last {
					err = errors.New("out of order")
				}
				if i == 1 {
					last = v.Int64()
				}
				sum += hash * uint64(2*i+1)
			}); err != nil {
				return 0, 0, err
			}
		}
	}
	return int(file.NumRows()), sum, err
}

// eachValue calls each with the values of a chunk and their hashes.
func eachValue(chunk parquet.ColumnChunk, each func(v parquet.Value, hash uint64)) error {
	pages := chunk.Pages()
	defer pages.Close()
	buffer, encoded := make([]parquet.Value, 1024), []byte(nil)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(buffer)
			for _, v := range buffer[:n] {
				if encoded = append(encoded[:0], 0); !v.IsNull() { // DuckDB makes all columns optional
					encoded = v.AppendBytes(append(encoded[:0], 1))
				}
				each(v, xxhash.Sum64(encoded))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
}
