#!/usr/bin/env python3
"""Writes the archive beside it: matched probes and receives, and ranks that are processes.

Needs the Python module of OTF2 3.2 (`pip install otf2==3.2`), which has these records. Two processes, the
second one with two threads; `traces.otf2` is the anchor.
"""

import pathlib
import shutil

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

here = pathlib.Path(__file__).parent
for old in ("traces.otf2", "traces.def", "traces"):
    path = here / old
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

UNDEFINED = 0xFFFF_FFFF_FFFF_FFFF

with otf2.writer.open(str(here), timer_resolution=1_000_000_000) as trace:
    definitions = trace.definitions
    root = definitions.system_tree_node("machine", class_name="machine")
    node = definitions.system_tree_node("node", class_name="node", parent=root)
    groups = [
        definitions.location_group(f"Rank {n}", location_group_type=LocationGroupType.PROCESS, system_tree_parent=node)
        for n in range(2)
    ]
    threads = [
        definitions.location("Master", type=LocationType.CPU_THREAD, group=groups[0]),
        definitions.location("Master", type=LocationType.CPU_THREAD, group=groups[1]),
        definitions.location("Thread 2", type=LocationType.CPU_THREAD, group=groups[1]),
    ]
    names = ["MPI_Send", "MPI_Mprobe", "MPI_Mrecv", "MPI_Imrecv", "MPI_Wait", "MPI_Probe"]
    region = {
        name: definitions.region(
            name, region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI, source_file="", description=""
        )
        for name in names
    }
    # The high-level module knows no group of location groups.
    definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=threads[:2])
    world = definitions.group(
        "", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=(0, 1)
    )
    comm = definitions.comm("MPI_COMM_WORLD", group=world)

    sender, receiver = trace.event_writer_from_location(threads[0]), trace.event_writer_from_location(threads[1])
    for time, tag, length in [(100, 7, 1000), (200, 7, 2000), (300, 8, 3000)]:
        sender.enter(time, region["MPI_Send"])
        sender.mpi_send(time + 1, 1, comm, tag, length)
        sender.leave(time + 10, region["MPI_Send"])

    def inside(name, begin, end, write):
        receiver.enter(begin, region[name])
        write((begin + end) // 2)
        receiver.leave(end, region[name])

    # A probe that matches nothing.
    inside("MPI_Probe", 50, 150, lambda time: receiver.mpi_probe(time, 0, comm, 7, UNDEFINED))
    # The first message is received last: matching goes by the probes.
    inside("MPI_Mprobe", 160, 170, lambda time: receiver.mpi_probe(time, 0, comm, 7, 41))
    inside("MPI_Mprobe", 180, 260, lambda time: receiver.mpi_probe(time, 0, comm, 7, 42))
    inside("MPI_Mrecv", 270, 280, lambda time: receiver.mpi_mrecv(time, 42, 2000))
    inside("MPI_Imrecv", 290, 300, lambda time: receiver.mpi_imrecv_request(time, 41, 5))
    inside("MPI_Wait", 310, 320, lambda time: receiver.mpi_imrecv(time, 5, 1000))
    inside("MPI_Mprobe", 330, 340, lambda time: receiver.mpi_probe(time, 0, comm, 8, 43))
    inside("MPI_Mrecv", 350, 360, lambda time: receiver.mpi_mrecv(time, 43, 3000))

# The module makes no list of location groups: the list becomes one here, as the library writes it. The numbers 0
# and 1 of its members are those of both groups, too.
definitions = (here / "traces.def").read_bytes()
two_members = b"\x01\x02\x00\x01\x01"
assert definitions.count(b"\x06" + two_members + b"\x04") == 1
listed = definitions.replace(b"\x06" + two_members + b"\x04", b"\x00" + two_members + b"\x07")
(here / "traces.def").write_bytes(listed)
