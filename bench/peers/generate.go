package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// wheels are the Python packages that gen.py needs: DuckDB, and the benchmarks' generators, which are not part of the Go module.
var wheels = []string{"duckdb==1.5.5", "duckdb-extension-tpch==1.5.5", "duckdb-extension-tpcds==1.5.5"}

// pyarrowWheel is Arrow C++ for kernels.py.
const pyarrowWheel = "pyarrow==26.0.1"

// generate makes the Parquet files of a benchmark, and the files of its queries.
func generate(ctx context.Context, o options) error {
	python := o.python
	if python == "" {
		var err error
		if python, err = makePython(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	return runCommand(ctx, python, "gen.py", "--benchmark", o.name, "--sf", fmt.Sprint(o.scale), "--dir", o.dir,
		"--compression", o.compression, "--row-group", fmt.Sprint(o.rowGroup))
}

// makePython returns a Python with the wheels.
func makePython(ctx context.Context) (string, error) {
	return makePythonWith(ctx, "bench-python", "import duckdb, duckdb_extension_tpch, duckdb_extension_tpcds", wheels...)
}

// makePythonWith returns a Python that can run an import, in a virtual environment in the user's cache that it makes with wheels the first time.
func makePythonWith(ctx context.Context, name, imports string, wheels ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("-python is needed: %w", err)
	}
	venv := filepath.Join(cache, "lacuna", name)
	python := filepath.Join(venv, "bin", "python")
	if exec.CommandContext(ctx, python, "-c", imports).Run() == nil {
		return python, nil
	}
	if err := runCommand(ctx, "python3", "-m", "venv", venv); err != nil {
		return "", err
	}
	if err := runCommand(ctx, python, append([]string{"-m", "pip", "install", "--quiet"}, wheels...)...); err != nil {
		return "", err
	}
	return python, nil
}

func runCommand(ctx context.Context, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}
