package pipeline

import "example.com/sorter/internal/ways"

// Ways do sorts, which have ways, so no literal of waysOf can name them.
func init() {
	waysOf = [verbs][]way{
		toSort: {
			{is: ways.TextsInOrder, movement: withCodes, fits: (*Facts).ownTexts, bytes: (*Facts).movesBytes, do: textsInOrder},
			{is: ways.FieldsInOrder, movement: asPlanned, fits: (*Facts).fieldsMayBeInOrder, bytes: (*Facts).movesBytes, do: fieldsInOrder},
			{is: ways.NullsApart, movement: nullsApart, fits: (*Facts).partsNulls, bytes: (*Facts).apartBytes, do: sortApart},
		},
		toOrder: {
			{is: ways.SpareNulls, movement: asPlanned, prepares: true, fits: (*Facts).mayHaveSpare, bytes: noBytes, do: spareNulls},
			{is: ways.NullsInOrder, movement: nullsApart, fits: (*Facts).nullsMayBeInOrder, bytes: (*Facts).apartBytes, do: nullsInOrder},
			{is: ways.NullsApart, movement: nullsApart, fits: (*Facts).partsNulls, bytes: (*Facts).apartBytes, do: orderApart},
			{is: ways.Segments, movement: toIndex, fits: (*Facts).mayLead, bytes: noBytes, do: orderSegments},
			{is: ways.NarrowColumns, movement: asPlanned, prepares: true, fits: (*Facts).narrowsColumns, bytes: noBytes, do: narrowColumns},
		},
		toIndexRows: {
			{is: ways.Dealt, movement: asPlanned, fits: (*Facts).mayDeal, bytes: noBytes, do: orderDealt},
		},
	}
}

func noBytes(*Facts) int64 { return 0 }
