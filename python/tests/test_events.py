"""Events in batches: the rows of Parquet, bounded, and ended by whatever happens."""

from __future__ import annotations

import pathlib
import threading
import time

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import HYBRID, PINGPONG, program

import streamfold as sf


def threads() -> list[str]:
    """Names of threads of this process that read events."""
    tasks = pathlib.Path("/proc/self/task").glob("*/comm")
    return [name for name in (task.read_text().strip() for task in tasks) if name.startswith("streamfold-")]


def none_left() -> bool:
    deadline = time.monotonic() + 20
    while threads() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not threads()


@pytest.mark.parametrize("trace", [PINGPONG, HYBRID])
def test_rows_are_those_of_parquet(trace: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "e.parquet"
    assert program("convert", trace, "-o", str(path)).returncode in (0, 3)
    expected = pyarrow.parquet.read_table(path)
    batches = [pyarrow.record_batch(batch) for batch in sf.open(trace).events(rows=100)]
    assert all(batch.num_rows <= 100 for batch in batches)
    found = pyarrow.Table.from_batches(batches)
    assert found.column_names == expected.column_names
    for name in found.column_names:
        assert found[name].to_pylist() == expected[name].to_pylist(), name
    assert sf.open(trace).events().metadata["ticks_per_second"] == expected.schema.metadata[b"ticks_per_second"].decode()


def test_all_libraries_read_the_stream() -> None:
    trace = sf.open(PINGPONG)
    names = ["location", "time_ticks", "region_name"]
    expected = pyarrow.table(trace.events(columns=names)).to_pylist()
    assert polars.DataFrame(trace.events(columns=names)).rows() == [tuple(row.values()) for row in expected]
    events = trace.events(columns=names)
    assert duckdb.sql("select * from events").fetchall() == [tuple(row.values()) for row in expected]
    frame = trace.events(columns=names).to_pandas()
    assert frame["time_ticks"].to_list() == [row["time_ticks"] for row in expected]


def test_where_chooses_regions() -> None:
    trace = sf.open(PINGPONG)
    every = [name for batch in trace.events() for name in batch.column("region_name")]
    some = [name for batch in trace.events(where="mpi_send|main") for name in batch.column("region_name")]
    assert some == [name for name in every if name and ("MPI_Send" in name or "main" in name.lower())] != []


def test_wrong_arguments() -> None:
    trace = sf.open(PINGPONG)
    with pytest.raises(sf.UsageError, match="time_ticks"):
        trace.events(columns=["nothing"])
    with pytest.raises(sf.UsageError, match="--no-such"):
        trace.events(no_such=1)
    with pytest.raises(sf.UsageError):
        trace.events(where="(")
    with pytest.raises(sf.UsageError):
        trace.events(rows=0)


def test_an_exception_in_a_loop_ends_the_reader(large: str) -> None:
    events = sf.open(large).events(rows=10)
    with pytest.raises(ZeroDivisionError):
        for batch in events:
            assert len(batch) == 10
            1 / 0
    assert none_left(), threads()


def test_a_loop_that_ends_early_ends_the_reader(large: str) -> None:
    for _ in sf.open(large).events(rows=10):
        break
    with sf.open(large).events(rows=10) as events:
        next(iter(events))
    sf.open(large).events(rows=10)
    assert none_left(), threads()


def test_no_more_is_read_than_is_wanted(large: str) -> None:
    events = sf.open(large).events(rows=1000)
    iterator = iter(events)
    next(iterator)
    # The reader is some batches ahead, and waits.
    time.sleep(0.3)
    assert threads()
    assert sum(len(batch) for batch in iterator) == 2 * 60_000 - 1000
    assert none_left(), threads()


def test_readers_in_several_threads() -> None:
    counts: list[int] = []

    def count() -> None:
        counts.append(sum(len(batch) for batch in sf.open(PINGPONG).events(rows=7)))

    workers = [threading.Thread(target=count) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(counts) == 4 and len(set(counts)) == 1 and counts[0] > 0


def test_a_trace_that_vanishes(archive: pathlib.Path) -> None:
    trace = sf.open(archive)
    events = trace.events(rows=1)
    for path in sorted(archive.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    # Whatever was open is read; what was not is lost, and that is said.
    with pytest.warns(sf.LossWarning):
        for _ in events:
            pass
    assert none_left(), threads()
    with pytest.raises(sf.Error):
        trace.profile()
