package main

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// lineReader is where the dialogue's lines come from.
type lineReader interface {
	// ReadLine shows a prompt and gives the line typed after it, without its end. The error is io.EOF at the end of the input and errInterrupted
	// when the user took back what was typed.
	ReadLine(prompt string) (string, error)
	// Remember adds a statement to the history.
	Remember(statement string)
	// Close gives the terminal back.
	Close() error
}

var errInterrupted = errors.New("interrupted")

const (
	firstPrompt = "lacuna> "
	nextPrompt  = "   ...> "
)

// interact reads lines until a statement is complete, runs it, and goes on after errors.
func (s *session) interact(lines lineReader) {
	var text strings.Builder
	for !s.quit && s.ctx.Err() == nil {
		prompt := nextPrompt
		if text.Len() == 0 {
			prompt = firstPrompt
		}
		s.stdout.Flush()
		line, err := lines.ReadLine(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			text.Reset()
			continue
		case err != nil && !errors.Is(err, io.EOF):
			s.report(err)
			return
		}
		ended := err != nil
		if text.Len() == 0 && isCommand(line) {
			lines.Remember(line)
			s.command(line)
		} else if text.Len() > 0 || strings.TrimSpace(line) != "" {
			text.WriteString(line)
			text.WriteByte('\n')
			if ended || complete(text.String()) {
				lines.Remember(strings.TrimSpace(text.String()))
				s.statements(text.String())
				text.Reset()
			}
		}
		if ended {
			s.stdout.WriteByte('\n')
			s.stdout.Flush()
			return
		}
	}
}

// plainLines reads lines from an input that cannot be edited.
type plainLines struct {
	input  *bufio.Reader
	output io.Writer
}

func (l *plainLines) ReadLine(prompt string) (string, error) {
	if _, err := io.WriteString(l.output, prompt); err != nil {
		return "", err
	}
	line, err := l.input.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (*plainLines) Remember(string) {}
func (*plainLines) Close() error    { return nil }
