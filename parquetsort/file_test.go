package parquetsort

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// drawn is a random schema with what its values are drawn from.
type drawn struct {
	r       *rand.Rand
	schema  *parquet.Schema
	domains []int // of each leaf: how many distinct values
}

func draw(seed uint64) *drawn {
	d := &drawn{r: rand.New(rand.NewPCG(seed, 2))}
	root := parquet.Group{}
	for i := range 1 + d.r.IntN(5) {
		root[fmt.Sprintf("c%d", i)] = d.node(2)
	}
	d.schema = parquet.NewSchema("drawn", root)
	for range d.schema.Columns() {
		d.domains = append(d.domains, 1<<d.r.IntN(12))
	}
	return d
}

func (d *drawn) node(depth int) parquet.Node {
	n := parquet.Node(nil)
	switch k := d.r.IntN(12); {
	case k == 0 && depth > 0:
		n = parquet.Group{"x": d.node(depth - 1), "y": d.node(depth - 1)}
	case k == 1 && depth > 0:
		return parquet.Optional(parquet.List(d.node(depth - 1)))
	case k == 2 && depth > 0:
		return parquet.Optional(parquet.Map(parquet.String(), d.node(depth-1)))
	case k == 3:
		return parquet.Repeated(d.leaf())
	default:
		n = d.leaf()
	}
	if d.r.IntN(2) == 0 {
		n = parquet.Optional(n)
	}
	return n
}

// leaf draws a type, an encoding and a codec.
func (d *drawn) leaf() parquet.Node {
	nodes := []parquet.Node{
		parquet.Leaf(parquet.BooleanType), parquet.Leaf(parquet.Int32Type), parquet.Leaf(parquet.Int64Type),
		parquet.Leaf(parquet.Int96Type), parquet.Leaf(parquet.FloatType), parquet.Leaf(parquet.DoubleType),
		parquet.Leaf(parquet.ByteArrayType), parquet.Leaf(parquet.FixedLenByteArrayType(5)), parquet.String(), parquet.Enum(),
		parquet.JSON(), parquet.BSON(), parquet.UUID(), parquet.Int(8), parquet.Int(16), parquet.Uint(8), parquet.Uint(32), parquet.Uint(64),
		parquet.Date(), parquet.Time(parquet.Microsecond), parquet.Timestamp(parquet.Nanosecond),
		parquet.Decimal(2, 9, parquet.Int32Type), parquet.Decimal(2, 18, parquet.Int64Type),
		parquet.Decimal(2, 20, parquet.FixedLenByteArrayType(9)), parquet.Decimal(2, 20, parquet.ByteArrayType),
	}
	n := nodes[d.r.IntN(len(nodes))]
	encodings := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.DeltaLengthByteArray,
		&parquet.DeltaByteArray, &parquet.ByteStreamSplit}
	for _, e := range d.r.Perm(len(encodings)) {
		dictionary := e == 1
		if encodes(encodings[e], n.Type()) && !(dictionary && n.Type().Kind() == parquet.Boolean) {
			n = parquet.Encoded(n, encodings[e])
			break
		}
	}
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Lz4Raw, &parquet.Brotli}
	return parquet.Compressed(n, codecs[d.r.IntN(len(codecs))])
}

// rows draws rows of the schema.
func (d *drawn) rows(n int) []parquet.Row {
	rows := make([]parquet.Row, n)
	for i := range rows {
		columns := make([][]parquet.Value, len(d.domains))
		d.fill(columns, d.schema, 0, 0, 0, 0, false)
		rows[i] = slices.Concat(columns...)
	}
	return rows
}

// fill appends the values of a node at the levels, and returns the number of the leaf after it.
func (d *drawn) fill(columns [][]parquet.Value, n parquet.Node, leaf, repetition, definition, depth int, null bool) int {
	times := 1
	switch {
	case null:
	case n.Optional():
		if null = d.r.IntN(4) == 0; !null {
			definition++
		}
	case n.Repeated():
		depth++
		if times = d.r.IntN(4); times == 0 {
			times, null = 1, true
		} else {
			definition++
		}
	}
	next := leaf
	for i := range times {
		next = leaf
		if i > 0 {
			repetition = depth
		}
		if n.Leaf() {
			v := parquet.Value{}
			if !null {
				v = d.value(n.Type(), d.domains[leaf])
			}
			columns[leaf] = append(columns[leaf], v.Level(repetition, definition, leaf))
			next++
			continue
		}
		for _, f := range n.Fields() {
			next = d.fill(columns, f, next, repetition, definition, depth, null)
		}
	}
	return next
}

