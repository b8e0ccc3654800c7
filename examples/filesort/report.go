package main

import (
	"fmt"
	"io"

	"example.com/sorter"
)

// report is what -stats prints, besides the times of the meter.
type report struct {
	what string // was sorted
	sort sorter.Stats
}

func (r *report) print(w io.Writer, m *meter) {
	fmt.Fprintf(w, "%s\n\n", r.what)
	m.print(w)
	fmt.Fprintf(w, "\n%s", &r.sort)
}
