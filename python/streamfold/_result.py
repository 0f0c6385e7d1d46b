"""Results: tables that every library with the Arrow C data interface reads."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from . import _streamfold
from ._errors import UsageError
from ._frames import UNITS, Array, in_seconds, is_time, to_pandas

if TYPE_CHECKING:
    import numpy
    import pandas

SHOWN = 20

class Table:
    """A table. `pl.DataFrame(table)`, `pa.table(table)` and `duckdb.sql("from table")` read it without a copy."""

    def __init__(self, table: _streamfold.Table | _Elsewhere | _Read) -> None:
        self._table = table

    @property
    def name(self) -> str:
        """Its name, as `--table` has it."""
        return self._table.name

    @property
    def column_names(self) -> list[str]:
        """The names of columns, as Parquet has them."""
        return self._table.column_names

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata as in a Parquet file: schema, input, ticks_per_second, loss_count."""
        return self._table.metadata

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, column: str) -> list[Any]:
        return self._table.column(column)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """All rows, as dictionaries."""
        names = self.column_names
        return (dict(zip(names, row)) for row in self._table.rows(len(self)))

    def column(self, name: str) -> list[Any]:
        """All values of a column."""
        return self._table.column(name)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_pandas(self, unit: str | None = None) -> pandas.DataFrame:
        """A frame of pandas. `unit` (`s`, `ms`, `us`, `ns`, `ticks`): times have one column each, in that unit, since the begin of the
        trace. Ticks are those of its clock.
        """
        return to_pandas(self._table, unit)

    def __repr__(self) -> str:
        return f"<streamfold table {self.name}: {len(self)} rows of {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        rows = self._table.rows(SHOWN)
        names = self.column_names
        cells = {name: [row[at] for row in rows] for at, name in enumerate(names)}
        shown = [name for name in names if _is_shown(name, cells)]
        times = {in_seconds(name) for name in names if is_time(name, names)} & set(names)
        head = "".join(f"<th>{html.escape(_head(name, name in times))}</th>" for name in shown)
        lines = [[_time(cells[name][at]) if name in times else _cell(cells[name][at]) for name in shown] for at in range(len(rows))]
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
        left = len(self) - len(rows)
        more = f"<p>and {left} more rows</p>" if left > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            import pyarrow
        except ImportError:
            raise TypeError("tables are pickled and copied with pyarrow, which is not installed") from None
        read = pyarrow.table(self)
        to = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(to, read.schema) as stream:
            stream.write_table(read)
        return _unpickled, (self.name, to.getvalue().to_pybytes())


def _is_shown(name: str, cells: dict[str, list[Any]]) -> bool:
    """Tells whether a column is shown: times once, names instead of numbers, no empty columns."""
    if (is_time(name, cells) and in_seconds(name) in cells) or f"{name}_name" in cells or name == "ticks_per_second":
        return False
    return any(cell not in (None, "", 0) for cell in cells[name])


def _head(name: str, is_time: bool) -> str:
    if is_time:
        name = "time" if name == "seconds" else name[: -len("_seconds")]
    return name.replace("_", " ")


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    unit = next((unit for unit, of in UNITS.items() if abs(seconds) * of >= 1), "ns")
    return f"{seconds * UNITS[unit]:.4g} {unit}" if seconds else "0"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def _unpickled(name: str, stream: bytes) -> Table:
    import pyarrow

    return Table(_Read(name, pyarrow.ipc.open_stream(stream).read_all()))


class _Read:
    """A table that pyarrow holds, after it was pickled."""

    def __init__(self, name: str, read: Any) -> None:
        self.name, self._read = name, read
        self.column_names: list[str] = read.column_names
        self.metadata = {key.decode(): value.decode() for key, value in (read.schema.metadata or {}).items()}

    def __len__(self) -> int:
        return int(self._read.num_rows)

    def column(self, name: str) -> list[Any]:
        values: list[Any] = self._read[name].to_pylist()
        return values

    def array(self, name: str) -> Array:
        read = self._read[name].combine_chunks()
        valid = None if read.null_count == 0 else read.is_valid().to_numpy(zero_copy_only=False).tobytes()
        if "dictionary" in str(read.type):
            return "int32", read.indices.fill_null(-1).to_numpy().tobytes(), None, read.dictionary.to_pylist()
        return str(read.type).replace("double", "float64"), read.fill_null(0).to_numpy().tobytes(), valid, None

    def rows(self, count: int) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self._read.slice(0, count).to_pylist()]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._read.__arrow_c_stream__(requested_schema)


