// Package csv reads and writes text files of values between delimiters: it is a catalog.WritableFormat.
//
// Opening a file looks at a sample (sniff.go): which delimiter and quote make most records alike (dialect), whether there is a line of names, and
// which types all values of a column have. What the statement says is not sniffed.
//
// A scan reads the file in chunks of whole records (chunk.go); this is the only part that is done one after another, at the speed of memory, and the
// chunks' number keeps the source order. Workers split chunks into fields (split.go) and make vectors of the columns that are wanted (parse.go): other
// fields are only passed by. Strings are views of the chunk. A value of one of the frequent forms is read on a fast path; whenever one is not, the
// window of rows of that column is cast from text, by the same rules as CAST.
package csv

import (
	"errors"
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// corrupt makes the error of text that is no record of the file.
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
