package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file proves the layout of the house: which packages there are, which of them may import which, and what nobody may
// import or call. Whoever adds a package gives it a floor here.

const modulePath = "github.com/lacunadb/lacuna"

// A floor holds packages that do not import each other; they import packages of lower floors only.
type floor struct {
	name     string
	packages []string // below the module path; "bench/..." stands for every package below bench
}

// house lists the floors from the ground up.
var house = []floor{
	{"0", []string{"kernels/asm", "engine/slt", "types/jsontext"}},
	{"1", []string{"types"}},
	{"1 (beside)", []string{"types/arrowjson", "types/column"}},
	{"1 (tests)", []string{"types/arrowtest", "types/arrowtest/conformance"}},
	{"2a", []string{"kernels"}},
	{"2b", []string{"kernels/expr"}},
	{"2c", []string{"kernels/scalar", "kernels/agg", "kernels/arrays"}},
	{"3", []string{"catalog", "catalog/arrowschema"}},
	{"4", []string{"catalog/parquet", "catalog/csv", "catalog/json", "catalog/ipc", "catalog/mem"}},
	{"5", []string{"plan"}},
	{"6", []string{"plan/sql"}},
	{"7", []string{"engine/exec"}},
	{"8", []string{"engine"}},
	{"9", []string{"cmd/repl", "bench", "bench/...", "engine/sqldriver"}},
}

// testSupport lists packages that only tests and benchmarks import. Tests on any floor may.
var testSupport = []string{"types/arrowtest", "types/arrowtest/conformance", "engine/slt"}

// topLevel lists what may stand in the root directory, and commands what may stand in cmd.
var (
	topLevel = []string{
		"go.mod", "go.sum", "engine", "plan", "kernels", "types", "catalog", "cmd", "bench", "README.md",
		"LICENSE", "CONTRIBUTING.md", ".ci", ".git", ".gitignore", ".gitattributes", ".golangci.yml", ".editorconfig",
		"go.work", "go.work.sum", // never committed, see .gitignore
	}
	commands = []string{"repl"}
)

const (
	arrowPath   = "github.com/apache/arrow-go/v18/arrow"
	computePath = "github.com/apache/arrow-go/v18/arrow/compute"
	pqarrowPath = "github.com/apache/arrow-go/v18/parquet/pqarrow"
	tidbPath    = "github.com/pingcap/tidb/pkg/parser"
)

// arrowNullMethods read Arrow's validity bitmap, which is not the whole truth: unions, run-end-encoded and dictionary arrays
// keep nulls elsewhere. Package types knows where.
var arrowNullMethods = []string{"IsNull", "IsValid", "NullN"}

// within tells whether p is the package or folder parent, or below it.
func within(p, parent string) bool { return p == parent || strings.HasPrefix(p, parent+"/") }

// floorOf returns the index in house of the floor of a package, or -1.
func floorOf(name string) int {
	return slices.IndexFunc(house, func(f floor) bool {
		return slices.ContainsFunc(f.packages, func(entry string) bool {
			parent, all := strings.CutSuffix(entry, "/...")
			return name == entry || all && within(name, parent)
		})
	})
}

// checkImport returns "" if package from may import the path to, else why not. Both packages have a floor if they are ours.
func checkImport(from, to string, byTest bool) string {
	kind := "imports"
	if byTest {
		kind = "imports (in a test)"
	}
	wrong := func(format string, arguments ...any) string {
		return fmt.Sprintf("%s %s %s: %s", from, kind, to, fmt.Sprintf(format, arguments...))
	}
	inBench := within(from, "bench")
	switch {
	case within(to, tidbPath) && from != "plan/sql":
		return wrong("only plan/sql may import the TiDB parser")
	case within(to, computePath) && !byTest && !inBench:
		return wrong("Arrow's compute kernels are for benchmarks and differential tests only")
	case !within(to, modulePath):
		return ""
	}
	to = strings.TrimPrefix(strings.TrimPrefix(to, modulePath), "/")
	if slices.Contains(testSupport, to) {
		if byTest || inBench {
			return ""
		}
		return wrong("it is for tests only")
	}
	lower, upper := floorOf(to), floorOf(from)
	switch {
	case byTest && from == to: // an external test of the package
		return ""
	case lower < 0:
		return wrong("it has no floor; give it one in engine/layout_test.go")
	case lower == upper:
		return wrong("both stand on floor %s, and a package imports lower floors only", house[upper].name)
	case lower > upper:
		return wrong("that runs from floor %s up to floor %s, and a package imports lower floors only", house[upper].name, house[lower].name)
	}
	return ""
}