class _Elsewhere:
    """A table that another rank has: no columns, no rows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.column_names: list[str] = []
        self.metadata: dict[str, str] = {}

    def __len__(self) -> int:
        return 0

    def column(self, _: str) -> list[Any]:
        return []

    def array(self, _: str) -> Array:
        return "int64", b"", None, None

    def rows(self, _: int) -> list[tuple[Any, ...]]:
        return []

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        raise UsageError("rank 0 has the tables of a result, and this rank has none: ask for .rank == 0 first")


class _TablesElsewhere(dict[str, Table]):
    """Tables that another rank has, by any name."""

    def __missing__(self, name: str) -> Table:
        return Table(_Elsewhere(name))


class Result(Table):
    """The tables of a command. The result itself stands for the main one; each is an attribute of its own name.

    With a communicator, rank 0 has them, and results of other ranks are empty.
    """

    def __init__(self, answer: _streamfold.Answer, rank: int = 0) -> None:
        tables = [Table(table) for table in answer.tables]
        if rank == 0 and not tables:
            raise UsageError("with these options the command has no tables: sf.run gives its text")
        super().__init__(answer.tables[0] if rank == 0 else _Elsewhere(""))
        self.rank = rank
        """The rank of this process in the communicator; 0 without one."""
        self.tables: dict[str, Table] = _TablesElsewhere() if rank > 0 else {table.name: table for table in tables}
        self.text = answer.text
        """Text of the program for people."""
        self.notes = answer.notes
        self.losses = answer.losses
        """Losses of reading, a line each."""

    def __getattr__(self, name: str) -> Table:
        tables: dict[str, Table] = self.__dict__.get("tables", {})
        if name in tables or (isinstance(tables, _TablesElsewhere) and not name.startswith("_")):
            return tables[name]
        raise AttributeError(f"this result has no table {name}: it has {', '.join(tables)}")

    def __reduce__(self) -> tuple[Any, ...]:
        tables = {name: Table.__reduce__(table)[1] for name, table in self.tables.items()}
        return _result_again, (type(self), tables, self.rank, self.text, self.notes, self.losses, self._more())

    def _more(self) -> dict[str, Any]:
        """More attributes of a kind of results, those that can be pickled."""
        return {}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        return self.text.rstrip("\n") or super().__repr__()


def _result_again(
    of: type[Result],
    tables: dict[str, tuple[str, bytes]],
    rank: int,
    text: str,
    notes: list[str],
    losses: list[str],
    more: dict[str, Any],
) -> Result:
    made = of.__new__(of)
    made.__dict__.update(more)
    made.tables = {name: _unpickled(*of) for name, of in tables.items()} if rank == 0 else _TablesElsewhere()
    made._table = next(iter(made.tables.values()))._table if rank == 0 else _Elsewhere("")
    made.rank, made.text, made.notes, made.losses = rank, text, notes, losses
    return made


class WaitStates(Result):
    """Wait states: `severities` of each kind, `worst` waits, and `causes`."""

    def __init__(self, answer: _streamfold.Answer, rank: int, again: Callable[[int], WaitStates], kept: int) -> None:
        super().__init__(answer, rank)
        self._again: Callable[[int], WaitStates] | None = again
        self._kept = kept

    def _more(self) -> dict[str, Any]:
        return {"_again": None, "_kept": self._kept}

    def worst(self, count: int = 10) -> list[dict[str, Any]]:
        """The longest waits, as dictionaries, longest first. More than the call has kept need another call."""
        if count < 0:
            raise UsageError(f"worst: a count is 0 or more, not {count}")
        if count > self._kept:
            if self._again is None:
                raise UsageError(f"worst: this copy has kept {self._kept} waits of each kind, not {count}")
            return self._again(count).worst(count)
        rows = list(self.tables["worst"])
        return sorted(rows, key=lambda row: -row["ticks"])[:count]


class Matrix:
    """Amounts by sender and receiver: rows send, columns receive."""

    def __init__(self, table: Table, value: str) -> None:
        self._table, self.value = table, value
        labels: dict[int, str] = {}
        for side in ("sender", "receiver"):
            labels.update(zip(table[side], table[f"{side}_name"]))
        self._places = {number: place for place, number in enumerate(sorted(labels))}
        self.labels = [labels[number] for number in sorted(labels)]

    def __len__(self) -> int:
        return len(self.labels)

    def to_numpy(self) -> numpy.ndarray[Any, numpy.dtype[numpy.int64]]:
        """A square array of int64."""
        import numpy

        matrix = numpy.zeros((len(self), len(self)), dtype=numpy.int64)
        table = self._table
        for sender, receiver, value in zip(table["sender"], table["receiver"], table[self.value]):
            matrix[self._places[sender], self._places[receiver]] += value
        return matrix

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with names of senders and receivers."""
        import pandas

        return pandas.DataFrame(self.to_numpy(), index=self.labels, columns=self.labels)

    def _repr_html_(self) -> str:
        return self._table._repr_html_()
