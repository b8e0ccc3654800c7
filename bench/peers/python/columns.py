"""Columns sorted by Arrow, Polars, pandas, NumPy, DuckDB, DataFusion and ClickHouse (chDB).

The argument is the number of threads. README.md has the protocol, columns.go the columns.
"""

import os
import sys
import time

THREADS = int(sys.argv[1])
os.environ["POLARS_MAX_THREADS"] = os.environ["TOKIO_WORKER_THREADS"] = str(THREADS)

import chdb.session
import datafusion
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

pa.set_cpu_count(THREADS)
GROUPS = [("g", "ascending"), ("v", "descending")]
KEYS = {  # of the orders
    "one": [("a", "ascending")],
    "two": GROUPS,
    "four": [(name, "ascending") for name in "sgda"],
    "text": [("t", "ascending")],
    "nulls": [("m", "ascending")],
}


def load(folder, n):
    """The table as Arrow has it."""
    read = lambda name, kind: np.fromfile(os.path.join(folder, name), kind)
    buffer = lambda name: pa.py_buffer(read(name, np.uint8).tobytes())
    return pa.table(
        {
            "a": pa.array(read("a", np.int64)),
            "g": pa.array(read("g", np.int32)),
            "v": pa.array(read("v", np.float64)),
            "d": pa.array(read("d", np.int32)),
            "s": pa.array(read("s", np.int32)),
            "m": pa.Array.from_buffers(pa.float64(), n, [buffer("m.valid"), buffer("m")]),
            "t": pa.Array.from_buffers(pa.string(), n, [None, buffer("t.offsets"), buffer("t")]),
            "row": pa.array(np.arange(n, dtype=np.int64)),
        }
    )


class Arrow:
    ops = [*KEYS, "top", "table"]

    def __init__(self, table):
        self.table = table
        self.five = table.select(["a", "g", "v", "d", "t"])

    def order(self, keys):
        return pc.sort_indices(self.table, sort_keys=keys)  # nulls last by default

    def top(self):
        return pc.select_k_unstable(self.table, 100, sort_keys=[("v", "descending")])

    def whole(self):
        return self.five.take(pc.sort_indices(self.five, sort_keys=GROUPS))


class Polars:
    ops = [*KEYS, "top", "table", "rank"]

    def __init__(self, table):
        self.frame = pl.from_arrow(table, rechunk=True)
        self.five = self.frame.select("a", "g", "v", "d", "t")

    def order(self, keys):
        if len(keys) == 1:
            return self.frame[keys[0][0]].arg_sort(nulls_last=True)
        down = [way == "descending" for _, way in keys]
        return self.frame.select(pl.arg_sort_by([name for name, _ in keys], descending=down, nulls_last=True)).to_series()

    def top(self):
        return self.frame.select("row", "v").top_k(100, by="v").sort("v", descending=True)["row"]

    def whole(self):
        return self.five.sort("g", "v", descending=[False, True])

    def rank(self):
        return self.frame.select(pl.col("v").rank("min", descending=True).over("g")).to_series()


class Pandas:
    ops = [*KEYS, "top", "table", "rank"]

    def __init__(self, table):
        self.frame = table.to_pandas()
        self.five = self.frame[["a", "g", "v", "d", "t"]]

    def order(self, keys):
        names = [name for name, _ in keys]
        return self.frame[names].sort_values(names, ascending=[way == "ascending" for _, way in keys]).index

    def top(self):
        return self.frame["v"].nlargest(100).index

    def whole(self):
        return self.five.sort_values(["g", "v"], ascending=[True, False])

    def rank(self):
        return self.frame.groupby("g")["v"].rank("min", ascending=False)


class NumPy:
    ops = ["one", "two", "four", "top"]

    def __init__(self, table):
        self.of = {name: table[name].to_numpy() for name in "agvds"}

    def order(self, keys):
        columns = [self.of[name] if way == "ascending" else -self.of[name] for name, way in keys]
        return np.argsort(columns[0]) if len(keys) == 1 else np.lexsort(columns[::-1])

    def top(self):
        v = -self.of["v"]
        rows = np.argpartition(v, 100)[:100]
        return rows[np.argsort(v[rows])]


class SQL:
    """An engine that run(query) asks for an Arrow table."""

    ops = [*KEYS, "top", "table", "rank"]

    def order(self, keys):
        by = ", ".join(name + (" desc" if way == "descending" else "") for name, way in keys)
        return self.run(f"select row from t order by {by} nulls last")["row"]

    def top(self):
        return self.run("select row from t order by v desc limit 100")["row"]

    def whole(self):
        return self.run("select a, g, v, d, t from t order by g, v desc")

    def rank(self):
        return self.run("select row, rank() over (partition by g order by v desc) as place from t")


