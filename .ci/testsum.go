//go:build ignore

// Testsum reads the output of go test -json on its standard input, prints what a person wants to see of it, and appends the
// line "PASSED FAILED SKIPPED" to the file that its argument names. It counts a test with subtests by its subtests.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is a line of go test -json, see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
}

// test is one test or subtest of a package.
type test struct {
	output      strings.Builder
	hasSubtests bool
	failedBelow bool // a subtest failed
}

type summary struct {
	tests                   map[string]*test // by package and name
	failedPackages          map[string]bool  // packages with a failed test
	passed, failed, skipped int
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ... | testsum FILE")
		os.Exit(2)
	}
	s := summary{tests: map[string]*test{}, failedPackages: map[string]bool{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			s.line(line)
		}
		if err != nil { // the end
			break
		}
	}
	file, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(file, s.passed, s.failed, s.skipped)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
}

// line takes one line; what is no event is printed as it is.
func (s *summary) line(line string) {
	var e event
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		fmt.Print(line)
		return
	}
	if e.Test == "" {
		s.packageEvent(e)
		return
	}
	s.testEvent(e)
}

func (s *summary) packageEvent(e event) {
	switch e.Action {
	case "output", "build-output":
		if e.Output != "PASS\n" && e.Output != "FAIL\n" {
			fmt.Print(e.Output)
		}
	case "fail":
		if !s.failedPackages[e.Package] { // it did not build, or exited
			s.failed++
		}
	}
}

func (s *summary) testEvent(e event) {
	t := s.test(e.Package, e.Test)
	var parent *test
	if slash := strings.LastIndexByte(e.Test, '/'); slash >= 0 {
		parent = s.test(e.Package, e.Test[:slash])
	}
	switch e.Action {
	case "run":
		if parent != nil {
			parent.hasSubtests = true
		}
	case "output":
		t.output.WriteString(e.Output)
	case "pass":
		if !t.hasSubtests {
			s.passed++
		}
	case "skip":
		if !t.hasSubtests {
			s.skipped++
		}
	case "fail":
		fmt.Print(t.output.String())
		s.failedPackages[e.Package] = true
		if parent != nil {
			parent.failedBelow = true
		}
		if !t.failedBelow {
			s.failed++
		}
	}
	if e.Action == "pass" || e.Action == "skip" {
		t.output.Reset()
	}
}

func (s *summary) test(pkg, name string) *test {
	key := pkg + " " + name
	if s.tests[key] == nil {
		s.tests[key] = &test{}
	}
	return s.tests[key]
}
