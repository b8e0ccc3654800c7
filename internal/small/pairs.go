package small

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// SortPairs sorts keys of a kind, and values with them; keys.Len() == values.Len().
func SortPairs(k sortkey.Kind, keys, values cpu.Payload, o sortkey.Order, c *Call) error {
	switch n := keys.Len(); {
	case n < 2:
	case n <= tinySort:
		return sortPairsTiny(k, keys, values, o, c)
	case k.Wide():
		index := orderSmallKeys(k, keys.Raw(), 0, o, c)
		err := c.err()
		if err == nil {
			cpu.FollowSmall(index.space, keys, values)
		}
		index.space.Put()
		return err
	case sortkey.CodeBits[k] <= 32:
		movePairsSmall[uint32](k, keys, values, o, c)
	default:
		movePairsSmall[uint64](k, keys, values, o, c)
	}
	return nil
}

// sortPairsTiny sorts at most tinySort keys and values, with memory of the stack only.
func sortPairsTiny(k sortkey.Kind, keys, values cpu.Payload, o sortkey.Order, c *Call) error {
	var index, again [tinySort]uint32
	moved := true
	if n := keys.Len(); k.Wide() {
		orderTinyWide(k, index[:n], keys, column.Own(k), o, nil, c)
	} else {
		var codes [tinySort]uint64
		sortkey.EncodeAt(k, codes[:n], keys.Data(), o)
		moved = rank(index[:n], codes[:n])
	}
	if err := c.err(); err != nil {
		return err
	}
	if moved {
		again = index
		keys.FollowFew(&index)
		values.FollowFew(&again)
	}
	return nil
}

func movePairsSmall[C sortkey.Code](k sortkey.Kind, keys, values cpu.Payload, o sortkey.Order, c *Call) {
	w := cpu.GetSmall[C]()
	sortkey.EncodeAt(k, w.Codes[:keys.Len()], keys.Data(), o)
	cpu.MovePairsSmall(w, keys, values)
	c.countScratch(w.Scratch())
	w.Put()
}
