"""Results: tables that every library with the Arrow C data interface reads."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from . import _streamfold
from ._errors import UsageError

if TYPE_CHECKING:
    import numpy
    import pandas

SHOWN = 50

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


class _Columns(Protocol):
    @property
    def column_names(self) -> list[str]: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    def column(self, name: str) -> list[Any]: ...


def in_seconds(name: str) -> str:
    """The column that has the times of another one in seconds."""
    return name[: -len("ticks")] + "seconds" if name.endswith("ticks") else name + "_seconds"


def to_pandas(table: _Columns, unit: str | None) -> pandas.DataFrame:
    """A frame. With a unit, times are in the column of their own name, in that unit only."""
    import pandas

    columns = {name: table.column(name) for name in table.column_names}
    names = list(columns)
    frame = pandas.DataFrame(columns, columns=names)
    if unit is None:
        return frame
    if unit != "ticks" and unit not in UNITS:
        raise UsageError(f"times are in ticks, s, ms, us or ns, not in {unit}")
    times = [name for name in names if in_seconds(name) in columns]
    seconds = [in_seconds(name) for name in times]
    if unit == "ticks":
        return frame.drop(columns=seconds)
    resolution = int(table.metadata.get("ticks_per_second", "1"))
    for name in times:
        if unit == "ns":
            # Exact, as far as nanoseconds are.
            values = [None if ticks is None else _nanoseconds(ticks, resolution) for ticks in columns[name]]
            frame[name] = pandas.array(values, dtype="Int64")
        else:
            frame[name] = frame[in_seconds(name)] * UNITS[unit]
    return frame.drop(columns=seconds)


def _nanoseconds(ticks: float, resolution: int) -> int:
    if isinstance(ticks, int):
        return (ticks * 10**9 + resolution // 2) // resolution
    return round(ticks * 1e9 / resolution)


class Table:
    """A table. `pl.DataFrame(table)`, `pa.table(table)` and `duckdb.sql("from table")` read it without a copy."""

    def __init__(self, table: _streamfold.Table | _Elsewhere) -> None:
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
        """What a Parquet file says of itself: schema, input, ticks_per_second, loss_count."""
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
        """A frame of pandas. `unit` (`s`, `ms`, `us`, `ns`, `ticks`): times have one column each, in that unit."""
        return to_pandas(self, unit)

    def __repr__(self) -> str:
        return f"<streamfold table {self.name}: {len(self)} rows of {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        rows = self._table.rows(SHOWN)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.column_names)
        body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        left = len(self) - len(rows)
        more = f"<p>and {left} more rows</p>" if left > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


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
        super().__init__(answer.tables[0] if rank == 0 else _Elsewhere(""))
        self.rank = rank
        """The rank of this process in the communicator; 0 without one."""
        self.tables: dict[str, Table] = _TablesElsewhere() if rank > 0 else {table.name: table for table in tables}
        self.text = answer.text
        """What the program shows people."""
        self.notes = answer.notes
        self.losses = answer.losses

    def __getattr__(self, name: str) -> Table:
        tables: dict[str, Table] = self.__dict__.get("tables", {})
        if name in tables or (isinstance(tables, _TablesElsewhere) and not name.startswith("_")):
            return tables[name]
        raise AttributeError(f"this result has no table {name}: it has {', '.join(tables)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        return self.text.rstrip("\n") or super().__repr__()


class WaitStates(Result):
    """Wait states: `severities` of each kind, `worst` waits, and `causes`."""

    def worst(self, count: int = 10) -> list[dict[str, Any]]:
        """The longest waits, as dictionaries, longest first."""
        rows = list(self.tables["worst"])
        return sorted(rows, key=lambda row: -row["ticks"])[:count]


class Matrix:
    """Who sends how much to whom: rows send, columns receive."""

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
