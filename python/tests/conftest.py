"""Traces of the repository, and the program to compare with."""

from __future__ import annotations

import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
# Paths in results are those that were given.
PINGPONG = str(DATA / "pingpong" / "traces.otf2")
HYBRID = str(DATA / "hybrid" / "traces.otf2")


def program(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs the program, in a process of its own."""
    return subprocess.run([sys.executable, "-m", "streamfold", *words], capture_output=True, text=True, check=False)


def csv_of(*words: str) -> list[dict[str, str]]:
    """The rows that the program writes as CSV."""
    done = program(*words)
    assert done.returncode in (0, 3), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


@pytest.fixture
def archive(tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy of an archive, to be damaged."""
    to = tmp_path / "archive"
    shutil.copytree(os.path.dirname(PINGPONG), to)
    return to / "traces.otf2"


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A trace that takes a while to read in a build for tests."""
    path = tmp_path_factory.mktemp("large") / "large.pfw"
    with open(path, "w", encoding="utf-8") as out:
        for n in range(60_000):
            out.write(f'{{"name":"read","cat":"POSIX","pid":1,"tid":1,"ts":{10 * n},"dur":5,"ph":1}}\n')
    return str(path)
