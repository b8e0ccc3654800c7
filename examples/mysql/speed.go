package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/sorter/examples/mysql/patch"
)

// compareSpeed prints the medians of both engines. Each timing is a process of its own, and
// those of the two engines take turns.
func compareSpeed(e *patch.Engine, args []string) error {
	flags := flag.NewFlagSet("speed", flag.ExitOnError)
	names := flags.String("case", "int,string,string ai_ci,two columns,window,GROUP_CONCAT", "what is sorted")
	sizes := flags.String("rows", "2,3,10,30,100,1000,10000,100000,1000000", "numbers of rows")
	rounds := flags.Int("rounds", 5, "timings of which the median is taken")
	_ = flags.Parse(args) // exits on errors

	var binaries [2]string
	for i, b := range []struct{ name, modFile string }{{"original", ""}, {"patched", e.ModFile}} {
		binaries[i] = filepath.Join(filepath.Dir(e.ModFile), "speed-"+b.name)
		if err := build(b.modFile, "build", "-o", binaries[i], "./speed"); err != nil {
			return err
		}
	}
	fmt.Println("| sort | rows | engine, ns per row | patched, ns per row | ratio |\n|---|---|---|---|---|")
	for _, name := range strings.Split(*names, ",") {
		for _, rows := range strings.Split(*sizes, ",") {
			medians, err := measure(binaries, name, rows, *rounds)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %.0f | %.0f | %.1f |\n", name, rows, medians[0], medians[1], medians[0]/medians[1])
		}
	}
	return nil
}

// build runs the go command in this module, against the engine of modFile.
func build(modFile string, args ...string) error {
	if modFile != "" {
		args = slices.Insert(args, 1, "-modfile="+modFile)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// measure returns the median of each binary.
func measure(binaries [2]string, name, rows string, rounds int) (medians [2]float64, err error) {
	var timings [2][]float64
	for range rounds {
		for i, binary := range binaries {
			cmd := exec.Command(binary, name, rows)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return medians, fmt.Errorf("%s %q %s: %w", binary, name, rows, err)
			}
			ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				return medians, err
			}
			timings[i] = append(timings[i], ns)
		}
	}
	for i := range timings {
		slices.Sort(timings[i])
		medians[i] = timings[i][rounds/2]
	}
	return medians, nil
}
