package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseOptions(t *testing.T) {
	for _, test := range []struct{ args, want, operands string }{
		{"", "", ""},
		{"-n", "n", ""},
		{"-nr x", "n r", "x"},
		{"-nk2 x", "n k=2", "x"},
		{"-nk 2 x", "n k=2", "x"},
		{"-k1,2n -k3", "k=1,2n k=3", ""},
		{"-t, -", "t=,", "-"},
		{"x -n y -r", "n r", "x y"},
		{"-n -- -r", "n", "-r"},
		{"--key=2 --key 3 --numeric", "k=2 k=3 n", ""},
		{"--num", "n", ""},
		{"--check --check=quiet", "c c=quiet", ""},
		{"-c x", "c", "x"},
		{"-top 3 -top=4 --top 5", "top=3 top=4 top=5", ""},
		{"-to", "t=o", ""},
		{"-t -n", "t=-n", ""},
		{"-key -n", "k=-n", ""},
		{"--st --re --rec 5", "stable r record=5", ""},
		{"--top 3 --to 4", "top=3 top=4", ""},
		{"-y5 -y 6 -y x -ny7x", "y=5 y=6 y n y=7x", "x"},
	} {
		var set []string
		note := func(name string) func(string) error {
			return func(value string) error {
				if value != "" {
					name += "="
				}
				set = append(set, name+value)
				return nil
			}
		}
		operands, err := parseOptions(testOptions(note), strings.Fields(test.args))
		if err != nil || strings.Join(set, " ") != test.want || strings.Join(operands, " ") != test.operands {
			t.Errorf("%s: %q, operands %q, %v; want %q, %q", test.args, set, operands, err, test.want, test.operands)
		}
	}
}

func testOptions(note func(name string) func(string) error) optionSet {
	set := optionSet{
		sorts: []option{
			{'n', "numeric", noArgument, nil}, {'r', "reverse", noArgument, nil}, {'k', "key", needsArgument, nil},
			{'t', "", needsArgument, nil}, {'c', "check", optionalArgument, nil}, {'y', "", digitsArgument, nil},
			{0, "stable", noArgument, nil}, {0, "random-sort", noArgument, nil}, {0, "random-source", needsArgument, nil},
		},
		own: []option{{0, "top", needsArgument, nil}, {0, "stats", noArgument, nil}, {0, "state", noArgument, nil}, {0, "record", needsArgument, nil}},
		key: func(_ string, rest []string) ([]string, bool, error) { return rest, false, nil },
	}
	for _, options := range [][]option{set.sorts, set.own} {
		for i, o := range options {
			name := o.long
			if o.short != 0 {
				name = string(o.short)
			}
			options[i].set = func(value string) error { return note(name)(value) }
		}
	}
	return set
}

func TestParseOptionsErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-x":          "invalid option -- 'x' in '-x'",
		"-nx":         "invalid option -- 'x' in '-nx'",
		"-k":          "option '-k' requires a value",
		"--key":       "option '--key' requires a value",
		"--stat":      "option '--stat' is ambiguous: --stats or --state",
		"--random":    "option '--random' is ambiguous: --random-sort or --random-source",
		"-y":          "option '-y' requires a value",
		"--check=":    "option '--check' has an empty value",
		"--none":      "unrecognized option '--none'",
		"--numeric=1": "option '--numeric' takes no value",
		"-top":        "option '-top' requires a value",
		"-k0":         `invalid value "0" of -k: zero`,
	} {
		_, err := parseOptions(testOptions(func(string) func(string) error {
			return func(value string) error {
				if value == "0" {
					return fmt.Errorf("zero")
				}
				return nil
			}
		}), strings.Fields(args))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// Each option of sort's help that we have is one of ours, by both names.
func TestOptionNames(t *testing.T) {
	set := (&commandLine{command: new(command)}).options()
	all := slices.Concat(set.sorts, set.own)
	for i, o := range all {
		if o.short != 0 && slices.ContainsFunc(all[i+1:], func(p option) bool { return p.short == o.short }) {
			t.Errorf("-%c twice", o.short)
		}
		if o.long != "" && slices.ContainsFunc(all[i+1:], func(p option) bool { return p.long == o.long }) {
			t.Errorf("-%s twice", o.long)
		}
	}
	for _, name := range []string{"key", "reverse", "numeric-sort", "unique", "merge", "check", "stable", "zero-terminated", "field-separator"} {
		if named(all, name) == nil {
			t.Errorf("no --%s", name)
		}
	}
}

// TestShortValues: an option that may have a value takes it after a sign of equality, alone or at the end of a bundle.
func TestShortValues(t *testing.T) {
	for _, args := range [][]string{{"-u=value"}, {"-mu=value"}, {"--unique=value"}, {"-unique=value"}} {
		if cmd, err := parseArgs(append(args, "-by", "1")); err != nil || !cmd.unique || !cmd.byValue {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, test := range [][2]string{{"-u=", "empty"}, {"-u=x", "value"}, {"-r=x", "invalid option -- '='"}, {"-c=later", "-c"}} {
		if _, err := parseArgs([]string{test[0], "-by", "1"}); err == nil || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("%s: %v", test[0], err)
		}
	}
}
