package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// finish checks what goes together, and reads what depends on other options.
func (cl *commandLine) finish() error {
	var err error
	if cl.filesFrom != "" {
		if len(cl.files) > 0 {
			return fmt.Errorf("extra operand %q: --files0-from names all files", cl.files[0])
		}
		if cl.files, err = filesFrom(cl.filesFrom); err != nil {
			return err
		}
	}
	if len(cl.files) == 0 {
		cl.files = []string{"-"}
	}
	if cl.memory == 0 {
		cl.memory = freeMemory() / 2
	}
	cl.memory = max(cl.memory, leastMemory)
	cl.workers = min(cl.workers, 4*max(runtime.NumCPU(), runtime.GOMAXPROCS(0))) // each of which takes memory
	if cl.shuffle && cl.onlyBy != "" && cl.by == nil {
		cl.by = []spec{} // rows, by no column
	}
	if cl.shuffle && !cl.given["-seed"] {
		cl.seed = randomSeed()
	}
	if err := cl.checkRules(); err != nil {
		return err
	}
	if cl.check != "" && len(cl.files) > 1 {
		return fmt.Errorf("extra operand %q not allowed with -c", cl.files[1])
	}
	cl.last = cl.keep == "last"
	if err := cl.split.check(cl); err != nil {
		return err
	}
	cl.nulRows = cl.zero && cl.by != nil // which are read as lines
	if cl.shape.eol = '\n'; cl.zero && !cl.nulRows {
		cl.shape.eol = 0
	}
	cl.aside.eol = cl.shape.eol
	cl.aside.quotes = cl.quotesHide
	if strings.ContainsRune(cl.aside.comment, rune(cl.aside.eol)) {
		return inOption("-comment", cl.aside.comment, errors.New("no line begins with it"))
	}
	if cl.by != nil {
		return cl.finishColumns()
	}
	if !cl.stability {
		cl.stable = false
	}
	return cl.finishLines()
}

// finishColumns does so for columns.
func (cl *commandLine) finishColumns() (err error) {
	if err := cl.finishGroups(); err != nil || cl.global&random == 0 {
		return err
	}
	if i := slices.IndexFunc(cl.by, func(s spec) bool { return s.desc || s.nullsFirst }); i >= 0 {
		return fmt.Errorf("column %q: -R leaves no meaning to desc and nullsfirst", cl.by[i].name)
	}
	cl.salt, err = cl.newSalt()
	return err
}

// finishLines does so for lines and records.
func (cl *commandLine) finishLines() (err error) {
	if cl.shape.record > 0 {
		return cl.finishRecords()
	}
	var keys []lineKey
	for _, text := range cl.keys {
		k, err := parseKey(text)
		if err != nil {
			return inOption("-k", text, err)
		}
		keys = append(keys, k)
	}
	cl.order, err = newLineOrder(keys, cl.global, cl.tab, !cl.stable && !cl.unique, cl.locale, cl.newSalt)
	if cl.debug {
		cl.notes = append(cl.notes, cl.debugNotes()...)
	}
	return err
}

// leastMemory is what -S is raised to, if it is less.
const leastMemory = 8 << 20
