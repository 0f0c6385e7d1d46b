#!/usr/bin/env python3
"""Writes small archives whose profiles can be worked out by hand (tests/samples/by_hand.rs does).

    generate.py FOLDER

Needs the Python bindings of OTF2 (Debian: python3-otf2). The same files come out each time, but for
the identifiers of the traces in the anchors.
"""

import os
import shutil
import sys

import _otf2
from otf2.enums import Compression, FileMode, FileSubstrate, FlushType, Paradigm, RegionRole

NOTHING = 0xFFFFFFFF
TICKS_PER_SECOND = 1000


class Archive:
    def __init__(self, folder, regions):
        shutil.rmtree(folder, ignore_errors=True)
        self.archive = _otf2.Archive_Open(
            folder, "t", FileMode.WRITE, 1 << 18, 1 << 18, FileSubstrate.POSIX, Compression.NONE
        )
        flush = _otf2.FlushCallbacks(pre_flush=lambda *_: FlushType.FLUSH, post_flush=None)
        # Python would forget it, and the library would not.
        self.flush = flush
        _otf2.Archive_SetFlushCallbacks(self.archive, flush, None)
        _otf2.Archive_SetSerialCollectiveCallbacks(self.archive)
        _otf2.Archive_OpenDefFiles(self.archive)
        _otf2.Archive_OpenEvtFiles(self.archive)
        _otf2.Archive_SetCreator(self.archive, "by hand")
        self.definitions = _otf2.Archive_GetGlobalDefWriter(self.archive)
        self.strings = {}
        self.define("ClockProperties", TICKS_PER_SECOND, 0, 1000, 0xFFFFFFFFFFFFFFFF)
        self.define("SystemTreeNode", 0, self.string("machine"), self.string("machine"), NOTHING)
        for region, (name, role, paradigm) in enumerate(regions):
            name = self.string(name)
            self.define("Region", region, name, name, NOTHING, role, paradigm, 0, NOTHING, 0, 0)

    def define(self, kind, *fields):
        getattr(_otf2, "GlobalDefWriter_Write" + kind)(self.definitions, *fields)

    def string(self, text):
        if text not in self.strings:
            number = self.strings[text] = len(self.strings)
            self.define("String", number, text)
        return self.strings[text]

    def group(self, number, name):
        self.define("LocationGroup", number, self.string(name), 1, 0, NOTHING)

    def location(self, number, name, group, events):
        """Events: kind, time, and the other fields."""
        self.define("Location", number, self.string(name), 1, len(events), group)
        writer = _otf2.Archive_GetEvtWriter(self.archive, number)
        for kind, time, *fields in events:
            getattr(_otf2, "EvtWriter_" + kind)(writer, None, time, *fields)
        _otf2.Archive_CloseEvtWriter(self.archive, writer)
        _otf2.Archive_CloseDefWriter(self.archive, _otf2.Archive_GetDefWriter(self.archive, number))

    def close(self):
        _otf2.Archive_CloseGlobalDefWriter(self.archive, self.definitions)
        _otf2.Archive_CloseEvtFiles(self.archive)
        _otf2.Archive_CloseDefFiles(self.archive)
        _otf2.Archive_Close(self.archive)


ROLES = ["FUNCTION", "PARALLEL", "TASK", "FILE_IO", "POINT2POINT", "RMA", "THREAD_CREATE"]
FUNCTION, PARALLEL, TASK, FILE_IO, POINT2POINT, RMA, THREAD_CREATE = (getattr(RegionRole, role).value for role in ROLES)
USER, OPENMP, MPI, PTHREAD = (getattr(Paradigm, name).value for name in ["USER", "OPENMP", "MPI", "PTHREAD"])
ON, OFF = 1, 2


