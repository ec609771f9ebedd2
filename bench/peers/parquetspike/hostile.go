package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// damaged returns cut and flipped versions of a good file: 50 truncations, 200
// flips anywhere, 2000 in the footer, where a flip hurts most, and a list bomb.
func damaged(good []byte) (cases [][]byte) {
	random := rand.New(rand.NewSource(1))
	for i := range 50 {
		cases = append(cases, good[:len(good)*i/50])
	}
	footer := int(good[len(good)-8]) | int(good[len(good)-7])<<8
	for i := range 2200 {
		bad := slices.Clone(good)
		at := random.Intn(len(bad))
		if i >= 200 {
			at = len(bad) - 9 - random.Intn(footer)
		}
		bad[at] ^= byte(1 + random.Intn(255))
		cases = append(cases, bad)
	}
	// A footer whose schema list claims 2^31-1 elements: the list's one-byte
	// header (size in the upper half) becomes the long form.
	start := len(good) - 8 - footer
	bomb := append(slices.Clone(good[:start+3]), 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07)
	bomb = append(bomb, good[start+4:len(good)-8]...)
	bomb = append(bomb, byte(footer+5), byte((footer+5)>>8), 0, 0)
	return append(cases, append(bomb, "PAR1"...))
}

// damage tries every source on every damaged file. Each source runs in a
// process of its own, which is started again behind a case that killed it.
func damage(data string) {
	good, err := os.ReadFile(filepath.Join(data, "small.parquet"))
	check(err)
	count := len(damaged(good))
	number := regexp.MustCompile(`0x[0-9a-f]+|\d+`)
	fatal := regexp.MustCompile(`(?m)^(fatal error: .*|hang)$`)
	for i, o := range openers[:3] {
		outcomes := map[string]int{}
		details := map[string]int{}
		most := 0
		for from := 0; from < count; {
			child := exec.Command(os.Args[0], "-data", data, "-victim", strconv.Itoa(i), "-from", strconv.Itoa(from))
			var stdout, stderr bytes.Buffer
			child.Stdout, child.Stderr = &stdout, &stderr
			err := child.Run()
			for lines := bufio.NewScanner(&stdout); lines.Scan(); from++ {
				field := strings.SplitN(lines.Text(), "\t", 3)
				outcomes[field[0]]++
				megabytes, _ := strconv.Atoi(field[1])
				most = max(most, megabytes)
				if field[0] == "panic" {
					details[number.ReplaceAllString(field[2], "N")]++
				}
			}
			if err != nil && from < count { // the line of the case that killed it is missing
				outcomes["killed"]++
				details["killed: "+fatal.FindString(stderr.String())]++
				from++
			}
		}
		fmt.Printf("%-14s %d cases: %v; most memory for one file %d MB\n", o.name, count, outcomes, most)
		for detail, n := range details {
			fmt.Printf("    %4d x %s\n", n, detail)
		}
	}
}

// try runs the cases from number from on and prints a line for each: outcome,
// megabytes allocated, detail. It limits its address space to 8 GB and a case
// to 10 seconds.
func try(o opener, path string, from int) {
	check(syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 8 << 30, Max: 8 << 30}))
	good, err := os.ReadFile(path)
	check(err)
	for _, bad := range damaged(good)[from:] {
		watchdog := time.AfterFunc(10*time.Second, func() {
			fmt.Fprintln(os.Stderr, "hang")
			os.Exit(2)
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		outcome, detail := attempt(o, bad)
		runtime.ReadMemStats(&after)
		watchdog.Stop()
		fmt.Printf("%s\t%d\t%s\n", outcome, (after.TotalAlloc-before.TotalAlloc)>>20, detail)
	}
}

// attempt reads every column of a damaged file. "read" means that the damage
// went unnoticed, which is right where a byte is not used or is plain data.
func attempt(o opener, file []byte) (outcome, detail string) {
	defer func() {
		if p := recover(); p != nil {
			outcome, detail = "panic", strings.ReplaceAll(fmt.Sprint(p), "\n", " ")
		}
	}()
	s, err := o.open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return "error", ""
	}
	defer s.close()
	var failed error
	for i, spec := range specs {
		c := &column{kind: spec.kind, maxDef: 1}
		for group := range s.rowGroups() {
			failed = errors.Join(failed, s.read(c, group, i))
		}
	}
	if failed != nil {
		return "error", ""
	}
	return "read", ""
}
