"""Errors and warnings, by the exit codes of the program."""

from __future__ import annotations

import os
import warnings

from . import _streamfold

__all__ = ["Error", "LossWarning", "OutputError", "Slower", "TraceError", "UsageError", "Warning"]

USAGE, TRACE, LOSSES, IO, RANK, SLOWER = range(1, 7)


class Error(Exception):
    """A command has failed. `code` is the exit code that the program would have."""

    code = RANK


class UsageError(Error, ValueError):
    """Arguments are wrong."""

    code = USAGE


class TraceError(Error):
    """A trace cannot be read: `file`, and where they are known `offset` (bytes), `line` and `record`."""

    code = TRACE

    def __init__(
        self,
        message: str,
        file: str | None = None,
        offset: int | None = None,
        line: int | None = None,
        record: str | None = None,
    ) -> None:
        super().__init__(message)
        self.file, self.offset, self.line, self.record = file, offset, line, record


class OutputError(Error, OSError):
    """Input or output has failed."""

    code = IO


class Slower(Error):
    """A comparison found something that takes more time than it may: `failures` says what, a line each."""

    code = SLOWER

    def __init__(self, failures: list[str]) -> None:
        super().__init__("\n".join(failures))
        self.failures = failures


class Warning(UserWarning):
    """Something odd that loses nothing."""


class LossWarning(Warning):
    """Something could not be read."""


def error(failure: _streamfold.CallFailure) -> Error:
    """The exception of a failure."""
    file = None if failure.file is None else os.fspath(failure.file)
    if failure.code == USAGE:
        return UsageError(failure.message)
    if failure.code == TRACE or file is not None:
        return TraceError(failure.message, file, failure.offset, failure.line, failure.record)
    if failure.code == IO:
        return OutputError(failure.message)
    return Error(failure.message)


def warn(of: _streamfold.Answer | _streamfold.Events, level: int) -> None:
    """Warns of all that was odd or lost, at the line of the caller."""
    for text in of.warnings:
        warnings.warn(text, Warning, stacklevel=level + 1)
    for text in of.losses:
        warnings.warn(text, LossWarning, stacklevel=level + 1)
