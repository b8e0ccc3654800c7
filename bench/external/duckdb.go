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

// openDuck gives DuckDB twice the memory, since it fails on some of these sizes with the same, but
// not more than half of the control group: it takes more than it is told to.
func openDuck(t task) (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	memory := 2 * t.memory
	if t.group > 0 {
		memory = min(memory, t.group/2)
	}
	_, err = db.Exec(fmt.Sprintf("SET threads=%d; SET memory_limit='%dMiB'; SET temp_directory='%s'", t.workers, memory>>20, t.dir))
	return db, err
}

// recordsByDuck has DuckDB make the records too, and hands out few numbers: that is its fastest way.
// With several threads, first and last may be of any thread's part, so their values prove nothing;
// they keep the optimizer from dropping the order.
func recordsByDuck(t task) error {
	db, err := openDuck(t)
	if err != nil {
		return err
	}
	defer db.Close()
	var n, positions, pads int
	var first, last uint64
	err = db.QueryRow(fmt.Sprintf(`SELECT count(*), sum(pos)::UBIGINT, sum(pad)::UBIGINT, first(key), last(key)
		FROM (SELECT hash(i) AS key, i::UBIGINT AS pos, (i + 1)::UBIGINT AS pad FROM range(%d) AS t(i) ORDER BY key)`, t.n)).Scan(&n, &positions, &pads, &first, &last)
	if err == nil && (n != t.n || positions != t.n*(t.n-1)/2 || pads != positions+t.n) {
		err = fmt.Errorf("%d records of %d, positions %d and %d", n, t.n, positions, pads)
	}
	return err
}
