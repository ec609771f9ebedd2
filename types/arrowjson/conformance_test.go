package arrowjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types/arrowjson"
	"github.com/lacunadb/lacuna/types/arrowtest/conformance"
)

// TestConformance runs the cases of null-semantics section 3.10. See ../testdata/conformance/README.md.
func TestConformance(t *testing.T) {
	conformance.Run(t, "../testdata/conformance", "arrowjson", conformanceStep)
}

func conformanceStep(s *conformance.Step) (any, error) {
	switch s.Op {
	case "json_marshal":
		return marshalStep(s)
	case "json_unmarshal":
		return unmarshalStep(s)
	case "json_rows_kept":
		return rowsKeptStep(s)
	}
	return nil, fmt.Errorf("%w: operation %s", conformance.ErrNotYet, s.Op)
}

var violations = map[string]arrowjson.Violation{
	"": arrowjson.ViolationError, "Error": arrowjson.ViolationError, "Zero": arrowjson.ViolationZero, "Null": arrowjson.ViolationNull,
}

func marshalStep(s *conformance.Step) (any, error) {
	if err := s.Only("on_violation"); err != nil {
		return nil, err
	}
	a, err := s.Array(0)
	if err != nil {
		return nil, err
	}
	policy, ok := violations[s.Text("on_violation")]
	if !ok {
		return nil, fmt.Errorf("unknown answer to violations %q", s.Text("on_violation"))
	}
	text, err := arrowjson.Marshal(a.Field, a.Data(), arrowjson.WriteOptions{OnViolation: policy})
	return json.RawMessage(text), err
}

// unmarshalStep reads the option json as an array of the type.
func unmarshalStep(s *conformance.Step) (any, error) {
	if err := s.Only("type", "json"); err != nil {
		return nil, err
	}
	field, err := conformance.ParseType(s.Text("type"))
	if err != nil {
		return nil, err
	}
	arr, err := arrowjson.Unmarshal(s.Options["json"], field, arrowjson.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return conformance.Array{Field: field, Chunks: []arrow.ArrayData{arr.Data()}}, nil
}

// rowsKeptStep counts the rows that a Reader gives before its error.
func rowsKeptStep(s *conformance.Step) (any, error) {
	if err := s.Only("type", "json"); err != nil {
		return nil, err
	}
	field, err := conformance.ParseType(s.Text("type"))
	if err != nil {
		return nil, err
	}
	schema := arrow.NewSchema(field.Type.(*arrow.StructType).Fields(), nil)
	r, err := arrowjson.NewReader(bytes.NewReader(s.Options["json"]), schema, arrowjson.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() == nil {
		return nil, errors.New("no error")
	}
	return rows, nil
}
