"""The payloads of all records but events, as lists of steps: src/formats/otf2/generated/layouts.rs."""

import re

from . import rust
from .encoders import OTF2, arrays, width

KINDS = ["definition", "snapshot", "marker", "thumbnail"]
STEPS = {"u8": "U8", "u64": "U64", "f64": "U64", "cu32": "Cu32", "cu64": "Cu64", "ci64": "Ci64", "string": "Text", "id_map": "IdMap"}


def step(r, f):
    """The step of one field. Snapshots name what events do, and need mapping tables as they do."""
    if f.type in ("AttributeValue", "MetricValue"):
        return "Value" if f.type == "AttributeValue" else "Cu64"
    if f.type == "Type" and any(x.type == "AttributeValue" for x in r.fields):
        return "Type"
    if r.kind == "snapshot" and f.is_ref():
        assert width(f) == "cu32"
        return f"Map(MappingType::{f.type.removesuffix('Ref')})"
    return STEPS[width(f)]


def steps(r):
    out = []
    for item in arrays(r):
        if isinstance(item, list):
            # The count stands before its array.
            out[-1] = f"Each{dict(U8=8, Cu32=32)[out[-1]]}(&[{', '.join(step(r, f) for f in item)}])"
            continue
        # Older writers end here, or after some of the newer fields.
        out += ["Since"] if item.since else []
        out.append(step(r, item))
    return ", ".join(out)


def function(name, records, what, others=None, visibility="pub(crate) "):
    arms = "".join(f'{r.id} => layout("{r.wire_name}", &[{steps(r)}]),\n' for r in records)
    rest = f"return {others}(id)" if others else "return None"
    return f"/// The {what}.\n{visibility}fn {name}(id: u8) -> Option<Layout> {{\nSome(match id {{\n{arms}_ => {rest},\n}})\n}}\n\n"


def file(records):
    definitions = records["definition"]
    body = ""
    for where in ("global", "local"):
        only = [r for r in definitions if r.where == where]
        body += function(f"{where}_definition", only, f"{where} definition `id`", "definition")
    body += function("definition", [r for r in definitions if not r.where], "definition `id`, in files of either kind", visibility="")
    for kind in KINDS[1:]:
        body += function(kind, records[kind], f"{kind} record `id`")
    used = sorted({word for kind in KINDS for r in records[kind] for word in re.findall(r"(?<!:)\b[A-Z]\w+\b(?!:)", steps(r))})
    head = f"use streamfold_model::enums::MappingType;\nuse {OTF2}::layout::{{layout, Layout}};\nuse {OTF2}::layout::Step::{{{', '.join(used)}}};\n\n"
    return rust.file("The records that are no events, by their numbers: their names, and what their payloads consist of.", head, body)
