//go:build !duckdb

package main

var duckRecords, duckLines, duckRows []contestant
