package types

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// OptionalOptions says how an Arrow union, whose nulls are those of its variants, becomes optional. The zero value suits all else.
type OptionalOptions struct {
	// WidenAll makes every variant nullable. Without it the union is wrapped as lacuna.nullable_union (NullableUnionOf), which leaves the variants as
	// they are and has an outer validity of its own.
	WidenAll bool
}

// OptionalField gives the field that may hold nulls (null-semantics 2.13): the flag of the field, of run-end-encoded values too, and of an Arrow union
// as the options say. Name and metadata are kept; a field that is optional already stays as it is.
//
// Errors: ErrExtensionStorage where the type inside an extension type would have to change.
func OptionalField(f arrow.Field, opts OptionalOptions) (arrow.Field, error) {
	return optionalField(f, opts, &place{name: f.Name})
}

// RequiredField gives the field that holds no nulls: the flag of the field, of run-end-encoded values too, and of the variants of an Arrow union, which
// loses variants of type null. A union with outer validity loses only that: a variant that holds null is not NULL. Errors are those of OptionalField.
func RequiredField(f arrow.Field) (arrow.Field, error) {
	return requiredField(f, false, &place{name: f.Name})
}

// Optional gives an array as one of OptionalField's field. Nothing is copied; a union that is wrapped gets a bitmap of its nulls. The caller
// releases the array; f itself is not changed.
func Optional(f arrow.Field, arr arrow.Array, opts OptionalOptions) (arrow.Field, arrow.Array, error) {
	return OptionalDeep(f, arr, opts, "")
}

// Required gives an array as one of RequiredField's field. A null among its rows is ErrNullInRequired with path, first row and number of rows. Nothing is
// copied but what would expose garbage, once a bitmap is gone, in rows that nobody sees: entries of dictionaries that are null, and the slots that a
// union does not select; they become placeholders as under Sanitize. The bitmap itself is dropped, and of run-end-encoded arrays the runs outside of
// the window. The caller releases the array.
func Required(f arrow.Field, arr arrow.Array) (arrow.Field, arrow.Array, error) {
	return RequiredDeep(f, arr, "")
}

// OptionalDeep is Optional for fields below a column. A path is what errors print, without the column's own name: "s.l[]" the elements of list l of struct
// s, "u.text" a variant, "m.value" the values of map m, "" the column itself; names with a point, bracket or quote stand in double quotes. Encodings and
// extension types have no part in it. Without any path it is every field at every depth, the column included and the keys of maps left out.
//
// Errors: ErrNoMember for a path that leads nowhere, ErrUnsupported for the key of a map, ErrExtensionStorage.
func OptionalDeep(f arrow.Field, arr arrow.Array, opts OptionalOptions, paths ...string) (arrow.Field, arrow.Array, error) {
	out, err := changeField(f, paths, func(f arrow.Field, at *place) (arrow.Field, error) { return optionalField(f, opts, at) })
	if err != nil {
		return arrow.Field{}, nil, err
	}
	data, err := retypeColumn(f, out, arr.Data())
	if err != nil {
		return arrow.Field{}, nil, err
	}
	defer data.Release()
	return out, array.MakeFromData(data), nil
}

// RequiredDeep is Required for fields below a column, by paths as under OptionalDeep. Nulls that no row shows, such as those below a null struct, are no
// error. The result passes ValidateStrict where the array passed ValidateNulls.
func RequiredDeep(f arrow.Field, arr arrow.Array, paths ...string) (arrow.Field, arrow.Array, error) {
	change := func(keepNull bool) (arrow.Field, error) {
		return changeField(f, paths, func(f arrow.Field, at *place) (arrow.Field, error) { return requiredField(f, keepNull, at) })
	}
	out, err := change(false)
	if err != nil {
		return arrow.Field{}, nil, err
	}
	if len(paths) == 1 && paths[0] == "" && ownBitmapOnly(f.Type) {
		data, err := withoutBitmap(out, arr.Data())
		if err != nil {
			return arrow.Field{}, nil, err
		}
		defer data.Release()
		return out, array.MakeFromData(data), nil
	}
	// Variants of type null are looked at before they go.
	checked, err := change(true)
	if err != nil {
		return arrow.Field{}, nil, err
	}
	if err := checkNulls(checked, arr.Data()); err != nil {
		return arrow.Field{}, nil, err
	}
	data, err := retypeColumn(f, out, arr.Data())
	if err != nil {
		return arrow.Field{}, nil, err
	}
	defer data.Release()
	clean, err := cleaned(out, data, columnPlace(f))
	if err != nil {
		return arrow.Field{}, nil, err
	}
	defer clean.Release()
	if requiresNullType(out) {
		// There is no placeholder of that type: it may have no rows, hidden ones included.
		if err := Validate(out, clean, ValidateStrict); err != nil {
			return arrow.Field{}, nil, err
		}
	}
	return out, array.MakeFromData(clean), nil
}

