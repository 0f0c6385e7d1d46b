#!/usr/bin/env python3
"""Writes the archive in this folder: metrics of all modes, whose profile can be worked out by hand.

    generate.py FOLDER

Needs the Python bindings of OTF2 (Debian: python3-otf2). A second has 1000 ticks. The same files come
out each time, but for the identifier of the trace in the anchor.
"""

import os
import shutil
import sys
import tempfile
import time

import otf2
from otf2.enums import LocationType, MetricMode, MetricOccurrence, Type

target = sys.argv[1]
# The writer notes when it was that the clock began.
time.time = lambda: 1_000_000_000.0
folder = os.path.join(tempfile.mkdtemp(), "archive")
with otf2.writer.open(folder, archive_name="t", timer_resolution=1000) as trace:
    d = trace.definitions
    node = d.system_tree_node("machine")
    group = d.location_group("process", system_tree_parent=node)
    main = d.location("main", group=group)
    sensor = d.location("sensor", type=LocationType.METRIC, group=group)
    a, b, c = (d.region(name) for name in "ABC")

    def member(name, mode, kind, unit, exponent=0):
        return d.metric_member(name, metric_mode=mode, value_type=kind, unit=unit, exponent=exponent)

    events = member("events", MetricMode.ACCUMULATED_START, Type.UINT64, "#")
    energy = member("energy", MetricMode.ACCUMULATED_POINT, Type.DOUBLE, "J")
    heap = member("heap", MetricMode.ABSOLUTE_POINT, Type.INT64, "bytes")
    moved = member("moved", MetricMode.RELATIVE_NEXT, Type.INT64, "bytes")
    power = member("power", MetricMode.ABSOLUTE_NEXT, Type.UINT64, "W", -3)
    temperature = member("temperature", MetricMode.ABSOLUTE_LAST, Type.DOUBLE, "C")
    load = member("load", MetricMode.ABSOLUTE_POINT, Type.UINT64, "%")

    def metric_class(occurrence, *members):
        return d.metric_class(members=members, occurrence=occurrence)

    counters = metric_class(MetricOccurrence.SYNCHRONOUS_STRICT, events, energy)
    heaps = metric_class(MetricOccurrence.SYNCHRONOUS, heap)
    moves = metric_class(MetricOccurrence.SYNCHRONOUS, moved)
    sensors = metric_class(MetricOccurrence.ASYNCHRONOUS, power, temperature)
    loads = metric_class(MetricOccurrence.ASYNCHRONOUS, load)
    of_process = d.metric_instance(sensors, recorder=sensor, scope=group)
    of_main = d.metric_instance(loads, recorder=sensor, scope=main)

    writer = trace.event_writer_from_location(main)
    writer.metric(0, counters, (100, 1e100))
    writer.metric(0, heaps, (50,))
    writer.enter(0, a)
    writer.metric(10, counters, (110, 1.0))
    writer.enter(10, b)
    writer.metric(20, counters, (115, 2.5))
    writer.metric(20, moves, (7,))
    writer.enter(20, c)
    writer.metric(30, counters, (145, 1e100))
    writer.metric(30, moves, (5,))
    writer.metric(30, heaps, (-20,))
    writer.leave(30, c)
    writer.metric(50, counters, (150, 3.0))
    writer.leave(50, b)
    writer.metric(60, loads, (30,))
    writer.metric(80, loads, (50,))
    writer.metric(100, counters, (200, 1e100))
    writer.metric(100, heaps, (70,))
    writer.leave(100, a)
    writer.metric(120, loads, (10,))

    writer = trace.event_writer_from_location(sensor)
    writer.metric(0, of_process, (1500, 20.5))
    writer.metric(40, of_process, (2500, 21.5))
    writer.metric(50, of_main, (90,))
    writer.metric(100, of_process, (500, 30.0))

for name in os.listdir(folder):
    shutil.move(os.path.join(folder, name), os.path.join(target, name))
shutil.rmtree(os.path.dirname(folder))
