package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Mutant is one change.
type Mutant struct {
	ID      int
	Package string // folder in the module
	File    string
	Line    int
	Func    string
	Op      string // kind of the change
	Text    string // source of the changed expression or statement
	Again   int    // number of those like it before it
}

// Key names a mutant in the list of equivalent ones, whatever its line.
func (m *Mutant) Key() string {
	key := fmt.Sprintf("%s/%s %s: %s: %s", m.Package, m.File, m.Func, m.Op, m.Text)
	if m.Again > 0 {
		key += fmt.Sprintf(" (%d)", m.Again+1)
	}
	return key
}

// edit inserts text. At one place, ends come before begins, the inner ends first and the outer begins first.
type edit struct {
	at    int
	drop  int // bytes of the source that it replaces
	text  string
	end   bool
	depth int
}

// mutator collects the mutants of a file.
type mutator struct {
	file   *token.File
	source string
	info   *types.Info
	pkg    *types.Package
	next   int // number of the next mutant
	keep   func() bool
	found  []Mutant
	edits  []edit

	folder, name, function string
	depth                  int
}

func (m *mutator) offset(p token.Pos) int { return m.file.Offset(p) }

func (m *mutator) text(n ast.Node) string {
	return m.source[m.offset(n.Pos()):m.offset(n.End())]
}

// add makes a mutant, and returns its number; 0 if it is not in the sample.
func (m *mutator) add(n ast.Node, op string) int {
	if !m.keep() {
		return 0
	}
	id := m.next
	m.next++
	m.found = append(m.found, Mutant{id, m.folder, m.name, m.file.Line(n.Pos()), m.function, op, strings.Join(strings.Fields(m.text(n)), " "), 0})
	return id
}

// around inserts text before and after a node.
func (m *mutator) around(n ast.Node, before, after string) {
	m.edits = append(m.edits, edit{at: m.offset(n.Pos()), text: before, depth: m.depth}, edit{at: m.offset(n.End()), text: after, end: true, depth: m.depth})
}

func is(id int) string { return fmt.Sprintf("mutantIs(%d)", id) }

// result returns the source with all edits.
func (m *mutator) result() string {
	slices.SortStableFunc(m.edits, func(a, b edit) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		switch {
		case a.end != b.end && a.end:
			return -1
		case a.end != b.end:
			return 1
		case a.end:
			return cmp.Compare(b.depth, a.depth)
		}
		return cmp.Compare(a.depth, b.depth)
	})
	var out strings.Builder
	at := 0
	for _, e := range m.edits {
		out.WriteString(m.source[at:e.at])
		out.WriteString(e.text)
		at = e.at + e.drop
	}
	out.WriteString(m.source[at:])
	return out.String()
}

// functions mutates the bodies of all functions of a file.
func (m *mutator) functions(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "init" || fn.Doc != nil && strings.Contains(m.source[m.offset(fn.Doc.Pos()):m.offset(fn.Doc.End())], "//go:nosplit") {
			continue
		}
		m.function = fn.Name.Name
		m.block(fn.Body.List)
	}
}

// block mutates statements that stand in a list, which may stand in an if.
func (m *mutator) block(list []ast.Stmt) {
	for _, s := range list {
		m.depth++
		m.drop(s)
		m.statement(s)
		m.depth--
	}
}

// drop makes mutants without a statement, or with another assignment.
func (m *mutator) drop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && !m.isPanic(c) {
			m.without(s)
		}
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE && !allBlank(s.Lhs) {
			m.without(s)
		}
		if to, ok := otherAssign[s.Tok]; ok && m.isInteger(s.Lhs[0]) && !strings.Contains(m.text(s), "\n") {
			if id := m.add(s, s.Tok.String()+" becomes "+to); id > 0 {
				other := m.text(s.Lhs[0]) + " " + to + " " + m.text(s.Rhs[0])
				m.around(s, fmt.Sprintf("if %s { %s } else { ", is(id), other), " }")
			}
		}
	case *ast.IncDecStmt:
		m.without(s)
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
			m.without(s)
		}
	case *ast.DeferStmt:
		m.without(s)
	}
}