// requiresNullType reports whether a field of type null is required, f or one below it.
func requiresNullType(f arrow.Field) bool {
	dt := valueType(f.Type)
	if dt.ID() == arrow.NULL {
		return !f.Nullable
	}
	nested, ok := dt.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), requiresNullType)
}

// IgnoreValidity gives a column in which every slot counts as a value, also those that were null: what lies under nulls shows. It is for columns whose
// validity is noise, and for types of which any bits are a value: bool, integers, floats, dates, times, timestamps, durations, intervals and
// fixed-size binary; others are ErrUnsupported. Nothing is copied. The caller releases the array.
func IgnoreValidity(f arrow.Field, arr arrow.Array) (arrow.Field, arrow.Array, error) {
	if !anyBits(f.Type) {
		return arrow.Field{}, nil, columnPlace(f).errorf(ErrUnsupported, -1, "what lies under nulls of %s need not be a value", f.Type)
	}
	f.Nullable = false
	data := stripped(f, arr.Data())
	defer data.Release()
	return f, array.MakeFromData(data), nil
}

// columnPlace is where errors in a column are; nil for one without a name.
func columnPlace(f arrow.Field) *place {
	if f.Name == "" {
		return nil
	}
	return &place{name: f.Name}
}

// optionalField is OptionalField below a place.
func optionalField(f arrow.Field, opts OptionalOptions, at *place) (arrow.Field, error) {
	f.Nullable = true
	switch d := f.Type.(type) {
	case *arrow.RunEndEncodedType:
		values, err := optionalField(arrow.Field{Type: d.Encoded(), Nullable: d.ValueNullable, Metadata: f.Metadata}, opts, at)
		if err != nil {
			return f, err
		}
		f.Type = runsOf(d, values)
	case arrow.UnionType:
		typ, err := importType(d, f.Metadata, UnionAuto)
		switch {
		case err != nil:
			return f, err
		case len(typ.Fields()) < d.NumFields():
			// A variant stands for outer nulls already.
		case opts.WidenAll && !typ.Tagged():
			fields, err := eachField(d.Fields(), func(v arrow.Field) (arrow.Field, error) { return optionalField(v, opts, at.below(v.Name)) })
			if err != nil {
				return f, err
			}
			f.Type = unionLike(d, fields, d.TypeCodes())
		default:
			f.Type = NullableUnionOf(d, typ.Tagged())
		}
	case arrow.ExtensionType:
		if d.ExtensionName() == NullableUnionName {
			break
		}
		storage, err := optionalField(arrow.Field{Type: d.StorageType(), Nullable: f.Nullable}, opts, at)
		if err != nil {
			return f, err
		}
		if wrapped, ok := storage.Type.(*nullableUnionType); ok && wrapped.value() == d.StorageType() {
			f.Type = NullableUnionOf(d, wrapped.tagged) // the outer validity goes around the extension
			return f, nil
		}
		return f, sameStorage(d, storage.Type, at)
	}
	return f, nil
}

// requiredField is RequiredField below a place; with keepNull variants of type null stay, as required fields.
func requiredField(f arrow.Field, keepNull bool, at *place) (arrow.Field, error) {
	f.Nullable = false
	switch d := f.Type.(type) {
	case *arrow.DictionaryType:
		values, err := requiredField(arrow.Field{Type: d.ValueType, Metadata: f.Metadata}, keepNull, at)
		if err != nil {
			return f, err
		}
		f.Type, f.Metadata = dictionaryOf(d, values), values.Metadata
	case *arrow.RunEndEncodedType:
		values, err := requiredField(arrow.Field{Type: d.Encoded(), Metadata: f.Metadata}, keepNull, at)
		if err != nil {
			return f, err
		}
		f.Type, f.Metadata = runsOf(d, values), values.Metadata
	case arrow.UnionType:
		return requiredUnion(f, d, keepNull, at)
	case arrow.ExtensionType:
		if d.ExtensionName() == NullableUnionName {
			break
		}
		switch storage := d.StorageType().(type) {
		case *arrow.RunEndEncodedType:
			// The flag of the field alone makes it required (null-semantics 2.3), and the type of the values is the extension's.
			return f, sameRequired(d, arrow.Field{Type: storage.Encoded()}, storage.Encoded(), keepNull, at)
		default:
			return f, sameRequired(d, arrow.Field{Type: storage}, storage, keepNull, at)
		}
	}
	return f, nil
}