// listed is what this file reads of a package in the output of go list.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps, CgoFiles                     []string
}

// listPackages runs go list for all packages of the module as they are built for a platform with some build tags.
func listPackages(t *testing.T, goos, goarch, tags string) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-tags="+tags, "-json=ImportPath,Imports,TestImports,XTestImports,Deps,CgoFiles", "./...")
	command.Dir = ".."
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	var packages []listed
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list finds no packages")
	}
	return packages
}

// TestFloors proves that packages import lower floors only, and nothing that is banned.
func TestFloors(t *testing.T) {
	builds := []struct{ goos, goarch, tags string }{
		{"linux", "amd64", ""}, {"linux", "arm64", "invariants"}, {"windows", "amd64", "purego,noasm"}, {"js", "wasm", ""},
	}
	reported := map[string]bool{} // most violations are the same in every build
	report := func(message string) {
		if message != "" && !reported[message] {
			reported[message] = true
			t.Error(message)
		}
	}
	for _, build := range builds {
		for _, p := range listPackages(t, build.goos, build.goarch, build.tags) {
			from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")
			if floorOf(from) < 0 {
				report(fmt.Sprintf("package %q has no floor; give it one in engine/layout_test.go", from))
				continue
			}
			for _, to := range p.Imports {
				report(checkImport(from, to, false))
			}
			for _, to := range slices.Concat(p.TestImports, p.XTestImports) {
				report(checkImport(from, to, true))
			}
			if slices.Contains(p.Deps, pqarrowPath) && !within(from, "bench") {
				report(from + " depends on pqarrow, directly or through a dependency: it is for benchmarks and differential tests only")
			}
			if len(p.CgoFiles) > 0 {
				report(fmt.Sprintf("%s uses cgo in %s", from, strings.Join(p.CgoFiles, ", ")))
			}
		}
	}
}

// TestFloorRules proves that the check above tells right from wrong.
func TestFloorRules(t *testing.T) {
	tests := []struct {
		from, to string
		byTest   bool
		want     string // part of the message; "" for a right import
	}{
		{"engine", modulePath + "/plan/sql", false, ""},
		{"kernels", modulePath + "/types", false, ""},
		{"kernels/agg", modulePath + "/kernels/expr", false, ""},
		{"kernels", modulePath + "/kernels/asm", false, ""},
		{"bench/tpch", modulePath + "/engine", false, ""},
		{"types", "fmt", false, ""},
		{"types", modulePath + "/kernels", false, "from floor 1 up to floor 2a"},
		{"plan", modulePath + "/engine/exec", false, "from floor 5 up to floor 7"},
		{"types", modulePath + "/kernels", true, "imports (in a test)"},
		{"catalog/csv", modulePath + "/catalog/json", false, "both stand on floor 4"},
		{"kernels/agg", modulePath + "/kernels/scalar", false, "both stand on floor 2c"},
		{"plan", modulePath + "/plan", true, ""},
		{"engine", modulePath + "/engine/nowhere", false, "no floor"},
		{"engine", modulePath, false, "no floor"},
		{"types", modulePath + "/types/arrowtest", true, ""},
		{"kernels", modulePath + "/types/arrowtest", false, "for tests only"},
		{"types/arrowtest", modulePath + "/types", false, ""},
		{"types/arrowtest", modulePath + "/kernels", false, "up to floor 2a"},
		{"engine/slt", modulePath + "/types", false, "up to floor 1"},
		{"bench", modulePath + "/engine/slt", false, ""},
		{"plan/sql", tidbPath + "/ast", false, ""},
		{"plan", tidbPath + "/ast", false, "only plan/sql"},
		{"engine", tidbPath, true, "only plan/sql"},
		{"kernels", computePath + "/exec", false, "compute kernels"},
		{"bench", computePath, false, ""},
	}
	for _, test := range tests {
		got := checkImport(test.from, test.to, test.byTest)
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s to %s (test: %v): got %q, want %q", test.from, test.to, test.byTest, got, test.want)
		}
	}
}