class DuckDB(SQL):
    def __init__(self, table):
        self.connection = duckdb.connect(config={"threads": THREADS})
        self.connection.register("arrow", table)
        self.connection.execute("create table t as select * from arrow")

    def run(self, query):
        return self.connection.sql(query).to_arrow_table()


class DataFusion(SQL):
    def __init__(self, table):
        config = datafusion.SessionConfig().with_target_partitions(THREADS)
        self.context = datafusion.SessionContext(config)
        batches = table.to_batches(max_chunksize=8192)
        self.context.register_record_batches("t", [batches[k::THREADS] for k in range(THREADS)])

    def run(self, query):
        return pa.Table.from_batches(self.context.sql(query).collect())


class ChDB(SQL):
    def __init__(self, table):
        self.session = chdb.session.Session()
        global chdb_table
        chdb_table = table
        self.session.query(f"set max_threads = {THREADS}")
        self.session.query("create table t engine = Memory as select * from Python(chdb_table)")

    def run(self, query):
        return pa.ipc.open_file(self.session.query(f"{query} settings max_threads = {THREADS}", "Arrow").bytes()).read_all()

    def __del__(self):
        self.session.close()


PEERS = {"pyarrow": Arrow, "polars": Polars, "pandas": Pandas, "numpy": NumPy, "duckdb": DuckDB, "datafusion": DataFusion, "chdb": ChDB}


def key_sum(words):
    words = np.ascontiguousarray(words)
    words = words.view("u%d" % words.itemsize).astype(np.uint64)
    return (words * np.arange(1, 2 * len(words), 2, dtype=np.uint64)).sum(dtype=np.uint64)


class Check:
    """Sums of results, as ours/columns.go has them."""

    def __init__(self, table):
        self.a, self.v = (table[name].to_numpy() for name in "av")
        self.of = {name: table[name].to_numpy().view(np.uint64) for name in "av"}
        g = table["g"].to_numpy().astype(np.uint64)
        first, last = self.ends(table["t"])
        self.keys = {
            "one": self.of["a"],
            "two": (g << np.uint64(32)) + self.of["v"],
            "four": self.of["a"],
            "text": np.uint64(3) * first + last,
            "nulls": np.where(table["m"].is_valid().to_numpy(), table["m"].fill_null(0).to_numpy().view(np.uint64), np.uint64(7)),
        }

    @staticmethod
    def ends(column):
        """The first and the last 8 bytes of each text."""
        column = column.cast(pa.large_string()).combine_chunks()
        _, offsets, text = column.buffers()
        at = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
        text = np.frombuffer(text, np.uint8)
        word = lambda begin: sum(text[begin + k].astype(np.uint64) << np.uint64(8 * k) for k in range(8))
        return word(at[:-1]), word(at[1:] - 8)

    def sum(self, op, result):
        if op == "top":
            return key_sum(self.v[np.asarray(result)])
        if op == "rank":
            if isinstance(result, pa.Table):
                places = np.empty(len(self.v), np.uint64)
                places[result["row"].to_numpy()] = result["place"].to_numpy()
                return key_sum(places)
            return key_sum(np.asarray(result).astype(np.uint64))
        if op == "table":
            table = result if isinstance(result, pa.Table) else result.to_arrow() if isinstance(result, pl.DataFrame) else pa.Table.from_pandas(result)
            word = lambda name, kind: table[name].to_numpy().view(kind).astype(np.uint64)
            first, last = self.ends(table["t"])
            mixed = (word("g", np.uint32) << np.uint64(32)) + word("v", np.uint64)
            return key_sum(word("a", np.uint64) + np.uint64(5) * mixed + word("d", np.uint32) + np.uint64(3) * first + last)
        rows = np.asarray(result)
        return key_sum(self.keys[op][rows]) + (rows.astype(np.uint64) ** 2).sum(dtype=np.uint64)


def main():
    print("version pyarrow", pa.__version__, "polars", pl.__version__, "pandas", pd.__version__, "NumPy", np.__version__)
    print("version duckdb", duckdb.__version__, "datafusion", datafusion.__version__, "chdb", chdb.__version__)
    for name, peer in PEERS.items():
        for op in peer.ops:
            print("offer", name, op, "columns")
    print("ready", flush=True)
    have, loaded = None, {}
    for line in sys.stdin:
        name, op, _, n, folder = line.split()
        if have != folder:
            loaded.clear()
            have, table = folder, load(folder, int(n))
            check = Check(table)
        if name not in loaded:
            loaded[name] = PEERS[name](table)
        peer = loaded[name]
        f = {"top": lambda: peer.top(), "table": lambda: peer.whole(), "rank": lambda: peer.rank()}.get(op, lambda: peer.order(KEYS[op]))
        cpu, start = time.process_time_ns(), time.perf_counter_ns()
        result = f()
        wall = time.perf_counter_ns() - start
        cpu = time.process_time_ns() - cpu
        print(wall, cpu, int(check.sum(op, result)), flush=True)


main()
