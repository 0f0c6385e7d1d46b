#!/usr/bin/env python3
"""Writes Chrome trace events as profilers do: nested calls of 8 threads of 2 processes, an event a line.

    chrome_gen.py FILE [EVENTS]
"""

import random
import sys

events = int(sys.argv[2]) if len(sys.argv) > 2 else 1_200_000
chance = random.Random(5)
regions = [(f"f{number}::compute<float, {number}>", "app" if number % 3 else "cpu_op") for number in range(100)]
times = {(process, thread): 1000.0 for process in (100, 101) for thread in (1, 2, 3, 4)}


def event(region, begin, duration, place, number):
    name, category = regions[region]
    (process, thread) = place
    return (
        f'{{"ph":"X","name":"{name}","cat":"{category}","ts":{begin:.3f},"dur":{duration:.3f},"pid":{process},'
        f'"tid":{thread},"args":{{"External id":{number},"Ev Idx":{number}}}}}'
    )


with open(sys.argv[1], "w") as file:
    file.write('{"traceEvents":[')
    number, between = 0, "\n"
    while number < events:
        place = chance.choice(list(times))
        begin, duration, outer = times[place], chance.randrange(20000) / 1000 + 5, chance.randrange(20)
        calls = [event(outer, begin, duration, place, number)]
        for inner in range(4):
            at = begin + inner * duration / 4.5
            calls.append(event(20 + 4 * outer + inner, at, duration / 5, place, number + inner + 1))
        times[place] = begin + duration + 1
        number += len(calls)
        file.write(between + ",\n".join(calls))
        between = ",\n"
    file.write("\n]}\n")
