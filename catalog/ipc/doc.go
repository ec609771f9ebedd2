// Package ipc reads and writes the Arrow IPC formats, files and streams: it is a catalog.WritableFormat.
//
// Everything that a file says is checked before it is believed: messages are read by code of our own that never goes outside of its bytes
// (flatbuffer.go, message.go), so are record batches, of which only the buffers of the wanted columns are read and decompressed (batch.go);
// what the buffers hold is checked by types.Import. Schemas are read, and everything is written, by Arrow's own library.
//
// A stream is read like a file whose footer is made when it is opened, from the headers of its messages.
package ipc

import (
	"errors"
	"fmt"

	"github.com/lacunadb/lacuna/types"
)

// corrupt makes the error of bytes that contradict the format; whoever knows file, batch and column puts them in front.
func corrupt(format string, args ...any) *types.Error {
	return types.Errorf(types.CodeDataCorrupted, format, args...)
}

// unsupported makes the error of what the format has and this package has not.
func unsupported(format string, args ...any) *types.Error {
	return types.KindErrorf(types.ErrUnsupported, format, args...)
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
