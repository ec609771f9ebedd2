//go:build !js

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ergochat/readline"
)

// newEditor gives an editor of lines for a terminal, with the history of earlier runs and names completed by the tab key. Where the terminal
// cannot be used so, lines are read as they come.
func newEditor(s *session, stdin io.Reader, stdout io.Writer) lineReader {
	plain := &plainLines{input: bufio.NewReader(stdin), output: stdout}
	if stdin != io.Reader(os.Stdin) || stdout != io.Writer(os.Stdout) || os.Getenv("TERM") == "dumb" {
		return plain
	}
	editor, err := readline.NewFromConfig(&readline.Config{
		HistoryFile: historyFile(), HistoryLimit: 2000, DisableAutoSaveHistory: true, HistorySearchFold: true,
		AutoComplete: completer{s}, Undo: true,
	})
	if err != nil {
		return plain
	}
	return &editedLines{editor}
}

// historyFile gives the path of the history: LACUNA_HISTORY, else one in the user's home directory; the empty path for none.
func historyFile() string {
	if path, set := os.LookupEnv("LACUNA_HISTORY"); set {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".lacuna_history")
}

type editedLines struct{ editor *readline.Instance }

func (l *editedLines) ReadLine(prompt string) (string, error) {
	l.editor.SetPrompt(prompt)
	line, err := l.editor.ReadLine()
	if errors.Is(err, readline.ErrInterrupt) {
		err = errInterrupted
	}
	return line, err
}

// Remember adds a statement as one line, so that it comes back whole; one with a comment, which would swallow what follows it, as it was typed.
func (l *editedLines) Remember(statement string) {
	lines := []string{strings.Join(strings.Fields(statement), " ")}
	if strings.ContainsAny(statement, "'\"$") || strings.Contains(statement, "--") {
		lines = strings.Split(statement, "\n")
	}
	for _, line := range lines {
		// A history that cannot be written is no reason to stop.
		_ = l.editor.SaveToHistory(line)
	}
}

func (l *editedLines) Close() error { return l.editor.Close() }

// completer completes commands of the shell and names of tables and columns.
type completer struct{ session *session }

// Do gives what could follow the word before the cursor.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	before := string(line[:pos])
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return strings.ContainsRune(" \t(),;=<>+-*/", r) })+1:]
	if i := strings.LastIndexByte(word, '.'); i > 0 {
		word = word[i+1:] // a column after its table
	}
	if word == "" {
		return nil, 0
	}
	var candidates [][]rune
	for _, name := range c.session.completions(before == word && word[0] == '.') {
		if len(name) > len(word) && strings.EqualFold(name[:len(word)], word) {
			candidates = append(candidates, []rune(name[len(word):]))
		}
	}
	return candidates, len([]rune(word))
}
