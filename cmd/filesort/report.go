package main

import (
	"fmt"
	"io"
	"strings"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// report is what -stats prints, besides the times of the meter.
type report struct {
	what string // was sorted
	sort sorter.Stats
	disk *extsort.Stats // nil: all of it was sorted in memory
}

func (r *report) print(w io.Writer, m *meter) {
	fmt.Fprintf(w, "%s\n\n", r.what)
	m.print(w)
	if d := r.disk; d != nil {
		fmt.Fprintf(w, "\nruns on disk  %d of %d bytes in %s\nmemory        %d bytes\n", d.Runs, d.Written, strings.Join(d.Dirs, ", "), d.Memory)
		for _, dir := range d.InMemory {
			fmt.Fprintf(w, "%s is kept in memory: -T names another folder\n", dir)
		}
		return
	}
	fmt.Fprintf(w, "\n%s", &r.sort)
}