// value draws one of a number of values of a type.
func (d *drawn) value(t parquet.Type, domain int) parquet.Value {
	x := uint64(d.r.IntN(domain)) * 0x9e3779b97f4a7c15
	r := rand.New(rand.NewPCG(x, 3))
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.IntN(256)) >> r.IntN(8)
		}
		return b
	}
	specials := []float64{0, math.Copysign(0, -1), math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1), 1.5}
	switch t.Kind() {
	case parquet.Boolean:
		return parquet.BooleanValue(x>>63 == 0)
	case parquet.Int32:
		return parquet.Int32Value(int32(x>>32) >> r.IntN(32))
	case parquet.Int64:
		return parquet.Int64Value(int64(x) >> r.IntN(64))
	case parquet.Int96:
		return parquet.Int96.Value(bytes(12))
	case parquet.Float:
		if i := r.IntN(20); i < len(specials) {
			return parquet.FloatValue(float32(specials[i]))
		}
		return parquet.FloatValue(float32(r.NormFloat64()))
	case parquet.Double:
		if i := r.IntN(20); i < len(specials) {
			return parquet.DoubleValue(specials[i])
		}
		return parquet.DoubleValue(r.NormFloat64())
	case parquet.ByteArray:
		return parquet.ByteArrayValue(bytes(r.IntN(20)))
	}
	return parquet.FixedLenByteArrayValue(bytes(t.Length()))
}

// write writes rows to a file with small pages and row groups.
func (d *drawn) write(t *testing.T, path string, rows []parquet.Row) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	w := parquet.NewGenericWriter[any](f, d.schema, parquet.PageBufferSize(1<<(6+d.r.IntN(8))), parquet.DataPageVersion(1+d.r.IntN(2)),
		parquet.KeyValueMetadata("from", path))
	for len(rows) > 0 {
		n := min(1+d.r.IntN(400), len(rows))
		_, err := w.WriteRows(rows[:n])
		must(t, err)
		if rows = rows[n:]; d.r.IntN(2) == 0 {
			must(t, w.Flush())
		}
	}
	must(t, w.Close())
	must(t, f.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readRows reads the rows of a file by package parquet.
func readRows(t *testing.T, path string) (rows []parquet.Row, file *parquet.File) {
	t.Helper()
	_, file = readFooterOf(t, path)
	for _, g := range file.RowGroups() {
		r := g.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := r.ReadRows(buffer)
			for _, row := range buffer[:n] {
				rows = append(rows, row.Clone())
			}
			if err == io.EOF {
				break
			}
			must(t, err)
		}
		must(t, r.Close())
	}
	return rows, file
}

