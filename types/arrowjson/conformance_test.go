package arrowjson_test

import (
	"encoding/json"
	"fmt"
	"testing"

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
