//go:build duckdb

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
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
	duckTable = []contestant{{"DuckDB", tableByDuck, false}}
	duckTrips = []contestant{{"DuckDB", func(t task) error {
		return duck(t, fmt.Sprintf("COPY (SELECT * FROM read_parquet('%s') ORDER BY pickup_at) TO '%s' (FORMAT parquet)", t.in, t.out))
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
func openDuck(t task) (*sql.DB, error) { return openDuckFile(t, "") }

func openDuckFile(t task, file string) (*sql.DB, error) {
	db, err := sql.Open("duckdb", file)
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

// duckFile is the database that has the table of t.
func duckFile(t task) string { return t.in + ".duckdb" }

// loadDuck writes the table of t to a database.
func loadDuck(t task) error {
	if err := os.Remove(duckFile(t)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	in, err := openTable(t)
	if err != nil {
		return err
	}
	defer in.close()
	connector, err := duckdb.NewConnector(duckFile(t), nil)
	if err != nil {
		return err
	}
	defer connector.Close()
	conn, err := connector.Connect(context.Background())
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE rows (account BIGINT, amount DOUBLE, note VARCHAR, moment TIMESTAMP, open BOOLEAN)"); err != nil {
		return err
	}
	appender, err := duckdb.NewAppenderFromConn(conn, "", "rows")
	if err != nil {
		return err
	}
	for in.Next() {
		b := in.RecordBatch()
		for i := range int(b.NumRows()) {
			at := b.Column(3).(*array.Timestamp).Value(i)
			err := appender.AppendRow(b.Column(0).(*array.Int64).Value(i), b.Column(1).(*array.Float64).Value(i), b.Column(2).(*array.String).Value(i),
				time.UnixMicro(int64(at)).UTC(), b.Column(4).(*array.Boolean).Value(i))
			if err != nil {
				return err
			}
		}
	}
	return errors.Join(in.Err(), appender.Close(), conn.Close())
}

// tableByDuck hands out few numbers, as recordsByDuck does; first and last keep the optimizer from dropping the order.
func tableByDuck(t task) error {
	db, err := openDuckFile(t, duckFile(t))
	if err != nil {
		return err
	}
	defer db.Close()
	var sum tableSum
	var first, last, at float64
	err = db.QueryRow(`SELECT count(*), sum(length(note))::BIGINT, sum(epoch_us(moment))::DOUBLE, count(*) FILTER (open), first(amount), last(amount)
		FROM (SELECT * FROM rows ORDER BY account, amount)`).Scan(&sum.n, &sum.notes, &at, &sum.open, &first, &last)
	return errors.Join(err, sum.end(t))
}