// sameRows reports the first row that differs, in a value, a level or a bit.
func sameRows(got, want []parquet.Row) error {
	for i := range min(len(got), len(want)) {
		same := slices.EqualFunc(got[i], want[i], func(a, b parquet.Value) bool {
			return a.IsNull() == b.IsNull() && a.Column() == b.Column() && a.RepetitionLevel() == b.RepetitionLevel() &&
				a.DefinitionLevel() == b.DefinitionLevel() && (a.IsNull() || bytes.Equal(a.AppendBytes(nil), b.AppendBytes(nil)))
		})
		if !same {
			return fmt.Errorf("row %d is\n%+v instead of\n%+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d rows instead of %d", len(got), len(want))
	}
	return nil
}

// sortedBy draws sorting columns.
func (d *drawn) sortedBy() (columns []parquet.SortingColumn) {
	paths := d.schema.Columns()
	for range d.r.IntN(4) {
		path := paths[d.r.IntN(len(paths))]
		c := parquet.Ascending(path...)
		if d.r.IntN(2) == 0 {
			c = parquet.Descending(path...)
		}
		if d.r.IntN(2) == 0 {
			c = parquet.NullsFirst(c)
		}
		columns = append(columns, c)
	}
	return columns
}

// TestSortFileRandom sorts files of random schemas with random options, and compares the rows with those that package
// parquet reads and the order of the second path of Writer sorts; it checks all that the file states of them.
func TestSortFileRandom(t *testing.T) {
	for seed := range uint64(testkit.Pick(60, 600)) {
		d := draw(seed)
		dir := t.TempDir()
		var sources []string
		var want []parquet.Row
		for i := range 1 + d.r.IntN(3) {
			rows := d.rows(d.r.IntN(1500))
			sources = append(sources, filepath.Join(dir, fmt.Sprint(i)))
			d.write(t, sources[i], rows)
			want = append(want, rows...)
		}
		columns := d.sortedBy()
		order := rowOrder(leavesOf(d.schema, columns))
		var stats FileStats
		opts := []Option{Workers(1 + d.r.IntN(4)), Report(&stats)}
		if seed%2 == 0 {
			opts = append(opts, NaNsByNulls())
			order = orderByNulls(leavesOf(d.schema, columns))
		}
		slices.SortStableFunc(want, order.Compare)
		if d.r.IntN(3) == 0 {
			opts = append(opts, Unique())
			want = distinct(order, want, nil)
		}
		if d.r.IntN(3) == 0 {
			n := 1 + d.r.IntN(2000)
			opts = append(opts, Limit(int64(n)))
			want = want[:min(n, len(want))]
		}
		if d.r.IntN(2) == 0 {
			opts = append(opts, MemoryLimit(1<<(16+d.r.IntN(7))))
		}
		if d.r.IntN(2) == 0 {
			opts = append(opts, RowGroupRows(1+d.r.Int64N(700)))
		}
		if d.r.IntN(4) == 0 {
			opts = append(opts, RowGroupBytes(1+d.r.Int64N(70_000)))
		}
		if d.r.IntN(4) == 0 {
			opts = append(opts, fewValues(1+d.r.IntN(100)))
		}
		if d.r.IntN(4) > 0 {
			opts = append(opts, shortPages(1+d.r.IntN(300)))
		}
		opts = append(opts, d.encodingOptions()...)
		dst := filepath.Join(dir, "out")
		if d.r.IntN(4) == 0 {
			dst = sources[0]
		}
		if err := SortFile(dst, sources, columns, opts...); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, file := readRows(t, dst)
		if err := sameRows(got, want); err != nil {
			t.Fatalf("seed %d, schema %v, by %v: %v", seed, d.schema, columns, err)
		}
		if stats.RowsOut != int64(len(want)) || stats.BytesOut != file.Size() || stats.RowGroups != len(file.RowGroups()) {
			t.Fatalf("seed %d: %v", seed, &stats)
		}
		if v, _ := file.Lookup("from"); v != sources[0] {
			t.Fatalf("metadata from %q", v)
		}
		checkStated(t, dst, file, columns)
		checkEmptyBut(t, dir, append(sources, dst))
		columns = d.sortedBy() // once more, from what SortFile wrote
		slices.SortStableFunc(want, rowOrder(leavesOf(d.schema, columns)).Compare)
		if err := SortFile(dst, []string{dst}, columns, opts[0]); err != nil {
			t.Fatalf("seed %d, again: %v", seed, err)
		}
		got, _ = readRows(t, dst)
		if err := sameRows(got, want); err != nil {
			t.Fatalf("seed %d, schema %v, again by %v: %v", seed, d.schema, columns, err)
		}
	}
}

// orderByNulls is rowOrder with NaNs between the nulls and the other values.
func orderByNulls(leaves []leaf) sorter.Ordering[parquet.Row] {
	var all []sorter.Column[parquet.Row]
	for _, l := range leaves {
		l.nansAfter = l.desc == l.nullsFirst // of lists
		place := func(row parquet.Row) int {
			v, place := l.first(row), 1
			switch {
			case v.IsNull():
				place = 3
			case l.order == half && halfOf(v.ByteArray()) != halfOf(v.ByteArray()),
				v.Kind() == parquet.Float && v.Float() != v.Float(), v.Kind() == parquet.Double && v.Double() != v.Double():
				place = 2
			}
			if l.nullsFirst {
				return -place
			}
			return place
		}
		if l.MaxRepetitionLevel == 0 {
			all = append(all, sorter.Asc(place))
		}
		all = append(all, rowColumn(l))
	}
	return sorter.By(all...)
}

// TestNaNsByNulls has every kind of float, direction and place of nulls, with dictionaries and without, in memory and
// on disk.
func TestNaNsByNulls(t *testing.T) {
	type row struct {
		Float  *float32
		Double *float64
	}
	nan := math.NaN()
	numbers := map[string]*float64{"nan": &nan, "null": nil}
	for _, text := range []string{"-inf", "-1", "0", "2", "inf"} {
		v, _ := strconv.ParseFloat(text, 64)
		numbers[text] = &v
	}
	for _, encoding := range []string{"plain", "dict"} {
		for _, test := range []struct {
			desc, nullsFirst bool
			want             string
		}{
			{false, false, "-inf -1 0 2 inf nan null"},
			{true, false, "inf 2 0 -1 -inf nan null"},
			{false, true, "null nan -inf -1 0 2 inf"},
			{true, true, "null nan inf 2 0 -1 -inf"},
		} {
			for _, name := range []string{"Float", "Double"} {
				for _, memory := range []int64{1 << 15, 1 << 24} {
					var rows []row
					for range 700 {
						for _, text := range []string{"2", "nan", "-inf", "null", "inf", "0", "-1"} {
							var r row
							if v := numbers[text]; v != nil {
								f := float32(*v)
								r.Float, r.Double = &f, v
							}
							rows = append(rows, r)
						}
					}
					dir := t.TempDir()
					in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
					schema := parquet.NewSchema("rows", parquet.Group{
						"Float": parquet.Optional(parquet.Leaf(parquet.FloatType)), "Double": parquet.Optional(parquet.Leaf(parquet.DoubleType))})
					if encoding == "dict" {
						schema = parquet.NewSchema("rows", parquet.Group{
							"Float":  parquet.Optional(parquet.Encoded(parquet.Leaf(parquet.FloatType), &parquet.RLEDictionary)),
							"Double": parquet.Optional(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.RLEDictionary))})
					}
					if err := parquet.WriteFile(in, rows, schema); err != nil {
						t.Fatal(err)
					}
					by := parquet.Ascending(name)
					if test.desc {
						by = parquet.Descending(name)
					}
					if test.nullsFirst {
						by = parquet.NullsFirst(by)
					}
					var stats FileStats
					if err := SortFile(out, []string{in}, []parquet.SortingColumn{by}, NaNsByNulls(), MemoryLimit(memory+10*int64(len(rows))), Report(&stats)); err != nil {
						t.Fatal(err)
					}
					sorted, err := parquet.ReadFile[row](out)
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					for i := 0; i < len(sorted); i += 700 {
						text := "null"
						if v := sorted[i].Double; v != nil {
							text = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(*v, 'g', -1, 64), "+"))
						}
						got = append(got, text)
					}
					if strings.Join(got, " ") != test.want {
						t.Errorf("%s, %s, %v, %d bytes of memory, keys on disk %v: %q", encoding, name, test, memory, stats.KeysOnDisk, got)
					}
				}
			}
		}
	}
}

