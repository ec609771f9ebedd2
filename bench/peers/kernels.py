"""Runs kernels of Arrow C++ for kernels.go: reads requests, a JSON object a line, and answers each with a line.

{"load": "file.arrow"} reads the columns. {"op": "filter", "args": ["int64", "selection"], "nanos": 1000000} runs an operation again
and again for so long and answers with the nanoseconds of one run; with "out" it runs once and writes the result there.
"""

import json
import sys
import time

import pyarrow as pa
import pyarrow.compute as pc

pa.set_cpu_count(1)

fifty = pa.scalar(50)
safe = {t: pc.CastOptions.safe(t) for t in (pa.int32(), pa.int64(), pa.float64())}

operations = {
    "less than constant": lambda a: pc.less(a, fifty.cast(a.type)),
    "less": pc.less,
    "equal to constant": lambda a: pc.equal(a, text),
    "filter": lambda a, s: a.filter(s),
    "take": lambda a, i: a.take(i),
    "and (Kleene)": pc.and_kleene,
    "not": pc.invert,
    "is null": pc.is_null,
    "cast to int64": lambda a: pc.cast(a, options=safe[pa.int64()]),
    "cast to int32": lambda a: pc.cast(a, options=safe[pa.int32()]),
    "cast to float64": lambda a: pc.cast(a, options=safe[pa.float64()]),
    "coalesce": pc.coalesce,
    "if else": pc.if_else,
    "sum": pc.sum,
    "min": pc.min,
    "max": pc.max,
    "decode": lambda a: pc.run_end_decode(a) if pa.types.is_run_end_encoded(a.type) else a.dictionary_decode(),
    "sort indices": lambda a: pc.array_sort_indices(a),
}

columns = {}
text = None

for line in sys.stdin:
    request = json.loads(line)
    if "load" in request:
        with pa.memory_map(request["load"]) as source:
            table = pa.ipc.open_file(source).read_all()
        columns = {name: table[name].chunk(0) for name in table.column_names}
        text = pa.scalar("customer 50 of the north")
        print(json.dumps({"version": pa.__version__}), flush=True)
        continue
    run = operations[request["op"]]
    args = [columns[name] for name in request["args"]]
    if "out" in request:
        result = run(*args)
        if isinstance(result, pa.Scalar):
            result = pa.array([result.as_py()], result.type)
        batch = pa.record_batch([result], names=["result"])
        with pa.OSFile(request["out"], "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        print("{}", flush=True)
        continue
    count, start = 0, time.perf_counter_ns()
    while True:
        run(*args)
        count += 1
        taken = time.perf_counter_ns() - start
        if taken >= request["nanos"]:
            break
    print(json.dumps({"nanos": taken / count}), flush=True)
