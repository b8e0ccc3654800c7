package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// result is a line of a run.
type result struct{ verdict, place, by, key string }

// results reads files of runs. Of several verdicts on a mutant, one that it was killed holds, or else the last.
func results(files []string) (map[string]result, error) {
	all := map[string]result{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			c := strings.Split(strings.TrimSpace(line), "\t")
			if len(c) != 6 {
				return nil, fmt.Errorf("%s: line %q", f, line)
			}
			r := result{c[0], c[3], c[4], c[5]}
			if before, ok := all[r.key]; !ok || before.verdict != killed && before.verdict != timedOut {
				all[r.key] = r
			}
		}
	}
	return all, nil
}

func killedIn(file string) (map[string]bool, error) {
	done := map[string]bool{}
	if file == "" {
		return done, nil
	}
	all, err := results(strings.Split(file, ","))
	for key, r := range all {
		done[key] = r.verdict == killed || r.verdict == timedOut
	}
	return done, err
}

// equivalents reads the list of mutants that change nothing that matters: a reason, then the keys that it is of.
func equivalents(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list, reason := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimRight(line, "\n"); {
		case strings.HasPrefix(line, "\t"):
			list[strings.TrimSpace(line)] = reason
		case line != "" && !strings.HasPrefix(line, "#"):
			reason = line
		}
	}
	return list, nil
}

// score prints the share of mutants killed, by package, and all that survive and are not listed as equivalent.
func score(args []string) error {
	flags := flag.NewFlagSet("score", flag.ExitOnError)
	list := flags.String("equivalents", "equivalents.txt", "mutants that change nothing that matters")
	quiet := flags.Bool("q", false, "print no survivors")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := results(flags.Args())
	if err != nil {
		return err
	}
	known, err := equivalents(*list)
	if err != nil {
		return err
	}
	counts := map[string]map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r := all[key]
		folder := key[:strings.LastIndex(key[:strings.Index(key, " ")], "/")]
		verdict := r.verdict
		if _, ok := known[key]; ok && verdict != killed && verdict != timedOut {
			verdict = "equivalent"
		}
		if counts[folder] == nil {
			counts[folder] = map[string]int{}
		}
		counts[folder][verdict]++
		if !*quiet && (verdict == survived || verdict == unreached) {
			fmt.Printf("%s\t%s\t%s\n", verdict, r.place, key)
		}
	}
	fmt.Printf("%-28s %8s %8s %8s %9s %10s %7s\n", "package", "killed", "timeout", "survived", "unreached", "equivalent", "score")
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		c := counts[folder]
		dead, alive := c[killed]+c[timedOut], c[survived]+c[unreached]
		fmt.Printf("%-28s %8d %8d %8d %9d %10d %5.1f %%\n", folder, c[killed], c[timedOut], c[survived], c[unreached], c["equivalent"], 100*float64(dead)/float64(max(1, dead+alive)))
	}
	return nil
}