// fewValues bounds the values of columns that are moved by their numbers.
func fewValues(n int) Option { return func(o *fileOptions) { o.mostDictionary = n } }

// shortPages bounds the rows of a page.
func shortPages(n int) Option { return func(o *fileOptions) { o.pageRows = n } }

// encodingOptions draws codecs, encodings and filters.
func (d *drawn) encodingOptions() (opts []Option) {
	if d.r.IntN(3) == 0 {
		opts = append(opts, Compression(&parquet.Snappy))
	}
	for i, path := range d.schema.Columns() {
		leaf, _ := d.schema.Lookup(path...)
		if leaf.Node.Compression() == &parquet.Lz4Raw { // package parquet v0.32.0 does not read it: see pageReader
			opts = append(opts, Compression(&parquet.Zstd))
		}
		encodings := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.DeltaByteArray, &parquet.ByteStreamSplit,
			&parquet.DeltaLengthByteArray, &parquet.DeltaLengthByteArray}
		e := encodings[d.r.IntN(len(encodings))]
		if isBool := leaf.Node.Type().Kind() == parquet.Boolean; isBool {
			continue
		}
		if i%2 == 0 && encodes(e, leaf.Node.Type()) {
			opts = append(opts, Encoding(e, path...))
		}
		if d.r.IntN(3) == 0 {
			opts = append(opts, BloomFilters(parquet.SplitBlockFilter(10, path...)))
		}
	}
	return opts
}

