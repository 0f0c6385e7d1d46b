"""What the fields of every record mean: kernels/model/src/fields/meanings, and docs/print-records.md."""

import re

from . import rust
from .table import snake


def key(field):
    """msgTag -> msg_tag; what a record defines itself is its id."""
    return {"self": "id"}.get(field.wire_name, snake(field.wire_name))


def described(field, flags):
    """(the Rust value, a word for people)"""
    if field.is_count:
        return "Meaning::Number", "number of elements"
    if field.is_ref():
        kind = field.type.removesuffix("Ref")
        if field.wire_name == "self":
            return "Meaning::Number", "number"
        return f"Meaning::Reference(ReferenceKind::{kind})", kind
    if field.time:
        return "Meaning::Time", "time"
    if field.type in ("AttributeValue", "MetricValue"):
        return "Meaning::Value", "value of that type"
    if field.type == "Type":
        return "Meaning::Type", "`Type`"
    if field.type in flags:
        return f"Meaning::Flags(|set, each| bits({field.type}::NAMED, set, each))", f"flags `{field.type}`"
    plain = {"u8", "u32", "u64", "i64"}
    if field.type in plain:
        return "Meaning::Number", "number"
    if field.type in ("f64", "string", "IdMap"):
        return "Meaning::Number", {"f64": "floating-point number", "string": "text", "IdMap": "map"}[field.type]
    return f"Meaning::Enumeration(|number| {field.type}::from(number).name())", f"`{field.type}`"


CALLS = {"Number": "number", "Time": "time", "Type": "type_of_values", "Value": "value"}


def rust_field(field, flags):
    """One field as a call of what kernels/model/src/fields/meaning.rs has for its kind."""
    value, _ = described(field, flags)
    meaning, _, rest = value.removeprefix("Meaning::").partition("(")
    if meaning in CALLS:
        return f'{CALLS[meaning]}("{key(field)}")'
    return f'{meaning.lower()}("{key(field)}", {rest.removesuffix(")")})'


def files(kinds, enums):
    """A file for each (records, module, enum)."""
    flags = {e["name"] for e in enums if e.get("flags")}
    return {f"{module}.rs": of_kind(records, module, enum, flags) for records, module, enum in kinds}


def of_kind(records, module, enum, flags):
    life = "<'_>" if any(r.borrows for r in records) else ""
    body = f"impl Meanings for {enum}{life} {{\n    fn meanings(&self) -> &'static [Field] {{\n        match self {{\n"
    # Records with the same fields share an arm.
    arms = {}
    for r in records:
        fields = ", ".join(rust_field(f, flags) for f in r.fields if not f.legacy)
        arms.setdefault(fields, []).append(f"{enum}::{r.name}(_)")
    for fields, names in arms.items():
        body += f"            {' | '.join(names)} => const {{ &[{fields}] }},\n"
    body += "        }\n    }\n}\n"
    used = sorted(set(re.findall(r"(\w+)::(?:NAMED|from)", body)))
    calls = sorted(set(re.findall(r"\b([a-z_]+)\((?=\")", body)) | ({"bits"} if "bits(" in body else set()))
    out = [f"use crate::fields::meaning::{{{', '.join(calls)}, Field, Meanings}};\n"]
    out.append(f"use crate::{module}::{enum};\n")
    if used:
        out.append(f"use crate::enums::{{{', '.join(used)}}};\n")
    if "ReferenceKind::" in body:
        out.append("use crate::references::ReferenceKind;\n")
    return rust.file(f"Meanings of the fields of {module}.", "".join(out), "\n", body)


def page(kinds, enums):
    """docs/print-records.md"""
    flags = {e["name"] for e in enums if e.get("flags")}
    out = [
        "<!-- Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit. -->\n\n"
        "# The records of `streamfold print --json`\n\n"
        "The fields of each record in their order, after those that [use/print.md](use/print.md) lists for all\n"
        "records of a kind. In parentheses: what a number refers to, or the enumeration that it is of.\n"
        "`[]` marks arrays.\n"
    ]
    for records, module, _ in kinds:
        out.append(f"\n## {module.capitalize()}\n\n")
        for r in records:
            fields = []
            for f in r.fields:
                if not f.legacy:
                    _, word = described(f, flags)
                    shown = "" if word in ("number", "number of elements") else f" ({word})"
                    fields.append(f"`{key(f)}{'[]' if f.count else ''}`{shown}")
            out.append(f"* **{r.wire_name}**{': ' if fields else ''}{', '.join(fields)}\n")
    return "".join(out)
