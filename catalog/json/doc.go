// Package json reads and writes JSON: it is a catalog.WritableFormat.
//
// A file is a sequence of values, each a row: on lines of their own, one after another, or in one array. Opening a file infers the columns from a sample
// (infer.go) unless the statement gives them. A scan cuts the file into chunks of whole values (chunk.go), the only part that is done one after another;
// workers parse them straight into columns (column.go). Keys that no column asks for are passed by.
//
// Numbers stay exact: a column of whole numbers is BIGINT, or HUGEINT when one needs it; numbers beyond that, and columns whose values are of several
// kinds, are JSON, the text of the value.
package json

import (
	"errors"
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// corrupt makes the error of text that is not JSON.
func corrupt(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeDataCorrupted, format, args...)
}

// invalid makes the error of an option.
func invalid(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeInvalidParameter, format, args...)
}

// within puts a place in front of an error's message. Errors of the file system and of the context have their own.
func within(err error, format string, args ...any) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Code == types.CodeIO || e.Code == types.CodeUndefinedFile || e.Code == types.CodeAccessDenied {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return &c
}
