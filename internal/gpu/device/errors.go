package device

import "slices"

// FirstError returns the first error that is not nil. All arguments are evaluated, so all
// steps are taken.
func FirstError(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// errorList collects the errors of steps that are all taken.
type errorList []error

func (l *errorList) add(err error) { *l = append(*l, err) }

func (l errorList) first() error { return FirstError(l...) }
