#!/usr/bin/env python3
"""The directly-follows graph of strace logs, as one writes it with pandas: a peer of `streamfold dfg`.

    dfg_pandas.py [--pm4py] FOLDER

Reads lines `PID TIME call(FD<path>, …) = RESULT <DURATION>` of all .st files of a folder with a regular expression,
names activities by the call and the first two components of the path, and counts edges, with pandas or with pm4py.
"""

import pathlib
import re
import sys

import pandas

LINE = re.compile(
    r"^(\d+)\s+(\d\d):(\d\d):(\d\d\.\d+) (\w+)\((?:[^<\"]*<([^>]*)>)?(.*?)\)\s+= (-?\d+)(?:<([^>]*)>)?.*<(\d+\.\d+)>$"
)


def rows(path):
    for line in open(path, errors="replace"):
        found = LINE.match(line)
        if not found:
            continue
        pid, hours, minutes, seconds, call, file, _, result, returned, duration = found.groups()
        start = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        file = returned if call == "openat" and returned else file
        if file:
            yield path.stem, start, float(duration), call + ":" + "/".join(file.split("/")[:3]), int(result)


def main():
    arguments = sys.argv[1:]
    with_pm4py = "--pm4py" in arguments
    [folder] = [argument for argument in arguments if not argument.startswith("--")]
    names = ["case", "start", "duration", "activity", "size"]
    parts = [pandas.DataFrame(rows(path), columns=names) for path in sorted(pathlib.Path(folder).glob("*.st"))]
    log = pandas.concat(parts).sort_values(["case", "start"], kind="stable")
    print(log.groupby("activity")["duration"].agg(["count", "sum"]).sort_values("sum").tail(3))
    if with_pm4py:
        import pm4py

        log["start"] = pandas.to_datetime(log["start"], unit="s")
        edges, *_ = pm4py.discover_dfg(log, activity_key="activity", timestamp_key="start", case_id_key="case")
    else:
        follows = log.groupby("case")["activity"].shift(-1)
        edges = log.groupby(["activity", follows]).size().to_dict()
    print(len(edges), "edges,", sum(edges.values()), "times")


main()
