"""Stubs fit the code, and the recipes of the page run as a notebook."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import DATA, ROOT
from nbclient import NotebookClient

PAGE = ROOT / "docs" / "use" / "python.md"


def test_types() -> None:
    package = ROOT / "python" / "streamfold"
    code = """
import streamfold as sf
t: sf.Trace = sf.open("t.otf2", threads=4, memory="2GB")
p: sf.Result = t.profile(by="callpath", time=(1.5, 2.0))
n: int = len(p)
for batch in t.events(columns=["time_ticks"], where="mpi", rows=10):
    names: list[str] = batch.column_names
sf.diff("a", "b").fail_over("10%")
"""
    words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
    for what in ([str(package)], ["-c", code]):
        done = subprocess.run([*words, *what], capture_output=True, text=True, check=False, cwd=ROOT / "python")
        assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_name_what_is_there() -> None:
    from streamfold import _streamfold

    stubs = (ROOT / "python" / "streamfold" / "_streamfold.pyi").read_text(encoding="utf-8")
    for name in re.findall(r"^(?:class|def) (\w+)", stubs, re.M):
        of = getattr(_streamfold, name)
        body = re.search(rf"^class {name}:\n((?:    .*\n|\n)*)", stubs, re.M)
        for member in re.findall(r"^    (?:def )?(\w+)[:(]", body[1], re.M) if body else []:
            assert hasattr(of, member), (name, member)


@pytest.mark.filterwarnings("ignore")
def test_recipes(tmp_path: pathlib.Path) -> None:
    cells = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(cells) >= 5
    for name, of in {"traces": "pingpong", "before": "pingpong", "after": "pingpong"}.items():
        folder = tmp_path / name
        folder.symlink_to(DATA / of)
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in book.cells for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in shown)
