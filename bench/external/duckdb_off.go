//go:build !duckdb

package main

var duckRecords, duckLines, duckRows, duckTable, duckTrips []contestant

// loadDuck does nothing without DuckDB.
func loadDuck(task) error { return nil }
