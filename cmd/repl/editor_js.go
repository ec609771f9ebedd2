package main

import (
	"bufio"
	"io"
)

// newEditor gives the lines of an input as they come: there is no terminal to edit them in.
func newEditor(_ *session, stdin io.Reader, stdout io.Writer) lineReader {
	return &plainLines{input: bufio.NewReader(stdin), output: stdout}
}
