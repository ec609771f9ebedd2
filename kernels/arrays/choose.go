package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Coalesce gives, row by row, the first argument that is not null, and the first one's row where all are (null-semantics 2.12). The arguments have a common
// type. The result is nullable if all arguments are.
//
// Options: Unions, Runs, KeepRunEnds, WidenKeys.
func Coalesce(o Options, columns ...Column) (Column, error) {
	if len(columns) == 0 {
		return Column{}, types.Errorf(types.CodeInvalidParameter, "coalesce without arguments")
	}
	seen, err := loadAll(types.UnionAuto, columns...)
	if err != nil {
		return Column{}, err
	}
	n := seen[0].Len()
	nullable := true
	choice := make([]int, n) // the argument of each row
	open := newBitmap(n)
	types.FillBitmap(open, n)
	for k, a := range seen {
		nullable = nullable && a.nullable
		valid := types.LogicalValidity(nil, a.vector)
		for i := open.NextSet(0, n); i < n; i = open.NextSet(i+1, n) {
			if valid.Has(i) {
				choice[i] = k
				open.Clear(i)
			}
		}
	}
	return o.choose(columns, choice, nullable, false)
}

// IfElse gives the row of a where the condition is true, of b where it is false, and a null where it is null. a and b have a common type.
//
// Options: Unions, Runs, KeepRunEnds, WidenKeys.
func IfElse(condition, a, b Column, o Options) (Column, error) {
	c, both, err := loadCondition(condition, a, b)
	if err != nil {
		return Column{}, err
	}
	valid, isTrue := types.LogicalValidity(nil, c.vector), kernels.TrueRows(nil, c.vector)
	choice := make([]int, c.Len())
	for i := range choice {
		switch {
		case !valid.Has(i):
			choice[i] = -1
		case !isTrue.Has(i):
			choice[i] = 1
		}
	}
	return o.choose([]Column{a, b}, choice, both[0].nullable || both[1].nullable || c.nullable, c.nullable)
}

// Case is a branch of CaseWhen.
type Case struct{ When, Then Column }

// CaseWhen gives the row of the first branch whose condition is true; a null counts as not true. Without such a branch it is the row of otherwise, or a null
// when that is nil. The branches have a common type.
//
// Options: Unions, Runs, KeepRunEnds, WidenKeys.
func CaseWhen(cases []Case, otherwise *Column, o Options) (Column, error) {
	if len(cases) == 0 {
		return Column{}, types.Errorf(types.CodeInvalidParameter, "case without branches")
	}
	n := cases[0].When.Len()
	choice := make([]int, n)
	open := newBitmap(n)
	types.FillBitmap(open, n)
	var branches []Column
	nullable := otherwise == nil
	for k, branch := range cases {
		c, values, err := loadCondition(branch.When, branch.Then)
		if err != nil {
			return Column{}, err
		}
		if c.Len() != n {
			return Column{}, types.KindErrorf(types.ErrLengthMismatch, "columns of %d and of %d rows", n, c.Len())
		}
		nullable = nullable || values[0].nullable
		branches = append(branches, branch.Then)
		rows := types.AndBitmaps(nil, open, kernels.TrueRows(nil, c.vector), n)
		for i := rows.NextSet(0, n); i < n; i = rows.NextSet(i+1, n) {
			choice[i] = k
			open.Clear(i)
		}
	}
	rest := -1
	if otherwise != nil {
		values, err := load(*otherwise, types.UnionAuto)
		if err != nil {
			return Column{}, err
		}
		nullable = nullable || values.nullable
		rest, branches = len(branches), append(branches, *otherwise)
	}
	for i := open.NextSet(0, n); i < n; i = open.NextSet(i+1, n) {
		choice[i] = rest
	}
	return o.choose(branches, choice, nullable, rest < 0)
}

// NullIf makes null the rows of a in which a = b is true: Mask of a by the comparison. b may be of another type with which a can be compared.
//
// Options: those of Mask.
func NullIf(a, b Column, o Options) (Column, error) {
	equal, err := Compare(kernels.Equal, a, b, o)
	if err != nil {
		return Column{}, err
	}
	defer equal.Release()
	o.Conditions = ConditionKeep
	return Mask(a, equal, o)
}

func loadCondition(condition Column, values ...Column) (argument, []argument, error) {
	c, err := load(condition, types.UnionAuto)
	if err != nil {
		return c, nil, err
	}
	if err := boolean(c); err != nil {
		return c, nil, err
	}
	all, err := loadAll(types.UnionAuto, values...)
	if err != nil {
		return c, nil, err
	}
	return c, all, sameLength(append([]argument{c}, all...)...)
}

// choose gives each row from the column that choice names, -1 a null.
func (o Options) choose(columns []Column, choice []int, nullable, introduced bool) (Column, error) {
	args, err := loadAll(o.nullsOfUnions(), columns...)
	if err != nil {
		return Column{}, err
	}
	f := arrow.Field{Name: columns[0].Field.Name}
	if f.Type, err = commonType(args); err != nil {
		return Column{}, err
	}
	o.KeepType = false // there is no one type of a column to keep
	n := len(choice)
	for _, a := range args {
		if a.Len() != n {
			return Column{}, types.KindErrorf(types.ErrLengthMismatch, "columns of %d and of %d rows", n, a.Len())
		}
	}
	parts := make([]*types.Vector, len(args))
	for k, a := range args {
		parts[k] = a.vector
	}
	indices := types.Alloc[uint32](nil, n)
	var valid types.Bitmap
	for i, k := range choice {
		if k < 0 {
			if valid == nil {
				valid = newBitmap(n)
				types.FillBitmap(valid, n)
			}
			valid.Clear(i)
			k = 0
		}
		indices[i] = uint32(k*n + i)
	}
	all := kernels.Concat(nil, parts)
	return o.result(f, kernels.Take(nil, all, indices, valid), nullable, introduced)
}
