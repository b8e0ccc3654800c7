package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"example.com/sorter/internal/powerloss"
	"example.com/sorter/internal/testkit"
)

func TestMain(m *testing.M) {
	powerloss.Main(map[string]func(dir string) error{"load": powerJob})
	os.Exit(m.Run())
}

const powerSource = "the pairs"

// powerPairs returns pairs by line, and those that a load leaves.
func powerPairs() (lines []string, want map[string]string) {
	r := rand.New(rand.NewPCG(41, 42))
	want = map[string]string{}
	for i := range 400 {
		key, value := pairAt(r, i, 300)
		lines = append(lines, fmt.Sprintf("%s\t%s\n", key, value))
		want[string(key)] = string(value)
	}
	return lines, want
}

func openPower(dir string) (*pebble.DB, *pebble.Options, error) {
	opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}, MemTableSize: 64 << 10}
	db, err := pebble.Open(filepath.Join(dir, "db"), opts)
	return db, opts, err
}

func powerSettings(dir string) Settings {
	return Settings{Dir: filepath.Join(dir, "db.load"), Source: powerSource, Workers: 2, TableBytes: 8 << 10}
}

// powerJob has a pair in a database, loads others, and changes one of these.
func powerJob(dir string) error {
	db, opts, err := openPower(dir)
	if err != nil {
		return err
	}
	if err := db.Set([]byte("before"), []byte("kept"), pebble.Sync); err != nil {
		return err
	}
	fmt.Print("opened ")
	if _, err := load(context.Background(), db, opts, powerSettings(dir), []string{filepath.Join(dir, "pairs")}, nil); err != nil {
		return err
	}
	fmt.Print("loaded ")
	if err := db.Set(powerKey(), []byte("newer"), pebble.Sync); err != nil {
		return err
	}
	fmt.Print("changed ")
	return db.Close()
}

// powerKey is one of the keys that are loaded.
func powerKey() []byte {
	key, _ := pairAt(rand.New(rand.NewPCG(41, 42)), 0, 300)
	return key
}

// TestPowerLoss cuts the power during a load. The database has all pairs or none, all if it was done, and the same
// command completes it. What was written after it is not hidden by a load that comes back.
func TestPowerLoss(t *testing.T) {
	lines, want := powerPairs()
	dir := t.TempDir()
	var text []byte
	for _, line := range lines {
		text = append(text, line...)
	}
	if err := os.WriteFile(filepath.Join(dir, "pairs"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	l := powerloss.RecordJob(t, dir, "load")
	met := map[string]int{}
	look := func(said string, _ bool) error { return loadAfterCut(dir, said, want, met) }
	n, err := l.Cut(powerloss.Draws{Moments: testkit.Pick(30, 0)}, look)
	if t.Log(n, met); err != nil {
		t.Fatal(err)
	}
	if testkit.Long() {
		powerloss.CheckSyncs(t, l, "db.load", powerloss.Draws{}, look)
	}
}

// loadAfterCut is after a cut: it resumes the load or begins it.
func loadAfterCut(dir, said string, want map[string]string, met map[string]int) error {
	if said == "" {
		return nil // Pebble makes a database
	}
	db, opts, err := openPower(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	state, err := stateOf(db, want)
	if err != nil {
		return err
	}
	if said != "opened " && state == "none" || said == "opened loaded changed " && state != "changed" {
		return fmt.Errorf("of the pairs %s is there, and it had said %q", state, said)
	}
	ctx := context.Background()
	st, err := Resume(ctx, db, powerSettings(dir).Dir, powerSource)
	if err != nil {
		return err
	}
	after, err := stateOf(db, want)
	if err != nil {
		return err
	}
	met[fmt.Sprint(state, ", resumed ", st.Resumed)]++
	if st.Resumed && (after == "none" || state == "changed" && after != "changed") {
		return fmt.Errorf("the database had %s, and has %s after Resume", state, after)
	}
	if after == "none" {
		if _, err := load(ctx, db, opts, powerSettings(dir), []string{filepath.Join(dir, "pairs")}, nil); err != nil {
			return err
		}
		if after, err = stateOf(db, want); err != nil || after != "all" {
			return errors.Join(err, fmt.Errorf("the database has %s after a load", after))
		}
	}
	return nil
}

// stateOf returns none, all or changed.
func stateOf(db *pebble.DB, want map[string]string) (string, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return "", err
	}
	defer it.Close()
	n, state, kept := 0, "all", false
	for ok := it.First(); ok; ok = it.Next() {
		key, value := string(it.Key()), string(it.Value())
		switch {
		case key == "before" && value == "kept":
			kept = true
			continue
		case key == string(powerKey()) && value == "newer":
			state = "changed"
		case want[key] != value:
			return "", fmt.Errorf("%q is %q", key, value)
		}
		n++
	}
	switch {
	case it.Error() != nil:
		return "", it.Error()
	case !kept:
		return "", errors.New("a pair is lost that was there before")
	case n == 0:
		return "none", nil
	case n != len(want):
		return "", fmt.Errorf("%d pairs of %d", n, len(want))
	}
	return state, nil
}
