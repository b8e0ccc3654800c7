package sorter

import "unsafe"

// smallSort is the length up to which elements are moved by insertion: below
// it, taking scratch memory and clearing counters would cost more.
const smallSort = 16

// sortSmall sorts a few elements with nothing but the stack, if it can.
func sortSmall[E any, K Key](s []E, key func(E) K, cfg config) (done bool, err error) {
	var e E
	if len(s) > smallSort || cfg.backend != nil || cfg.stats != nil || cfg.limit != 0 ||
		cfg.progress != nil || cfg.algorithm != Auto || unsafe.Sizeof(e) > 256 || kindOf[K]().wide() {
		return false, nil
	}
	if cfg.ctx != nil && cfg.ctx.Err() != nil {
		return true, cfg.ctx.Err()
	}
	if len(s) < 2 && len(s) == 0 {
		return true, nil
	}
	var codes [smallSort]uint64
	var keys [smallSort]K
	for i := range s {
		keys[i%smallSort] = key(s[i])
	}
	encode(codes[:len(s)], keys[:len(s)], order{desc: cfg.descending, nansLast: cfg.nansLast})
	for i := 1; i < len(s); i++ {
		c, e := codes[i%smallSort], s[i]
		j := i
		for ; j > 0 && codes[(j-1)%smallSort] > c; j-- {
			codes[j%smallSort], s[j] = codes[(j-1)%smallSort], s[j-1]
		}
		codes[j%smallSort], s[j] = c, e
	}
	return true, nil
}