def samples(folder):
    """One location that is sampled and calls MPI_Send, and one that is sampled by events."""
    MAIN, SOLVE, KERNEL, SEND, LOG = range(5)
    archive = Archive(
        folder,
        [
            ("main", FUNCTION, USER), ("solve", FUNCTION, USER), ("kernel", FUNCTION, USER),
            ("MPI_Send", POINT2POINT, MPI), ("log", FUNCTION, USER),
        ],
    )  # fmt: skip
    for line, (file, number) in enumerate(
        [("main.c", 10), ("main.c", 12), ("solve.c", 20), ("solve.c", 21), ("kernel.c", 5)]
    ):
        archive.define("SourceCodeLocation", line, archive.string(file), number)
    for context, fields in enumerate(
        [
            (MAIN, 0, NOTHING),
            (MAIN, 1, NOTHING),
            (SOLVE, 2, 0),
            (SOLVE, 3, 0),
            (KERNEL, 4, 3),
            (SEND, NOTHING, 2),
            (SOLVE, 2, 2),  # solve calls itself
            (LOG, NOTHING, 99),  # from a context that nobody defines
        ]
    ):
        archive.define("CallingContext", context, *fields)
    # Mode, base, exponent, period: every 5 ms; every 3 * 2^10 events.
    archive.define("InterruptGenerator", 0, archive.string("clock"), 0, 1, -3, 5)
    archive.define("InterruptGenerator", 1, archive.string("misses"), 1, 0, 10, 3)
    archive.group(0, "first")
    archive.group(1, "second")
    # Context, unwind distance, interrupt generator.
    sample = lambda time, *fields: ("CallingContextSample", time, *fields)
    archive.location(
        0, "sampled", 0,
        [
            sample(0, 0, 2, 0),
            sample(5, 2, 2, 0),
            ("CallingContextEnter", 8, 5, 2),
            sample(10, 5, 1, 0),
            ("CallingContextLeave", 14, 5),
            sample(15, 4, 2, 0),
            sample(15, 4, 0, 1),
            sample(20, 3, 1, 0),
            sample(26, 6, 2, 0),
            sample(30, 1, 2, 0),
            sample(31, 2, 1, 0),  # solve was not open before
            sample(36, 7, 3, 0),
            sample(40, 1234, 2, 77),
            ("MeasurementOnOff", 50, OFF),
            ("MeasurementOnOff", 60, ON),
            sample(62, 0, 2, 0),
        ],
    )  # fmt: skip
    archive.location(1, "counted", 1, [sample(3, 0, 2, 1), sample(9, 0, 1, 1)])
    archive.close()


