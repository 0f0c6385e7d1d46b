#!/usr/bin/env python3
"""Writes an archive that holds every kind of global definition, event and snapshot.

    generate.py SEED FOLDER

Needs the Python bindings of OTF2 (Debian: python3-otf2). Fields are drawn at random: references
lead to other records or nowhere, enumerations have numbers without a name now and then, numbers
are often the smallest or the largest. The same seed gives the same files, but for the identifier
of the trace in the anchor.
"""

import inspect
import random
import shutil
import sys

import _otf2
from otf2.enums import Compression, FileMode, FileSubstrate, FlushType

UNDEFINED_32, UNDEFINED_64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
STRINGS = 30
DOUBLES = [0.0, -0.0, 1.0, 1e-5, 123456.0, 1234567.0, 0.1, float("inf"), float("-inf"), float("nan")]

seed, folder = int(sys.argv[1]), sys.argv[2]
R = random.Random(seed)

# The identifiers given so far, by kind of definition.
ids = {}
# Groups: kind, paradigm, members, and the locations of the paradigm.
groups = {}
# The locations of each paradigm, from its group of them.
locations_of = {}
# Calling contexts whose parents are not their own descendants.
contexts = []


# ---------------------------------------------------------------- values


def new(kind):
    """An identifier: mostly the next one, else one that was given before, undefined, or any."""
    known = ids.setdefault(kind, [])
    dice = R.random()
    if dice < 0.75:
        number = len(known)
    elif dice < 0.85 and known:
        number = R.choice(known)
    elif dice < 0.9:
        number = UNDEFINED_32
    else:
        number = R.randrange(0, 2**32)
    known.append(number)
    return number


def ref(kind, bits=32):
    """A reference: mostly to something, else undefined, or to what is not there."""
    known = ids.get(kind, [])
    dice = R.random()
    if known and dice < 0.8:
        return R.choice(known)
    if dice < 0.9:
        return (1 << bits) - 1
    return R.randrange(0, 20) if dice < 0.95 else R.randrange(0, 1 << bits)


def location():
    return ref("Location", 64)


def string():
    dice = R.random()
    return R.randrange(STRINGS) if dice < 0.85 else UNDEFINED_32 if dice < 0.93 else R.randrange(100, 200)


def name():
    """A string without which the reference does not print the record."""
    return R.randrange(STRINGS)


def enum(largest):
    return R.randrange(largest) if R.random() < 0.85 else R.choice([largest, largest + 1, 99, 255])


def flags(bits):
    return R.choice([0, R.randrange(1 << bits), R.randrange(1 << 32), 1 << (bits - 1)])


def number(bits=64):
    return R.choice([0, 1, 7, R.randrange(1 << bits), (1 << bits) - 1, 1 << (bits - 1)])


def signed():
    return R.choice([0, -1, -(2**63), 2**63 - 1, R.randrange(-(10**6), 10**6)])


def double():
    anything = [R.random() * 10 ** R.randrange(-20, 20), R.uniform(-1e6, 1e6)]
    return R.choice(DOUBLES + anything + [100000.5, 9999995.0, 1e100, 5e-324])


def value_of(number):
    value = _otf2.AttributeValue()
    value.uint64 = number
    return value


# What the types of values from 12 on refer to.
REFERENCES = {
    12: "Attribute", 13: "Location", 14: "Region", 15: "Group", 16: "Metric", 17: "Comm", 18: "Parameter",
    19: "RmaWin", 20: "SourceCodeLocation", 21: "CallingContext", 22: "InterruptGenerator", 23: "IoFile",
    24: "IoHandle", 25: "LocationGroup",
}  # fmt: skip


def typed():
    """A type and a value of it."""
    kind, value = R.randrange(1, 26), _otf2.AttributeValue()
    if kind == 9:
        value.float32 = double()
    elif kind == 10:
        value.float64 = double()
    elif kind == 11:
        value.uint64 = string()
    elif kind == 13:
        value.uint64 = location()
    elif kind >= 12:
        value.uint64 = ref(REFERENCES[kind])
    else:
        value.uint64 = number()
    return kind, value


# ----------------------------------------------------------- definitions


