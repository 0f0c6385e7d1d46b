"""Reads event traces of parallel programs: where time goes, who waits for whom, what is wrong.

>>> import streamfold as sf
>>> t = sf.open("traces.otf2")
>>> t.profile(by="callpath").to_pandas(unit="s")
"""

from __future__ import annotations

import atexit
import html
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Union

from . import _streamfold
from ._errors import Error, LossWarning, OutputError, Slower, TraceError, TraceNotFoundError, UsageError, Warning, error, warn
from ._options import arguments
from ._ranks import Ranks
from ._frames import to_pandas
from ._result import Matrix, Result, Table, WaitStates

__version__ = _streamfold.__version__

__all__ = [
    "Diff",
    "Error",
    "Events",
    "LossWarning",
    "Matrix",
    "OutputError",
    "Result",
    "Slower",
    "Table",
    "Trace",
    "TraceError",
    "TraceNotFoundError",
    "UsageError",
    "WaitStates",
    "Warning",
    "diff",
    "open",
    "run",
]

Path = Union[str, bytes, "os.PathLike[str]"]

# Seconds that calls of daemon threads get to end before the interpreter does.
_PATIENCE = 2.0

atexit.register(_streamfold.end_calls, _PATIENCE)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_streamfold.forget_calls)


def _call(words: Sequence[str], level: int = 3, ranks: Ranks | None = None) -> _streamfold.Answer:
    answer = _streamfold.run_command(list(words), comm=None if ranks is None else ranks.handle())
    if answer.failure is not None:
        raise error(answer.failure)
    warn(answer, level)
    return answer


def run(*words: Path, comm: object | None = None, **options: object) -> str:
    """Runs any command of the program, and returns what it would print: `sf.run("info", path, level=4)`.

    `comm=False`: each of several processes does all the work, as with `open`.
    """
    _check_comm(comm)
    return _call([*(os.fsdecode(word) for word in words), *arguments(options)]).text


def open(path: Path, *, threads: int | None = None, memory: str | None = None, comm: object | None = None) -> Trace:
    """Opens a trace of any format. Its definitions are read, its events are not.

    `threads` is how many read at a time (all processors), `memory` is how much a call may hold (`2GB`): for `match`,
    `waitstates`, `critical`, `efficiency`, `validate`, `report` and `io`.

    `comm` is a communicator of mpi4py. All its ranks open the trace, and call each method together; they share the work.
    Rank 0 has the result, and writes files. Results of other ranks are empty. Where a launcher has started several
    processes, it has to be given; `comm=False` lets each of them do all the work.
    """
    return Trace(path, threads, memory, comm)


