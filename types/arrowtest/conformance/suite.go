package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ErrNotYet is what a runner answers for an operation or an option that its package does not have.
var ErrNotYet = errors.New("not yet")

// Status says what the index expects of a case.
type Status string

// The statuses of the index.
const (
	Pass    Status = "pass"    // runs and answers as specified
	NotYet  Status = "not-yet" // the operation or an option is missing, or the case has no data
	Failing Status = "failing" // runs and answers differently, for the reason in the index
)

// Case is a row of the specification: one or more steps that all must hold.
type Case struct {
	ID     string
	Group  string
	Runner string // types, kernels ...; several are separated by commas
	Status Status
	Reason string
	Steps  []Step
}

// Step is one operation of a case and what it must answer.
type Step struct {
	ID      string                     `json:"id"`
	Op      string                     `json:"op"`
	Args    []json.RawMessage          `json:"args"`
	Options map[string]json.RawMessage `json:"options"`
	Want    json.RawMessage            `json:"want"`
	Note    string                     `json:"note"`
}

// Array gives argument i as an array.
func (s *Step) Array(i int) (Array, error) {
	if i >= len(s.Args) {
		return Array{}, fmt.Errorf("%s has no argument %d", s.Op, i)
	}
	return ParseArray(s.Args[i])
}

// Text gives an option that is a text, or "" when it is not set.
func (s *Step) Text(option string) string {
	var text string
	if json.Unmarshal(s.Options[option], &text) != nil {
		return ""
	}
	return text
}

// Texts gives an option that is a list of texts, or nil when it is not set.
func (s *Step) Texts(option string) []string {
	var texts []string
	if json.Unmarshal(s.Options[option], &texts) != nil {
		return nil
	}
	return texts
}

// Flag reports whether an option is true.
func (s *Step) Flag(option string) bool { return string(s.Options[option]) == "true" }

// Number gives an option that is an integer, or 0 when it is not set.
func (s *Step) Number(option string) int {
	var n int
	if json.Unmarshal(s.Options[option], &n) != nil {
		return 0
	}
	return n
}

// Only gives ErrNotYet when the step has an option that is not in the list.
func (s *Step) Only(options ...string) error {
	for name := range s.Options {
		if !slices.Contains(options, name) {
			return fmt.Errorf("%w: option %s of %s", ErrNotYet, name, s.Op)
		}
	}
	return nil
}

// Load reads the index and the cases of a folder, in the order of the index.
func Load(folder string) ([]Case, error) {
	cases, err := loadIndex(filepath.Join(folder, "index.txt"))
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	for i, c := range cases {
		places[c.ID] = i
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for n, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var step Step
			if err := decode(line, &step); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
			}
			i, ok := places[step.ID]
			if !ok {
				return nil, fmt.Errorf("%s:%d: case %s is not in the index", file, n+1, step.ID)
			}
			cases[i].Steps = append(cases[i].Steps, step)
		}
	}
	return cases, nil
}

// loadIndex reads lines of id, runner, status and reason below headings of groups.
func loadIndex(name string) ([]Case, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var cases []Case
	group := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			group = heading
			continue
		}
		parts := strings.Fields(line)
		if len(parts) == 0 {
			continue
		}
		if len(parts) < 3 {
			return nil, fmt.Errorf("%s: %q is no line of the index", name, line)
		}
		cases = append(cases, Case{
			ID: parts[0], Group: group, Runner: parts[1], Status: Status(parts[2]), Reason: strings.Join(parts[3:], " "),
		})
	}
	return cases, lines.Err()
}

// Run runs the cases of one runner as subtests named by group and id, with do for each step; do gives an Array, a bool, a number, or an error.
// A case that the index says is not yet there or failing is skipped with its reason, but fails the test when it passes by now, so that
// the index stays true. Cases of other runners are skipped.
func Run(t *testing.T, folder, runner string, do func(*Step) (any, error)) {
	cases, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(strings.Fields(c.Group)[0]+"/"+c.ID, func(t *testing.T) {
			if !slices.Contains(strings.Split(c.Runner, ","), runner) {
				t.Skipf("runs in package %s (%s)", c.Runner, c.Status)
			}
			err := c.run(do)
			switch {
			case c.Status == Pass && err != nil:
				t.Error(err)
			case c.Status == Pass:
			case err == nil:
				t.Errorf("passes, but the index says %s", c.Status)
			case c.Status == NotYet && !errors.Is(err, ErrNotYet):
				t.Errorf("the index says %s, but it answers: %v", c.Status, err)
			case c.Status == NotYet:
				t.Skipf("not yet: %s (%v)", c.Reason, err)
			default:
				t.Skipf("failing: %s (%v)", c.Reason, err)
			}
		})
	}
}

// run runs all steps. A fault counts before what is not yet there.
func (c *Case) run(do func(*Step) (any, error)) error {
	if len(c.Steps) == 0 {
		return fmt.Errorf("%w: the case has no data", ErrNotYet)
	}
	var missing error
	for i := range c.Steps {
		err := c.Steps[i].check(do)
		switch {
		case errors.Is(err, ErrNotYet):
			missing = err
		case err != nil:
			return fmt.Errorf("step %d, %s: %w", i, c.Steps[i].Op, err)
		}
	}
	return missing
}

func (s *Step) check(do func(*Step) (any, error)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	got, err := do(s)
	if errors.Is(err, ErrNotYet) {
		return err
	}
	return s.compare(got, err)
}
