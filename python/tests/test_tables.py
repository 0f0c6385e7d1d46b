"""Tables have the numbers of CSV, whichever library reads them."""

from __future__ import annotations

import csv
import pathlib
import tempfile

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import DATA, HYBRID, PINGPONG, program
from hypothesis import given, settings
from hypothesis import strategies as st

import streamfold as sf
from streamfold._options import arguments

TIMES = st.one_of(st.none(), st.tuples(st.just("10%"), st.sampled_from(["50%", "90%", "end"])))
TRACES = st.sampled_from([PINGPONG, HYBRID, str(DATA / "intercomm" / "traces.otf2")])

# Each command with a table on standard output, its main table, and options that may be added.
COMMANDS = {
    "overview": ("regions", {}),
    "profile": (
        None,
        {
            "by": st.sampled_from(["region", "callpath", "group", "location", "process", "thread", "node"]),
            "sort": st.sampled_from([None, "name"]),
            "top": st.sampled_from([None, 1, 3]),
            "time": TIMES,
        },
    ),
    "match": ("matrix", {"by": st.sampled_from(["location", "process"]), "time": TIMES}),
    "waitstates": ("severities", {"worst": st.integers(1, 20), "time": TIMES}),
    "critical": ("by_call_path", {"time": TIMES}),
    "efficiency": ("factors", {"quick": st.booleans(), "bins": st.sampled_from([None, 3])}),
    "timeline": ("cells", {"time": TIMES}),
    "dfg": ("nodes", {}),
    "io": ("files", {}),
}


def same(value: object, text: str) -> bool:
    """Tells whether a value is that of CSV."""
    if value is None:
        return text == ""
    if isinstance(value, float):
        return text != "" and abs(value - float(text)) <= 1e-3 * max(1.0, abs(value))
    return str(value) == text


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_numbers_are_those_of_csv(data: st.DataObject) -> None:
    command = data.draw(st.sampled_from(sorted(COMMANDS)))
    main, choices = COMMANDS[command]
    trace = data.draw(TRACES)
    options = {name: data.draw(choice) for name, choice in choices.items()}
    if command == "profile" and options["by"] in ("process", "thread", "node"):
        options["sort"] = None
    words = [command, *arguments(options), "--", trace]
    answer = sf._streamfold.run_command(words)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.csv"
        # The overview has no files.
        to = {"format": "csv"} if command == "overview" else {"output": path}
        done = program(command, *arguments({**options, **to}), "--", trace)
        if answer.failure is not None:
            assert done.returncode == answer.failure.code, done.stderr
            return
        assert done.returncode == answer.code, done.stderr
        text = done.stdout if command == "overview" else path.read_text(encoding="utf-8")
    expected = list(csv.reader(text.splitlines()))
    table = answer.tables[0]
    assert main is None or table.name == main
    header, rows = expected[0], expected[1:]
    assert len(table) == len(rows)
    for at, name in enumerate(header):
        if name == "ticks_per_second" and name not in table.column_names:
            continue
        for value, row in zip(table.column(name), rows):
            assert same(value, row[at]), (words, name, value, row[at])


def test_all_libraries_read_the_same_stream() -> None:
    profile = sf.open(PINGPONG).profile()
    by_pyarrow = pyarrow.table(profile)
    by_polars = polars.DataFrame(profile)
    by_duckdb = duckdb.sql("select * from by_pyarrow").fetchall()
    by_pandas = profile.to_pandas()
    assert by_pyarrow.column_names == by_polars.columns == list(by_pandas.columns) == profile.column_names
    assert len(by_pyarrow) == len(by_polars) == len(by_duckdb) == len(by_pandas) == len(profile) > 0
    for name in ("name", "visits", "exclusive_ticks"):
        values = profile[name]
        at = profile.column_names.index(name)
        assert by_pyarrow[name].to_pylist() == values
        assert [str(value) for value in by_polars[name].to_list()] == [str(value) for value in values]
        assert [row[at] for row in by_duckdb] == values
        assert by_pandas[name].to_list() == values


def test_duckdb_reads_a_result_by_its_name() -> None:
    profile = sf.open(PINGPONG).profile()
    found = duckdb.sql("select sum(visits) from profile").fetchall()
    assert found == [(sum(profile["visits"]),)]


def test_units_of_time() -> None:
    profile = sf.open(PINGPONG).profile()
    resolution = int(profile.metadata["ticks_per_second"])
    ticks = profile.to_pandas(unit="ticks")["exclusive_ticks"]
    seconds = profile.to_pandas(unit="s")
    assert "exclusive_ticks" not in seconds.columns
    pandas.testing.assert_series_equal(seconds["exclusive"], ticks / resolution, check_names=False)
    nanoseconds = profile.to_pandas(unit="ns")["exclusive"]
    assert [int(value) for value in nanoseconds] == [(t * 10**9 + resolution // 2) // resolution for t in ticks]
    with pytest.raises(sf.UsageError, match="fortnights"):
        profile.to_pandas(unit="fortnights")


def test_small_tables_need_no_events() -> None:
    trace = sf.open(PINGPONG)
    assert trace.locations["name"] == ["Master thread", "Master thread"]
    assert "MPI_Send" in trace.regions["name"]
    assert trace.properties["format"].lower() == "otf2"
    assert int(trace.properties["ticks_per_second"]) > 0


def test_matrix() -> None:
    match = sf.open(PINGPONG).match()
    matrix = match.matrix(by="process")
    array = matrix.to_numpy()
    assert array.shape == (2, 2) and array.sum() == sum(match.tables["matrix"]["bytes"]) > 0
    assert list(matrix.to_pandas().columns) == matrix.labels
    assert (match.matrix(value="messages").to_numpy() >= 0).all()


def test_wait_states() -> None:
    waits = sf.open(PINGPONG).waitstates(worst=5)
    worst = waits.worst(3)
    assert len(worst) == 3 and worst[0]["ticks"] >= worst[2]["ticks"]
    assert "longest_ticks" in waits.causes.column_names
    with pytest.raises(AttributeError, match="causes"):
        waits.no_such_table


def test_shown_in_terminals_and_notebooks() -> None:
    trace = sf.open(PINGPONG)
    assert repr(trace) == program("-q", PINGPONG).stdout.rstrip("\n")
    assert "<pre>" in trace._repr_html_() and "locations" in trace._repr_html_()
    profile = trace.profile()
    assert "MPI_Send" in profile._repr_html_() and "MPI_Send" in repr(profile)
    assert repr(profile.tables).startswith("{")
    small = trace.locations
    assert len(small) == 2 and "location" in repr(small)


def test_validate() -> None:
    document = sf.open(PINGPONG).validate()
    assert document["defects"] == []


def test_files(tmp_path: pathlib.Path) -> None:
    trace = sf.open(PINGPONG)
    trace.report(tmp_path / "r.html")
    trace.convert(tmp_path / "t.pftrace")
    trace.timeline(tmp_path / "heat.svg")
    assert all((tmp_path / name).stat().st_size > 0 for name in ("r.html", "t.pftrace", "heat.svg"))
    assert trace.timeline() is not None
    with pytest.raises(sf.Error, match="exists"):
        trace.convert(tmp_path / "t.pftrace")


def test_diff() -> None:
    assert len(sf.diff(PINGPONG, PINGPONG).fail_over("10%")) > 0
    with pytest.raises(sf.Slower) as slower:
        sf.diff(PINGPONG, HYBRID).fail_over("1%")
    assert slower.value.failures and slower.value.code == 6
    assert pyarrow.table(sf.diff(PINGPONG, [PINGPONG])).num_rows > 0
