package parquet

import (
	"context"
	"fmt"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

var _ catalog.Inspector = Format{}

// FileFunctions gives parquet_metadata, parquet_schema, parquet_file_metadata and parquet_kv_metadata: what stands in the footer, with the names and types that
// DuckDB gives the columns.
func (Format) FileFunctions() []catalog.FileFunction {
	blobs := types.MapOf(types.Blob, types.Blob)
	return []catalog.FileFunction{
		{Name: "parquet_metadata", Schema: inspected("row_group_id", types.BigInt, "row_group_num_rows", types.BigInt, "row_group_num_columns", types.BigInt, "row_group_bytes", types.BigInt,
			"column_id", types.BigInt, "file_offset", types.BigInt, "num_values", types.BigInt, "path_in_schema", types.Varchar, "type", types.Varchar,
			"stats_min", types.Varchar, "stats_max", types.Varchar, "stats_null_count", types.BigInt, "stats_distinct_count", types.BigInt,
			"stats_min_value", types.Varchar, "stats_max_value", types.Varchar, "compression", types.Varchar, "encodings", types.Varchar,
			"index_page_offset", types.BigInt, "dictionary_page_offset", types.BigInt, "data_page_offset", types.BigInt, "total_compressed_size", types.BigInt,
			"total_uncompressed_size", types.BigInt, "key_value_metadata", blobs, "bloom_filter_offset", types.BigInt, "bloom_filter_length", types.BigInt,
			"min_is_exact", types.Boolean, "max_is_exact", types.Boolean, "row_group_compressed_bytes", types.BigInt), Rows: inspect((*footerView).chunks)},
		{Name: "parquet_schema", Schema: inspected("name", types.Varchar, "type", types.Varchar, "type_length", types.Varchar, "repetition_type", types.Varchar, "num_children", types.BigInt,
			"converted_type", types.Varchar, "scale", types.BigInt, "precision", types.BigInt, "field_id", types.BigInt, "logical_type", types.Varchar,
			"duckdb_type", types.Varchar, "column_id", types.BigInt), Rows: inspect((*footerView).elements)},
		{Name: "parquet_file_metadata", Schema: inspected("created_by", types.Varchar, "num_rows", types.BigInt, "num_row_groups", types.BigInt, "format_version", types.BigInt,
			"encryption_algorithm", types.Varchar, "footer_signing_key_metadata", types.Varchar, "file_size_bytes", types.UBigInt, "footer_size", types.UBigInt,
			"column_orders", types.ListOf(types.Varchar)), Rows: inspect((*footerView).file)},
		{Name: "parquet_kv_metadata", Schema: inspected("key", types.Blob, "value", types.Blob), Rows: inspect((*footerView).keyValues)},
	}
}

// inspected gives the columns of a function from names and types, behind the one for the file.
func inspected(columns ...any) types.Schema {
	s := types.Schema{{Name: "file_name", Type: types.Varchar, Nullable: true}}
	for i := 0; i < len(columns); i += 2 {
		s = append(s, types.Field{Name: columns[i].(string), Type: columns[i+1].(types.Type), Nullable: true})
	}
	return s
}

// footerView is a footer that has been read to be shown.
type footerView struct {
	path       string
	size       int64
	bytes      int
	meta       fileMetaData
	leaves     []*leaf
	leafOf     []int    // for each element of the schema the number of its leaf, or -1
	pathOfLeaf []string // as DuckDB writes it
}

// inspect makes the rows of a function of a file's footer.
func inspect(rows func(*footerView) [][]any) func(context.Context, catalog.FileSystem, string) ([][]any, error) {
	return func(ctx context.Context, files catalog.FileSystem, path string) ([][]any, error) {
		file, err := files.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		v := &footerView{path: path, size: file.Size()}
		footer, err := readTail(ctx, file)
		if err == nil {
			v.bytes = len(footer)
			err = v.read(footer)
		}
		if err != nil {
			return nil, within(err, "file %q", path)
		}
		all := rows(v)
		for i, row := range all {
			all[i] = append([]any{path}, row...)
		}
		return all, nil
	}
}

func (v *footerView) read(footer []byte) error {
	var ok bool
	if v.meta, ok = readFooter(footer); !ok {
		return corrupt("the footer is damaged")
	}
	tree, err := buildSchema(v.meta.schema)
	if err != nil {
		return err
	}
	v.leaves = tree.leaves
	var path []string
	next := 0
	var walk func(children int64)
	walk = func(children int64) {
		for range children {
			e := &v.meta.schema[next]
			next++
			path = append(path, string(e.name))
			if e.physical != physicalNone {
				v.leafOf = append(v.leafOf, len(v.pathOfLeaf))
				v.pathOfLeaf = append(v.pathOfLeaf, strings.Join(path, ", "))
			} else {
				v.leafOf = append(v.leafOf, -1)
				walk(e.children)
			}
			path = path[:len(path)-1]
		}
	}
	v.leafOf, next = append(v.leafOf, -1), 1 // the root; buildSchema has found the counts right
	walk(v.meta.schema[0].children)
	return nil
}

// known gives nil for a number that stands for one that is not there.
func known(n, missing int64) any {
	if n == missing {
		return nil
	}
	return n
}

// name gives one of some names, the number for what has none, and nil for a number that is not there.
func name(names []string, n, missing int64) any {
	switch {
	case n == missing:
		return nil
	case n >= 0 && n < int64(len(names)):
		return names[n]
	}
	return fmt.Sprint(n)
}

var (
	physicalNames   = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
	repetitionNames = []string{"REQUIRED", "OPTIONAL", "REPEATED"}
	convertedNames  = []string{"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS",
		"UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON", "INTERVAL"}
	logicalNames = map[int64]string{logicalString: "StringType", logicalMap: "MapType", logicalList: "ListType", logicalEnum: "EnumType", logicalDate: "DateType",
		logicalUnknown: "NullType", logicalJSON: "JsonType", logicalBSON: "BsonType", logicalUUID: "UUIDType", logicalFloat16: "Float16Type", logicalVariant: "VariantType"}
)

// chunks gives a row for each column of each row group.
func (v *footerView) chunks() [][]any {
	var rows [][]any
	for g := range v.meta.groups {
		group := &v.meta.groups[g]
		compressed := group.compressed
		if compressed == 0 {
			for i := range group.columns {
				compressed += group.columns[i].compressed
			}
		}
		for i := range group.columns {
			c := &group.columns[i]
			row := []any{int64(g), group.rows, int64(len(group.columns)), group.bytes, int64(i), c.offset}
			var l *leaf
			path := any(nil)
			if i < len(v.leaves) {
				l, path = v.leaves[i], v.pathOfLeaf[i]
			}
			s := &c.statistics
			row = append(row, known(c.values, -1), path, name(physicalNames, c.physical, physicalNone), statistic(l, s.oldMin), statistic(l, s.oldMax),
				known(s.nulls, -1), known(s.distinct, -1), statistic(l, s.min), statistic(l, s.max), name(codecNames, c.codec, -1), encodingList(c.encodings),
				known(c.indexPageOffset, 0), known(c.dictionaryOffset, 0), c.dataOffset, known(c.compressed, -1), c.uncompressed)
			var pairs []types.MapEntry
			for _, k := range c.keyValues {
				pairs = append(pairs, types.MapEntry{Key: k.key, Value: bytesOrNull(k.value)})
			}
			exact := func(bound []byte, inexact bool) any {
				if bound == nil {
					return nil
				}
				return !inexact
			}
			row = append(row, pairs, known(c.bloomOffset, 0), known(c.bloomLength, 0), exact(s.min, s.minInexact), exact(s.max, s.maxInexact), compressed)
			rows = append(rows, row)
		}
	}
	return rows
}

// statistic gives a bound as its type's text; nil for none, and for one that does not decode.
func statistic(l *leaf, value []byte) any {
	if value == nil || l == nil || l.typ.Kind() == types.KindNull || l.typ.Kind() == types.KindInterval {
		return nil
	}
	x := bound(l, value)
	if x == nil {
		return nil
	}
	return types.Text(x, 0)
}

func encodingList(set uint64) string {
	var all []string
	for e := int64(0); e < 64; e++ {
		if set&(1<<e) == 0 {
			continue
		}
		if text, ok := encodingNames[e]; ok {
			all = append(all, text)
		} else {
			all = append(all, fmt.Sprint(e))
		}
	}
	return strings.Join(all, ", ")
}

func bytesOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// elements gives a row for each element of the schema, the root first.
func (v *footerView) elements() [][]any {
	var rows [][]any
	for i := range v.meta.schema {
		e := &v.meta.schema[i]
		row := []any{string(e.name), name(physicalNames, e.physical, physicalNone)}
		length, children, scale, precision, sqlType := any(nil), any(nil), any(nil), any(nil), any(nil)
		if e.length > 0 {
			length = fmt.Sprint(e.length)
		}
		if e.physical == physicalNone {
			children = e.children
		}
		if e.precision >= 0 {
			scale, precision = e.scale, e.precision
		}
		if at := v.leafOf[i]; at >= 0 {
			sqlType = v.leaves[at].typ.String()
		}
		rows = append(rows, append(row, length, name(repetitionNames, e.repetition, -1), children, name(convertedNames, e.converted, convertedNone), scale, precision,
			known(e.id, -1), e.logical.text(), sqlType, int64(i)))
	}
	return rows
}

// text gives the logical type as DuckDB shows it, nil for none.
func (l logicalType) text() any {
	unit := func() string {
		units := [...]string{"MILLIS=<null>", "MICROS=<null>", "NANOS=<null>"}
		if l.unit >= 1 && l.unit <= 3 {
			units[l.unit-1] = [...]string{"MILLIS=MilliSeconds()", "MICROS=MicroSeconds()", "NANOS=NanoSeconds()"}[l.unit-1]
		}
		return "TimeUnit(" + strings.Join(units[:], ", ") + ")"
	}
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch l.kind {
	case logicalNone:
		return nil
	case logicalDecimal:
		return fmt.Sprintf("DecimalType(scale=%d, precision=%d)", l.scale, l.precision)
	case logicalTime:
		return fmt.Sprintf("TimeType(isAdjustedToUTC=%d, unit=%s)", bit(l.utc), unit())
	case logicalTimestamp:
		return fmt.Sprintf("TimestampType(isAdjustedToUTC=%d, unit=%s)", bit(l.utc), unit())
	case logicalInteger:
		return fmt.Sprintf("IntType(bitWidth=%d, isSigned=%d)", l.bits, bit(l.signed))
	}
	if text, ok := logicalNames[l.kind]; ok {
		return text + "()"
	}
	return fmt.Sprintf("LogicalType(%d)", l.kind)
}

// file gives one row.
func (v *footerView) file() [][]any {
	encryption, createdBy := any(nil), any(nil)
	if v.meta.encrypted {
		encryption = "encrypted"
	}
	if v.meta.createdBy != nil {
		createdBy = string(v.meta.createdBy)
	}
	var orders []any
	for _, byType := range v.meta.orders {
		text := "ColumnOrder(TYPE_ORDER=<null>)"
		if byType {
			text = "ColumnOrder(TYPE_ORDER=TypeDefinedOrder())"
		}
		orders = append(orders, text)
	}
	list := any(nil)
	if orders != nil {
		list = orders
	}
	return [][]any{{createdBy, v.meta.rows, int64(len(v.meta.groups)), v.meta.version, encryption, nil, uint64(v.size), uint64(v.bytes), list}}
}

// keyValues gives a row for each pair of the footer's metadata.
func (v *footerView) keyValues() [][]any {
	var rows [][]any
	for _, k := range v.meta.keyValues {
		rows = append(rows, []any{k.key, bytesOrNull(k.value)})
	}
	return rows
}