func (m *mutator) without(s ast.Stmt) {
	if id := m.add(s, "dropped"); id > 0 {
		m.around(s, "if !"+is(id)+" { ", " }")
	}
}

func allBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

func (m *mutator) isPanic(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

var otherAssign = map[token.Token]string{
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.OR_ASSIGN: "&=", token.AND_ASSIGN: "|=",
	token.SHL_ASSIGN: ">>=", token.SHR_ASSIGN: "<<=", token.XOR_ASSIGN: "&=", token.MUL_ASSIGN: "+=", token.AND_NOT_ASSIGN: "&=",
}

// statement mutates the expressions within a statement, and the statements of its blocks.
func (m *mutator) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		m.block(s.List)
	case *ast.IfStmt:
		m.inner(s.Init)
		m.condition(s.Cond)
		m.block(s.Body.List)
		if s.Else != nil {
			m.statement(s.Else)
		}
	case *ast.ForStmt:
		m.inner(s.Init)
		if s.Cond != nil {
			m.condition(s.Cond)
		}
		m.inner(s.Post)
		m.block(s.Body.List)
	case *ast.RangeStmt:
		m.expression(s.X)
		m.block(s.Body.List)
	case *ast.SwitchStmt:
		m.inner(s.Init)
		if s.Tag != nil {
			m.expression(s.Tag)
		}
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if s.Tag == nil {
				for _, e := range c.List {
					m.condition(e)
				}
			}
			m.block(c.Body)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range s.Body.List {
			m.block(c.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			m.block(c.(*ast.CommClause).Body)
		}
	case *ast.LabeledStmt:
		m.statement(s.Stmt)
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			m.returned(e)
		}
	case nil:
	default:
		m.inner(s)
	}
}

// inner mutates the expressions of a simple statement.
func (m *mutator) inner(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		m.expression(s.X)
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			m.expression(e)
		}
		for _, e := range s.Rhs {
			m.expression(e)
		}
	case *ast.DeferStmt:
		m.expression(s.Call)
	case *ast.GoStmt:
		m.expression(s.Call)
	case *ast.SendStmt:
		m.expression(s.Value)
	case *ast.IncDecStmt:
		m.expression(s.X)
	}
}

// returned mutates a result.
func (m *mutator) returned(e ast.Expr) {
	t := m.info.Types[e]
	id, isIdent := e.(*ast.Ident)
	switch {
	case t.Type != nil && t.Type.String() == "error" && !t.IsNil() && t.IsValue() && m.isSimple(e):
		if id := m.add(e, "no error"); id > 0 {
			m.around(e, fmt.Sprintf("mutantError(%d, ", id), ")")
		}
	case isIdent && (id.Name == "true" || id.Name == "false"):
		if n := m.add(e, "negated"); n > 0 {
			m.around(e, "("+id.Name+" != "+is(n)+")", "")
			m.edits[len(m.edits)-2].drop = len(id.Name)
		}
		return
	case t.Type != nil && isBool(t.Type) && t.Value == nil && !isComparison(e):
		if _, named := t.Type.(*types.Named); !named {
			m.negate(e)
		}
	}
	m.expression(e)
}

func (m *mutator) isSimple(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	case *ast.CallExpr:
		_, tuple := m.info.Types[e].Type.(*types.Tuple)
		return !tuple
	}
	return false
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// isComparison reports whether an expression is negated by itself, or by its parts.
func isComparison(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isComparison(e.X)
	case *ast.BinaryExpr:
		return true
	}
	return false
}

// condition mutates a condition.
func (m *mutator) condition(e ast.Expr) {
	if t := m.info.Types[e]; t.Value == nil && !isComparison(e) {
		m.negate(e)
	}
	m.depth++
	m.expression(e)
	m.depth--
}

func (m *mutator) negate(e ast.Expr) {
	if id := m.add(e, "negated"); id > 0 {
		m.around(e, "((", ") != "+is(id)+")")
	}
}

