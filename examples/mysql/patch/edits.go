package patch

// An edit replaces lines of one of the engine's files: from the first that holds From, to
// the first from there on that holds Through, both included. The search begins at the first line
// that holds After.
type edit struct {
	File                 string // path in the engine's module
	After, From, Through string
	With                 string // lines without the last line feed; none if empty
}

const (
	iters       = "sql/iters/rel_iters.go"
	window      = "sql/expression/function/aggregation/window_partition.go"
	groupConcat = "sql/expression/function/aggregation/group_concat.go"
	functions   = "sql/expression/function/aggregation/window_functions.go"

	importOfSort = "\t\"sort\""
	importOfOurs = "\t\"" + module + "/rowsort\""
	sortsBy      = "sorter := &expression.Sorter{"
)

// edits send every sort by expressions of the engine through package rowsort.
var edits = []edit{
	{File: iters, After: "import (", From: importOfSort, Through: importOfSort, With: importOfOurs},
	{
		File: iters, After: "func (i *sortIter) computeSortedRows(", From: sortsBy, Through: "i.sortedRows = rows",
		With: "\tif err := rowsort.Sort(ctx, i.sortFields, rows); err != nil {\n\t\treturn err\n\t}\n\ti.sortedRows = rows",
	},

	{File: window, After: "import (", From: importOfSort, Through: importOfSort, With: importOfOurs},
	{File: window, After: "import (", From: "/sql/expression\"", Through: "/sql/expression\""},
	{
		// Capacities are cut off, since functions append to rows, which the child may share.
		File: window, After: ") materializeInput(", From: "input := make(", Through: "return input, outputOrdering, nil",
		With: `	input := make(sql.WindowBuffer, 0)
	for {
		row, err := i.child.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		input = append(input, row[:len(row):len(row)])
	}
	if len(input) == 0 {
		return nil, nil, nil
	}
	places, partitions, err := rowsort.Partition(ctx, i.w.PartitionBy, i.w.SortBy, input)
	i.partitions = partitions
	return input, places, err`,
	},
	{
		File: window, After: ") initializePartitions(", From: "if len(i.input) == 0 {", Through: "if len(i.input) == 0 {",
		With: "\tif i.partitions != nil {\n\t\treturn i.partitions, nil\n\t}\n\tif len(i.input) == 0 {",
	},
	{
		File: window, After: ") sortAndFilterOutput(", From: "originalOrderIdx :=", Through: "\treturn nil",
		With: "\treturn rowsort.ByPlace(i.output)",
	},

	{File: groupConcat, After: "import (", From: importOfSort, Through: importOfSort, With: importOfOurs},
	{File: groupConcat, After: "import (", From: "/sql/expression\"", Through: "/sql/expression\""},
	{
		File: groupConcat, After: "func (g *groupConcatBuffer) Eval(", From: sortsBy, Through: "sorter.LastError != nil {",
		With: "\t\tif err := rowsort.Sort(ctx, g.gc.sf, rows); err != nil {",
	},
	{File: groupConcat, After: "rowsort.Sort(", From: "return nil, sorter.LastError", Through: "return nil, sorter.LastError", With: "\t\t\treturn nil, err"},

	{File: functions, After: "import (", From: importOfSort, Through: importOfSort, With: importOfOurs},
	{
		File: functions, After: "func (a *GroupConcatAgg) Compute(", From: sortsBy, Through: "sorter.LastError != nil {",
		With: "\t\tif rowsort.Sort(ctx, a.gc.sf, rows) != nil {",
	},
}
