package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// wheels are the Python packages that gen.py needs: DuckDB, and its TPC-H generator, which is not part of the Go module.
var wheels = []string{"duckdb==1.5.5", "duckdb-extension-tpch==1.5.5"}

// generate makes the Parquet files of TPC-H.
func generate(ctx context.Context, o tpchOptions) error {
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
	return run(ctx, python, "gen.py", "--sf", fmt.Sprint(o.scale), "--dir", o.dir,
		"--compression", o.compression, "--row-group", fmt.Sprint(o.rowGroup))
}

// makePython returns a Python with the wheels, in a virtual environment in the user's cache that it makes the first time.
func makePython(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("-python is needed: %w", err)
	}
	venv := filepath.Join(cache, "lacuna", "tpch-python")
	python := filepath.Join(venv, "bin", "python")
	if exec.CommandContext(ctx, python, "-c", "import duckdb, duckdb_extension_tpch").Run() == nil {
		return python, nil
	}
	if err := run(ctx, "python3", "-m", "venv", venv); err != nil {
		return "", err
	}
	if err := run(ctx, python, append([]string{"-m", "pip", "install", "--quiet"}, wheels...)...); err != nil {
		return "", err
	}
	return python, nil
}

func run(ctx context.Context, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}
