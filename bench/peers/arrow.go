package main

import (
	"fmt"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// arrowRows converts record batches to plain values.
func arrowRows(schema *arrow.Schema, records []arrow.RecordBatch) (Rows, error) {
	var rows Rows
	for _, field := range schema.Fields() {
		rows.Columns = append(rows.Columns, field.Name)
	}
	for _, record := range records {
		for i := range int(record.NumRows()) {
			row := make([]any, record.NumCols())
			for c := range row {
				value, err := arrowValue(record.Column(c), i)
				if err != nil {
					return Rows{}, fmt.Errorf("column %s: %w", rows.Columns[c], err)
				}
				row[c] = value
			}
			rows.Values = append(rows.Values, row)
		}
	}
	return rows, nil
}

// arrowValue returns a value of an array in the form that Rows describes. It resolves dictionaries, runs and extensions;
// nested types are not supported.
func arrowValue(values arrow.Array, i int) (any, error) {
	if values.IsNull(i) {
		return nil, nil
	}
	switch v := values.(type) {
	case *array.Null:
		return nil, nil
	case *array.Dictionary:
		return arrowValue(v.Dictionary(), v.GetValueIndex(i))
	case *array.RunEndEncoded:
		return arrowValue(v.Values(), v.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return arrowValue(v.Storage(), i)
	case *array.Boolean:
		return v.Value(i), nil
	case *array.Int8:
		return integer(int64(v.Value(i))), nil
	case *array.Int16:
		return integer(int64(v.Value(i))), nil
	case *array.Int32:
		return integer(int64(v.Value(i))), nil
	case *array.Int64:
		return integer(v.Value(i)), nil
	case *array.Uint8:
		return integer(int64(v.Value(i))), nil
	case *array.Uint16:
		return integer(int64(v.Value(i))), nil
	case *array.Uint32:
		return integer(int64(v.Value(i))), nil
	case *array.Uint64:
		return Decimal{Unscaled: new(big.Int).SetUint64(v.Value(i))}, nil
	case *array.Float32:
		return float64(v.Value(i)), nil
	case *array.Float64:
		return v.Value(i), nil
	case *array.Decimal32:
		return Decimal{Unscaled: big.NewInt(int64(v.Value(i))), Scale: scaleOf(v)}, nil
	case *array.Decimal64:
		return Decimal{Unscaled: big.NewInt(int64(v.Value(i))), Scale: scaleOf(v)}, nil
	case *array.Decimal128:
		return Decimal{Unscaled: v.Value(i).BigInt(), Scale: scaleOf(v)}, nil
	case *array.Decimal256:
		return Decimal{Unscaled: v.Value(i).BigInt(), Scale: scaleOf(v)}, nil
	case *array.Date32:
		return v.Value(i).ToTime().Format(dateLayout), nil
	case *array.Date64:
		return v.Value(i).ToTime().Format(dateLayout), nil
	case *array.Timestamp:
		return v.Value(i).ToTime(v.DataType().(*arrow.TimestampType).Unit).Format(timestampLayout), nil
	case *array.Time32:
		return v.Value(i).ToTime(v.DataType().(*arrow.Time32Type).Unit).Format(timeLayout), nil
	case *array.Time64:
		return v.Value(i).ToTime(v.DataType().(*arrow.Time64Type).Unit).Format(timeLayout), nil
	case array.StringLike:
		return v.Value(i), nil
	case *array.Binary:
		return string(v.Value(i)), nil
	case *array.LargeBinary:
		return string(v.Value(i)), nil
	case *array.BinaryView:
		return string(v.Value(i)), nil
	case *array.FixedSizeBinary:
		return string(v.Value(i)), nil
	}
	return nil, fmt.Errorf("cannot compare values of type %s", values.DataType())
}

func scaleOf(values arrow.Array) int { return int(values.DataType().(arrow.DecimalType).GetScale()) }
