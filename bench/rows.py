"""Runs commands in turn, and prints medians of their processor seconds, seconds on the clock, and peaks of memory."""

import os
import statistics
import subprocess
import time


def measured(command):
    """Processor seconds, seconds on the clock, and MiB at most."""
    before = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.monotonic() - before
    if status != 0:
        return None
    return usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss / 1024


def print_table(rows, runs):
    """Runs each row, a title and a command, once without counting and then so often."""
    found = {title: [] for title, _ in rows}
    for run in range(runs + 1):
        for title, command in rows:
            result = measured(command)
            if result and run > 0:
                found[title].append(result)
    print("| row | processor seconds | seconds | MiB |\n|---|---|---|---|")
    for title, results in found.items():
        if not results:
            print(f"| {title} | failed | | |")
            continue
        cpu, clock, memory = (statistics.median(column) for column in zip(*results))
        print(f"| {title} | {cpu:.2f} | {clock:.2f} | {memory:.0f} |")