def define(kind, *fields):
    getattr(_otf2, "GlobalDefWriter_Write" + kind)(definitions, *fields)


def define_strings_and_clock():
    for i in range(STRINGS):
        if i > 0:
            R.random()  # keeps the sequence that made the archive of this folder
        define("String", i, "" if i in (0, 7) else ["name%d", "/a/b/c%d", 'q"%d', "ü%d"][i % 4] % i)
    if R.random() < 0.3:
        define("String", 5, "again5")
    for _ in range(R.choice([1, 1, 1, 2])):
        offset = R.randrange(10**6)
        realtime = R.choice([UNDEFINED_64, 1700000000123456789, R.randrange(2**63)])
        clocks.append((10**9, offset, 10**6, realtime))
    if R.random() < 0.2:
        clocks.append((0, 5, 6, 7))
    for clock in clocks:
        define("ClockProperties", *clock)


def define_paradigms():
    """Returns how many I/O paradigms there are."""
    for paradigm in range(26):
        if R.random() < 0.4:
            define("Paradigm", paradigm, string(), enum(4))
    for _ in range(6):
        value, kind, what = value_of(number()), R.choice([4, 13]), enum(3)
        if R.random() < 0.5:
            kind, value.uint64, what = 11, string(), R.choice([0, 1])
        elif R.random() < 0.5:
            kind, value.uint64, what = 1, R.choice([0, 1, 2]), 2
        define("ParadigmProperty", enum(25), what, kind, value)
    count = R.randrange(1, 4)
    for paradigm in range(count):
        whats, kinds, values = [], [], []
        for i in range(R.randrange(3)):
            value = value_of(number())
            if i == 0:
                value.uint64 = string()
            kinds.append(11 if i == 0 else R.choice([4, 13]))
            whats.append(0 if i == 0 else enum(1))
            values.append(value)
        define("IoParadigm", paradigm, string(), name(), enum(2), flags(1), whats, kinds, values)
    return count


def define_location():
    known = ids.setdefault("Location", [])
    known.append(R.choice([len(known), R.randrange(2**40)]))
    define("Location", known[-1], string(), enum(4), number(), ref("LocationGroup"))


def define_group():
    kind = R.choice([0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 9])
    paradigm = R.choice([4, 4, 4, 3, 22, 40])
    group, count, members = new("Group"), R.randrange(6), []
    if kind in (1, 4):  # locations
        any_location = lambda: R.choice(ids["Location"]) if R.random() < 0.95 else R.choice([UNDEFINED_64, 99])
        members = [any_location() for _ in range(max(count, 2))]
    elif kind == 5:  # ranks
        members = [R.choice([0, 1, R.randrange(2), R.randrange(8), UNDEFINED_64]) for _ in range(count)]
    elif kind != 6:
        members = [R.choice([0, 1, 2, UNDEFINED_32, UNDEFINED_64, number()]) for _ in range(count)]
    define("Group", group, string(), kind, paradigm, flags(1), members)
    if group != UNDEFINED_32:
        groups[group] = (kind, members, locations_of.get(paradigm))
        if kind == 4:
            locations_of[paradigm] = members


def define_inter_communicator():
    """Only of groups whose ranks exist: on others the reference's print program crashes."""
    exists = lambda kind, ranks, of: kind == 5 and of is not None and all(r < len(of) for r in ranks)
    good = [group for group, parts in groups.items() if exists(*parts)]
    if good:
        define("InterComm", new("Comm"), string(), R.choice(good), ref("Group"), ref("Comm"), flags(1))


def define_calling_context():
    """Only with parents that are defined earlier: in a circle the reference's print program hangs."""
    known = ids.setdefault("CallingContext", [])
    context = len(known)
    if R.random() < 0.1:
        context = R.randrange(1000, 2000)
    parent = R.choice(contexts + [UNDEFINED_32]) if R.random() < 0.9 else 777
    known.append(context)
    if context not in contexts:
        contexts.append(context)
    define("CallingContext", context, ref("Region"), ref("SourceCodeLocation"), parent)


def io_handle():
    handle = new("IoHandle")
    file_name = R.choice([UNDEFINED_32, name()])
    file = R.choice(ids.get("IoFile", [UNDEFINED_32]))
    return handle, file_name, file, R.randrange(io_paradigms), flags(2), ref("Comm"), ref("IoHandle")


