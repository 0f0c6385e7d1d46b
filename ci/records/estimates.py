"""How many bytes events take at most: src/formats/otf2/generated/estimates.rs."""

import re

from . import rust
from .decoders import read_scalar
from .table import WIDTH_8, WIDTH_64


def size(field):
    """The variant of `Size` of a field."""
    if field.is_ref() and field.type not in WIDTH_64 and field.type not in WIDTH_8:
        return f"Reference(\"{field.type.removesuffix('Ref')}\")"
    if field.type == "MetricValue":
        return "Bytes(9)"
    read = read_scalar(field)
    (width,) = re.findall(r"c\.(u8|cu32|cu64|ci64|u64|f64)\(\)", read)
    return f"Bytes({dict(u8=1, cu32=5, cu64=9, ci64=9, u64=8, f64=8)[width]})"


def entry(record):
    fixed = [size(f) for f in record.fields if not f.count]
    # The reference library does not count lists of references by how many there will be.
    each = ["Bytes(5)" if f.is_ref() else size(f) for f in record.fields if f.count]
    (count,) = [f.wire_name for f in record.fields if f.is_count] or [None]
    number = f'Some("{count}")' if count else "None"
    return (
        f'    EventSize {{ name: "{record.wire_name}", bare: {str(record.bare).lower()}, '
        f"fields: &[{', '.join(fixed)}], count: {number}, each: &[{', '.join(each)}] }},\n"
    )


def file(events):
    title = "The fields of events by how many bytes each takes at most."
    uses = "use crate::estimate::Size::{Bytes, Reference};\nuse crate::estimate::EventSize;\n\n"
    lines = "".join(map(entry, events))
    return rust.file(title, uses, f"/// Of all events, in the order of their numbers.\npub(crate) const EVENTS: &[EventSize] = &[\n{lines}];\n")
