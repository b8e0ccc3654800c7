package small

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/sortkey"
)

// SortPairs sorts keys and values with pooled memory only.
func SortPairs[K sortkey.Key, V any](keys []K, values []V, o sortkey.Order, c *Call) error {
	switch k := sortkey.KindOf[K](); {
	case len(keys) < 2:
	case len(keys) <= tinySort:
		return sortPairsTiny(keys, cpu.PayloadOf(keys), cpu.PayloadOf(values), o, c)
	case k.Wide():
		index := orderSmallKeys(keys, o, c)
		err := c.err()
		if err == nil {
			cpu.FollowSmall(index.space, cpu.PayloadOf(keys), cpu.PayloadOf(values))
		}
		index.space.Put()
		return err
	case sortkey.CodeBits[k] <= 32:
		movePairsSmall[uint32](keys, values, o, c)
	default:
		movePairsSmall[uint64](keys, values, o, c)
	}
	return nil
}

// sortPairsTiny sorts a few keys and values with nothing but the stack.
func sortPairsTiny[K sortkey.Key](keys []K, all, values cpu.Payload, o sortkey.Order, c *Call) error {
	var index, again [tinySort]uint32
	moved := orderTinyKeys(index[:len(keys)], keys, o, c)
	if err := c.err(); err != nil {
		return err
	}
	if moved {
		again = index
		all.FollowFew(&index)
		values.FollowFew(&again)
	}
	return nil
}

func movePairsSmall[C sortkey.Code, K sortkey.Key, V any](keys []K, values []V, o sortkey.Order, c *Call) {
	w := cpu.GetSmall[C]()
	sortkey.Encode(w.Codes[:len(keys)], keys, o)
	cpu.MovePairsSmall(w, cpu.PayloadOf(keys), cpu.PayloadOf(values))
	c.took(w.Scratch())
	w.Put()
}
