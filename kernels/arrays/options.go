package arrays

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
)

// Options are the choices of null-semantics 2.4. The zero value has its defaults. Each verb says which it looks at.
type Options struct {
	// Unions says which variant of an Arrow union holds a null that a verb makes.
	Unions UnionNulls
	// UnionCode is the variant of UnionVariant, UnionType the type of UnionOutputType.
	UnionCode arrow.UnionTypeCode
	UnionType arrow.UnionType
	// KeepType makes it an error (ErrNullInRequired) to make a null in a required column; otherwise the result becomes nullable.
	KeepType bool
	// Runs says when a run-end-encoded result is decoded.
	Runs RunOutput
	// KeepRunEnds makes it an error (ErrRunEndOverflow) when run ends do not fit their type; otherwise it becomes wider.
	KeepRunEnds bool
	// WidenKeys gives dictionaries wider keys when theirs do not suffice, which is an error (ErrDictKeyOverflow) otherwise.
	WidenKeys bool
	// CompactEntries leaves out of a dictionary the entries that no row names; else Take and Filter share the dictionary.
	CompactEntries bool
	// Conditions says what a null in the condition of Mask does.
	Conditions NullCondition
	// NaNIsNull makes IsNull and IsNotNull count NaN as null.
	NaNIsNull bool
	// Mode says what a cast makes of what it cannot convert.
	Mode CastMode
	// Floats says how NaN and -0 compare.
	Floats kernels.FloatMode
}

// UnionNulls is the UnionNullPolicy of null-semantics 2.4.
type UnionNulls uint8

// The policies. Where none of the variants can hold a null it is an error (ErrNoNullHost), but only when a row that is seen has to hold one.
const (
	// UnionAuto takes the variant of type null, else the first nullable one in the order of the declaration.
	UnionAuto UnionNulls = iota
	// UnionNullVariant takes the variant of type null.
	UnionNullVariant
	// UnionVariant takes the variant Options.UnionCode, which becomes nullable.
	UnionVariant
	// UnionInPlace keeps the row's own variant. Of a row that comes from nowhere, as by a null index, it is the first one.
	UnionInPlace
	// UnionWidenAll makes all variants nullable, and is UnionInPlace then.
	UnionWidenAll
	// UnionAddNullVariant adds a variant __null of type null, with the smallest free code, unless there is a variant of that type.
	UnionAddNullVariant
	// UnionOutputType gives the type Options.UnionType, with UnionAuto inside of it.
	UnionOutputType
	// UnionPromote gives the extension type of types.NullableUnionOf; of an extension type over a union it goes around that. Rows whose variant holds null
	// are null as before.
	UnionPromote
	// UnionError refuses every null.
	UnionError
)

// RunOutput is the REEOutput of null-semantics 2.4.
type RunOutput uint8

const (
	// RunsKeep gives runs for runs.
	RunsKeep RunOutput = iota
	// RunsAuto decodes when there are more runs than half the rows.
	RunsAuto
	// RunsPlain decodes always.
	RunsPlain
)

// NullCondition says what a null in a condition means.
type NullCondition uint8

const (
	// ConditionKeep keeps the row: unknown is not true.
	ConditionKeep NullCondition = iota
	// ConditionNull makes the row null.
	ConditionNull
	// ConditionError is an error (ErrNullCondition).
	ConditionError
)

// CastMode is the CastMode of null-semantics 2.4.
type CastMode uint8

const (
	// CastStrict makes a value that cannot be converted an error.
	CastStrict CastMode = iota
	// CastTry makes it null, and where that is not allowed it is ErrNullInRequired.
	CastTry
	// CastTryBubble makes it null, and where that is not allowed the nearest value around it that may be.
	CastTryBubble
	// CastWrap is CastStrict, but of an integer that an integer type has no room for the low bits remain.
	CastWrap
)
