package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
)

// contest is one call beside the standard library's, on lists of one shape: as many as make a batch.
type contest struct {
	verb     string
	elements int // of all lists
	restore  func()
	ours     func(workers int) error
	std      []func()
	check    func() error // after ours
}

// kind makes the contests of elements of one type.
type kind struct {
	name     string
	contests func(ranks []int, n int) []contest // of lists of n elements
}

// mostAlone is the number of elements up to which one worker sorts, whatever the options.
const mostAlone = 4096

var stable = []sorter.Option{sorter.Stable()}

// named is an element with a string.
type named struct {
	name string
	at   int
}

// row24 is an element of 24 bytes.
type row24 struct {
	key int64
	at  uint64
	_   uint64
}

// priced is an element with two columns.
type priced struct {
	name  string
	price float64
}

const text70 = "a text of seventy bytes, which names a thing at length, as names may: "

func texts(format string) func(rank int) string {
	return func(rank int) string { return fmt.Sprintf(format, rank) }
}

func kinds() []kind {
	short, long := texts("%07d"), texts(text70+"%07d")
	half := func(rank int) int { return rank / 2 }
	one := text70 + "-"
	return []kind{
		keys("int64", func(rank int) int64 { return int64(rank) << 20 }),
		keys("float64", func(rank int) float64 { return float64(rank) * 1.5 }),
		keys("text, short", short),
		keys("text, long prefix", long),
		keys("text, all equal", func(int) string { return strings.Clone(one) }),
		keys("text, one pointer", func(int) string { return one }),
		elements("24 bytes by int64", func(rank, at int) row24 { return row24{key: int64(rank) << 20, at: uint64(at)} },
			func(r row24) int64 { return r.key }),
		elements("24 bytes by text, short", func(rank, at int) named { return named{short(rank), at} },
			func(r named) string { return r.name }),
		elements("24 bytes by text, long prefix", func(rank, at int) named { return named{long(rank), at} },
			func(r named) string { return r.name }),
		elements("24 bytes by text, all equal", func(_, at int) named { return named{strings.Clone(one), at} },
			func(r named) string { return r.name }),
		elements("24 bytes by text, one pointer", func(_, at int) named { return named{one, at} },
			func(r named) string { return r.name }),
		columns("int64, int64", func(rank, at int) row24 { return row24{key: int64(half(rank)), at: uint64(rank % 2)} },
			func() sorter.Ordering[row24] {
				return sorter.By(sorter.Asc(func(r row24) int64 { return r.key }), sorter.Asc(func(r row24) uint64 { return r.at }))
			},
			func(a, b row24) int {
				if c := cmp.Compare(a.key, b.key); c != 0 {
					return c
				}
				return cmp.Compare(a.at, b.at)
			}),
		columns("text, float64", func(rank, at int) priced { return priced{short(half(rank)), float64(rank % 2)} },
			func() sorter.Ordering[priced] {
				return sorter.By(sorter.Asc(func(r priced) string { return r.name }), sorter.Asc(func(r priced) float64 { return r.price }))
			},
			func(a, b priced) int {
				if c := strings.Compare(a.name, b.name); c != 0 {
					return c
				}
				return cmp.Compare(a.price, b.price)
			}),
	}
}

// lists are lists of n elements, one after the other: the input, and a copy to be sorted.
type lists[E any] struct {
	in, all []E
	n       int
}

func listsOf[E any](in []E, n int) lists[E] { return lists[E]{in, slices.Clone(in), n} }

func (c lists[E]) restore() { copy(c.all, c.in) }

