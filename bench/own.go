package main

import "example.com/sorter"

// call is one sort of the library with its options bound.
type call func(run int, opts ...sorter.Option) error

// owned returns our two rows of a case: as many workers as processors, and one.
// extra are options that the case itself asks for, such as sorter.Stable.
func owned(sort call, extra ...sorter.Option) []contender {
	serial := append([]sorter.Option{sorter.Workers(1)}, extra...)
	return []contender{
		ownedBy(ours, sort, extra),
		ownedBy(oursSerial, sort, serial),
	}
}

func ownedBy(name string, sort call, opts []sorter.Option) contender {
	return contender{
		Name: name,
		Kind: own,
		Sort: func(run int) { must(sort(run, opts...)) },
		Scratch: func() int64 {
			var stats sorter.Stats
			must(sort(0, append(opts[:len(opts):len(opts)], sorter.Report(&stats))...))
			return stats.Scratch
		},
	}
}

// must panics: without a limit, a context or a device a sort cannot fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
