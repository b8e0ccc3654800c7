package pipeline

import "example.com/sorter/internal/ways"

// The ways of each family of calls, in the order in which they are tried: see way. Ways do sorts, which have ways, so no
// literal of waysOf can name them.
func init() {
	waysOf = [verbs][]way{
		toSort: {
			{is: ways.TextsInOrder, movement: withCodes, fits: (*facts).ownTexts, bytes: (*facts).movesBytes, do: textsInOrder},
			{is: ways.FieldsInOrder, movement: asPlanned, fits: (*facts).fieldsMayBeInOrder, bytes: (*facts).movesBytes, do: fieldsInOrder},
			{is: ways.NullsApart, movement: nullsApart, fits: (*facts).partsNulls, bytes: (*facts).apartBytes, do: sortApart},
		},
		toOrder: {
			{is: ways.SpareNulls, movement: asPlanned, prepares: true, fits: (*facts).mayHaveSpare, bytes: noBytes, do: spareNulls},
			{is: ways.NullsInOrder, movement: nullsApart, fits: (*facts).nullsMayBeInOrder, bytes: (*facts).apartBytes, do: nullsInOrder},
			{is: ways.NullsApart, movement: nullsApart, fits: (*facts).partsNulls, bytes: (*facts).apartBytes, do: orderApart},
			{is: ways.Segments, movement: toIndex, fits: (*facts).mayLead, bytes: noBytes, do: orderSegments},
			{is: ways.NarrowColumns, movement: asPlanned, prepares: true, fits: (*facts).narrowsColumns, bytes: noBytes, do: narrowColumns},
		},
		toIndexRows: {
			{is: ways.Dealt, movement: asPlanned, fits: (*facts).mayDeal, bytes: noBytes, do: orderDealt},
		},
	}
}

func noBytes(*facts) int64 { return 0 }