def metric_member():
    modes, types = [0, 16, 32, 48, 17, 33, 49, 18, 34, 50, 5], [4, 8, 10, 1, 30]
    head = new("MetricMember"), string(), string(), enum(4)
    return *head, R.choice(modes), R.choice(types), enum(2), signed(), string()


# The fields of the other definitions.
FIELDS = {
    "Attribute": lambda: (new("Attribute"), string(), string(), enum(26)),
    "SystemTreeNode": lambda: (new("SystemTreeNode"), name(), name(), ref("SystemTreeNode")),
    "LocationGroup": lambda: (new("LocationGroup"), string(), enum(3), ref("SystemTreeNode"), ref("LocationGroup")),
    "Region": lambda: (new("Region"), name(), string(), string(), enum(39), enum(25), flags(2), string(), number(32), number(32)),
    "Callsite": lambda: (new("Callsite"), string(), number(32), ref("Region"), ref("Region")),
    "Callpath": lambda: (new("Callpath"), ref("Callpath"), ref("Region")),
    "MetricMember": metric_member,
    "MetricClass": lambda: (new("Metric"), [ref("MetricMember") for _ in range(R.randrange(4))], enum(3), enum(4)),
    "MetricInstance": lambda: (new("Metric"), ref("Metric"), location(), enum(4), R.choice([0, 1, UNDEFINED_64, location()])),
    "Comm": lambda: (new("Comm"), string(), ref("Group"), ref("Comm"), flags(1)),
    "Parameter": lambda: (new("Parameter"), string(), enum(3)),
    "RmaWin": lambda: (new("RmaWin"), string(), ref("Comm"), flags(1)),
    "MetricClassRecorder": lambda: (ref("Metric"), location()),
    "SystemTreeNodeProperty": lambda: (ref("SystemTreeNode"), string(), *typed()),
    "SystemTreeNodeDomain": lambda: (ref("SystemTreeNode"), enum(9)),
    "LocationGroupProperty": lambda: (ref("LocationGroup"), string(), *typed()),
    "LocationProperty": lambda: (location(), string(), *typed()),
    "CartDimension": lambda: (new("CartDimension"), string(), number(32), enum(2)),
    "CartTopology": lambda: (new("CartTopology"), string(), ref("Comm"), [ref("CartDimension") for _ in range(R.randrange(4))]),
    "CartCoordinate": lambda: (ref("CartTopology"), R.choice([0, 1, 5, UNDEFINED_32]), [number(32) for _ in range(R.randrange(4))]),
    "SourceCodeLocation": lambda: (new("SourceCodeLocation"), name(), number(32)),
    "CallingContextProperty": lambda: (ref("CallingContext"), string(), *typed()),
    "InterruptGenerator": lambda: (new("InterruptGenerator"), string(), enum(2), enum(2), signed(), number()),
    "IoFileProperty": lambda: (ref("IoFile"), string(), *typed()),
    "IoRegularFile": lambda: (new("IoFile"), name(), ref("SystemTreeNode")),
    "IoDirectory": lambda: (new("IoFile"), name(), ref("SystemTreeNode")),
    "IoHandle": io_handle,
    "IoPreCreatedHandleState": lambda: (ref("IoHandle"), enum(5), flags(9)),
    "CallpathParameter": lambda: (ref("Callpath"), ref("Parameter"), *typed()),
}  # fmt: skip
OTHERS = {"Group": define_group, "InterComm": define_inter_communicator, "CallingContext": define_calling_context}

FIRST = {
    "Attribute": 6, "SystemTreeNode": 5, "LocationGroup": 4, "Region": 8, "Callsite": 2, "Callpath": 3,
    "MetricMember": 6, "Parameter": 4, "CartDimension": 3, "SourceCodeLocation": 4, "InterruptGenerator": 3,
}  # fmt: skip
THEN = {
    "Group": 14, "MetricClass": 4, "MetricInstance": 3, "Comm": 8, "InterComm": 3, "RmaWin": 4, "CartTopology": 3,
    "CallingContext": 8, "IoRegularFile": 3, "IoDirectory": 2, "IoHandle": 4,
}  # fmt: skip
LAST = [
    "MetricClassRecorder", "SystemTreeNodeProperty", "SystemTreeNodeProperty", "SystemTreeNodeDomain",
    "LocationGroupProperty", "LocationProperty", "LocationProperty", "CartCoordinate", "CartCoordinate",
    "CallingContextProperty", "IoFileProperty", "IoPreCreatedHandleState", "CallpathParameter",
]  # fmt: skip


