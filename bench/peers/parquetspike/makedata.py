"""Writes the spike's Parquet files from TPC-H lineitem: makedata.py LINEITEM.parquet OUTPUT_DIR."""
import os
import sys

import duckdb
import pyarrow.parquet as pq

source, out = sys.argv[1], sys.argv[2]
os.makedirs(out, exist_ok=True)
rows = 20 * 122880
con = duckdb.connect()
con.execute("SET threads=1")
con.execute(f"""
CREATE TABLE t AS SELECT
  l_partkey::BIGINT AS i64_plain,
  l_suppkey::BIGINT AS i64_dict,
  CASE WHEN hash(rowid) % 10 = 0 THEN NULL ELSE l_partkey::BIGINT END AS i64_null,
  l_extendedprice::DOUBLE AS f64_plain,
  l_extendedprice::DECIMAL(15,2) AS dec15_2,
  l_comment AS str_plain,
  CASE WHEN hash(rowid) % 10 = 0 THEN NULL ELSE l_comment END AS str_null,
  l_shipmode AS str_dict
FROM (SELECT *, row_number() OVER () AS rowid FROM '{source}' LIMIT {rows})
""")
for name, options in {
    "duckdb_v1_snappy": "COMPRESSION snappy",
    "duckdb_v1_zstd": "COMPRESSION zstd",
    "duckdb_v2_zstd": "COMPRESSION zstd, PARQUET_VERSION v2",
}.items():
    con.execute(f"COPY t TO '{out}/{name}.parquet' (FORMAT parquet, ROW_GROUP_SIZE 122880, {options})")
con.execute(f"COPY (SELECT * FROM t LIMIT 5000) TO '{out}/small.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048, COMPRESSION zstd)")
table = con.execute("SELECT * FROM t").to_arrow_table()
pq.write_table(
    table, f"{out}/pyarrow_v2_snappy.parquet", row_group_size=122880, compression="snappy",
    data_page_version="2.0", use_dictionary=["i64_dict", "str_dict"], write_page_index=True,
)
