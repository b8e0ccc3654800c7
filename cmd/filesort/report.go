package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// report is what -stats prints, besides the times of the meter.
type report struct {
	what string // was sorted
	sort sorter.Stats
	disk *extsort.Stats // nil: all of it was sorted in memory

	tables any // of a sort of files that are stored by column; then the others are not set
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
	if r.tables != nil {
		fmt.Fprintf(w, "\n%+v\n", r.tables)
		return
	}
	fmt.Fprintf(w, "\n%s", &r.sort)
}

// printJSON prints the report as one line of JSON. Times are in nanoseconds, sizes in bytes.
func (r *report) printJSON(w io.Writer, m *meter) {
	type step struct {
		Name string        `json:"name"`
		Time time.Duration `json:"ns"`
	}
	type inMemory struct {
		Algorithm string `json:"algorithm"`
		Shape     string `json:"shape,omitempty"`
		Elements  int    `json:"elements"`
		Workers   int    `json:"workers"`
		Rounds    int    `json:"rounds"`
		Ties      int    `json:"ties"`
		Scratch   int64  `json:"scratch"`
		Stages    []step `json:"stages,omitempty"`
	}
	type onDisk struct {
		Elements int64    `json:"elements"`
		Dropped  int64    `json:"dropped"`
		Runs     int      `json:"runs"`
		Written  int64    `json:"written"`
		Read     int64    `json:"read"`
		Disk     int64    `json:"disk"`
		Memory   int64    `json:"memory"`
		Dirs     []string `json:"dirs"`
		InMemory []string `json:"dirs_in_memory,omitempty"`
	}
	all := struct {
		What   string    `json:"what"`
		Stages []step    `json:"stages"`
		Sort   *inMemory `json:"sort,omitempty"`
		Disk   *onDisk   `json:"disk,omitempty"`
		Tables any       `json:"tables,omitempty"`
	}{What: r.what, Tables: r.tables}
	for _, s := range m.stages {
		all.Stages = append(all.Stages, step{s.name, s.took})
	}
	switch d := r.disk; {
	case r.tables != nil:
	case d != nil:
		all.Disk = &onDisk{d.Elements, d.Dropped, d.Runs, d.Written, d.Read, d.Disk, d.Memory, d.Dirs, d.InMemory}
	default:
		s := &r.sort
		all.Sort = &inMemory{Algorithm: s.Algorithm, Shape: s.Shape, Elements: s.Elements, Workers: s.Workers, Rounds: s.Rounds, Ties: s.Ties, Scratch: s.Scratch}
		for _, stage := range s.Stages {
			all.Sort.Stages = append(all.Sort.Stages, step{stage.Name, stage.Time})
		}
	}
	json.NewEncoder(w).Encode(all) // as print: what standard error does not take is lost
}
