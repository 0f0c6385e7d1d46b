"""The table of records, and how its names read in Rust."""

import re

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

# Rust's names for what would collide with a keyword or with a type of another module.
RUST_RECORD = {"String": "StringDef", "Paradigm": "ParadigmDef", "ParadigmProperty": "ParadigmPropertyDef"}
RUST_TYPE = {"u8": "u8", "u32": "u32", "u64": "u64", "i64": "i64", "f64": "f64", "string": "BString", "IdMap": "IdMap"}
TIMES = {"stopTime", "origEventTime"}
WIDTH_64 = {"LocationRef"}
WIDTH_8 = {"IoParadigmRef"}

# The files among which the records of a kind, and the enumerations, are divided: what each is
# about, and the names that belong there.
SUBJECTS = {
    "definition": {
        "trace": ("the trace itself: clocks, strings, attributes, paradigms, mappings", r"Clock\w+|String|Attribute|Paradigm\w*|MappingTable"),
        "system": ("machines, processes and locations, and topologies of them", r"SystemTree\w+|Location\w*|Cart\w+"),
        "code": ("the program: regions, parameters, call paths, calling contexts", r"Region|Parameter|Call\w+|SourceCodeLocation|InterruptGenerator"),
        "metrics": ("metrics and who records them", r"Metric\w+"),
        "messages": ("groups, communicators and windows of memory", r"Group|\w*Comm|RmaWin"),
        "io": ("files and their handles", r"Io\w+"),
    },
    "event": {
        "program": ("the program: regions, calling contexts, parameters, metrics, recording", r"BufferFlush|MeasurementOnOff|Enter|Leave|Program\w+|CallingContext\w+|Parameter\w+|Metric"),
        "messages": ("messages, collective operations and communicators", r"Mpi\w+|NonBlockingCollective\w+|Comm\w+"),
        "threads": ("threads, their locks and their tasks", r"Omp\w+|Thread\w+"),
        "rma": ("access to the memory of others", r"Rma\w+"),
        "io": ("files", r"Io\w+"),
    },
    "enum": {
        "trace": ("the trace itself: values, paradigms, mappings, files of the archive", r"FileSubstrate|Compression|MappingType|Type|Base|Paradigm\w*|Thumbnail\w+|Marker\w+"),
        "system": ("machines, processes and locations, and topologies of them", r"SystemTree\w+|Location\w+|Cart\w+"),
        "code": ("the program: regions, parameters, samples, recording", r"Region\w+|ParameterType|InterruptGeneratorMode|MeasurementMode"),
        "metrics": ("metrics and who records them", r"Metric\w+|RecorderKind"),
        "messages": ("groups, communicators, collective operations, locks and access to the memory of others", r"Group\w+|Comm\w+|Collective\w+|Rma\w+|LockType"),
        "io": ("files and their handles", r"Io\w+"),
    },
}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("IDs", "ids").lower()


def camel(name):
    """OPENMP_X -> OpenmpX"""
    return {"SELF": "SelfRoot"}.get(name, "".join(w.capitalize() for w in name.split("_")))


class Field:
    def __init__(self, text):
        head, *notes = [part.strip() for part in text.split(",")]
        self.wire_name, self.type = [p.strip() for p in head.split(":", 1)]
        self.count = None
        if match := re.fullmatch(r"(\w+)\[(\w+)\]", self.wire_name):
            self.wire_name, self.count = match.groups()
        notes = dict(note.split(" ", 1) for note in notes)
        self.map = notes.pop("map", None)
        self.since = notes.pop("since", None)
        self.absent = notes.pop("absent", None)
        self.legacy = notes.pop("legacy", None)
        self.write = notes.pop("write", None)
        self.wire = notes.pop("wire", None)
        assert not notes, text
        self.is_count = False  # set by Record
        self.name = {"self": "id", "type": "value_type"}.get(self.wire_name, snake(self.wire_name))
        if self.type == "RmaAtomicType":
            self.name = "atomic_type"
        if self.type == "ThumbnailType":
            self.name = "thumbnail_type"
        self.time = self.wire_name in TIMES

    def is_ref(self):
        return self.type.endswith("Ref")


class Record:
    def __init__(self, kind, entry):
        self.kind, self.wire_name, self.id = kind, entry["name"], entry["id"]
        self.name = RUST_RECORD.get(self.wire_name, self.wire_name) if kind == "definition" else self.wire_name
        self.since, self.deprecated = entry["since"], entry.get("deprecated")
        self.where, self.bare, self.doc = entry.get("where"), entry.get("bare", False), entry.get("doc")
        self.supplements = entry.get("supplements")
        self.fields = [Field(text) for text in entry["fields"]]
        counts = {f.count for f in self.fields if f.count}
        for f in self.fields:
            f.is_count = f.wire_name in counts
        self.snake = snake(self.name)
        self.method = {"Paradigm": "paradigm", "ParadigmProperty": "paradigm_property", "String": "string"}.get(self.wire_name, self.snake)
        self.borrows = kind in ("event", "snapshot") and any(f.count for f in self.fields)

    def members(self):
        """(name, type, doc) of the fields of the Rust type: counts go, a type and its value are one."""
        out, fields = [], [f for f in self.fields if not f.is_count and not f.legacy]
        names = {f.wire_name for f in fields}
        slice_of = (lambda t: f"&'a [{t}]") if self.borrows else (lambda t: f"Vec<{t}>")
        for f in fields:
            if f.type == "Type" and ({"value", "values", "metricValues"} & names):
                continue  # told together with its value
            if f.type == "AttributeValue" and f.count:
                out.append(("properties", "Vec<(IoParadigmProperty, TypedValue)>", f))
            elif f.type == "IoParadigmProperty":
                continue
            elif f.type in ("AttributeValue", "MetricValue"):
                out.append(("values" if f.count else "value", slice_of("TypedValue") if f.count else "TypedValue", f))
            else:
                rust = "Ticks" if f.time else RUST_TYPE.get(f.type, f.type)
                out.append((f.name, slice_of(rust) if f.count else rust, f))
        return out


def by_subject(kind, entries, name_of):
    """{subject: entries}, each entry in one subject, each subject with one entry or more."""
    divided = {subject: [] for subject in SUBJECTS[kind]}
    for entry in entries:
        (subject,) = [s for s, (_, names) in SUBJECTS[kind].items() if re.fullmatch(names, name_of(entry))]
        divided[subject].append(entry)
    assert all(divided.values()), kind
    return divided


def about(kind, subject):
    """What a subject is about."""
    return SUBJECTS[kind][subject][0]


def load(path):
    table = tomllib.loads(path.read_text())
    kinds = ["definition", "event", "snapshot", "marker", "thumbnail"]
    return {k: [Record(k, e) for e in table[k]] for k in kinds}, table["enum"], table["conversion"], table["derive"]
