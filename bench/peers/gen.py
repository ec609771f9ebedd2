"""Makes the tables of TPC-H or TPC-DS as Parquet files, with DuckDB and its extensions, and the queries as files q01.sql, q02.sql, ...

    python3 -m venv venv
    venv/bin/pip install duckdb==1.5.5 duckdb-extension-tpch==1.5.5 duckdb-extension-tpcds==1.5.5
    venv/bin/python gen.py --benchmark tpch --sf 1 --dir tpch-sf1

"go run . tpch -gen" and "go run . tpcds -gen" do the same. The extensions come as wheels, so nothing is loaded over the network at run
time. The same versions and arguments give the same rows in the same order.
"""

import argparse
import glob
import importlib
import os

import duckdb

GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}


def main():
    parser = argparse.ArgumentParser(description="make a benchmark's tables as Parquet files")
    parser.add_argument("--benchmark", default="tpch", choices=GENERATORS)
    parser.add_argument("--sf", type=float, default=1, help="scale factor")
    parser.add_argument("--dir", required=True, help="where the files go")
    parser.add_argument("--compression", default="snappy", choices=["snappy", "zstd", "uncompressed"])
    parser.add_argument("--row-group", type=int, default=122880, help="rows in a row group")
    arguments = parser.parse_args()

    package = os.path.dirname(importlib.import_module("duckdb_extension_" + arguments.benchmark).__file__)
    extensions = glob.glob(os.path.join(package, "extensions", "*", arguments.benchmark + ".duckdb_extension"))
    if not extensions:
        parser.error(f"no {arguments.benchmark} extension in {package}")
    os.makedirs(arguments.dir, exist_ok=True)

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("LOAD " + quote(extensions[0]))
    connection.execute(f"CALL {GENERATORS[arguments.benchmark]}(sf = {arguments.sf})")
    for (table,) in connection.execute("SHOW TABLES").fetchall():
        path = os.path.join(arguments.dir, table + ".parquet")
        options = f"FORMAT parquet, COMPRESSION {arguments.compression}, ROW_GROUP_SIZE {arguments.row_group}"
        connection.execute(f"COPY {table} TO {quote(path)} ({options})")
        print(f"{path}: {os.path.getsize(path)} bytes")
    for number, text in connection.execute(f"SELECT query_nr, query FROM {arguments.benchmark}_queries()").fetchall():
        with open(os.path.join(arguments.dir, f"q{number:02}.sql"), "w") as file:
            file.write(text)


def quote(text):
    return "'" + text.replace("'", "''") + "'"


main()
