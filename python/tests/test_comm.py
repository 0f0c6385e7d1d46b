"""Ranks of an MPI job that call together."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import time
from typing import Callable

import pyarrow
import pytest
from conftest import HYBRID, PINGPONG

import streamfold as sf

# A rank that waits for one that is gone would wait for ever.
PATIENCE = 60

BEGIN = """
import pathlib, sys
from mpi4py import MPI
import streamfold as sf
comm, trace, out = MPI.COMM_WORLD, sys.argv[1], pathlib.Path(sys.argv[2])
"""

# Results of rank 0 as bytes, so that they can be compared with those of one process.
RESULTS = """
import pyarrow

def stored(result):
    bytes_ = {"text": result.text.encode()}
    for name, table in result.tables.items():
        read = pyarrow.table(table)
        to = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(to, read.schema) as stream:
            stream.write_table(read)
        bytes_[name] = to.getvalue().to_pybytes()
    return bytes_

def results(t):
    return {"profile": t.profile(by="callpath"), "match": t.match(), "waitstates": t.waitstates()}
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run_ranks(
    launcher: list[str],
    extra: dict[str, str],
    count: int,
    script: str,
    *words: object,
    module: tuple[str, ...] = (),
    before: str = "",
) -> subprocess.CompletedProcess[str]:
    """Runs a script as so many ranks, with the names of `BEGIN`."""
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "RAYON_NUM_THREADS": "2",
        **extra,
    }
    code = before + BEGIN + textwrap.dedent(script)
    with_code = ["-c", code, *map(str, words)]
    command = [*launcher, "-n", str(count), sys.executable, *module, *with_code]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=PATIENCE)


def _launchers() -> list[object]:
    open_mpi = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    mpich = shutil.which("mpirun.mpich")
    return [
        pytest.param((open_mpi, "openmpi"), id="openmpi"),
        pytest.param((mpich, "mpich"), id="mpich"),
    ]


@pytest.fixture(scope="module", params=_launchers())
def ranks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs scripts with one of the MPI libraries of this machine, if mpi4py works with that."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    launcher, abi = request.param
    if launcher is None:
        pytest.skip(f"no mpirun of {abi}")
    extra = {"MPI4PY_MPIABI": abi}
    # Debian has its own name for the library of MPICH.
    of_debian = pathlib.Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    if abi == "mpich" and of_debian.exists():
        folder = tmp_path_factory.mktemp("mpich")
        (folder / "libmpi.so.12").symlink_to(of_debian)
        extra["LD_LIBRARY_PATH"] = f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    run = functools.partial(run_ranks, [launcher], extra)
    tried = run(2, "assert comm.size == 2", "", ".")
    if tried.returncode != 0:
        pytest.skip(f"mpi4py does not work with {launcher}: {tried.stderr[-300:]}")
    return run