def define_the_rest():
    for _ in range(2):
        define_location()
    ids["Location"] = list(dict.fromkeys(ids["Location"]))
    several = lambda kinds: [kind for kind, count in kinds.items() for _ in range(count)]
    define_all(several(FIRST))
    for kinds in (several(THEN), LAST * 3):
        R.shuffle(kinds)
        define_all(kinds)


def define_all(kinds):
    for kind in kinds:
        if kind in OTHERS:
            OTHERS[kind]()
        else:
            define(kind, *FIELDS[kind]())


# -------------------------------------------------- events and snapshots


def tables():
    """What is drawn for a field of an event, by its name."""
    choices = {
        "root": lambda: R.choice([0, 1, UNDEFINED_32, UNDEFINED_32 - 1, UNDEFINED_32 - 2, UNDEFINED_32 - 3, 3]),
        "ioParadigm": lambda: R.choice([0, 1, 7, 255]),
        "measurementMode": lambda: R.choice([1, 2, 3]),
        "unwindDistance": lambda: R.choice([0, 1, 2, 3, UNDEFINED_32]),
        "programArguments": lambda: [string() for _ in range(R.randrange(4))],
        "value": number,
        "stopTime": number,
    }
    rank = lambda: R.choice([0, 1, 2, R.randrange(6), UNDEFINED_32, number(32)])
    choices |= dict.fromkeys(["receiver", "sender", "remote", "creatingThread"], rank)
    references = {
        "region": "Region", "communicator": "Comm", "threadTeam": "Comm", "threadContingent": "Comm", "comm": "Comm",
        "win": "RmaWin", "group": "Group", "parameter": "Parameter", "handle": "IoHandle", "oldHandle": "IoHandle",
        "newHandle": "IoHandle", "file": "IoFile", "callingContext": "CallingContext",
        "interruptGenerator": "InterruptGenerator", "metric": "Metric",
    }  # fmt: skip
    choices |= {field: lambda kind=kind: ref(kind) for field, kind in references.items()}
    choices |= dict.fromkeys(["string", "programName"], string)
    enums = {"collectiveOp": 23, "syncType": 3, "lockType": 2, "type": 8, "model": 25, "mode": 3, "whence": 5}
    choices |= {field: lambda largest=largest: enum(largest) for field, largest in enums.items()}
    sets = {"syncLevel": 2, "creationFlags": 11, "statusFlags": 9, "operationFlags": 2}
    choices |= {field: lambda bits=bits: flags(bits) for field, bits in sets.items()}
    choices |= dict.fromkeys(["offsetRequest", "exitStatus"], signed)
    narrow = ["numberOfRequestedThreads", "acquisitionOrder", "generationNumber", "msgTag", "lockID"]
    choices |= dict.fromkeys(narrow, lambda: number(32))
    wide = ["msgLength", "requestID", "sizeSent", "sizeReceived", "taskID", "lockId", "bytes", "matchingId"]
    wide += ["bytesSent", "bytesReceived", "sequenceCount", "offsetResult", "bytesRequest", "bytesResult"]
    return choices | dict.fromkeys(wide, number)


CHOICES = tables()
EXCEPTIONS = {("IoCreateHandle", "mode"): lambda: enum(5), ("ParameterInt", "value"): signed}


def fields_of(function, kind, skip):
    """Values for the parameters of a function that writes an event, but for the first few."""
    names = list(inspect.signature(function).parameters)[skip:]
    return [EXCEPTIONS.get((kind, name), CHOICES.get(name))() for name in names]


def functions(prefix, without):
    """The functions that write records of a file, by kind of record."""
    names = [name.removeprefix(prefix) for name in dir(_otf2) if name.startswith(prefix)]
    return {name: getattr(_otf2, prefix + name) for name in names if name not in without}


