//go:build duckdb

package main

import (
	"database/sql"
	"fmt"

	_ "github.com/duckdb/duckdb-go/v2"
)

var (
	duckRecords = []contestant{{"DuckDB", recordsByDuck, false}}
	duckLines   = []contestant{{"DuckDB", func(t task) error {
		return duck(t, fmt.Sprintf(`COPY (SELECT line FROM read_csv('%[1]s', auto_detect=false, header=false, delim='%[3]s', quote='', escape='', columns={'line': 'VARCHAR'}) ORDER BY line)
			TO '%[2]s' (FORMAT csv, HEADER false, DELIMITER '%[3]s', QUOTE '')`, t.in, t.out, "\x01"))
	}, false}}
	duckRows = []contestant{{"DuckDB", func(t task) error {
		return duck(t, fmt.Sprintf(`COPY (SELECT * FROM read_csv('%s', auto_detect=false, header=false, delim=',', columns={'id': 'VARCHAR', 'country': 'VARCHAR', 'amount': 'VARCHAR', 'day': 'VARCHAR', 'note': 'VARCHAR'})
			ORDER BY country, amount::DOUBLE DESC) TO '%s' (FORMAT csv, HEADER false)`, t.in, t.out))
	}, false}}
)

// duck runs statements in a database in memory that spills to the directory of t.
func duck(t task, statements ...string) error {
	db, err := openDuck(t)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// openDuck gives DuckDB twice the memory: with the same it fails on some of these sizes.
func openDuck(t task) (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(fmt.Sprintf("SET threads=%d; SET memory_limit='%dMiB'; SET temp_directory='%s'", t.workers, t.memory>>19, t.dir))
	return db, err
}

// recordsByDuck has DuckDB make the records too, and hands out the first and last key alone: that
// is its fastest way. The least and the largest key show that it sorted.
func recordsByDuck(t task) error {
	db, err := openDuck(t)
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	var sorted bool
	err = db.QueryRow(fmt.Sprintf(`SELECT count(*), first(key) = min(key) AND last(key) = max(key)
		FROM (SELECT hash(i) AS key, i::UBIGINT AS pos, 0::UBIGINT AS pad FROM range(%d) AS t(i) ORDER BY key) WHERE pos >= 0 AND pad = 0`, t.n)).Scan(&n, &sorted)
	if err == nil && (n != t.n || !sorted) {
		err = fmt.Errorf("%d records of %d, sorted: %v", n, t.n, sorted)
	}
	return err
}