def works(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def own_results(path: str) -> dict[str, dict[str, bytes]]:
    names: dict[str, object] = {}
    exec(RESULTS, names)  # noqa: S102
    results, stored = names["results"], names["stored"]
    assert callable(results) and callable(stored)
    return {command: stored(result) for command, result in results(sf.open(path)).items()}


@pytest.mark.parametrize("trace", [PINGPONG, HYBRID], ids=["pingpong", "hybrid"])
def test_ranks_have_the_bytes_of_one_process(ranks: Run, trace: str, tmp_path: pathlib.Path) -> None:
    expected = own_results(trace)
    assert expected["match"]["matrix"] and pyarrow.ipc.open_stream(expected["profile"]["profile"]).read_all().num_rows
    for count in (1, 2, 3):
        out = tmp_path / str(count)
        out.mkdir()
        script = """
        t = sf.open(trace, comm=comm)
        assert t.rank == comm.rank
        for command, result in results(t).items():
            assert result.rank == comm.rank
            if comm.rank == 0:
                for name, bytes_ in stored(result).items():
                    (out / f"{command}.{name}").write_bytes(bytes_)
            else:
                assert len(result) == 0 and not result.tables and result.text == ""
                assert list(result.anything) == [] and len(result.to_pandas()) == 0
        """
        works(ranks(count, RESULTS + textwrap.dedent(script), trace, out))
        found = {path.name: path.read_bytes() for path in out.iterdir()}
        wanted = {f"{command}.{name}": bytes_ for command, all_ in expected.items() for name, bytes_ in all_.items()}
        assert found == wanted


def test_small_tables_and_files_are_those_of_rank_0(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    t = sf.open(trace, comm=comm)
    assert (len(t.locations) > 0) == (comm.rank == 0) == bool(t.properties) == bool(t.info)
    assert bool(t.validate()) == (comm.rank == 0)
    assert len(t.match().matrix(by="process").to_numpy()) == (2 if comm.rank == 0 else 0)
    assert t.waitstates().worst(3) is not None
    assert f"rank {comm.rank} of 2" in repr(t)
    t.report(out / "r.html")
    t.convert(out / "t.pftrace")
    """
    works(ranks(2, script, PINGPONG, tmp_path))
    one = tmp_path / "one.pftrace"
    sf.open(PINGPONG).convert(one)
    assert (tmp_path / "t.pftrace").read_bytes() == one.read_bytes()
    assert b"</html>" in (tmp_path / "r.html").read_bytes()


def test_groups_work_on_their_own(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    half = comm.Split(comm.rank % 2)
    p = sf.open(trace, comm=half).profile()
    assert (len(p) > 0) == (half.rank == 0)
    # The communicator is as it was, and so is MPI.
    assert half.allreduce(1) == half.size and comm.allreduce(1) == 3
    half.Free()
    """
    works(ranks(3, script, PINGPONG, tmp_path))


def test_wrong_communicators_are_usage_errors(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    half = comm.Split(comm.rank % 2)
    both = half.Create_intercomm(0, comm, 1 - comm.rank % 2, 7)
    freed = comm.Dup()
    t = sf.open(trace, comm=freed)
    freed.Free()
    def refused(call, text):
        try:
            call()
        except sf.UsageError as wrong:
            assert text in str(wrong), wrong
        else:
            raise AssertionError(text)
    refused(lambda: sf.open(trace, comm=3), "of type int")
    refused(lambda: sf.open(trace, comm=MPI._handleof(comm)), "of type int")
    refused(lambda: sf.open(trace, comm=MPI.COMM_NULL), "null")
    refused(lambda: sf.open(trace, comm=freed), "null")
    refused(t.profile, "null")
    refused(lambda: sf.open(trace, comm=both), "two groups")
    refused(sf.open(trace, comm=comm).events, "without comm")
    """
    works(ranks(2, script, PINGPONG, tmp_path))


def test_a_failure_is_one_of_all_ranks(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    def fails(call, kind, text):
        try:
            call()
        except kind as wrong:
            assert text in str(wrong), wrong
        else:
            raise AssertionError(text)
    t = sf.open(trace, comm=comm)
    fails(lambda: sf.open("nothing.otf2", comm=comm), sf.TraceError, "nothing.otf2")
    fails(lambda: t.profile(by="nothing"), sf.UsageError, "nothing")
    # Ranks that differ learn of it.
    fails(lambda: t.profile(by="callpath" if comm.rank else "region"), sf.UsageError, "differs")
    assert (len(t.profile()) > 0) == (comm.rank == 0)
    """
    works(ranks(3, script, PINGPONG, tmp_path))


def test_the_thread_that_calls_communicates(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    import threading
    assert MPI.Query_thread() == MPI.THREAD_FUNNELED
    t = sf.open(trace, comm=comm)
    assert (len(t.waitstates().worst(3)) > 0) == (comm.rank == 0)
    refused = []
    def elsewhere():
        try:
            t.profile()
        except sf.UsageError as wrong:
            refused.append(str(wrong))
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "MPI_THREAD_FUNNELED" in refused[0], refused
    """
    before = "import mpi4py\nmpi4py.rc.thread_level = 'funneled'\n"
    works(ranks(2, script, PINGPONG, tmp_path, before=before))


def test_an_exception_of_one_rank_ends_all(ranks: Run, tmp_path: pathlib.Path) -> None:
    script = """
    t = sf.open(trace, comm=comm)
    if comm.rank == 1:
        raise RuntimeError("this rank has enough")
    t.profile()
    """
    begin = time.monotonic()
    done = ranks(2, script, PINGPONG, tmp_path, module=("-m", "mpi4py"))
    assert done.returncode != 0 and time.monotonic() - begin < PATIENCE
    assert "this rank has enough" in done.stderr


@pytest.mark.parametrize("way", ["", ":panic"])
def test_a_failure_of_one_rank_alone_ends_all(ranks: Run, way: str, tmp_path: pathlib.Path) -> None:
    script = f"""
    import os
    os.environ["STREAMFOLD_TEST_FAIL"] = "scan:1{way}"
    t = sf.open(trace, comm=comm)
    print("opened", flush=True)
    t.profile()
    print("rank", comm.rank, "goes on")
    """
    begin = time.monotonic()
    done = ranks(3, script, PINGPONG, tmp_path)
    assert done.returncode != 0 and time.monotonic() - begin < PATIENCE
    assert done.stdout.count("opened") == 3
    assert "streamfold: rank 1: " in done.stderr and "goes on" not in done.stdout


def test_the_module_is_linked_with_no_mpi() -> None:
    from streamfold import _streamfold

    if shutil.which("ldd") is None:
        pytest.skip("no ldd")
    done = subprocess.run(["ldd", _streamfold.__file__], capture_output=True, text=True, check=True)
    assert "libmpi" not in done.stdout and "libc." in done.stdout