def draw_attributes(attributes, count):
    for attribute in {ref("Attribute") for _ in range(count())}:
        _otf2.AttributeList_AddAttribute(attributes, attribute, *typed())


def metric_values():
    kinds, values = [], []
    for _ in range(R.randrange(4)):
        kind, value = R.choice([4, 8, 10]), _otf2.MetricValue()
        if kind == 10:
            value.floating_point = double()
        else:
            value.unsigned_int = number()
        kinds.append(kind)
        values.append(value)
    return kinds, values


def write_events(writer, attributes):
    without = {"ClearRewindPoint", "GetLocationID", "GetNumberOfEvents", "GetUserData", "Rewind"}
    write = functions("EvtWriter_", without | {"SetLocationID", "SetUserData", "StoreRewindPoint"})
    time, kinds = R.randrange(1000), list(write)
    R.shuffle(kinds)
    for kind in kinds:
        time += R.choice([0, 1, 5, 100])
        if R.random() < 0.3:
            draw_attributes(attributes, lambda: R.randrange(1, 4))
        if kind == "Metric":
            values = metric_values()
            fields = ref("Metric"), *values
        else:
            fields = fields_of(write[kind], kind, 3)
        write[kind](writer, attributes, time, *fields)


def write_snapshots(writer, attributes):
    write = functions("SnapWriter_", {"GetLocationID", "SnapshotStart", "SnapshotEnd"})
    time = 0
    for _ in range(2):
        time += R.choice([10, 100, 3000])
        _otf2.SnapWriter_SnapshotStart(writer, None, time, number())
        kinds = list(write)
        R.shuffle(kinds)
        for kind in kinds:
            if R.random() < 0.3:
                draw_attributes(attributes, lambda: 2)
            earlier = R.randrange(time)
            if kind == "Metric":
                value = _otf2.MetricValue()
                value.floating_point = double()
                fields = ref("Metric"), [10], [value]
            else:
                fields = fields_of(write[kind], kind, 4)
            write[kind](writer, attributes, time, earlier, *fields)
        _otf2.SnapWriter_SnapshotEnd(writer, None, time, number())


# ---------------------------------------------------------------- the archive

shutil.rmtree(folder, ignore_errors=True)
archive = _otf2.Archive_Open(folder, "t", FileMode.WRITE, 1 << 18, 1 << 18, FileSubstrate.POSIX, Compression.NONE)
flush = _otf2.FlushCallbacks(pre_flush=lambda *_: FlushType.FLUSH, post_flush=None)
_otf2.Archive_SetFlushCallbacks(archive, flush, None)
_otf2.Archive_SetSerialCollectiveCallbacks(archive)
_otf2.Archive_OpenDefFiles(archive)
_otf2.Archive_OpenEvtFiles(archive)
definitions = _otf2.Archive_GetGlobalDefWriter(archive)
clocks = []
define_strings_and_clock()
io_paradigms = define_paradigms()
define_the_rest()
_otf2.Archive_OpenSnapFiles(archive)
_otf2.Archive_SetNumberOfSnapshots(archive, 2)
_otf2.Archive_SetMachineName(archive, "machine")
_otf2.Archive_SetCreator(archive, "creator")
_otf2.Archive_SetDescription(archive, "descr")
_otf2.Archive_SetProperty(archive, "TEST::A", "x y", 1)
attributes = _otf2.AttributeList_New()
for each in ids["Location"]:
    events = _otf2.Archive_GetEvtWriter(archive, each)
    write_events(events, attributes)
    snapshots = _otf2.Archive_GetSnapWriter(archive, each)
    write_snapshots(snapshots, attributes)
    _otf2.Archive_CloseSnapWriter(archive, snapshots)
    if R.random() < 0.8:
        _otf2.Archive_CloseDefWriter(archive, _otf2.Archive_GetDefWriter(archive, each))
    _otf2.Archive_CloseEvtWriter(archive, events)
_otf2.Archive_CloseGlobalDefWriter(archive, definitions)
_otf2.Archive_CloseSnapFiles(archive)
_otf2.Archive_CloseEvtFiles(archive)
_otf2.Archive_CloseDefFiles(archive)
_otf2.Archive_Close(archive)
