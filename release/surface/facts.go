package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// factsOf returns the facts of packages, in order.
func factsOf(packages []*types.Package) []string {
	w := &writer{names: map[string]*types.TypeName{}}
	exported := func(do func(types.Object)) {
		for _, w.pkg = range packages {
			for _, name := range w.pkg.Scope().Names() {
				if o := w.pkg.Scope().Lookup(name); o.Exported() {
					do(o)
				}
			}
		}
	}
	exported(func(o types.Object) {
		if t, ok := o.(*types.TypeName); ok && t.IsAlias() {
			if named, ok := types.Unalias(t.Type()).(*types.Named); ok && hidden(named.Obj()) {
				w.names[id(named.Obj())] = t
			}
		}
	})
	exported(w.object)
	slices.Sort(w.facts)
	return slices.Compact(w.facts)
}

// writer collects facts.
type writer struct {
	pkg   *types.Package             // the one at work
	names map[string]*types.TypeName // by the id of a hidden type: the alias that programs use
	facts []string
}

// id returns the path and the name of a type.
func id(o *types.TypeName) string {
	if o.Pkg() == nil { // a predeclared type
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// hidden reports whether programs cannot name a type: it is of an internal package, ours or that of another module.
func hidden(o *types.TypeName) bool {
	return o.Pkg() != nil && strings.Contains(o.Pkg().Path()+"/", "/internal/")
}

func (w *writer) fact(format string, args ...any) {
	w.facts = append(w.facts, "pkg "+short(w.pkg.Path())+", "+fmt.Sprintf(format, args...))
}

func (w *writer) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		w.fact("const %s %s = %s", o.Name(), w.text(o.Type()), o.Val().ExactString())
	case *types.Var:
		w.fact("var %s %s", o.Name(), w.text(o.Type()))
	case *types.Func:
		w.fact("func %s%s", o.Name(), w.signature(o.Signature()))
	case *types.TypeName:
		w.typeName(o)
	}
}

// typeName has the facts of a type. Those of an alias of a hidden type are the type's: programs see its fields and
// methods by this name alone.
func (w *writer) typeName(o *types.TypeName) {
	t := o.Type()
	named, _ := types.Unalias(t).(*types.Named)
	if o.IsAlias() && (named == nil || !hidden(named.Obj())) {
		w.fact("type %s = %s", o.Name(), w.text(t))
		return
	}
	name := o.Name() + w.parameters(named.TypeParams())
	switch u := named.Underlying().(type) {
	case *types.Struct:
		w.structure(o.Name(), name, u)
	case *types.Interface:
		w.contract(o.Name(), name, u)
		return
	default:
		w.fact("type %s %s", name, w.text(u))
	}
	w.methods(o.Name(), named)
}

// structure has a fact for each exported field: others may come.
func (w *writer) structure(short, name string, s *types.Struct) {
	w.fact("type %s struct", name)
	if types.Comparable(s) {
		w.fact("type %s struct, comparable", short)
	}
	w.exportedFields(short, s)
}

func (w *writer) exportedFields(short string, s *types.Struct) {
	for f := range s.Fields() {
		inner, _ := f.Type().Underlying().(*types.Struct)
		switch {
		case f.Embedded() && f.Exported():
			w.fact("type %s struct, embedded %s", short, w.text(f.Type()))
		case f.Embedded() && inner != nil:
			w.exportedFields(short, inner)
		case f.Exported():
			w.fact("type %s struct, %s %s", short, f.Name(), w.text(f.Type()))
		}
	}
}

// contract has a fact for each method and each term of an interface. Methods may come only where programs cannot have
// types that implement it.
func (w *writer) contract(short, name string, u *types.Interface) {
	w.fact("type %s interface", name)
	closed := false
	var names []string
	for m := range u.Methods() {
		closed = closed || !m.Exported()
		if m.Exported() {
			names = append(names, m.Name())
			w.fact("type %s interface, %s%s", short, m.Name(), w.signature(m.Signature()))
		}
	}
	if terms := w.terms(u); terms != nil {
		for _, term := range terms {
			w.fact("type %s interface, %s", short, term)
		}
	} else if !closed {
		w.fact("type %s interface, no methods but %s", short, strings.Join(names, " "))
	}
}