class Trace:
    """A trace. Each method calls the command of its name; keyword arguments are the options of that."""

    def __init__(
        self,
        path: Path,
        threads: int | None = None,
        memory: str | None = None,
        comm: object | None = None,
    ) -> None:
        self.path = os.fsdecode(path)
        self._threads, self._memory = threads, memory
        if comm is None:
            _check_alone()
        self._ranks = None if comm is None or comm is False else Ranks(comm)
        if memory is not None:
            _check_memory(memory)
        self._definitions = Result(self._run("info", {"level": 2}, 4), self.rank)
        self._page: Result | None = None

    @property
    def rank(self) -> int:
        """The rank of this process in the communicator; 0 without one."""
        return 0 if self._ranks is None else self._ranks.rank

    def _words(self, command: str, options: dict[str, object]) -> list[str]:
        common: dict[str, object] = {"threads": self._threads}
        if self._memory is not None and command in _TAKE_MEMORY:
            common["memory"] = self._memory
        return [command, *arguments({**common, **options}), "--", self.path]

    def _run(self, command: str, options: dict[str, object], level: int = 5) -> _streamfold.Answer:
        return _call(self._words(command, options), level, self._ranks)

    def _result(self, command: str, options: dict[str, object]) -> Result:
        _check_tables(command, options)
        return Result(self._run(command, options), self.rank)

    @property
    def locations(self) -> Table:
        """All locations: threads, streams of accelerators, metrics."""
        return self._definitions.tables["locations"]

    @property
    def regions(self) -> Table:
        """All regions: functions, loops, parts of the source."""
        return self._definitions.tables["regions"]

    @property
    def properties(self) -> dict[str, str]:
        """Facts of the trace about itself, by their names."""
        table = self._definitions.tables["properties"]
        return dict(zip(table["name"], table["value"]))

    @property
    def info(self) -> str:
        """The text of `streamfold info`."""
        return self._definitions.text

    def overview(self) -> Result:
        """The trace at a glance: what ran, where time goes, the verdict. Reads all events, once."""
        if self._page is None:
            self._page = Result(self._run("overview", {}), self.rank)
        return self._page

    def profile(self, **options: object) -> Result:
        """Time and visits by region, call path, process, thread, … (`by=`). See `streamfold profile --help`."""
        return self._result("profile", _by(options))

    def account(self, by: str = "process", **options: object) -> Result:
        """Work of processes (or threads, nodes, iterations), by classes of time."""
        return self._result("profile", {"by": by, **options})

    def efficiency(self, **options: object) -> Result:
        """The factors of POP, and who computes most."""
        return self._result("efficiency", options)

    def io(self, **options: object) -> Result:
        """Accesses to files: findings, levels, calls, files."""
        return self._result("io", options)

    def dfg(self, **options: object) -> Result:
        """The directly-follows graph of activities."""
        return self._result("dfg", options)

    def waitstates(self, **options: object) -> WaitStates:
        """Wait states: who waits for whom, where, and why."""
        _check_tables("waitstates", options)

        def again(count: int) -> WaitStates:
            return self.waitstates(**{**options, "worst": count})

        kept = options.get("worst")
        answer = self._run("waitstates", options, 4)
        return WaitStates(answer, self.rank, again, _WORST if kept is None else int(str(kept)))

    def match(self, **options: object) -> Match:
        """Sends with their receives, collectives, windows, locks."""
        return Match(self, options)

    def critical(self, **options: object) -> Result:
        """The critical path."""
        return self._result("critical", options)

    def timeline(self, path: Path | None = None, **options: object) -> Result | None:
        """Work over time: tables, or a picture or page at a path (.svg, .png, .html)."""
        if path is None:
            return self._result("timeline", options)
        self._run("timeline", {**options, "output": path}, 4)
        return None

    def validate(self, **options: object) -> dict[str, Any]:
        """Everything that is wrong with the trace, as the JSON of `streamfold validate --json`.

        A trace with errors is a result, too.
        """
        words = self._words("validate", {**options, "json": True})
        answer = _streamfold.run_command(words, comm=None if self._ranks is None else self._ranks.handle())
        if answer.failure is not None:
            raise error(answer.failure)
        document: dict[str, Any] = json.loads(answer.text) if self.rank == 0 else {}
        return document

    def report(self, path: Path, **options: object) -> None:
        """Writes a page with everything (.html)."""
        self._run("report", {**options, "output": path}, 4)

    def convert(self, path: Path, **options: object) -> None:
        """Writes the trace in another format, by its suffix: .otf2, .pftrace, .json, .parquet, .otf, .goal."""
        self._run("convert", {**options, "output": path}, 4)

    def events(
        self,
        columns: str | Sequence[str] | None = None,
        where: str | None = None,
        rows: int = 65536,
        **options: object,
    ) -> Events:
        """All events, in batches of rows, with the columns of `convert -o e.parquet`.

        `columns` are those that are wanted, in this order; `time` is short for `time_ticks`. Options are those of `convert`.

        `where` is a regular expression for names of regions, upper and lower case alike: events without a region are
        left out then. Two batches at most are ready and wait.

        Ranks of a communicator have no events together.
        """
        if self._ranks is not None:
            raise UsageError("events come to one process: open the trace without comm, or with comm=False, for them")
        words = ["convert", *arguments({"threads": self._threads, **options, "output": "-"}), "--", self.path]
        _check_tables("events", options)
        wanted = _columns(columns)
        if rows < 1:
            raise UsageError(f"rows: a batch has at least one row, not {rows}")
        try:
            events, failure = _streamfold.stream_events(words, wanted, where, rows)
        except ValueError as wrong:
            raise UsageError(str(wrong)) from None
        if events is None:
            raise error(failure) if failure is not None else Error("there are no events")
        return Events(events)

    def __repr__(self) -> str:
        # A rank may be shown alone, where others do not call anything.
        if self._ranks is not None:
            return f"<streamfold trace {self.path}: rank {self.rank} of {self._ranks.size}>"
        return self.overview().text.rstrip("\n")

    def _repr_html_(self) -> str:
        if self._ranks is not None:
            return html.escape(repr(self))
        page = self.overview()
        facts = self.properties
        names = [name for name in ("format", "creator", "machine_name") if facts.get(name)]
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(_shown(facts[name]))}</td></tr>" for name in names)
        counts = f"<tr><th>locations</th><td>{len(self.locations)}</td></tr><tr><th>regions</th><td>{len(self.regions)}</td></tr>"
        head = f"<h4>{html.escape(_shown(self.path))}</h4><table>{rows}{counts}</table>"
        return f"{head}<pre>{html.escape(page.text)}</pre>"