// expression mutates an expression and those within it.
func (m *mutator) expression(e ast.Expr) {
	m.depth++
	defer func() { m.depth-- }()
	if t, ok := m.info.Types[e]; ok && t.Value != nil {
		return // a constant has to stay one
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		m.binary(e)
	case *ast.ParenExpr:
		m.expression(e.X)
	case *ast.UnaryExpr:
		if e.Op != token.AND || !isComposite(e.X) {
			if e.Op != token.AND {
				m.expression(e.X)
			}
			return
		}
		m.expression(e.X)
	case *ast.StarExpr:
		m.expression(e.X)
	case *ast.CallExpr:
		if m.info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			m.expression(e.Args[0])
			return
		}
		if s, ok := e.Fun.(*ast.SelectorExpr); ok {
			m.expression(s.X)
		}
		if f, ok := e.Fun.(*ast.FuncLit); ok {
			m.expression(f)
		}
		for _, a := range e.Args {
			m.argument(a)
		}
	case *ast.IndexExpr:
		if m.info.Types[e.X].IsValue() && !isFunction(m.info.Types[e.X].Type) {
			m.expression(e.X)
			m.expression(e.Index)
		}
	case *ast.SliceExpr:
		m.expression(e.X)
		for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				m.argument(x)
			}
		}
	case *ast.SelectorExpr:
		if m.info.Types[e.X].IsValue() {
			m.expression(e.X)
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			m.expression(x)
		}
	case *ast.FuncLit:
		m.block(e.Body.List)
	case *ast.TypeAssertExpr:
		m.expression(e.X)
	}
}

func isComposite(e ast.Expr) bool { _, ok := e.(*ast.CompositeLit); return ok }

func isFunction(t types.Type) bool { _, ok := t.Underlying().(*types.Signature); return ok }

// argument mutates an operand whose constants are mutated, too.
func (m *mutator) argument(e ast.Expr) {
	t := m.info.Types[e]
	if t.Value == nil {
		m.expression(e)
		return
	}
	b, ok := t.Type.(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 || b.Kind() == types.Uintptr || !isLiteral(e) {
		return
	}
	if v, exact := constant.Uint64Val(t.Value); !exact || v >= 100 {
		return
	}
	if id := m.add(e, "one more"); id > 0 {
		m.around(e, fmt.Sprintf("mutantMore(%d, %s(", id, b.Name()), "))")
	}
}

func isLiteral(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.INT
}

// isInteger reports whether an expression has integers that calculations of them may be passed to a function.
func (m *mutator) isInteger(e ast.Expr) bool {
	t := m.info.Types[e].Type
	if t == nil {
		return false
	}
	if p, ok := t.(*types.TypeParam); ok {
		integer := true
		each(p.Constraint().Underlying().(*types.Interface), func(t types.Type) { integer = integer && isInteger(t) })
		return integer && p.Constraint().Underlying().(*types.Interface).NumEmbeddeds() > 0
	}
	return isInteger(t)
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Kind() != types.Uintptr && b.Info()&types.IsUntyped == 0
}

// each calls f for the types of a constraint.
func each(i *types.Interface, f func(types.Type)) {
	for k := range i.NumEmbeddeds() {
		switch t := i.EmbeddedType(k).(type) {
		case *types.Union:
			for j := range t.Len() {
				if n, ok := t.Term(j).Type().Underlying().(*types.Interface); ok {
					each(n, f)
				} else {
					f(t.Term(j).Type())
				}
			}
		default:
			if n, ok := t.Underlying().(*types.Interface); ok {
				each(n, f)
			} else {
				f(t)
			}
		}
	}
}

var otherOperation = map[token.Token]string{
	token.ADD: "Sub", token.SUB: "Add", token.MUL: "Add", token.QUO: "Mul", token.REM: "Mul",
	token.AND: "Or", token.OR: "And", token.XOR: "And", token.AND_NOT: "And", token.SHL: "Shr", token.SHR: "Shl",
}

var operationNames = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo", token.REM: "Rem",
	token.AND: "And", token.OR: "Or", token.XOR: "Xor", token.AND_NOT: "AndNot", token.SHL: "Shl", token.SHR: "Shr",
}

// binary mutates a binary expression.
func (m *mutator) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND, token.LOR:
		m.part(e)
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		m.comparison(e)
	default:
		m.calculation(e)
	}
}