func sameRequired(d arrow.ExtensionType, inner arrow.Field, before arrow.DataType, keepNull bool, at *place) error {
	out, err := requiredField(inner, keepNull, at)
	if err != nil || out.Type == before {
		return err
	}
	return sameStorage(d, out.Type, at)
}

// requiredUnion makes the variants of an Arrow union required. Metadata may say that the union has an outer validity: as a variant for it, which
// goes, or as none at all.
func requiredUnion(f arrow.Field, d arrow.UnionType, keepNull bool, at *place) (arrow.Field, error) {
	typ, err := importType(d, f.Metadata, UnionAuto)
	if err != nil {
		return f, err
	}
	outer := len(typ.Fields()) < d.NumFields()
	if typ.Tagged() && !outer {
		f.Nullable = anyNullable(typ.Fields()) // as it is written (null-semantics 2.3); no row is NULL
		return f, nil
	}
	var fields []arrow.Field
	var codes []arrow.UnionTypeCode
	changed := false
	for i, v := range d.Fields() {
		switch {
		case outer && i < len(typ.Fields()):
		case v.Type.ID() == arrow.NULL && !keepNull:
			changed = true
			continue
		default:
			nullable, before := v.Nullable, v.Type
			if v, err = requiredField(v, keepNull, at.below(v.Name)); err != nil {
				return f, err
			}
			changed = changed || nullable || v.Type != before
		}
		fields, codes = append(fields, v), append(codes, d.TypeCodes()[i])
	}
	if changed {
		f.Type = unionLike(d, fields, codes)
	}
	if outer && typ.Tagged() {
		// Without the variant of outer nulls the metadata would not fit, and the nulls of the others would be read as NULL.
		f.Nullable = true
		f.Metadata = withMetadata(f.Metadata, metaNullUnion, "tagged")
	}
	return f, nil
}

// withMetadata gives metadata with another value for a key.
func withMetadata(m arrow.Metadata, key, value string) arrow.Metadata {
	pairs := m.ToMap()
	pairs[key] = value
	return arrow.MetadataFrom(pairs)
}

// sameStorage is an error when the storage of an extension type would be another one.
func sameStorage(d arrow.ExtensionType, storage arrow.DataType, at *place) error {
	if storage == d.StorageType() {
		return nil
	}
	return at.errorf(ErrExtensionStorage, -1, "the storage of %s would have to become %s", d, storage)
}

// checkNulls finds nulls that a row shows in array data, at fields that f says are required.
func checkNulls(f arrow.Field, data arrow.ArrayData) error {
	declared, err := importField(f, unionDeclared)
	if err != nil {
		return err
	}
	at := columnPlace(f)
	im := importer{viewSpan: math.MaxUint32, declared: true}
	v, err := im.vector(data, declared.Type, 0, data.Len(), at)
	if err != nil {
		return err
	}
	return checkRequired(nil, v, declared, at)
}

// ownBitmapOnly reports types whose nulls are those of their own bitmap, whatever is below.
func ownBitmapOnly(dt arrow.DataType) bool {
	switch d := dt.(type) {
	case *arrow.NullType, *arrow.DictionaryType, *arrow.RunEndEncodedType, arrow.UnionType:
		return false
	case arrow.ExtensionType:
		return ownBitmapOnly(d.StorageType())
	}
	return true
}

// withoutBitmap gives data of a type with ownBitmapOnly without their bitmap, or the error that one of their rows is null.
func withoutBitmap(f arrow.Field, data arrow.ArrayData) (arrow.ArrayData, error) {
	at, n := columnPlace(f), data.Len()
	im := importer{}
	valid, err := im.validity(data, 0, n, at)
	if err != nil {
		return nil, err
	}
	if valid != nil {
		e := at.errorf(ErrNullInRequired, firstNull(valid, n), "null in a required field")
		e.Count = int64(n - valid.Count(n))
		return nil, e
	}
	return remade(data, f.Type, parts{dropValidity: true}), nil
}
