package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// TestMain: the runner may be another process, whose workers are this program.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

func TestSort(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "SE,2024-01-01,7\nDE,2023-05-01,30\n",
		"b.csv": "DE,2025-01-01,4\nAT,2020-01-01,1\nAT\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	*in, *out = filepath.Join(dir, "*.csv"), filepath.Join(dir, "sorted", "x")
	main()
	got, err := os.ReadFile(filepath.Join(dir, "sorted", "x-00000-of-00001.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "AT,2020-01-01,1\nAT\nDE,2025-01-01,4\nDE,2023-05-01,30\nSE,2024-01-01,7\n"; string(got) != want {
		t.Errorf("%q, not %q", got, want)
	}
	if _, err := os.Stat(*out + "-manifest.json"); err != nil {
		t.Error(err)
	}
}
