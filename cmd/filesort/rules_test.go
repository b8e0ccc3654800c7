package main

import (
	"slices"
	"strings"
	"testing"
)

// samples are options with a value.
var samples = map[string]string{
	"-keep": "-keep=last", "-per": "-per=b", "-by": "-by=a", "-record": "-record=2", "-top": "-top=2", "-k": "-k1", "-seed": "-seed=1", "-o": "-o=x%d",
	"-locale": "-locale=de", "-skip": "-skip=1", "-comment": "-comment=#", "-split": "-split=key", "-sort": "--sort=month", "-count": "-count=n", "-to": "-to=parquet",
	"-random-source": "--random-source=x", "-t": "-t,", "-split key": "-split=key", "-split key=N": "-split=key=2", "-quotes lazy": "-quotes=lazy",
}

// beside are further options that an option needs.
var beside = map[string]string{
	"-per": "-by=a", "-to": "-by=a", "-split key": "-o=x%d", "-split key=N": "-o=x%d -by=a,b",
}

func sampleOf(option string) string {
	if s := samples[option]; s != "" {
		return s
	}
	return option
}

// Each rule holds, whatever the order of the options, and its options go without those that it excludes.
func TestRules(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, r := range rules {
		with := []string{sampleOf(r.option)}
		with = append(with, strings.Fields(beside[r.option])...)
		if len(r.needs) > 0 {
			_, err := parseArgs(with)
			if want := strings.Join(r.needs, " or ") + " is missing: " + r.option + " goes with it"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", with, err, want)
			}
			with = append(with, sampleOf(r.needs[0]))
		}
		for _, other := range rules { // those that the option needs by another rule
			if other.option == r.option && len(other.needs) > 0 && len(r.needs) == 0 {
				with = append(with, sampleOf(other.needs[0]))
			}
		}
		if _, err := parseArgs(with); err != nil {
			t.Errorf("%q: %v", with, err)
		}
		for _, other := range r.excludes {
			args := append(slices.Clone(with), sampleOf(other))
			for range args {
				args = append(args[1:], args[0])
				_, err := parseArgs(args)
				if err == nil || !strings.Contains(err.Error(), "exclude each other") && !strings.Contains(err.Error(), "is missing") && !strings.Contains(err.Error(), "incompatible") {
					t.Errorf("%q: %v", args, err)
				}
			}
		}
	}
}