def rare_kinds(folder):
    """The kinds of events that measurements seldom write."""
    PARALLEL_REGION, WORK, READ, WAIT, PUT, SPAWN = range(6)
    archive = Archive(
        folder,
        [
            ("parallel", PARALLEL, OPENMP), ("work", TASK, OPENMP), ("read", FILE_IO, USER), ("MPI_Wait", POINT2POINT, MPI),
            ("MPI_Put", RMA, MPI), ("pthread_create", THREAD_CREATE, PTHREAD),
        ],
    )  # fmt: skip
    archive.group(0, "process")
    archive.define("IoParadigm", 0, archive.string("POSIX"), archive.string("POSIX"), 0, 0, [], [], [])
    archive.define("IoRegularFile", 0, archive.string("data"), 0)
    for handle in range(2):
        archive.define("IoHandle", handle, archive.string("data"), 0, 0, 0, NOTHING, NOTHING)
    team, creator = 1, 0
    task = lambda kind, time, number: ("ThreadTask" + kind, time, team, creator, number)
    archive.location(
        0, "tasks and a flush", 0,
        [
            ("Enter", 0, PARALLEL_REGION),
            task("Create", 2, 1),
            task("Switch", 10, 1),
            ("Enter", 10, WORK),
            task("Switch", 30, 0),
            task("Switch", 50, 1),
            ("Leave", 55, WORK),
            task("Complete", 55, 1),
            ("BufferFlush", 60, 75),
            ("Leave", 80, PARALLEL_REGION),
        ],
    )  # fmt: skip
    archive.location(
        1, "older records of OpenMP", 0,
        [
            ("OmpFork", 100, 2),
            ("Enter", 100, PARALLEL_REGION),
            ("OmpTaskCreate", 105, 7),
            ("OmpTaskSwitch", 110, 7),
            ("Enter", 112, WORK),
            ("OmpAcquireLock", 120, 3, 1),
            ("OmpReleaseLock", 125, 3, 1),
            ("Leave", 130, WORK),
            ("OmpTaskComplete", 130, 7),
            ("Leave", 140, PARALLEL_REGION),
            ("OmpJoin", 141),
        ],
    )  # fmt: skip
    WRITE_MODE, READ_MODE, EXCLUSIVE = 1, 0, 0
    archive.location(
        2, "files", 0,
        [
            ("Enter", 0, READ),
            ("IoTryLock", 1, 0, EXCLUSIVE),
            ("IoAcquireLock", 2, 0, EXCLUSIVE),
            ("IoDuplicateHandle", 3, 0, 1, 0),
            ("IoChangeStatusFlags", 4, 1, 0),
            ("IoOperationBegin", 5, 0, READ_MODE, 0, 100, 1),
            ("IoOperationIssued", 6, 0, 1),
            ("IoOperationTest", 8, 0, 1),
            ("IoOperationComplete", 10, 0, 60, 1),
            ("IoOperationBegin", 11, 1, WRITE_MODE, 0, 50, 2),
            ("IoOperationCancelled", 13, 1, 2),
            ("IoOperationBegin", 14, 1, WRITE_MODE, 0, 50, 2),
            ("IoOperationComplete", 16, 1, 40, 2),
            ("IoReleaseLock", 17, 0, EXCLUSIVE),
            ("Leave", 20, READ),
            ("IoOperationBegin", 21, 0, READ_MODE, 0, 9, 3),
            ("IoOperationCancelled", 22, 0, 3),
            ("IoOperationComplete", 23, 0, 9, 3),  # of what was cancelled
        ],
    )  # fmt: skip
    archive.location(
        3, "requests", 0,
        [
            ("Enter", 0, WAIT),
            ("MpiIsend", 1, 1, 0, 5, 64, 1),
            ("MpiRequestTest", 2, 1),
            ("MpiIsendComplete", 3, 1),
            ("MpiIrecvRequest", 4, 2),
            ("MpiRequestTest", 5, 2),
            ("MpiRequestCancelled", 6, 2),
            ("Leave", 9, WAIT),
        ],
    )  # fmt: skip
    archive.location(
        4, "memory of others", 0,
        [
            ("Enter", 0, PUT),
            ("RmaTryLock", 1, 0, 0, 1, EXCLUSIVE),
            ("RmaAcquireLock", 2, 0, 0, 1, EXCLUSIVE),
            ("RmaPut", 3, 0, 0, 128, 1),
            ("RmaOpTest", 4, 0, 1),
            ("RmaOpCompleteBlocking", 5, 0, 1),
            ("RmaSync", 6, 0, 0, 0),
            ("RmaWaitChange", 7, 0),
            ("RmaAtomic", 8, 0, 0, 2, 8, 8, 2),
            ("RmaReleaseLock", 9, 0, 0, 1),
            ("Leave", 10, PUT),
        ],
    )  # fmt: skip
    contingent = 2
    archive.location(
        5, "creates a thread", 0,
        [
            ("Enter", 0, SPAWN),
            ("ThreadCreate", 2, contingent, 1),
            ("Leave", 3, SPAWN),
            ("ThreadWait", 9, contingent, 1),
        ],
    )  # fmt: skip
    archive.location(
        6, "the thread", 0,
        [("ThreadBegin", 3, contingent, 1), ("Enter", 4, WORK), ("Leave", 8, WORK), ("ThreadEnd", 8, contingent, 1)],
    )  # fmt: skip
    # Locations of MPI and of POSIX threads, ranks among them, and what is made from these.
    archive.define("Group", 0, archive.string("ranks"), 4, MPI, 0, [3, 4])
    archive.define("Group", 1, archive.string("world"), 5, MPI, 0, [0, 1])
    archive.define("Comm", 0, archive.string("world"), 1, NOTHING, 0)
    archive.define("RmaWin", 0, archive.string("window"), 0, 0)
    archive.define("Group", 2, archive.string("threads"), 4, OPENMP, 0, [0])
    archive.define("Group", 3, archive.string("team"), 5, OPENMP, 0, [0])
    archive.define("Comm", 1, archive.string("team"), 3, NOTHING, 0)
    archive.define("Group", 4, archive.string("all threads"), 4, PTHREAD, 0, [5, 6])
    archive.define("Group", 5, archive.string("created"), 5, PTHREAD, 0, [0, 1])
    archive.define("Comm", 2, archive.string("created"), 5, NOTHING, 0)
    archive.close()


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
samples(os.path.join(folder, "samples"))
rare_kinds(os.path.join(folder, "rare-kinds"))