// checkStated compares statistics, the index of pages, filters and sorting columns with the values.
func checkStated(t *testing.T, path string, file *parquet.File, columns []parquet.SortingColumn) {
	t.Helper()
	leaves := leavesOf(file.Schema(), columns)
	claims := claimed(leaves, columns)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	sources := []*source{{parquet: file, file: f, footer: footer{unknown: make([]bool, len(file.Schema().Columns()))}}}
	all, err := columnsOf(sources, &fileOptions{})
	must(t, err)
	for g, group := range file.RowGroups() {
		stated := group.SortingColumns()
		if len(stated) != len(claims) {
			t.Fatalf("sorting columns %v instead of %v", stated, claims)
		}
		for i, c := range claims {
			if s := stated[i]; !slices.Equal(s.Path(), c.Path()) || s.Descending() != c.Descending() || s.NullsFirst() != c.NullsFirst() {
				t.Fatalf("sorting columns %v instead of %v", stated, claims)
			}
		}
		for i, chunk := range group.ColumnChunks() {
			checkChunk(t, all[i], file.Metadata().RowGroups, g, i, chunk)
		}
	}
}

func checkChunk(t *testing.T, c *column, groups []format.RowGroup, g, i int, chunk parquet.ColumnChunk) {
	t.Helper()
	first, group := &groups[0], &groups[g]
	meta := &group.Columns[i].MetaData
	offsets, err := chunk.OffsetIndex()
	must(t, err)
	index, err := chunk.ColumnIndex()
	if err != nil && !errors.Is(err, parquet.ErrMissingColumnIndex) {
		t.Fatal(err)
	}
	rows, nulls, n := 0, 0, 0
	all := bounds{}
	must(t, (&pageReader{c: c}).eachOf(context.Background(), &c.chunks[g], func(p *page) error {
		if offsets.FirstRowIndex(n) != int64(rows) {
			t.Fatalf("column %s: page %d begins at row %d instead of %d", c, n, offsets.FirstRowIndex(n), rows)
		}
		begun, err := p.check(c, rows)
		rows, nulls = rows+begun, nulls+p.levels-p.count
		v := valuesOf(c, p)
		b := (&v).boundsOf(c, 0, p.count)
		// Package parquet v0.32.0 reads no index where the first chunk of the file has none.
		if group.Columns[i].ColumnIndexOffset > 0 && first.Columns[0].ColumnIndexOffset > 0 {
			checkPage(t, c, index, n, p, b)
		}
		n++
		all.add(c, b)
		checkFilter(t, c, chunk, meta, &v, p.count)
		return err
	}))
	if n != offsets.NumPages() {
		t.Fatalf("column %s: %d pages, %d indexed", c, n, offsets.NumPages())
	}
	if int(meta.Statistics.NullCount) != nulls {
		t.Fatalf("column %s: %d nulls instead of %d", c, meta.Statistics.NullCount, nulls)
	}
	low, high := []byte(nil), []byte(nil)
	if all.ok && c.ordered() {
		low, high = c.stated(all.low, true), c.stated(all.high, false)
	}
	if !sameBound(c, meta.Statistics.MinValue, low) || !sameBound(c, meta.Statistics.MaxValue, high) {
		t.Fatalf("column %s: bounds %x and %x instead of %x and %x", c, meta.Statistics.MinValue, meta.Statistics.MaxValue, low, high)
	}
}

// sameBound compares bounds. Decimals of one value may differ in their leading zeros.
func sameBound(c *column, a, b []byte) bool {
	return bytes.Equal(a, b) || c.order == decimal && a != nil && b != nil && c.compare(a, b) == 0
}

// valuesOf copies the values of a page.
func valuesOf(c *column, p *page) (v values) {
	if c.width == 0 {
		v.offsets = []uint32{0}
	}
	for i := range p.count {
		v.add(c, p.value(c, i))
	}
	return v
}

func checkPage(t *testing.T, c *column, index parquet.ColumnIndex, n int, p *page, b bounds) {
	t.Helper()
	if index.NullCount(n) != int64(p.levels-p.count) || index.NullPage(n) != (p.count == 0) {
		t.Fatalf("column %s, page %d: %d nulls, null page %v", c, n, index.NullCount(n), index.NullPage(n))
	}
	if p.count == 0 {
		return
	}
	low, high := index.MinValue(n).AppendBytes(nil), index.MaxValue(n).AppendBytes(nil)
	if !sameBound(c, low, c.stated(b.low, true)) || !sameBound(c, high, c.stated(b.high, false)) {
		t.Fatalf("column %s, page %d: bounds %x and %x instead of %x and %x", c, n, low, high, b.low, b.high)
	}
}

