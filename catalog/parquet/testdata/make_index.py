"""Makes pyarrow_pages.parquet (page index) and duckdb_bloom.parquet (bloom filters), with pyarrow 26 and DuckDB 1.5.6."""

import datetime
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

random.seed(7)
ids = list(range(12000))
table = pa.table({
    'id': pa.array(ids, pa.int64()),
    'd': pa.array([None if i % 7 == 3 or 4000 <= i < 4600 else datetime.date(2020, 1, 1) + datetime.timedelta(days=i // 40) for i in ids], pa.date32()),
    's': pa.array([None if i % 11 == 0 else 'k%05d' % (i // 3) for i in ids]),
    'f': pa.array([float('nan') if i % 97 == 0 else i / 8 for i in ids], pa.float64()),
    'r': pa.array([random.randrange(1000000) for i in ids], pa.int32()),
    'st': pa.array([None if i % 13 == 0 else {'a': i // 5} for i in ids], pa.struct([('a', pa.int32())])),
    'l': pa.array([[i, i + 1] if i % 3 else [] for i in ids], pa.list_(pa.int32())),
})
pq.write_table(table, 'pyarrow_pages.parquet', write_page_index=True, data_page_size=1500, write_batch_size=128, row_group_size=5000, compression='zstd', use_dictionary=['r'])
con = duckdb.connect()
con.execute("""
copy (
    select (i % 60) * 7 as k, 'key ' || ((i % 80) * 3) as s, ((i % 25) * 5 - 60)::tinyint as t, date '2024-01-01' + ((i % 30) * 2)::int as d, timestamp '2024-01-01' + to_hours((i % 40) * 3) as ts,
        (case when i % 9 <> 0 then (i % 50) * 4 end)::uinteger as u
    from range(6000) r(i)
) to 'duckdb_bloom.parquet' (row_group_size 2048, compression zstd)""")