// terms returns the types of a constraint, those of embedded constraints included.
func (w *writer) terms(u *types.Interface) (all []string) {
	for e := range u.EmbeddedTypes() {
		switch e := types.Unalias(e).(type) {
		case *types.Union:
			for term := range e.Terms() {
				if inner, ok := term.Type().Underlying().(*types.Interface); ok {
					all = append(all, w.terms(inner)...)
				} else {
					all = append(all, w.term(term))
				}
			}
		default:
			if inner, ok := e.Underlying().(*types.Interface); ok {
				all = append(all, w.terms(inner)...)
			} else {
				all = append(all, w.text(e))
			}
		}
	}
	return all
}

func (w *writer) term(t *types.Term) string {
	if t.Tilde() {
		return "~" + w.text(t.Type())
	}
	return w.text(t.Type())
}

// methods has the facts of a type's methods, those of embedded fields included.
func (w *writer) methods(name string, t *types.Named) {
	values := types.NewMethodSet(t)
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		receiver := name
		if values.Lookup(nil, m.Obj().Name()) == nil {
			receiver = "*" + name
		}
		w.fact("method (%s) %s%s", receiver, m.Obj().Name(), w.signature(m.Type().(*types.Signature)))
	}
}

// parameters returns the type parameters of a function or type: their names are no fact.
func (w *writer) parameters(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var all []string
	for p := range list.TypeParams() {
		all = append(all, w.text(p)+" "+w.text(p.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature returns the types of a function's parameters and results: their names are no fact.
func (w *writer) signature(s *types.Signature) string {
	in := w.tuple(s.Params())
	if s.Variadic() {
		in[len(in)-1] = "..." + strings.TrimPrefix(in[len(in)-1], "[]")
	}
	out := strings.Join(w.tuple(s.Results()), ", ")
	switch s.Results().Len() {
	case 0:
	case 1:
		out = " " + out
	default:
		out = " (" + out + ")"
	}
	return w.parameters(s.TypeParams()) + "(" + strings.Join(in, ", ") + ")" + out
}

func (w *writer) tuple(t *types.Tuple) (all []string) {
	for v := range t.Variables() {
		all = append(all, w.text(v.Type()))
	}
	return all
}

// text returns a type, with type parameters by their place.
func (w *writer) text(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return w.text(types.Unalias(t))
	case *types.Named:
		return w.named(t)
	case *types.TypeParam:
		return fmt.Sprintf("$%d", t.Index())
	case *types.Pointer:
		return "*" + w.text(t.Elem())
	case *types.Slice:
		return "[]" + w.text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.text(t.Elem()))
	case *types.Map:
		return "map[" + w.text(t.Key()) + "]" + w.text(t.Elem())
	case *types.Chan:
		return [...]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()] + w.text(t.Elem())
	case *types.Signature:
		return "func" + w.signature(t)
	case *types.Struct:
		return w.fields(t)
	case *types.Interface:
		return w.methodsOf(t)
	case *types.Union:
		var all []string
		for term := range t.Terms() {
			all = append(all, w.term(term))
		}
		return strings.Join(all, " | ")
	}
	return types.TypeString(t, nil) // a basic type
}

func (w *writer) named(t *types.Named) string {
	o := t.Obj()
	if alias := w.names[id(o)]; alias != nil {
		o = alias
	}
	name := o.Name()
	switch p := o.Pkg(); {
	case hidden(o):
		name = "internal." + name // which package is no fact
	case p != nil && p.Path() != w.pkg.Path():
		name = short(p.Path()) + "." + name
	}
	if t.TypeArgs().Len() == 0 {
		return name
	}
	var args []string
	for a := range t.TypeArgs().Types() {
		args = append(args, w.text(a))
	}
	return name + "[" + strings.Join(args, ", ") + "]"
}

// fields returns a struct type without a name.
func (w *writer) fields(s *types.Struct) string {
	var all []string
	for f := range s.Fields() {
		all = append(all, f.Name()+" "+w.text(f.Type()))
	}
	return "struct{" + strings.Join(all, "; ") + "}"
}

// methodsOf returns an interface type without a name, such as a constraint.
func (w *writer) methodsOf(u *types.Interface) string {
	if u.Empty() {
		return "any"
	}
	var all []string
	for m := range u.ExplicitMethods() {
		all = append(all, m.Name()+w.signature(m.Signature()))
	}
	for e := range u.EmbeddedTypes() {
		all = append(all, w.text(e))
	}
	slices.Sort(all)
	if len(all) == 1 && u.IsImplicit() {
		return all[0]
	}
	return "interface{" + strings.Join(all, "; ") + "}"
}
