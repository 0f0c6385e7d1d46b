"""Errors and warnings, by the exit codes of the program."""

from __future__ import annotations

import os
import re
import warnings

from . import _streamfold

__all__ = ["Error", "LossWarning", "OutputError", "Slower", "TraceError", "TraceNotFoundError", "UsageError", "Warning"]

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


class TraceNotFoundError(TraceError, FileNotFoundError):
    """There is no such trace."""

    code = IO


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
    made = _made(failure, in_python(failure.message), file)
    made.code = failure.code
    return made


def _made(failure: _streamfold.CallFailure, message: str, file: str | None) -> Error:
    if failure.code == USAGE:
        return UsageError(message)
    if failure.code == TRACE or file is not None:
        is_missing = failure.code == IO and file is not None and not os.path.lexists(file)
        kind = TraceNotFoundError if is_missing else TraceError
        return kind(message, file, failure.offset, failure.line, failure.record)
    if failure.code == IO:
        return OutputError(message)
    return Error(message)


def in_python(message: str) -> str:
    """A message with keywords of Python instead of flags of the command line."""
    return re.sub(r"\b(say|with) --(force|strict|apart)\b(?! [a-z-]+=)", r"\1 \2=True", message)


def warn(of: _streamfold.Answer | _streamfold.Events, level: int) -> None:
    """Warns of all that was odd or lost, at the line of the caller."""
    warn_texts(of.warnings, of.losses, level + 1)


def warn_texts(odd: list[str], losses: list[str], level: int = 1) -> None:
    """Warns of texts: a stream that a library has read says them as soon as Python goes on."""
    for text in odd:
        warnings.warn(in_python(text), Warning, stacklevel=level + 1)
    for text in losses:
        warnings.warn(in_python(text), LossWarning, stacklevel=level + 1)
