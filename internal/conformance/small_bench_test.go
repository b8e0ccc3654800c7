package conformance_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// BenchmarkSmallOptions sorts few elements with each option that the small path serves.
func BenchmarkSmallOptions(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var st sorter.Stats
	options := []struct {
		name string
		opts []sorter.Option
	}{
		{"bare", nil},
		{"Stable", []sorter.Option{sorter.Stable()}},
		{"Descending", []sorter.Option{sorter.Descending()}},
		{"NaNsLast", []sorter.Option{sorter.NaNsLast()}},
		{"Workers", []sorter.Option{sorter.Workers(2)}},
		{"On", []sorter.Option{sorter.On(sorter.CPU())}},
		{"Use", []sorter.Option{sorter.Use(sorter.Auto)}},
		{"Into", []sorter.Option{sorter.Into(make(perm.Perm, 4096))}},
		{"WithContext", []sorter.Option{sorter.WithContext(ctx)}},
		{"Report", []sorter.Option{sorter.Report(&st)}},
	}
	byPrice := sorter.By(sorter.Asc(price), sorter.Asc(func(f fill) int64 { return f.ID }))
	p := make(perm.Perm, 4096)
	for _, n := range []int{1, 10, 100, 1000} {
		in, keys := fills(n), prices(n)
		s, k := make([]fill, n), make([]float32, n)
		rows := []sorter.Column[int]{sorter.AscOf(keys)}
		for _, v := range []struct {
			name string
			run  func(opts []sorter.Option) error
		}{
			{"Sort", func(opts []sorter.Option) error { copy(s, in); return sorter.Sort(s, price, opts...) }},
			{"SortKeys", func(opts []sorter.Option) error { copy(k, keys); return sorter.SortKeys(k, opts...) }},
			{"Ordering", func(opts []sorter.Option) error { copy(s, in); return byPrice.Sort(s, opts...) }},
			{"Rows.Order", func(opts []sorter.Option) (err error) {
				_, err = sorter.RowsBy(n, rows...).Order(append(opts, sorter.Into(p))...)
				return err
			}},
		} {
			for _, o := range options {
				b.Run(fmt.Sprintf("%s/n=%d/%s", v.name, n, o.name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := v.run(o.opts[:len(o.opts):len(o.opts)]); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
