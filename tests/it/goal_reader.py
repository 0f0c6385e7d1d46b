"""Reads schedules of GOAL as txt2bin of LogGOPSim does, and finds how long they take on a network without latency.

    goal_reader.py [--solve] FILE...

For each file one line of JSON: ranks, operations, messages, bytes, and by how many nanoseconds each rank ends
("ends"). An operation begins when all that it requires has ended, and all that it irequires has begun; a receive ends
when its send has ended, too. "longest" is the longest way through this graph. With --solve networkx finds it too
("networkx"), and HiGHS finds the shortest run that keeps all constraints ("highs").

What txt2bin would refuse or misread ends with an error: another order of ranks, labels that are used before they are
defined or defined twice, tags that mean any; and so do messages with one end, and operations that wait for each other,
in one rank or over ranks.
"""

import json
import re
import sys

LABEL = r"([a-zA-Z][a-zA-Z0-9_]*)"
CALC = re.compile(LABEL + r": calc (\d+)(?: cpu (\d+))?$")
MESSAGE = re.compile(LABEL + r": (send|recv) (\d+)b (to|from) (\d+) tag (\d+)(?: cpu (\d+))?$")
REQUIRES = re.compile(LABEL + r" (requires|irequires) " + LABEL + "$")
WORDS = {"rank", "num_ranks", "send", "recv", "calc", "requires", "irequires", "nic", "cpu", "tag", "to", "from", "b"}


class Schedule:
    """Operations as begins (2 n) and ends (2 n + 1), and edges between these: (from, to, nanoseconds)."""

    def __init__(self, path):
        self.ranks, self.cpus, self.bytes = 0, 0, 0
        self.of_rank, self.edges = [], []
        self.sends, self.receives = {}, {}
        labels, self.rank = {}, None
        with open(path, encoding="ascii") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    labels = self.line(line.rstrip("\n"), labels)
                except (AssertionError, KeyError) as error:
                    raise SystemExit(f"{path}, line {number}: {line.rstrip()!r}: {error!r}") from error
        assert self.rank is None and len(self.begins) == self.ranks, f"{path}: not all ranks are there"
        for key, (send, size) in self.sends.items():
            assert key in self.receives, f"{path}: no receive of {key}"
            receive, received = self.receives[key]
            assert size == received, f"{path}: {key}: {size} bytes and {received}"
            self.edges.append((2 * send + 1, 2 * receive + 1, 0))
        for key in self.receives:
            assert key in self.sends, f"{path}: no send of {key}"

    begins = None

    def line(self, line, labels):
        """Takes a line; returns the labels of its rank."""
        if line.startswith("num_ranks "):
            assert self.begins is None, "a second head"
            self.ranks, self.begins = int(line.split()[1]), []
            return labels
        assert self.begins is not None, "no head"
        if not line:
            assert self.rank is None
            return labels
        if line.startswith("rank "):
            word, rank, bracket = line.split(" ")
            assert self.rank is None and bracket == "{" and int(rank) == len(self.begins) < self.ranks
            self.rank = int(rank)
            self.begins.append(len(self.of_rank))
            return {}
        assert self.rank is not None, "outside of a rank"
        if line == "}":
            assert labels, "a rank without operations"
            self.rank = None
            return {}
        found = CALC.match(line)
        if found:
            label, time, cpu = found.groups()
            self.operation(label, labels, int(time), cpu)
            return labels
        found = MESSAGE.match(line)
        if found:
            label, what, size, word, peer, tag, cpu = found.groups()
            assert (what, word) in (("send", "to"), ("recv", "from"))
            assert int(peer) < self.ranks and int(tag) < 2**32 - 1 and int(size) > 0
            operation = self.operation(label, labels, 0, cpu)
            is_send = what == "send"
            of = self.sends if is_send else self.receives
            key = (self.rank, int(peer), int(tag)) if is_send else (int(peer), self.rank, int(tag))
            assert key not in of, "a tag twice"
            of[key] = (operation, int(size))
            self.bytes += int(size) if is_send else 0
            return labels
        found = REQUIRES.match(line)
        assert found, "no statement"
        later, word, earlier = found.groups()
        later, earlier = labels[later], labels[earlier]
        self.edges.append((2 * earlier + (word == "requires"), 2 * later, 0))
        return labels

    def operation(self, label, labels, time, cpu):
        """Adds one; returns its number."""
        assert label not in labels and label not in WORDS, "a label twice"
        self.cpus = max(self.cpus, int(cpu or 0) + 1)
        number = len(self.of_rank)
        labels[label] = number
        self.of_rank.append(self.rank)
        self.edges.append((2 * number, 2 * number + 1, time))
        return number

    def ends(self):
        """When each rank ends, by a pass in topological order."""
        count = 2 * len(self.of_rank)
        out, missing, times = [[] for _ in range(count)], [0] * count, [0] * count
        for earlier, later, time in self.edges:
            out[earlier].append((later, time))
            missing[later] += 1
        ready = [node for node in range(count) if not missing[node]]
        passed = 0
        while ready:
            node = ready.pop()
            passed += 1
            for later, time in out[node]:
                times[later] = max(times[later], times[node] + time)
                missing[later] -= 1
                if not missing[later]:
                    ready.append(later)
        assert passed == count, f"{count - passed} begins and ends wait for each other"
        ends = [0] * self.ranks
        for number, rank in enumerate(self.of_rank):
            ends[rank] = max(ends[rank], times[2 * number + 1])
        return ends

    def networkx(self):
        """The longest path."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(range(2 * len(self.of_rank)))
        for earlier, later, time in self.edges:
            known = graph.get_edge_data(earlier, later, {"weight": 0})["weight"]
            graph.add_edge(earlier, later, weight=max(time, known))
        return networkx.dag_longest_path_length(graph)

    def highs(self):
        """The least time at which all have ended: a linear program with a variable for each begin and end."""
        import highspy
        import numpy

        count, rows = 2 * len(self.of_rank), len(self.edges) + len(self.of_rank)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = count + 1, rows
        program.col_cost_ = numpy.append(numpy.zeros(count), 1.0)
        program.col_lower_ = numpy.zeros(count + 1)
        program.col_upper_ = numpy.full(count + 1, highspy.kHighsInf)
        last = [(2 * number + 1, count, 0) for number in range(len(self.of_rank))]
        edges = numpy.array(self.edges + last, dtype=float)
        program.row_lower_, program.row_upper_ = edges[:, 2], numpy.full(rows, highspy.kHighsInf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = numpy.arange(0, 2 * rows + 1, 2)
        program.a_matrix_.index_ = edges[:, [1, 0]].astype(int).ravel()
        program.a_matrix_.value_ = numpy.tile([1.0, -1.0], rows)
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("primal_feasibility_tolerance", 1e-9)
        solver.passModel(program)
        solver.run()
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal, solver.getModelStatus()
        time = solver.getInfo().objective_function_value
        assert abs(time - round(time)) < 1e-3, time
        return round(time)


def main():
    """Reads all files."""
    solve, paths = "--solve" in sys.argv[1:], [path for path in sys.argv[1:] if path != "--solve"]
    for path in paths:
        schedule = Schedule(path)
        ends = schedule.ends()
        told = {
            "ranks": schedule.ranks,
            "cpus": schedule.cpus,
            "operations": len(schedule.of_rank),
            "messages": len(schedule.sends),
            "bytes": schedule.bytes,
            "ends": ends,
            "longest": max(ends, default=0),
        }
        if solve:
            told["networkx"], told["highs"] = schedule.networkx(), schedule.highs()
        print(json.dumps(told))


main()
