"""Keyword arguments as options of a command, by one rule."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping


def arguments(options: Mapping[str, object]) -> list[str]:
    """The options of a command line.

    `name=value` becomes `--name value`, and underscores become dashes; one at the end is left out (`from_`). True is an
    option without a value; False and None are none. A tuple is several values of one option (`time=(1.5, 2)`), a list is
    the option several times. A number for `time` is in seconds since the begin of the trace.
    """
    return [word for name, value in options.items() for word in _option(name, value)]


def _option(name: str, value: object) -> Iterator[str]:
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return
    if value is True:
        yield option
    elif isinstance(value, list):
        for one in value:
            yield from _option(name, one)
    elif isinstance(value, tuple):
        yield from (option, *(_text(name, one) for one in value))
    else:
        # In one word, so that a value may begin with a dash.
        yield f"{option}={_text(name, value)}"


def _text(name: str, value: object) -> str:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if name == "time" and isinstance(value, (int, float)):
        return f"{value:.9f}s"
    return str(value)
