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
)

// parseOptions calls set for each option of args, in order, and returns the operands. Options
// may follow operands, up to an argument --. Short options without a value may be bundled, as
// in -nr. Long ones have one dash or two; with two, a prefix that no other name has suffices.
// One dash and a whole long name is the long option: -top is not -t op.
func parseOptions(options []option, args []string) (operands []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(operands, args...), nil
		case len(arg) < 2 || arg[0] != '-':
			operands = append(operands, arg)
		case strings.HasPrefix(arg, "--"):
			var o *option
			if o, err = longOption(options, arg[2:]); err == nil {
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

// longOption returns the option that arg, a name and perhaps a value, begins with.
func longOption(options []option, arg string) (*option, error) {
	name, _, _ := strings.Cut(arg, "=")
	if o := named(options, name); o != nil {
		return o, nil
	}
	var found *option
	for i := range options {
		if name == "" || !strings.HasPrefix(options[i].long, name) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("option '--%s' is ambiguous: --%s or --%s", name, found.long, options[i].long)
		}
		found = &options[i]
	}
	if found == nil {
		return nil, fmt.Errorf("unrecognized option '--%s'", name)
	}
	return found, nil
}

// setLong sets an option from arg, or from the first of rest, and returns the other arguments.
func (o *option) setLong(arg string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(arg, "=")
	switch {
	case o.arg == noArgument && given:
		return nil, fmt.Errorf("option '%s' takes no value", name)
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
		if o.arg != needsArgument {
			if err := o.set(""); err != nil {
				return nil, err
			}
			continue
		}
		value := bundle[i+1:]
		if value == "" {
			if len(rest) == 0 {
				return nil, fmt.Errorf("option '-%c' requires a value", o.short)
			}
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
