"""Makes the eight tables of TPC-H as Parquet files, with DuckDB and its tpch extension.

    python3 -m venv venv
    venv/bin/pip install duckdb==1.5.5 duckdb-extension-tpch==1.5.5
    venv/bin/python gen.py --sf 1 --dir tpch-sf1

"go run . tpch -gen" does the same. The extension comes with the second wheel, so nothing is loaded over the network at run
time. The same versions and arguments give the same rows in the same order.
"""

import argparse
import glob
import os

import duckdb
import duckdb_extension_tpch


def main():
    parser = argparse.ArgumentParser(description="make TPC-H as Parquet files")
    parser.add_argument("--sf", type=float, default=1, help="scale factor")
    parser.add_argument("--dir", required=True, help="where the files go")
    parser.add_argument("--compression", default="snappy", choices=["snappy", "zstd", "uncompressed"])
    parser.add_argument("--row-group", type=int, default=122880, help="rows in a row group")
    arguments = parser.parse_args()

    package = os.path.dirname(duckdb_extension_tpch.__file__)
    extensions = glob.glob(os.path.join(package, "extensions", "*", "tpch.duckdb_extension"))
    if not extensions:
        parser.error(f"no tpch extension in {package}")
    os.makedirs(arguments.dir, exist_ok=True)

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("LOAD " + quote(extensions[0]))
    connection.execute(f"CALL dbgen(sf = {arguments.sf})")
    for (table,) in connection.execute("SHOW TABLES").fetchall():
        path = os.path.join(arguments.dir, table + ".parquet")
        options = f"FORMAT parquet, COMPRESSION {arguments.compression}, ROW_GROUP_SIZE {arguments.row_group}"
        connection.execute(f"COPY {table} TO {quote(path)} ({options})")
        print(f"{path}: {os.path.getsize(path)} bytes")


def quote(text):
    return "'" + text.replace("'", "''") + "'"


main()
