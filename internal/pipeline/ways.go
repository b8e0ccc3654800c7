package pipeline

import "example.com/sorter/internal/ways"

// Ways do sorts, which have ways, so no literal of waysOf can name them.
func init() {
	waysOf = [verbs][]way{
		toSort: {
			{shortcut{Is: ways.TextsInOrder, Fits: (*Facts).ownTexts, Bytes: (*Facts).movesBytes, Do: textsInOrder}, withCodes},
			{shortcut{Is: ways.FieldsInOrder, Fits: (*Facts).fieldsMayBeInOrder, Bytes: (*Facts).movesBytes, Do: fieldsInOrder}, asPlanned},
			{shortcut{Is: ways.NullsApart, Fits: (*Facts).partsNulls, Bytes: (*Facts).apartBytes, Do: sortApart}, nullsApart},
		},
		toOrder: {
			{shortcut{Is: ways.SpareNulls, Prepares: true, Fits: (*Facts).mayHaveSpare, Bytes: noBytes, Do: spareNulls}, asPlanned},
			{shortcut{Is: ways.NullsInOrder, Fits: (*Facts).nullsMayBeInOrder, Bytes: (*Facts).apartBytes, Do: nullsInOrder}, nullsApart},
			{shortcut{Is: ways.NullsApart, Fits: (*Facts).partsNulls, Bytes: (*Facts).apartBytes, Do: orderApart}, nullsApart},
			{shortcut{Is: ways.Segments, Fits: (*Facts).mayLead, Bytes: noBytes, Do: orderSegments}, toIndex},
			{shortcut{Is: ways.NarrowColumns, Prepares: true, Fits: (*Facts).narrowsColumns, Bytes: noBytes, Do: narrowColumns}, asPlanned},
		},
		toIndexRows: {
			{shortcut{Is: ways.Dealt, Fits: (*Facts).mayDeal, Bytes: noBytes, Do: orderDealt}, asPlanned},
		},
	}
}

// columnWays are those of columns before there is a plan, of calls that select rows, and that order them within segments.
var columnWays = []shortcut{
	{Is: ways.SpareNulls, Prepares: true, Fits: (*Facts).mayHaveSpare, Bytes: noBytes, Do: spareCodes},
}

func noBytes(*Facts) int64 { return 0 }
