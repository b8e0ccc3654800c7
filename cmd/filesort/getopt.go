package main

import (
	"fmt"
	"slices"
	"strings"
)

// option is a flag of the command line: -s, --long or -long.
type option struct {
	short byte   // 0: none
	long  string // "": none
	arg   argument
	set   func(value string) error // value is "" without one
}

// argument says whether an option has a value.
type argument uint8

const (
	noArgument       argument = iota // set is called with ""
	needsArgument                    // -s VALUE, -sVALUE, --long VALUE, --long=VALUE
	optionalArgument                 // --long, --long=VALUE
	digitsArgument                   // -sVALUE, -s VALUE if that is a number
)

// optionSet is the options of a program.
type optionSet struct {
	sorts, own []option // those of sort, and others
	// key takes an operand, and perhaps the first of those that follow, for an old form of a key. It
	// returns what follows, and false if the operand is none.
	key func(operand string, rest []string) (left []string, is bool, err error)
}

// parseOptions calls set for each option of args, in order, and returns the operands. Options
// may follow operands, up to an argument --. Short options without a value may be bundled, as
// in -nr. Long ones have one dash or two; with two, a prefix that no other name of sort has suffices, or, if none of
// sort's has it, no other name. One dash and a whole long name is the long option: -top is not -t op.
func parseOptions(set optionSet, args []string) (operands []string, err error) {
	options := append(slices.Clone(set.sorts), set.own...)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(operands, args...), nil
		case len(arg) < 2 || arg[0] != '-':
			var is bool
			if args, is, err = set.key(arg, args); !is {
				operands = append(operands, arg)
			}
		case strings.HasPrefix(arg, "--"):
			var o *option
			if o, err = set.long(arg[2:]); err == nil {
				args, err = o.setLong(arg, args)
			}
		default:
			name, _, _ := strings.Cut(arg[1:], "=")
			if o := named(options, name); o != nil {
				args, err = o.setLong(arg, args)
			} else {
				args, err = setBundle(options, arg[1:], args)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return operands, nil
}

// named returns the option with a long name, or nil.
func named(options []option, name string) *option {
	if i := slices.IndexFunc(options, func(o option) bool { return o.long == name && name != "" }); i >= 0 {
		return &options[i]
	}
	return nil
}

// long returns the option that arg, a name and perhaps a value, begins with.
func (set optionSet) long(arg string) (*option, error) {
	name, _, _ := strings.Cut(arg, "=")
	for _, options := range [][]option{set.sorts, set.own} {
		if o := named(options, name); o != nil {
			return o, nil
		}
	}
	for _, options := range [][]option{set.sorts, set.own} {
		if o, err := begun(options, name); o != nil || err != nil {
			return o, err
		}
	}
	return nil, fmt.Errorf("unrecognized option '--%s'", name)
}

// begun returns the option whose long name begins with prefix, or nil.
func begun(options []option, prefix string) (found *option, err error) {
	for i, o := range options {
		switch {
		case prefix == "" || !strings.HasPrefix(o.long, prefix):
		case found != nil:
			return nil, fmt.Errorf("option '--%s' is ambiguous: --%s or --%s", prefix, found.long, o.long)
		default:
			found = &options[i]
		}
	}
	return found, nil
}

// setLong sets an option from arg, or from the first of rest, and returns the other arguments.
func (o *option) setLong(arg string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(arg, "=")
	switch {
	case o.arg == noArgument && given:
		return nil, fmt.Errorf("option '%s' takes no value", name)
	case o.arg == optionalArgument && given && value == "":
		return nil, fmt.Errorf("option '%s' has an empty value", name)
	case o.arg == needsArgument && !given:
		if len(rest) == 0 {
			return nil, fmt.Errorf("option '%s' requires a value", name)
		}
		value, rest = rest[0], rest[1:]
	}
	return rest, inOption(name, value, o.set(value))
}

// setBundle sets short options, of which the last may have a value.
func setBundle(options []option, bundle string, rest []string) ([]string, error) {
	for i := range len(bundle) {
		at := slices.IndexFunc(options, func(o option) bool { return o.short == bundle[i] })
		if at < 0 {
			return nil, fmt.Errorf("invalid option -- '%c' in '-%s'", bundle[i], bundle)
		}
		o := &options[at]
		if o.arg == noArgument || o.arg == optionalArgument {
			if value, given := strings.CutPrefix(bundle[i+1:], "="); given && o.arg == optionalArgument {
				if value == "" {
					return nil, fmt.Errorf("option '-%c' has an empty value", o.short)
				}
				return rest, inOption("-"+string(o.short), value, o.set(value))
			}
			if err := o.set(""); err != nil {
				return nil, err
			}
			continue
		}
		value := bundle[i+1:]
		switch {
		case value != "":
		case len(rest) == 0:
			return nil, fmt.Errorf("option '-%c' requires a value", o.short)
		case o.arg == needsArgument || strings.Trim(rest[0], "0123456789") == "":
			value, rest = rest[0], rest[1:]
		}
		return rest, inOption("-"+string(o.short), value, o.set(value))
	}
	return rest, nil
}

// inOption says which option an error is about.
func inOption(name, value string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("invalid value %q of %s: %w", value, name, err)
}
