package plan

import (
	"fmt"
	"sync"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
)

// builtins are the functions that rules apply by themselves. They do not depend on what a DB adds to its set.
var builtins = sync.OnceValue(func() *expr.Set {
	set := expr.NewSet()
	scalar.Register(set)
	return set
})

// call applies a built-in function to arguments that have types which it takes as they are.
func call(name string, args ...*expr.Expr) *expr.Expr {
	described := make([]expr.Arg, len(args))
	for i, a := range args {
		described[i].Type = a.Type
	}
	f, err := builtins().Lookup(name).Bind(described)
	if err != nil || f == nil {
		panic(fmt.Sprintf("plan: %s cannot be bound to its arguments: %v", name, err))
	}
	cast := make([]*expr.Expr, len(args))
	for i, a := range args {
		cast[i] = expr.NewCast(a, f.Args[i], false)
	}
	return expr.NewCall(f, cast...)
}
