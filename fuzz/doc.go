// Package fuzz holds the fuzz targets of package sorter; its subpackage oracle
// states the order that they, and the library's own tests, compare with. Every
// target has a corpus under testdata/fuzz that a plain go test replays.
//
//	go test ./fuzz -run=^$ -fuzz=^FuzzSort$ -fuzztime=15s
package fuzz
