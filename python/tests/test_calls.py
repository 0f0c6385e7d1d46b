"""Errors, warnings, signals, threads, and the program itself."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import PINGPONG, program

import streamfold as sf


def test_errors_have_a_place(archive: pathlib.Path) -> None:
    archive.write_bytes(archive.read_bytes()[:6])
    with pytest.raises(sf.TraceError) as wrong:
        sf.open(archive)
    assert wrong.value.file == str(archive) and wrong.value.code == 2
    with pytest.raises(sf.TraceError) as missing:
        sf.open(archive.parent / "nothing.otf2")
    assert "nothing.otf2" in str(missing.value)


def test_damage_has_an_offset(archive: pathlib.Path) -> None:
    definitions = archive.with_suffix(".def")
    bytes_ = bytearray(definitions.read_bytes())
    bytes_[40:60] = b"\xff" * 20
    definitions.write_bytes(bytes_)
    with pytest.raises(sf.TraceError) as wrong:
        sf.open(archive)
    assert wrong.value.file == str(definitions) and wrong.value.offset is not None


def test_unknown_options_are_those_of_the_command() -> None:
    trace = sf.open(PINGPONG)
    with pytest.raises(sf.UsageError, match="--no-such-option"):
        trace.profile(no_such_option=3)
    with pytest.raises(sf.UsageError, match="callpath"):
        trace.profile(by="callpaths")


def test_losses_are_warnings(archive: pathlib.Path) -> None:
    events = next(archive.parent.rglob("*.evt"))
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
    with pytest.warns(sf.LossWarning, match="lost|loss|read"):
        profile = sf.open(archive).profile()
    assert len(profile) > 0
    assert profile.losses


def test_options_by_one_rule() -> None:
    trace = sf.open(PINGPONG, threads=2)
    part = trace.profile(time=("10%", "50%"), region=["^MPI_", "main"])
    assert 0 < len(part) <= len(trace.profile())
    assert len(trace.profile(time=(0, 1.5))) > 0


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], archive: pathlib.Path) -> None:
    sf.open(PINGPONG).profile()
    with pytest.raises(sf.Error):
        sf.open(archive.parent / "nothing")
    assert "locations" in sf.run("info", PINGPONG).lower()
    assert capfd.readouterr() == ("", "")


def test_standard_input_is_left_alone() -> None:
    with pytest.raises(sf.UsageError, match="standard input"):
        sf.run("estimate")


def test_calls_from_several_threads() -> None:
    expected = sf.open(PINGPONG).profile()["visits"]
    found: list[object] = []
    workers = [threading.Thread(target=lambda: found.append(sf.open(PINGPONG).profile()["visits"])) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 4


def test_other_threads_of_python_go_on(large: str) -> None:
    counted = 0
    done = threading.Event()

    def work() -> None:
        sf.open(large).profile()
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.wait(0.001):
        counted += 1
    worker.join()
    assert counted > 10


@pytest.mark.parametrize("work", ["trace.profile()", "[None for _ in trace.events(rows=5)]", "sum(1 for _ in trace.events())"])
def test_ctrl_c(large: str, work: str) -> None:
    script = f"""
        import sys, time
        import streamfold as sf
        trace = sf.open({large!r}, threads=1)
        print("begin", flush=True)
        begin = time.monotonic()
        try:
            while True:
                {work}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begin\n"
    time.sleep(0.4)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert process.wait(20) == 0
    assert time.monotonic() - begin < 10


def test_the_program_itself() -> None:
    done = program("profile", PINGPONG, "-q")
    assert done.returncode == 0 and "MPI_Send" in done.stdout
    assert program("profile", "nothing.otf2").returncode == 4
    assert program("--version").stdout.startswith("streamfold ")
    script = pathlib.Path(sys.executable).parent / "streamfold"
    if script.exists():
        assert subprocess.run([script, "info", PINGPONG], capture_output=True, check=True).stdout


def test_the_program_ends_by_signals(large: str) -> None:
    words = [sys.executable, "-m", "streamfold", "profile", "-q", "--threads", "1", large]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=20)
    # A fast machine is done before.
    assert process.returncode == 0 or process.returncode == 143 and "SIGTERM" in said
