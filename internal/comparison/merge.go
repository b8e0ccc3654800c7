package comparison

// wins is the number of elements in a row from one part after which a merge searches.
const wins = 8

// merge merges a and b, which are not empty, into dst, elements of a first where they are equal. b
// may be the end of dst.
func (s *Sorter[E]) merge(dst, a, b []E) {
	compare := s.Compare
	for len(a) >= wins && len(b) >= wins {
		i, j := 0, 0
		for k := range wins {
			if x, y := &a[i], &b[j]; compare(*y, *x) < 0 {
				dst[k] = *y
				j++
			} else {
				dst[k] = *x
				i++
			}
		}
		dst, a, b = dst[wins:], a[i:], b[j:]
		switch {
		case len(a) == 0 || len(b) == 0:
		case i == wins:
			n := upper(a, b[0], compare)
			s.copy(dst[:n], a[:n])
			dst, a = dst[n:], a[n:]
		case j == wins:
			n := lower(b, a[0], compare)
			s.copy(dst[:n], b[:n])
			dst, b = dst[n:], b[n:]
		}
	}
	for len(a) > 0 && len(b) > 0 {
		if compare(b[0], a[0]) < 0 {
			dst[0], b = b[0], b[1:]
		} else {
			dst[0], a = a[0], a[1:]
		}
		dst = dst[1:]
	}
	s.copy(dst[:len(a)], a)
	if dst = dst[len(a):]; len(b) > 0 && &dst[0] != &b[0] {
		s.copy(dst, b)
	}
}

// upper returns the number of elements of a, in order, before the first that comes after e.
func upper[E any](a []E, e E, compare func(a, b E) int) int {
	lo, hi := 0, 1
	for hi <= len(a) && compare(e, a[hi-1]) >= 0 {
		lo, hi = hi, 2*hi
	}
	for hi = min(hi-1, len(a)); lo < hi; {
		if mid := int(uint(lo+hi) / 2); compare(e, a[mid]) < 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// lower returns the number of elements of b, in order, that come before e.
func lower[E any](b []E, e E, compare func(a, b E) int) int {
	lo, hi := 0, 1
	for hi <= len(b) && compare(b[hi-1], e) < 0 {
		lo, hi = hi, 2*hi
	}
	for hi = min(hi-1, len(b)); lo < hi; {
		if mid := int(uint(lo+hi) / 2); compare(b[mid], e) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