// TestTopLevel proves that the root directory holds nothing but what the house has.
func TestTopLevel(t *testing.T) {
	for dir, allowed := range map[string][]string{"..": topLevel, "../cmd": commands} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !slices.Contains(allowed, entry.Name()) {
				t.Errorf("%s does not belong there; new packages go inside the folders of the house", path.Join(dir, entry.Name()))
			}
		}
	}
}

// TestSourceBans proves what go list cannot see: test files that import Arrow's kernels without being differential tests, and
// calls of Arrow's own null methods. Every Go file is read, whatever its build tags.
func TestSourceBans(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enterFolder(name, entry.Name())
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		files++
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative := filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		for _, message := range checkSource(relative, source) {
			t.Error(message)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("no Go files found")
	}
}

// enterFolder returns SkipDir for folders that hold no package of this module.
func enterFolder(name, base string) error {
	if name == ".." {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil { // a module of its own
		return filepath.SkipDir
	}
	return nil
}

// checkSource returns the violations in a Go file; name is relative to the root, with slashes.
func checkSource(name string, source []byte) []string {
	if within(name, "bench") {
		return nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var messages []string
	importsArrow := false
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		importsArrow = importsArrow || within(imported, arrowPath)
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && !strings.HasSuffix(name, "differential_test.go") && (within(imported, computePath) || within(imported, pqarrowPath)) {
			messages = append(messages, fmt.Sprintf("%s: a test that imports %s is a differential test: call its file *differential_test.go",
				set.Position(spec.Pos()), imported))
		}
	}
	if !importsArrow || within(name, "types") {
		return messages
	}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(arrowNullMethods, method.Sel.Name) && !isKernel(method) {
			messages = append(messages, fmt.Sprintf("%s: .%s is Arrow's own idea of null, which only package types may ask for",
				set.Position(method.Sel.Pos()), method.Sel.Name))
		}
		return true
	})
	return messages
}

// isKernel recognises kernels.IsNull, which is ours.
func isKernel(called *ast.SelectorExpr) bool {
	name, ok := called.X.(*ast.Ident)
	return ok && name.Name == "kernels"
}

// TestSourceRules proves that checkSource tells right from wrong.
func TestSourceRules(t *testing.T) {
	arrowCall := "package p\nimport \"" + arrowPath + "\"\nfunc f(a arrow.Array) bool { return a.IsNull(0) }\n"
	compute := "package p\nimport _ \"" + computePath + "\"\n"
	tests := []struct{ name, source, want string }{
		{"kernels/take.go", arrowCall, "kernels/take.go:3:39: .IsNull"},
		{"kernels/take_test.go", arrowCall, ".IsNull"},
		{"kernels/arrays/take.go", strings.ReplaceAll(arrowCall, "a.IsNull(0)", "kernels.IsNull(nil, v)"), ""},
		{"types/take.go", arrowCall, ""},
		{"bench/take.go", arrowCall, ""},
		{"kernels/take.go", "package p\nfunc f(v vector) bool { return v.IsNull(0) }\n", ""},
		{"kernels/take_test.go", compute, "differential"},
		{"kernels/take_differential_test.go", compute, ""},
		{"kernels/take.go", "package", "expected"},
	}
	for _, test := range tests {
		got := strings.Join(checkSource(test.name, []byte(test.source)), "\n")
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
