"""Reads event traces of parallel programs: where time goes, who waits for whom, what is wrong.

>>> import streamfold as sf
>>> t = sf.open("traces.otf2")
>>> t.profile(by="callpath").to_pandas(unit="s")
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Union

from . import _streamfold
from ._errors import Error, LossWarning, OutputError, Slower, TraceError, UsageError, Warning, error, warn
from ._options import arguments
from ._ranks import Ranks
from ._result import Matrix, Result, Table, WaitStates, to_pandas

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
    "UsageError",
    "WaitStates",
    "Warning",
    "diff",
    "open",
    "run",
]

Path = Union[str, "os.PathLike[str]"]


def _call(words: Sequence[str], level: int = 3, ranks: Ranks | None = None) -> _streamfold.Answer:
    answer = _streamfold.run_command(list(words), comm=None if ranks is None else ranks.handle())
    if answer.failure is not None:
        raise error(answer.failure)
    warn(answer, level)
    return answer


def run(*words: Path, **options: object) -> str:
    """Runs any command of the program, and returns what it would print: `sf.run("info", path, level=4)`."""
    return _call([*(os.fspath(word) for word in words), *arguments(options)]).text


def open(path: Path, *, threads: int | None = None, memory: str | None = None, comm: object | None = None) -> Trace:
    """Opens a trace of any format. Its definitions are read, its events are not.

    `threads` is how many read at a time (all processors), `memory` is how much a call may hold (`2GB`).

    `comm` is a communicator of mpi4py. All its ranks open the trace, and call each method together; they share the work.
    Rank 0 has the result, and writes files. Results of other ranks are empty.
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
        self.path = os.fspath(path)
        self._threads, self._memory = threads, memory
        self._ranks = None if comm is None else Ranks(comm)
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
        return self._result("profile", options)

    def account(self, by: str = "process", **options: object) -> Result:
        """What processes (or threads, nodes, iterations) are busy with, by classes of time."""
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
        """Who waits for whom, where, and why."""
        return WaitStates(self._run("waitstates", options, 4), self.rank)

    def match(self, **options: object) -> Match:
        """Sends with their receives, collectives, windows, locks."""
        return Match(self, options)

    def critical(self, **options: object) -> Result:
        """The critical path."""
        return self._result("critical", options)

    def timeline(self, path: Path | None = None, **options: object) -> Result | None:
        """What all do over time: tables, or a picture or page at a path (.svg, .png, .html)."""
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
        columns: Sequence[str] | None = None,
        where: str | None = None,
        rows: int = 65536,
        **options: object,
    ) -> Events:
        """All events, in batches of rows, with the columns of `convert -o e.parquet`.

        `where` is a regular expression for names of regions, upper and lower case alike: events without a region are
        left out then. Two batches at most are ready and wait.

        Ranks of a communicator have no events together.
        """
        if self._ranks is not None:
            raise UsageError("events come to one process: open the trace without comm for them")
        words = ["convert", *arguments({"threads": self._threads, **options, "output": "-"}), "--", self.path]
        wanted = None if columns is None else list(columns)
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
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(facts[name])}</td></tr>" for name in names)
        counts = f"<tr><th>locations</th><td>{len(self.locations)}</td></tr><tr><th>regions</th><td>{len(self.regions)}</td></tr>"
        head = f"<h4>{html.escape(self.path)}</h4><table>{rows}{counts}</table>"
        return f"{head}<pre>{html.escape(page.text)}</pre>"


# Memory of a profile is a limit for call paths, which changes what is in it.
_TAKE_MEMORY = {"match", "waitstates", "critical", "efficiency", "validate", "report", "io"}


class Match(Result):
    """Matched messages, and what else belongs together."""

    def __init__(self, trace: Trace, options: dict[str, object]) -> None:
        super().__init__(trace._run("match", options, 5), trace.rank)
        self._trace, self._options = trace, options

    def matrix(self, by: str | None = None, value: str = "bytes") -> Matrix:
        """Who sends how much to whom; `by="process"` adds threads up. `value` is a column: bytes, messages, …"""
        if by is None or by == self._options.get("by"):
            return Matrix(self.tables["matrix"], value)
        return Matrix(Match(self._trace, {**self._options, "by": by}).tables["matrix"], value)


class Events:
    """Events in batches. Each batch is a table for any library with the Arrow C data interface, and so are all of them.

    A loop that ends early, or an error in it, ends the thread that reads; so does `close`, or the end of a `with`.
    """

    def __init__(self, events: _streamfold.Events) -> None:
        self._events = events

    @property
    def column_names(self) -> list[str]:
        """The names of columns."""
        return self._events.column_names

    @property
    def metadata(self) -> dict[str, str]:
        """What a Parquet file says of itself."""
        return self._events.metadata

    def __iter__(self) -> Iterator[_streamfold.Batch]:
        try:
            yield from self._events
            failure = self._events.failure
            if failure is not None:
                raise error(failure)
            warn(self._events, 2)
        finally:
            self._events.close()

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

        return pandas.concat([to_pandas(batch, unit) for batch in self], ignore_index=True)


def diff(before: Path | Sequence[Path], after: Path | Sequence[Path], **options: object) -> Diff:
    """Compares two runs, or two groups of runs. They are read when something of the result is wanted."""
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

    def fail_over(self, share: str) -> Result:
        """The result, if nothing takes more time than before by more than a share (`"10%"`).

        Raises `Slower` otherwise.
        """
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
    if isinstance(side, (str, os.PathLike)):
        return [os.fspath(side)]
    return [os.fspath(path) for path in side]
