#!/usr/bin/env python3
"""Writes a log of strace -f -ttt -T with four processes that read, write, open, close and seek.

    strace_gen.py FILE LINES [bare]     bare: without the paths of -y
"""

import random
import sys

lines, is_bare = int(sys.argv[2]), sys.argv[3:] == ["bare"]
chance = random.Random(7)
time = 1700000000.0
with open(sys.argv[1], "w") as file:
    opened = {}
    for number in range(lines):
        pid = 1000 + number % 4
        time += 0.00001 + chance.random() * 1e-5
        path = opened.setdefault(pid, f"/data/in/file{number % 500}.dat")
        descriptor = "3" if is_bare else f"3<{path}>"
        kind = number // 4 % 10
        call = {
            0: f'openat(AT_FDCWD, "{path}", O_RDONLY|O_CLOEXEC) = {descriptor}',
            8: f"lseek({descriptor}, {number * 64}, SEEK_SET) = {number * 64}",
            9: f"close({descriptor}) = 0",
        }.get(kind)
        if call is None and kind % 2:
            call = f'read({descriptor}, "\\1\\2abcd"..., 65536) = 65536'
        call = call or f'write({descriptor}, "\\0\\0\\0abc"..., 4096) = 4096'
        if kind == 9:
            del opened[pid]
        file.write(f"{pid} {time:.6f} {call} <0.{chance.randrange(9) + 1:06}>\n")
