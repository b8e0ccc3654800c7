package papers

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// bucketSort cuts the range of the codes into equal intervals and sorts each by quicksort: the
// multi-core bucket sort of Żurek, Pietroń, Wielgosz and Wiatr, "The comparison of parallel
// sorting algorithms implemented on different hardware platforms" (2013), section 5. The paper
// has one interval per core and reserves memory for the fullest. Here there are many
// intervals, for balance, and they are counted before any pair moves.
func bucketSort[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	v := intervals[C]{newPass[C](env, len(pairs)), max(leastPart, len(pairs)/(4*max(1, env.Loop.Workers)))}
	return pairs, v.sort(env, pairs, takePairs[C](env, len(pairs)))
}

// intervals sorts pairs by equal intervals of their codes.
type intervals[C engine.Code] struct {
	pass *pass[C]
	most int // largest interval that one worker sorts
}

// mostNested is how many digits the codes have.
const mostNested = (64 + digitBits - 1) / digitBits

// sort sorts pairs; spare is scratch of the same length. All workers cut an interval again
// that is too large for one. Each cut takes [digitBits] bits off the range, so this nests at
// most [mostNested] deep.
func (v *intervals[C]) sort(env *engine.Env, pairs, spare []pair[C]) error {
	lowest, highest, err := codeRange(env, pairs)
	if err != nil || lowest == highest {
		return err
	}
	env.Trace.Rounds++
	d := digit[C]{lowest, max(0, bits.Len64(uint64(highest-lowest))-digitBits)}
	ends := scratch.In[uint32](&env.Arena, sizeEnds(nil))
	defer scratch.Give(&env.Arena, ends, 1)
	if err := v.pass.count(env, pairs, d, ends); err != nil {
		return err
	}
	if err := v.pass.move(env, spare, pairs); err != nil {
		return err
	}
	bounds := func(i int) (lo, hi int) {
		if i > 0 {
			lo = int(ends[i-1])
		}
		return lo, int(ends[i])
	}
	err = env.Stage("quicksort", len(ends), 1, func(_, i, _ int) {
		if lo, hi := bounds(i); hi-lo <= v.most {
			if d.shift > 0 { // otherwise all codes are equal
				quicksort(env, spare[lo:hi])
			}
			copyPairs(env, pairs[lo:hi], spare[lo:hi])
		}
	})
	for i := range ends {
		if err = env.Stopped(err); err != nil {
			return err
		}
		if lo, hi := bounds(i); hi-lo > v.most {
			err = v.sortLarge(env, spare[lo:hi], pairs[lo:hi])
		}
	}
	return err
}

// sortLarge sorts the pairs of one interval into dst.
func (v *intervals[C]) sortLarge(env *engine.Env, pairs, dst []pair[C]) error {
	if err := v.sort(env, pairs, dst); err != nil {
		return err
	}
	return env.Stage("move", len(pairs), chunk, func(_, lo, hi int) { copy(dst[lo:hi], pairs[lo:hi]) })
}