# Memory of a profile is a limit for call paths, which changes what is in it.
_TAKE_MEMORY = {"match", "waitstates", "critical", "efficiency", "validate", "report", "io"}

# How many waits `waitstates` keeps where nothing else is said.
_WORST = 10


def _check_alone() -> None:
    """Refuses to do the same work in all processes that a launcher has started."""
    launched = _streamfold.launched()
    if launched is None:
        return
    variable, count = launched
    raise UsageError(
        f"{variable} says that a launcher started {count or 'several'} processes, and each would do all the work and "
        "overwrite the files of the others: pass comm=MPI.COMM_WORLD of mpi4py, or comm=False if that is what you want"
    )


def _check_comm(comm: object | None) -> None:
    """Refuses ranks that share the work, which traces have."""
    if comm is None:
        _check_alone()
    elif comm is not False:
        raise UsageError("this runs in one process: comm=False lets each process run it, open(path, comm=…) shares the work")


def _check_memory(memory: str) -> None:
    """Refuses what is no size, before any command gets it."""
    try:
        _streamfold.check_memory(memory)
    except ValueError as wrong:
        raise UsageError(f"memory={memory!r}: {wrong}") from None


def _check_tables(command: str, options: dict[str, object]) -> None:
    """Refuses options with which a command writes a file or a text, and has no tables."""
    instead = {
        "output": "t.report and t.convert write files; a table writes itself with to_pandas().to_csv(…)",
        "format": "to_pandas, pyarrow.table and others read the tables",
        "json": "to_pandas, pyarrow.table and others read the tables",
        "help": f'print(sf.run("{command}", help=True)) shows it',
        "version": "sf.__version__ has it",
    }
    for name, text in instead.items():
        if options.get(name) not in (None, False):
            raise UsageError(f"{command} returns tables and takes no {name}: {text}")


def _by(options: dict[str, object]) -> dict[str, object]:
    """`per="location"` is another name of `by="location"`, if that is not there."""
    if "per" not in options:
        return options
    if options.get("by") is not None:
        raise UsageError("per is another name of by, and both were given: say by only")
    return {"by": options["per"], **{name: value for name, value in options.items() if name not in ("per", "by")}}


# Short names of columns of events.
_SHORT = {"time": "time_ticks"}


def _columns(columns: str | Sequence[str] | None) -> list[str] | None:
    if columns is None:
        return None
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise UsageError("columns=[] is no column: name some, or leave it out for all")
    names = [_SHORT.get(name, name) for name in names]
    if len(set(names)) < len(names):
        raise UsageError("columns has a column twice")
    return names


def _shown(text: str) -> str:
    """A text with a replacement for bytes that are not UTF-8."""
    return os.fsencode(text).decode("utf-8", "replace")


class Match(Result):
    """Matched messages, and what else belongs together."""

    def __init__(self, trace: Trace, options: dict[str, object]) -> None:
        _check_tables("match", options)
        super().__init__(trace._run("match", options, 5), trace.rank)
        self._trace: Trace | None = trace
        self._options = options

    def _more(self) -> dict[str, Any]:
        return {"_trace": None, "_options": self._options}

    def matrix(self, by: str | None = None, value: str = "bytes") -> Matrix:
        """Messages by sender and receiver; `by="process"` adds threads up. `value` is a column: bytes, messages, …"""
        if by is None or by == self._options.get("by"):
            return Matrix(self.tables["matrix"], value)
        if self._trace is None:
            raise UsageError("matrix: this copy has one matrix only: leave by out")
        return Matrix(Match(self._trace, {**self._options, "by": by}).tables["matrix"], value)


