"""Ends, forks, signals and odd arguments, where people have found trouble."""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import HYBRID, PINGPONG

import streamfold as sf
from streamfold._frames import _in_unit, in_seconds


@pytest.fixture
def damaged(archive: pathlib.Path) -> str:
    """An archive with half of each file of events."""
    for events in archive.parent.rglob("*.evt"):
        events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
    return str(archive)


def run(script: str, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(script), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **more)  # type: ignore[call-overload]


@pytest.mark.parametrize("read", [pyarrow.table, polars.DataFrame, lambda events: duckdb.sql("select count(*) from events").fetchall()])
def test_losses_of_a_stream_are_warnings(damaged: str, read: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = sf.open(damaged)
    events = trace.events()
    assert events.losses == []
    with pytest.warns(sf.LossWarning):
        read(events)  # type: ignore[operator]
        for _ in range(10):
            time.sleep(0)
    assert events.losses


@pytest.mark.parametrize("work", ["t.profile()", "sum(1 for _ in t.events(rows=5))", "t.match()"])
def test_the_interpreter_ends_while_threads_call(large: str, work: str) -> None:
    script = f"""
        import sys, threading, time
        import streamfold as sf
        t = sf.open(sys.argv[1], threads=1)
        def go():
            while True:
                {work}
        for _ in range(3):
            threading.Thread(target=go, daemon=True).start()
        time.sleep(0.6)
    """
    begin = time.monotonic()
    done = run(script, large)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert time.monotonic() - begin < 20


def test_events_that_nobody_reads_do_not_keep_the_interpreter(large: str) -> None:
    script = """
        import atexit, sys, time
        import streamfold as sf
        events = sf.open(sys.argv[1]).events(rows=1)
        next(events)
        sf.atexit.unregister(sf._streamfold.end_calls)
        def end():
            begin = time.monotonic()
            sf._streamfold.end_calls(30.0)
            assert time.monotonic() - begin < 15
        atexit.register(end)
    """
    done = run(script, large)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "work",
    ["duckdb.sql('select count(*), max(region_name) from e').fetchall()", "polars.DataFrame(e)", "pyarrow.table(e)"],
)
def test_ctrl_c_in_a_library(large: str, work: str) -> None:
    script = f"""
        import signal, sys, time
        import duckdb, polars, pyarrow
        import streamfold as sf
        t = sf.open(sys.argv[1], threads=1)
        for rows in (5, 1):
            before = time.monotonic()
            e = t.events(rows=rows)
            {work}
            whole = time.monotonic() - before
            if whole > 1:
                break
        print("whole", whole, flush=True)
        try:
            e = t.events(rows=rows)
            print("begin", flush=True)
            try:
                {work}
                print("read to the end", flush=True)
            except Exception as error:
                # The stream has ended with an error; that of Python comes behind it.
                print(type(error).__name__, end=" ")
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), large], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    # DuckDB has lines of its own between those of the script.
    whole = next(float(line.split()[1]) for line in process.stdout if line.startswith("whole"))
    assert any(line == "begin\n" for line in process.stdout)
    time.sleep(whole / 10)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = next(line for line in process.stdout if "interrupted" in line or "to the end" in line)
    assert said.endswith("interrupted\n"), said
    assert time.monotonic() - begin < whole * 0.7, whole
    process.wait(20)


def test_the_handler_of_ctrl_c_stays() -> None:
    before = signal.getsignal(signal.SIGINT)
    pyarrow.table(sf.open(PINGPONG).events())
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_events_are_read_once() -> None:
    trace = sf.open(PINGPONG)
    events = trace.events(rows=10)
    pyarrow.table(events)
    for read in (pyarrow.table, list, next):
        with pytest.raises(RuntimeError, match="again"):
            read(events)
    events = trace.events(rows=10)
    for _ in events:
        break
    with pytest.raises(RuntimeError, match="again"):
        list(events)
    with pytest.raises(RuntimeError, match="again"):
        pyarrow.table(events)


def test_next() -> None:
    events = sf.open(PINGPONG).events(rows=10)
    first = next(events)
    assert len(first) == 10
    rest = sum(len(batch) for batch in events)
    assert rest + 10 == sum(len(batch) for batch in sf.open(PINGPONG).events())
    events = sf.open(PINGPONG).events(where="zzzz")
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(events)


def test_events_stay_in_their_process(large: str) -> None:
    script = """
        import os, sys
        import pyarrow
        import streamfold as sf
        events = sf.open(sys.argv[1]).events(rows=10)
        next(events)
        if os.fork() == 0:
            for read in (next, pyarrow.table, list):
                try:
                    read(events)
                except RuntimeError as error:
                    assert "fork" in str(error)
                else:
                    os._exit(3)
            events.close()
            del events
            sf.open(sys.argv[1]).regions
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
        assert sum(len(batch) for batch in events) > 0
    """
    done = run(script, large)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("options", [{"output": "x.csv"}, {"format": "json"}, {"help": True}, {"json": True}])
def test_tables_are_not_written(options: dict[str, object], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = sf.open(PINGPONG)
    for call in (trace.profile, trace.match, trace.waitstates, trace.critical):
        with pytest.raises(sf.UsageError, match=next(iter(options))):
            call(**options)
    assert list(tmp_path.iterdir()) == []


def test_wrong_values_are_found_at_once() -> None:
    with pytest.raises(sf.UsageError, match="memory"):
        sf.open(PINGPONG, memory="abc")
    trace = sf.open(PINGPONG, memory="2GB")
    for options in ({"columns": []}, {"rows": -1}, {"rows": 0}, {"columns": ["kind", "kind"]}):
        with pytest.raises(sf.UsageError):
            trace.events(**options)  # type: ignore[arg-type]
    with pytest.raises(sf.UsageError, match="per"):
        trace.profile(per="location", by="region")
    assert trace.profile(per="location").column_names == trace.profile(by="location").column_names


def test_as_many_waits_as_are_wanted() -> None:
    waits = sf.open(PINGPONG).waitstates()
    every = len(sf.open(PINGPONG).waitstates(worst=1000).tables["worst"])
    assert every > 10
    assert len(waits.worst(1000)) == every
    assert waits.worst(3) == waits.worst(1000)[:3]
    with pytest.raises(sf.UsageError):
        waits.worst(-1)


def test_ranks_without_a_communicator(tmp_path: pathlib.Path) -> None:
    script = f"""
        import streamfold as sf
        try:
            sf.open({PINGPONG!r})
        except sf.UsageError as error:
            assert "comm=MPI.COMM_WORLD" in str(error) and "comm=False" in str(error)
        else:
            raise SystemExit("not refused")
        sf.open({PINGPONG!r}, comm=False)
        for call in (lambda comm: sf.run("info", {PINGPONG!r}, comm=comm), lambda comm: sf.diff({PINGPONG!r}, {PINGPONG!r}, comm=comm)):
            call(False)
            for comm in (None, 3):
                try:
                    call(comm)
                except sf.UsageError as error:
                    assert "comm=False" in str(error)
                else:
                    raise SystemExit("not refused")
    """
    done = run(script, env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
    assert (done.returncode, done.stderr) == (0, "")


def test_codes_are_those_of_the_program() -> None:
    with pytest.raises(FileNotFoundError) as missing:
        sf.open("/nope")
    assert isinstance(missing.value, sf.TraceError) and missing.value.code == 4
    assert missing.value.file == "/nope"


def test_messages_speak_python(tmp_path: pathlib.Path) -> None:
    trace = sf.open(PINGPONG)
    trace.convert(tmp_path / "t.pftrace")
    with pytest.raises(sf.Error, match="force=True"):
        trace.convert(tmp_path / "t.pftrace")
    trace.convert(tmp_path / "t.pftrace", force=True)


def test_columns_of_events() -> None:
    trace = sf.open(PINGPONG)
    names = ["region_name", "time_ticks", "location"]
    found = pyarrow.table(trace.events(columns=names))
    assert found.column_names == names
    every = pyarrow.table(trace.events())
    assert found == every.select(names).replace_schema_metadata(found.schema.metadata)
    assert trace.events(columns="kind").column_names == ["kind"]
    assert trace.events(columns=["time"]).column_names == ["time_ticks"]
    frame = trace.events(columns=names, where="zzzz").to_pandas()
    assert list(frame.columns) == names and len(frame) == 0


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_instants_count_from_the_begin(unit: str) -> None:
    trace = sf.open(PINGPONG)
    per_second = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
    frame = trace.events().to_pandas(unit=unit)
    assert "time_ticks" not in frame.columns and frame["time"].min() == 0
    expected = trace.events().to_pandas()["time_seconds"].max() * per_second
    assert float(frame["time"].max()) == pytest.approx(expected)
    worst = trace.waitstates().tables["worst"].to_pandas(unit=unit)
    for enter, since, lasts, leave in zip(worst["enter"], worst["since_begin"], worst["time"], worst["leave"]):
        assert float(enter) == pytest.approx(float(since), abs=1) and leave >= enter and lasts > 0
    assert "inclusive" in trace.profile().to_pandas(unit=unit).columns


def test_frames_have_the_values_of_columns() -> None:
    """Whole numbers of which some are missing stay whole, also in tables that were pickled."""
    trace = sf.open(PINGPONG)
    results = [trace.profile(by="callpath"), trace.waitstates(), trace.match(), trace.efficiency()]
    tables = [table for result in results for table in result.tables.values()]
    has_missing = False
    for table in [*tables, *(pickle.loads(pickle.dumps(table)) for table in tables)]:
        frame = table.to_pandas()
        assert list(frame.columns) == table.column_names
        for column in frame:
            expected = table[column]
            found = [None if pandas.isna(value) else value for value in frame[column]]
            assert found == expected, (table.name, column)
            if any(isinstance(value, int) for value in expected):
                assert frame[column].dtype.kind in "iu", (table.name, column)
                has_missing |= None in expected
    assert has_missing


@pytest.mark.parametrize("resolution", [1, 3, 10**9, 3_699_958_577, 10**13])
def test_nanoseconds_are_exact(resolution: int) -> None:
    ticks = [0, 1, 7, 123_456_789, 2**53 + 1, 9 * 10**18 // max(1, 10**9 // resolution), None, -5]
    exact = [None if one is None else (one * 10**9 + resolution // 2) // resolution for one in ticks]
    fit = [(one, of) for one, of in zip(ticks, exact) if of is None or abs(of) < 2**63]
    series = pandas.Series(pandas.array([one for one, _ in fit], dtype="Int64"))
    found = _in_unit(series, "ns", resolution)
    assert [None if pandas.isna(one) else int(one) for one in found] == [of for _, of in fit]


def test_times_in_a_unit_replace_no_number() -> None:
    trace = sf.open(HYBRID)
    processes = trace.account().tables["processes"]
    for unit in ("s", "ns"):
        frame = processes.to_pandas(unit=unit)
        assert frame["threads"].to_list() == processes["threads"]
        assert "threads_time" in frame
    seconds = processes.to_pandas(unit="s")["threads_time"].to_list()
    assert seconds == pytest.approx(processes["threads_seconds"])
    assert ">threads</th>" in processes._repr_html_()
    for result in (trace.account(), trace.io(), trace.critical(), trace.match(), trace.profile(by="metric")):
        for table in result.tables.values():
            # One column for each, whatever its name: a pair of ticks and seconds is one.
            pairs = sum(name in table.column_names for name in map(in_seconds, table.column_names) if name != "seconds")
            assert len(table.to_pandas(unit="ms").columns) >= len(table.column_names) - pairs - 1


def test_columns_that_were_asked_for_have_the_unit() -> None:
    trace = sf.open(PINGPONG)
    times = trace.events().to_pandas(unit="ms")["time"].to_list()
    for columns in (["time_ticks", "location"], "time", ["time_seconds"]):
        frame = trace.events(columns=columns).to_pandas(unit="ms")
        assert frame["time"].to_list() == pytest.approx(times), columns
    seconds, nanoseconds = (sf.diff(PINGPONG, HYBRID).to_pandas(unit=unit) for unit in ("s", "ns"))
    assert list(seconds.columns) == list(nanoseconds.columns) and "before" in seconds
    assert nanoseconds["before"].to_list() == pytest.approx((seconds["before"] * 1e9).to_list(), abs=1)


def test_instants_of_all_tables_count_from_the_begin() -> None:
    trace = sf.open(PINGPONG)
    length = trace.events().to_pandas(unit="s")["time"].max()
    for table in (trace.timeline().tables["times"], trace.timeline().tables["cells"]):
        frame = table.to_pandas(unit="s")
        instants = [name for name in ("begin", "end") if name in frame]
        assert instants and all(0 <= frame[name].min() <= frame[name].max() <= length * 1.01 for name in instants), table.name


def test_a_share_is_a_number_or_a_text() -> None:
    assert len(sf.diff(PINGPONG, PINGPONG).fail_over(0.1)) == len(sf.diff(PINGPONG, PINGPONG).fail_over("10%")) > 0


def test_results_are_pickled_and_copied() -> None:
    trace = sf.open(PINGPONG)
    for result in (trace.profile(), trace.waitstates(), trace.match()):
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert again.text == result.text and list(again.tables) == list(result.tables)
            assert pyarrow.table(again) == pyarrow.table(result)
            assert list(again) == list(result) and again.metadata == result.metadata
    matrix = trace.match().matrix(by="process")
    assert (pickle.loads(pickle.dumps(matrix)).to_numpy() == matrix.to_numpy()).all()


def test_paths_are_bytes(tmp_path: pathlib.Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    shutil.copytree(os.path.dirname(PINGPONG), os.fsdecode(folder))
    trace = sf.open(folder + b"/traces.otf2")
    assert len(trace.profile()) > 0
    trace._repr_html_().encode()


def test_notebooks_show_what_people_read() -> None:
    page = sf.open(PINGPONG).profile()._repr_html_()
    assert page.count("<tr>") <= 21
    assert "_ticks" not in page and "_seconds" not in page and "ticks_per_second" not in page
    assert " s</td>" in page or " ms</td>" in page


def test_nothing_leaves_an_option_out() -> None:
    trace = sf.open(PINGPONG)
    assert list(trace.profile(region=[], top=None)) == list(trace.profile())