func checkFilter(t *testing.T, c *column, chunk parquet.ColumnChunk, meta *format.ColumnMetaData, v *values, n int) {
	t.Helper()
	filter := chunk.BloomFilter()
	if (filter == nil) != (meta.BloomFilterOffset == 0) {
		t.Fatalf("column %s: filter %v at %d", c, filter, meta.BloomFilterOffset)
	}
	for i := range n {
		if filter == nil {
			return
		}
		if ok, err := filter.Check(c.typ.Kind().Value(v.at(c, i))); err != nil || !ok {
			t.Fatalf("column %s: a value is not in the filter, %v", c, err)
		}
	}
}

// checkEmptyBut fails if a directory has files that are not expected.
func checkEmptyBut(t *testing.T, dir string, expected []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if !slices.Contains(expected, filepath.Join(dir, e.Name())) {
			t.Fatalf("%s is left", e.Name())
		}
	}
}

// TestSortFileBools encodes bools by RLE, which package parquet v0.32.0 does not decode, and back.
func TestSortFileBools(t *testing.T) {
	type row struct {
		ID   int64 `parquet:"id"`
		Flag *bool `parquet:"flag,optional"`
		Same bool  `parquet:"same"`
	}
	r := rand.New(rand.NewPCG(11, 12))
	yes, no := true, false
	rows := make([]row, 1000)
	for i := range rows {
		rows[i] = row{int64(i), []*bool{&yes, &no, nil}[r.IntN(3)], true}
	}
	path := filepath.Join(t.TempDir(), "bools")
	must(t, parquet.WriteFile(path, rows))
	want, _ := readRows(t, path)
	columns := []parquet.SortingColumn{parquet.Ascending("id")}
	must(t, SortFile(path, []string{path}, columns, shortPages(37), Encoding(&parquet.RLE, "flag"), Encoding(&parquet.RLE, "same")))
	_, file := readFooterOf(t, path)
	if got := file.Metadata().RowGroups[0].Columns[2].MetaData.Encoding; !slices.Equal(got, []format.Encoding{format.RLE}) {
		t.Errorf("encodings %v", got)
	}
	must(t, SortFile(path, []string{path}, columns, Encoding(&parquet.Plain, "flag"), Encoding(&parquet.Plain, "same")))
	got, _ := readRows(t, path)
	must(t, sameRows(got, want))
}

// readFooterOf opens a file.
func readFooterOf(t *testing.T, path string) (f *os.File, file *parquet.File) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	must(t, err)
	file, err = parquet.OpenFile(f, info.Size())
	must(t, err)
	return f, file
}

// TestColumnOfHalves takes the order of values from the schema of the file: package parquet v0.32.0 drops FLOAT16.
func TestColumnOfHalves(t *testing.T) {
	c := &column{typ: parquet.FixedLenByteArrayType(2)}
	e := format.SchemaElement{LogicalType: format.LogicalType{Value: &format.Float16Type{}}}
	e.Type.Set(format.FixedLenByteArray)
	e.TypeLength.Set(2)
	c.describe(&e)
	if minusTwo, minusOne := []byte{0, 0xc0}, []byte{0, 0xbc}; c.order != half || c.compare(minusTwo, minusOne) >= 0 {
		t.Errorf("order %v", c.order)
	}
}

// TestSortFileOfNoRows sorts files without rows whose columns are lists.
func TestSortFileOfNoRows(t *testing.T) {
	type lists struct {
		Key     int64
		Numbers []int64
		Floats  []float32
		Texts   []string
		Some    []float64 `parquet:",list,optional"`
	}
	src := filepath.Join(t.TempDir(), "src")
	dst := src + ".sorted"
	if err := parquet.WriteFile(src, []lists(nil)); err != nil {
		t.Fatal(err)
	}
	for _, by := range [][]parquet.SortingColumn{nil, {parquet.Ascending("Key")}} {
		if err := SortFile(dst, []string{src, src}, by); err != nil {
			t.Fatal(err)
		}
		if rows, err := parquet.ReadFile[lists](dst); err != nil || len(rows) != 0 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
	}
}