class Events:
    """Events in batches. Each batch is a table for any library with the Arrow C data interface, and so are all of them.

    A loop that ends early, or an error in it, ends the thread that reads; so does `close`, or the end of a `with`.
    """

    def __init__(self, events: _streamfold.Events) -> None:
        self._events = events
        self._is_read = self._is_said = False

    @property
    def column_names(self) -> list[str]:
        """The names of columns."""
        return self._events.column_names

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata as in a Parquet file."""
        return self._events.metadata

    @property
    def losses(self) -> list[str]:
        """Losses of reading, a line each, once all events were read."""
        return self._events.losses

    def __iter__(self) -> Iterator[_streamfold.Batch]:
        if self._is_read:
            raise RuntimeError("events were read already: call events() again")
        self._is_read = True
        return self._batches()

    def _batches(self) -> Iterator[_streamfold.Batch]:
        try:
            yield from self._events
            self._end(3)
        finally:
            self._events.close()

    def _end(self, level: int) -> None:
        failure = self._events.failure
        if failure is not None:
            raise error(failure)
        if not self._is_said:
            self._is_said = True
            warn(self._events, level)

    def __next__(self) -> _streamfold.Batch:
        """The next batch: `next(t.events())`."""
        if self._is_read:
            raise RuntimeError("events were read already: call events() again")
        for batch in self._events:
            return batch
        self._end(2)
        raise StopIteration

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the thread that reads. Nothing comes any more."""
        self._events.close()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._events.__arrow_c_stream__(requested_schema)

    def to_pandas(self, unit: str | None = None) -> Any:
        """All rows in one frame. They have to fit into memory."""
        import pandas

        frames = [to_pandas(batch, unit) for batch in self]
        return pandas.concat(frames, ignore_index=True) if frames else to_pandas(_NoRows(self), unit)


class _NoRows:
    """Columns without rows."""

    def __init__(self, of: Events) -> None:
        self.column_names, self.metadata = of.column_names, of.metadata

    def array(self, _: str) -> tuple[str, bytes, None, None]:
        return "int64", b"", None, None


def diff(before: Path | Sequence[Path], after: Path | Sequence[Path], *, comm: object | None = None, **options: object) -> Diff:
    """Compares two runs, or two groups of runs. They are read when something of the result is wanted.

    `comm=False`: each of several processes does all the work, as with `open`.
    """
    _check_comm(comm)
    return Diff(before, after, options)


class Diff:
    """A comparison of runs."""

    def __init__(self, before: Path | Sequence[Path], after: Path | Sequence[Path], options: dict[str, object]) -> None:
        self._options: dict[str, object] = {"before": _paths(before), "after": _paths(after), **options}
        self._found: Result | None = None

    def _run(self, more: dict[str, object]) -> _streamfold.Answer:
        return _call(["diff", *arguments({**self._options, **more})], 4)

    def result(self) -> Result:
        """All tables of the comparison."""
        if self._found is None:
            self._found = Result(self._run({}))
        return self._found

    def fail_over(self, share: str | float) -> Result:
        """The result, if nothing takes more time than before by more than a share (`"10%"`, or `0.1` for that).

        Raises `Slower` otherwise.
        """
        if isinstance(share, (int, float)):
            share = f"{share * 100:.10g}%"
        answer = self._run({"fail_over": share})
        if answer.code == Slower.code:
            start = "too much time: "
            raise Slower([note[len(start) :] for note in answer.notes if note.startswith(start)])
        self._found = Result(answer)
        return self._found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name != "__arrow_c_stream__":
            raise AttributeError(name)
        return getattr(self.result(), name)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.result().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.result())

    def __repr__(self) -> str:
        return repr(self.result())

    def _repr_html_(self) -> str:
        return self.result()._repr_html_()


def _paths(side: Path | Sequence[Path]) -> list[str]:
    if isinstance(side, (str, bytes, os.PathLike)):
        return [os.fsdecode(side)]
    return [os.fsdecode(path) for path in side]