// part mutates && and ||: the second operand does not matter.
func (m *mutator) part(e *ast.BinaryExpr) {
	for _, x := range []ast.Expr{e.X, e.Y} {
		m.depth++
		if t := m.info.Types[x]; !isComparison(x) && t.Value == nil {
			m.negate(x)
		}
		m.expression(x)
		m.depth--
	}
	if id := m.add(e, "only the first of "+e.Op.String()); id > 0 {
		m.depth++
		if e.Op == token.LAND {
			m.around(e.Y, "("+is(id)+" || ", ")")
		} else {
			m.around(e.Y, "(!"+is(id)+" && (", "))")
		}
		m.depth--
	}
}

// comparison mutates a comparison: it is negated, and its boundary moves.
func (m *mutator) comparison(e *ast.BinaryExpr) {
	before, after := "", ""
	if id := m.add(e, "negated"); id > 0 {
		before, after = "(", ") != "+is(id)
	}
	ordered := e.Op != token.EQL && e.Op != token.NEQ
	if ordered && !hasCalls(e) && !strings.Contains(m.text(e), "\n") {
		if id := m.add(e, "boundary of "+e.Op.String()); id > 0 {
			before, after = "("+before, after+fmt.Sprintf(") != (%s && (%s) == (%s))", is(id), m.text(e.X), m.text(e.Y))
		}
	}
	if before != "" { // (((a < b) != …) != …)
		m.around(e, "("+before, after+")")
	}
	m.operands(e)
}

// operands mutates the operands of a comparison or a calculation.
func (m *mutator) operands(e *ast.BinaryExpr) {
	m.depth++
	m.expression(e.X)
	m.expression(e.Y)
	m.depth--
}

// hasCalls reports whether an expression calls something that may have effects.
func hasCalls(e ast.Expr) (calls bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			calls = calls || !ok || !slices.Contains([]string{"len", "cap", "min", "max", "int", "uint", "uint32", "uint64", "int64", "uintptr", "byte"}, id.Name)
		case *ast.FuncLit, *ast.UnaryExpr:
			u, ok := n.(*ast.UnaryExpr)
			calls = calls || !ok || u.Op == token.ARROW
		}
		return true
	})
	return calls
}

// instance returns the type argument of the function that does the operation of e, if e shifts an untyped constant: as an
// argument that would be an int.
func (m *mutator) instance(e *ast.BinaryExpr) string {
	b, ok := m.info.Types[e].Type.(*types.Basic)
	if !ok || e.Op == token.SHL || e.Op == token.SHR {
		return ""
	}
	for _, x := range []ast.Expr{e.X, e.Y} {
		if s, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && s.Op == token.SHL && m.info.Types[s.X].Value != nil {
			return "[" + b.Name() + "]"
		}
	}
	return ""
}

// calculation mutates integer arithmetic: another operation.
func (m *mutator) calculation(e *ast.BinaryExpr) {
	shift := e.Op == token.SHL || e.Op == token.SHR
	x, y := m.info.Types[e.X], m.info.Types[e.Y]
	ok := m.isInteger(e) && otherOperation[e.Op] != "" && (!shift || x.Value == nil)
	if ok && !shift { // operands have the type of the result, or are constants that take it
		result := m.info.Types[e].Type
		for _, o := range []types.TypeAndValue{x, y} {
			ok = ok && (types.Identical(o.Type, result) || o.Value != nil)
		}
	}
	if shift && ok {
		ok = types.Identical(x.Type, m.info.Types[e].Type) && (m.isInteger(e.Y) || y.Value != nil)
	}
	if !ok {
		m.operands(e)
		return
	}
	if id := m.add(e, e.Op.String()+" becomes "+strings.ToLower(otherOperation[e.Op])); id > 0 {
		op := m.offset(e.OpPos)
		name := fmt.Sprintf("mutant%s%s%s(%d, ", operationNames[e.Op], otherOperation[e.Op], m.instance(e), id)
		m.around(e, name, ")")
		m.edits = append(m.edits, edit{at: op, drop: len(e.Op.String()), text: ",", depth: m.depth})
	}
	m.depth++
	m.expression(e.X)
	m.depth--
	m.depth++
	if y.Value != nil && !shift {
		m.argument(e.Y)
	} else {
		m.expression(e.Y)
	}
	m.depth--
}
