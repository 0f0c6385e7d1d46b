"""Frames of pandas, made from the memory of columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Protocol

from ._errors import UsageError

if TYPE_CHECKING:
    import pandas

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}

# Columns of points in time. All others are durations.
INSTANTS = {"time_ticks", "enter", "leave", "begin", "end", "first", "last", "first_ticks", "last_ticks"}

# The type of a column, its values as bytes, 1 or 0 for each that is there or not (None: all are), and its texts, to which the values are
# indices (-1: no text).
Array = tuple[str, bytes, "bytes | None", "list[str] | None"]


class Columns(Protocol):
    """A table or a batch of rows."""

    @property
    def column_names(self) -> list[str]: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    def array(self, name: str) -> Array: ...


def in_seconds(name: str) -> str:
    """The column that has the times of another one in seconds."""
    return name[: -len("ticks")] + "seconds" if name.endswith("ticks") else name + "_seconds"


def is_time(name: str, names: Collection[str]) -> bool:
    """Tells whether a column has times in ticks. `threads` is a number where `threads_ticks` is the time."""
    if name == "ticks" or name.endswith("_ticks"):
        return True
    return in_seconds(name) in names and f"{name}_ticks" not in names


def to_pandas(table: Columns, unit: str | None) -> pandas.DataFrame:
    """A frame. With a unit, each time is one column, without `_ticks` in its name.

    Instants count from the begin of the trace, except in ticks. Whole numbers of which some are missing are of the type Int64.
    """
    import pandas

    names = table.column_names
    frame = pandas.DataFrame({name: _values(table.array(name)) for name in names}, columns=names)
    if unit is None:
        return frame
    if unit != "ticks" and unit not in UNITS:
        raise UsageError(f"times are in ticks, s, ms, us or ns, not in {unit}")
    times = [name for name in names if is_time(name, names)]
    if unit == "ticks":
        return frame.drop(columns=[in_seconds(name) for name in times if in_seconds(name) in names])
    resolution = int(table.metadata.get("ticks_per_second", "1"))
    origin = _origin(frame, table.metadata)
    made: dict[str, Any] = {}
    for name in names:
        if name in times:
            called = without_unit(name, names)
            if name in INSTANTS and origin is not None:
                made[called] = _in_unit(_exact(frame[name]) - origin, unit, resolution)
            else:
                made[called] = _in_unit(frame[name], unit, resolution)
        elif not name.endswith("seconds"):
            made[name] = frame[name]
        elif not any(in_seconds(time) == name for time in times):
            # Seconds alone: of several clocks, or those that were asked for.
            made[_without(name, "seconds", names)] = _in_unit(frame[name], unit, 1)
    return pandas.DataFrame(made)


def without_unit(name: str, names: Collection[str]) -> str:
    """The name of a column of times in a unit that was asked for: `x_time` where `x` is the name of another column."""
    return _without(name, "ticks", names)


def _without(name: str, unit: str, names: Collection[str]) -> str:
    if name == unit:
        return "time"
    short = name.removesuffix(f"_{unit}")
    return f"{short}_time" if short != name and short in names else short


def _values(array: Array) -> Any:
    """The values of a column. Missing ones are NaN, NA or None."""
    import numpy
    import pandas

    kind, data, valid, texts = array
    values: Any = numpy.frombuffer(data, kind)
    if texts is not None:
        return numpy.array([*texts, None], dtype=object)[values]
    if valid is None:
        return values
    missing = ~numpy.frombuffer(valid, bool)
    if kind == "float64":
        return numpy.where(missing, numpy.nan, values)
    return pandas.arrays.IntegerArray(values.copy(), missing)


def _origin(frame: pandas.DataFrame, metadata: dict[str, str]) -> int | None:
    """The ticks at the begin of the trace, if the table tells them: its instants may be those of the clock."""
    if "begin_ticks" in metadata:
        return int(metadata["begin_ticks"])
    for name in ("enter", "begin"):
        if name in frame and "since_begin" in frame:
            both = frame[[name, "since_begin"]].dropna()
            if len(both) > 0:
                return int(both[name].iloc[0]) - int(both["since_begin"].iloc[0])
    return None


def _exact(ticks: pandas.Series[Any]) -> pandas.Series[Any]:
    """The same numbers, from which others can be subtracted without a loss."""
    if ticks.dtype.kind == "u" and len(ticks) > 0 and ticks.max() >= 2**63:
        return ticks.astype(object)
    return ticks.astype("Int64") if ticks.dtype.kind in "iu" else ticks


def _in_unit(ticks: pandas.Series[Any], unit: str, resolution: int) -> Any:
    if unit != "ns":
        return ticks.to_numpy(dtype="float64", na_value=float("nan")) / resolution * UNITS[unit]
    if ticks.dtype.kind == "f":
        return (ticks * 1e9 / resolution).round().astype("Int64")
    # Exact, as far as nanoseconds are.
    ticks, second = _exact(ticks), 10**9
    whole = ticks // resolution
    if ticks.dtype == object or resolution > 9 * second or len(ticks.dropna()) > 0 and whole.abs().max() > 9 * second:
        return ticks.astype(object).map(lambda one: (one * second + resolution // 2) // resolution, na_action="ignore").astype("Int64")
    return whole * second + ((ticks - whole * resolution) * second + resolution // 2) // resolution
