package parquet

import (
	"errors"
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// corrupt makes the error of bytes that contradict the format; whoever knows file, row group and column puts them in front.
func corrupt(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeDataCorrupted, format, args...)
}

// unsupported makes the error of what the format has and this package has not.
func unsupported(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeFeatureNotSupported, format, args...)
}

// within puts a place in front of an error's message. Errors of the file system and of the context have their own.
func within(err error, format string, args ...any) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Code != types.CodeDataCorrupted && e.Code != types.CodeFeatureNotSupported && e.Code != types.CodeInvalidUTF8 {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return &c
}
