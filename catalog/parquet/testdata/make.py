# Makes the files of this directory: one column per physical and logical type, in every encoding and codec, with and without nulls.
# Needs the pyarrow and duckdb packages:  python make.py
import datetime, decimal, gzip, json, os, struct, uuid
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

here = os.path.dirname(os.path.abspath(__file__))
decimal.getcontext().prec = 80
rows = 250
expected = {}


def path(name):
    return os.path.join(here, name + ".parquet")


def column(make, nulls):
    return [None if nulls and (i % 7 == 3 or 60 <= i < 130) else make(i % 97) for i in range(rows)]


def value(x):
    """Gives a value as the Go test does, from what was written and not from any reader."""
    if x is None or isinstance(x, (bool, str)):
        return x
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        return str(struct.unpack("<q", struct.pack("<d", x))[0])
    if isinstance(x, decimal.Decimal):
        return str(int(x.scaleb(-x.as_tuple().exponent)))
    if isinstance(x, datetime.datetime):
        return str((x.replace(tzinfo=None) - start) // datetime.timedelta(microseconds=1))
    if isinstance(x, datetime.date):
        return str((x - start.date()).days)
    if isinstance(x, datetime.time):
        return str(((x.hour * 60 + x.minute) * 60 + x.second) * 10**6 + x.microsecond)
    if isinstance(x, bytes):
        return x.hex()
    if isinstance(x, uuid.UUID):
        return x.bytes.hex()
    if isinstance(x, dict):
        return [value(y) for y in x.values()]
    return [value(y) for y in x]


def expect(name, columns):
    expected[name] = {c: [value(x) for x in xs] for c, xs in columns.items()}


words = ["", "a", "ab", "twelve bytes", "thirteen bytes", "größer als zwölf Byte", "日本語テキスト", "x" * 40]
utc = datetime.timezone.utc
start = datetime.datetime(1970, 1, 1)


def flat(nulls):
    d = lambda p, s: (lambda i: decimal.Decimal((i * 7919 - 250000) % 10**p - 10**p // 2).scaleb(-s))
    columns = {
        "bool": (pa.bool_(), lambda i: i % 3 == 0),
        "i8": (pa.int8(), lambda i: i % 256 - 128),
        "i16": (pa.int16(), lambda i: i * 91 % 65536 - 32768),
        "i32": (pa.int32(), lambda i: (i * 2654435761) % 2**32 - 2**31),
        "i64": (pa.int64(), lambda i: (i * 11400714819323198485) % 2**64 - 2**63),
        "u8": (pa.uint8(), lambda i: i % 256),
        "u16": (pa.uint16(), lambda i: i * 91 % 65536),
        "u32": (pa.uint32(), lambda i: (i * 2654435761) % 2**32),
        "u64": (pa.uint64(), lambda i: (i * 11400714819323198485) % 2**64),
        "f16": (pa.float16(), lambda i: i / 4 - 60),
        "f32": (pa.float32(), lambda i: i / 8 - 9),
        "f64": (pa.float64(), lambda i: float("nan") if i == 5 else float("inf") if i == 6 else i / 3),
        "d5": (pa.decimal128(5, 2), d(5, 2)),
        "d15": (pa.decimal128(15, 2), d(15, 2)),
        "d30": (pa.decimal128(30, 5), d(30, 5)),
        "d60": (pa.decimal256(60, 7), d(60, 7)),
        "date": (pa.date32(), lambda i: (start + datetime.timedelta(days=i * 37 - 9000)).date()),
        "time_ms": (pa.time32("ms"), lambda i: datetime.time(i % 24, i % 60, i % 59, i % 1000 * 1000)),
        "time_us": (pa.time64("us"), lambda i: datetime.time(i % 24, i % 60, i % 59, i * 37 % 1000000)),
        "ts_ms": (pa.timestamp("ms"), lambda i: start + datetime.timedelta(milliseconds=i * 123456789 - 10**10)),
        "ts_us": (pa.timestamp("us"), lambda i: start + datetime.timedelta(microseconds=i * 123456789 - 10**10)),
        "ts_ns": (pa.timestamp("ns"), lambda i: start + datetime.timedelta(microseconds=i * 123456789 - 10**10)),
        "tstz": (pa.timestamp("us", tz="UTC"), lambda i: start.replace(tzinfo=utc) + datetime.timedelta(microseconds=i * 987654321)),
        "str": (pa.string(), lambda i: words[i % 8] * (i % 3)),
        "str_unique": (pa.string(), lambda i: "prefix %06d %s" % (i // 3, words[i % 8])),
        "bin": (pa.binary(), lambda i: bytes([i % 256, 255, 0]) * (i % 9)),
        "fixed": (pa.binary(5), lambda i: bytes([i % 11, 1, 2, 255, i % 256])),
    }
    fields, arrays, source = [], [], {}
    for name, (typ, make) in columns.items():
        values = column(make, nulls)
        arrays.append(pa.array(values, typ))
        source[name] = values
        fields.append(pa.field(name, typ, nullable=nulls))
    source["uuid"] = [uuid.UUID(int=i % 97 * 0x123456789ABCDEF0123456789ABCDE % 2**128) for i in range(rows)]
    arrays.append(pa.array([u.bytes for u in source["uuid"]], pa.uuid()))
    fields.append(pa.field("uuid", pa.uuid(), nullable=False))
    expect("nulls" if nulls else "flat", source)
    return pa.table(arrays, schema=pa.schema(fields))


def write(table, name, **options):
    pq.write_table(table, path(name), store_schema=False, row_group_size=170, **options)


plain, nulls = flat(False), flat(True)
write(plain, "flat_v1_snappy_plain", use_dictionary=False, compression="snappy", write_page_checksum=True)
write(plain, "flat_v2_zstd_dictionary", data_page_version="2.0", compression="zstd", write_page_checksum=True)
write(nulls, "nulls_v1_gzip_dictionary", compression="gzip", data_page_size=500)
write(nulls, "nulls_v2_none_plain", use_dictionary=False, data_page_version="2.0", compression="none", max_rows_per_page=90)
write(nulls.select(["d5", "d15", "d30"]), "nulls_v2_zstd_decimal_int", data_page_version="2.0", compression="zstd", store_decimal_as_integer=True)
# Dictionaries that fill up, so that pages of one chunk change from indices to values.
write(nulls.select(["u8", "i64", "f64", "d30", "date", "str", "str_unique", "bin", "fixed"]), "nulls_v1_snappy_fallback", compression="snappy", dictionary_pagesize_limit=600, data_page_size=300, write_batch_size=64)

encodings = {}
for f in nulls.schema:
    t = f.type
    if pa.types.is_string(t) or pa.types.is_binary(t):
        encodings[f.name] = "DELTA_LENGTH_BYTE_ARRAY" if f.name == "str" else "DELTA_BYTE_ARRAY"
    elif pa.types.is_boolean(t):
        encodings[f.name] = "RLE"
    elif pa.types.is_floating(t) or pa.types.is_fixed_size_binary(t) or pa.types.is_decimal(t) or f.name in ("uuid", "u32"):
        encodings[f.name] = "BYTE_STREAM_SPLIT"
    else:
        encodings[f.name] = "DELTA_BINARY_PACKED"
for name, table in (("flat", plain), ("nulls", nulls)):
    write(table, name + "_v2_snappy_delta", use_dictionary=False, data_page_version="2.0", compression="snappy", column_encoding=encodings,
          max_rows_per_page=150)
write(nulls.select(["fixed", "d5", "d30", "uuid"]), "nulls_fixed_delta_byte_array", use_dictionary=False,
      column_encoding={n: "DELTA_BYTE_ARRAY" for n in ("fixed", "d5", "d30", "uuid")})
pq.write_table(nulls.select(["ts_us", "ts_ns"]), path("int96"), use_deprecated_int96_timestamps=True, store_schema=False)

# Nested columns.
n = 200
ints = lambda i: None if i % 9 == 4 else [None if (i + j) % 5 == 2 else i * 10 + j for j in range(i % 4)]
columns = {
    "id": (pa.int32(), list(range(n))),
    "l": (pa.list_(pa.int64()), [ints(i) for i in range(n)]),
    "ls": (pa.list_(pa.string()), [None if i % 6 == 5 else [None if j == 2 else words[(i + j) % 8] for j in range(i % 5)] for i in range(n)]),
    "ll": (pa.list_(pa.list_(pa.int64())), [None if i % 8 == 7 else [ints(i + k) for k in range(i % 3)] for i in range(n)]),
    "s": (pa.struct([("a", pa.int32()), ("b", pa.string()), ("t", pa.struct([("c", pa.float64())]))]),
          [None if i % 10 == 3 else {"a": None if i % 4 == 1 else i, "b": words[i % 8], "t": None if i % 7 == 2 else {"c": i / 2}}
           for i in range(n)]),
    "m": (pa.map_(pa.string(), pa.int32()),
          [None if i % 11 == 6 else [("k%d" % j, None if j == 1 else i + j) for j in range(i % 4)] for i in range(n)]),
    "lst": (pa.list_(pa.struct([("x", pa.int32()), ("y", pa.list_(pa.int64()))])),
            [None if i % 5 == 4 else [None if j == 1 else {"x": i + j, "y": ints(j)} for j in range(i % 4)] for i in range(n)]),
}
nested = pa.table({name: pa.array(values, typ) for name, (typ, values) in columns.items()})
expect("nested", {name: values for name, (_, values) in columns.items()})
pq.write_table(nested, path("nested_v1"), store_schema=False, row_group_size=120, data_page_size=200, compression="snappy")
pq.write_table(nested, path("nested_v2"), store_schema=False, row_group_size=120, max_rows_per_page=60, data_page_version="2.0", compression="zstd")

# What Arrow does not write: JSON, ENUM, INTERVAL, HUGEINT as DOUBLE.
c = duckdb.connect()
c.execute(f"""COPY (SELECT i::INTEGER AS id, ('{{"a":' || i || '}}')::JSON AS j, (['red','green','blue'])[i % 3 + 1]::ENUM('red','green','blue') AS e,
  to_months(i::INTEGER) + to_days((i*2)::INTEGER) + to_milliseconds(i*1000) AS v, CASE WHEN i % 5 = 0 THEN NULL ELSE 'p' || i END AS s
  FROM range(200) t(i)) TO '{path("duckdb")}' (FORMAT parquet, COMPRESSION zstd)""")
# An ARRAY that is NULL is written as a list that goes on without elements.
c.execute(f"""COPY (SELECT * FROM (VALUES
  (1, [1,2,3]::INT[3], [['a','b'],['c',NULL]]::VARCHAR[2][2], {{'p': [1.5,NULL]::DOUBLE[2]}}, [[1],[],NULL]::INT[][3]),
  (2, NULL, NULL, NULL, NULL),
  (3, [NULL,5,6]::INT[3], [NULL,['x','y']]::VARCHAR[2][2], {{'p': NULL}}, [NULL,[2,3],[]]::INT[][3]),
  (4, [7,8,9]::INT[3], [['d','e'],['f','g']]::VARCHAR[2][2], {{'p': [3,4]::DOUBLE[2]}}, [[4],[5],[6]]::INT[][3])) t(id, a, b, c, d))
  TO '{path("duckdb_arrays")}' (FORMAT parquet, COMPRESSION uncompressed)""")
with gzip.GzipFile(path("expected")[:-len(".parquet")] + ".json.gz", "wb", mtime=0) as f:
    f.write(json.dumps(expected).encode())
print(sum(os.path.getsize(os.path.join(here, f)) for f in os.listdir(here)), "bytes")