// contest is one call of sort beside those of std.
func (c lists[E]) contest(verb string, sort func(s []E, opts ...sorter.Option) error, opts []sorter.Option, compare func(a, b E) int, std ...func(s []E)) contest {
	all := contest{verb: verb, elements: len(c.all), restore: c.restore,
		ours: func(workers int) error {
			opts := opts
			if c.n > mostAlone {
				opts = append(slices.Clip(opts), sorter.Workers(workers))
			}
			for s := range slices.Chunk(c.all, c.n) {
				if err := sort(s, opts...); err != nil {
					return err
				}
			}
			return nil
		},
		check: func() error {
			for s := range slices.Chunk(c.all, c.n) {
				if err := list.InOrder(s, compare); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for _, sort := range std {
		all.std = append(all.std, func() {
			for s := range slices.Chunk(c.all, c.n) {
				sort(s)
			}
		})
	}
	return all
}

// orders is one call of order beside sorts of positions.
func (c lists[E]) orders(order func(s []E, opts ...sorter.Option) ([]uint32, error), compare func(a, b E) int) contest {
	p := make([]uint32, c.n)
	return c.contest("Order", func(s []E, opts ...sorter.Option) error {
		_, err := order(s, opts...)
		return err
	}, []sorter.Option{sorter.Into(p)}, func(a, b E) int { return 0 }, func(s []E) {
		for i := range p {
			p[i] = uint32(i)
		}
		slices.SortFunc(p, func(x, y uint32) int { return compare(s[x], s[y]) })
	})
}

// keys are the elements themselves.
func keys[K interface {
	sorter.Key
	cmp.Ordered
}](name string, of func(rank int) K) kind {
	return kind{name, func(ranks []int, n int) []contest {
		in := make([]K, len(ranks))
		for i, rank := range ranks {
			in[i] = of(rank)
		}
		c := listsOf(in, n)
		return []contest{
			c.contest("SortKeys", sorter.SortKeys[K], nil, cmp.Compare[K], slices.Sort[[]K],
				func(s []K) { slices.SortFunc(s, cmp.Compare[K]) }),
			c.orders(func(s []K, opts ...sorter.Option) ([]uint32, error) { return sorter.OrderKeys(s, opts...) }, cmp.Compare[K]),
		}
	}}
}

// elements are sorted by a key function.
func elements[E any, K interface {
	sorter.Key
	cmp.Ordered
}](name string, of func(rank, at int) E, key func(E) K) kind {
	compare := func(a, b E) int { return cmp.Compare(key(a), key(b)) }
	return kind{name, func(ranks []int, n int) []contest {
		c := listsOf(elementsOf(ranks, of), n)
		return []contest{
			c.contest("Sort", func(s []E, opts ...sorter.Option) error { return sorter.Sort(s, key, opts...) }, nil, compare,
				func(s []E) { slices.SortFunc(s, compare) }),
			c.contest("Sort stable", func(s []E, opts ...sorter.Option) error {
				return sorter.Sort(s, key, opts...)
			}, stable, compare, func(s []E) { slices.SortStableFunc(s, compare) }),
			c.orders(func(s []E, opts ...sorter.Option) ([]uint32, error) { return sorter.Order(s, key, opts...) }, compare),
		}
	}}
}

// columns are sorted by an Ordering that is used again, and by one that is made for each sort.
func columns[E any](name string, of func(rank, at int) E, made func() sorter.Ordering[E], compare func(a, b E) int) kind {
	return kind{name, func(ranks []int, n int) []contest {
		c, by := listsOf(elementsOf(ranks, of), n), made()
		return []contest{
			c.contest("By, Sort", func(s []E, opts ...sorter.Option) error { return made().Sort(s, opts...) }, nil, compare,
				func(s []E) { slices.SortFunc(s, compare) }),
			c.contest("Ordering.Sort", by.Sort, nil, compare, func(s []E) { slices.SortFunc(s, compare) }),
			c.contest("Ordering.Sort stable", by.Sort, stable, compare, func(s []E) { slices.SortStableFunc(s, compare) }),
			c.orders(func(s []E, opts ...sorter.Option) ([]uint32, error) { return by.Order(s, opts...) }, compare),
		}
	}}
}

func elementsOf[E any](ranks []int, of func(rank, at int) E) []E {
	in := make([]E, len(ranks))
	for i, rank := range ranks {
		in[i] = of(rank, i)
	}
	return in
}
