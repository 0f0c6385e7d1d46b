"""The encoders: src/formats/otf2/generated/encoders."""

import re

from . import rust
from .table import RUST_TYPE, WIDTH_64, WIDTH_8, about, by_subject, camel, snake

INNER = "pub(crate)"
OTF2 = "crate"
# Each kind of record, and the module of the model with its types.
MODULES = {"definition": "definitions", "event": "events", "snapshot": "snapshots", "marker": "markers", "thumbnail": "thumbnails"}


def width(f):
    """The method that reads or writes the field, as the field stands in the file."""
    if f.time or f.wire == "u64":
        return "u64"
    if f.is_ref():
        return "u8" if f.type in WIDTH_8 else "cu64" if f.type in WIDTH_64 else "cu32"
    if f.type in RUST_TYPE:
        return {"u8": "u8", "u32": "cu32", "u64": "cu64", "i64": "ci64", "f64": "f64", "string": "string", "IdMap": "id_map"}[f.type]
    return "cu32" if f.type.endswith(("Flag", "SyncLevel")) else "u8"


def arrays(r):
    """The fields in their order; those of one array together, with their count."""
    out = []
    for f in r.fields:
        if f.count and out and isinstance(out[-1], list) and out[-1][0].count == f.count:
            out[-1].append(f)
        else:
            out.append([f] if f.count else f)
    return out


# What a record of the model says.


def put_fn(r, module):
    """One function that writes the payload of one kind of record of the model."""
    life = "<'_>" if r.borrows else ""
    used = "record" if r.fields else "_record"
    to = "to" if r.fields else "_to"
    body = "".join(put_array(r, item) if isinstance(item, list) else put_field(r, item) for item in arrays(r))
    return (
        f"#[inline]\nfn put_{r.snake}<O: ByteOrder>({used}: &{module}::{r.name}{life}, {to}: &mut Payload<'_, O>) {{\n{body}}}\n\n"
    )


def member_of(r, f):
    """The field of the Rust type that an array is in."""
    return next(name for name, _, field in r.members() if field.count == f.count)


def put_field(r, f):
    if f.is_count:
        name = next(member_of(r, x) for x in r.fields if x.count == f.wire_name)
        return f"to.count_{width(f)}(record.{name}.len());\n"
    if f.legacy:
        return f"{put_legacy(r, f)}\n"
    if f.type == "Type" and any(x.type == "AttributeValue" for x in r.fields):
        return "to.u8(record.value.value_type.into());\n"
    if f.type == "AttributeValue":
        return "to.attribute_value(record.value);\n"
    return put_value(f, f"record.{f.name}") + ";\n"


def put_legacy(r, f):
    if f.write == "string_or_undefined":
        return "to.cu32(string_or_undefined(record.value));"
    older = f.write.removeprefix("derive:")
    return f"to.u8(older_{snake(older)}(record).into());"


def put_value(f, value):
    way = width(f)
    if f.type in ("string",):
        return f"to.string(&{value})"
    if f.type == "IdMap":
        return f"to.id_map(&{value})"
    if f.time or f.is_ref():
        return f"to.{way}({value}.0)"
    if f.type in RUST_TYPE:
        return f"to.{way}({value})"
    return f"to.{way}({value}.into())"


def put_array(r, group):
    name = member_of(r, group[0])
    types = [f.type for f in group]
    if types == ["Type", "MetricValue"]:
        body, item = "to.u8(value.value_type.into());\nto.cu64(value.bits);\n", "value"
    elif types == ["IoParadigmProperty", "Type", "AttributeValue"]:
        body, item = "to.u8((*property).into());\nto.u8(value.value_type.into());\nto.attribute_value(*value);\n", "(property, value)"
    else:
        (f,) = group
        value = "item" if f.is_ref() else "*item"
        body, item = put_value(f, value) + ";\n", "item"
    elements = f"record.{name}" if r.borrows else f"&record.{name}"
    return f"for {item} in {elements} {{\n{body}}}\n"


# What an event in another file says. Copies of all other records are made by their layouts.


def copy_fn(r):
    """One function that reads the payload of one kind of event and writes it anew."""
    args = ["c: &mut Cursor<'_, O>" if r.fields else "_c: &mut Cursor<'_, O>"]
    args += ["maps: &Mappings"] if maps(r) else []
    args += ["to: &mut Payload<'_, P>" if r.fields else "_to: &mut Payload<'_, P>"]
    lines = [f"#[inline]\nfn copy_{r.snake}<O: ByteOrder, P: ByteOrder>({', '.join(args)}) -> Result<(), WireError> {{\n"]
    for item in arrays(r):
        if isinstance(item, list):
            lines.append(f"for _ in 0..{snake(item[0].count)} {{\n{''.join(map(copy_value, item))}}}\n")
        else:
            lines.append(copy_count(r, item) if item.is_count else copy_value(item))
    lines.append("Ok(())\n}\n\n")
    return "".join(lines)


def maps(r):
    """Whether a copy needs the mapping tables."""
    return any(f.map for f in r.fields)


def copy_count(r, f):
    smallest = sum(x.count == f.wire_name for x in r.fields)
    name, way = snake(f.wire_name), width(f)
    return f"let {name} = c.{way}()?;\nto.{way}({name});\nlet {name} = c.count({name}, {smallest})?;\n"


def copy_value(f):
    way = "cu64" if f.type == "MetricValue" else width(f)
    if f.map:
        bits = "64" if way == "cu64" else "32"
        return f"to.{way}(maps.map{bits}(MappingType::{camel(f.map)}, c.{way}()?));\n"
    return f"to.{way}(c.{way}()?);\n"


# From a number to its functions.


def put_match(records, module, enum, place=None):
    borrows = any(r.borrows for r in records)
    life = "<'_>" if borrows else ""
    arms = "".join(
        f"        {module}::{enum}::{r.name}(record) => {{ {place[r.name] + '::' if place else ''}put_{r.snake}(record, to); {r.id} }}\n" for r in records
    )
    return (
        f"/// Writes the payload of a record of the model, and returns its number on disk.\n"
        f"#[inline]\n{INNER} fn put<O: ByteOrder>(record: &{module}::{enum}{life}, to: &mut Payload<'_, O>) -> u8 {{\n"
        f"    match record {{\n{arms}    }}\n}}\n\n"
    )


def copy_match(records, place):
    arms = ""
    for r in records:
        args = ["c"] + (["maps"] if maps(r) else []) + ["to"]
        arms += f"        {r.id} => {place[r.name]}::copy_{r.snake}({', '.join(args)})?,\n"
    return (
        "/// Reads the payload of the record `id` and writes it anew, with the fields that it has; what\n"
        "/// stands behind the fields that are known is left. `false`: the id is not known.\n"
        f"#[inline]\n{INNER} fn copy<O: ByteOrder, P: ByteOrder>(id: u8, c: &mut Cursor<'_, O>, maps: &Mappings, to: &mut Payload<'_, P>) -> Result<bool, WireError> {{\n"
        f"    match id {{\n{arms}        _ => return Ok(false),\n    }}\n    Ok(true)\n}}\n\n"
    )


def uses(body, module):
    out = []
    if re.search(rf"\b{module}::", body):
        out.append(f"use streamfold_model::{module};\n")
    used = (("MappingType", "streamfold_model::enums::MappingType"), ("Mappings", f"{OTF2}::mapping::Mappings"), ("Payload", f"{OTF2}::payload::Payload"))
    for word, path in used:
        if re.search(rf"\b{word}\b", body):
            out.append(f"use {path};\n")
    older = sorted(set(re.findall(r"\b(older_\w+|string_or_undefined)\(", body)))
    if older:
        out.append(f"use {OTF2}::generated::encoders::older::{{{', '.join(older)}}};\n")
    wire = ["ByteOrder"] + [word for word in ("Cursor", "WireError") if re.search(rf"\b{word}\b", body)]
    return "".join(out) + f"use {OTF2}::wire::{{{', '.join(wire)}}};\n\n"


def folder(kind, records):
    """The files of the encoders of a kind that is divided by subject."""
    module = MODULES[kind]
    files, place = {}, {}
    for subject, group in by_subject(kind, records, lambda r: r.wire_name).items():
        body = "".join(put_fn(r, module) + (copy_fn(r) if kind == "event" else "") for r in group)
        body = body.replace("#[inline]\nfn ", "#[inline]\npub(super) fn ")
        files[f"{subject}.rs"] = rust.file(f"Encoders of {kind}s of {about(kind, subject)}.", uses(body, module), body)
        place |= {r.name: subject for r in group}
    if kind == "event":
        body = put_match(records, module, "Event", place) + copy_match(records, place)
        public = f"{INNER} use encode::{{copy, put}};\n"
        title = "Encoders of the event records, section 14 of the format."
    else:
        body = put_match(records, module, "Definition", place)
        public = f"{INNER} use encode::put;\n"
        title = "Encoders of the definition records, section 13 of the format."
    subjects = f"use super::{{{', '.join(sorted(set(place.values())))}}};\n"
    files["encode.rs"] = rust.file("From a record, or its number, to its encoder.", subjects, uses(body, module), body)
    names = sorted(name.removesuffix(".rs") for name in files)
    files["mod.rs"] = rust.file(title, "".join(f"mod {name};\n" for name in names), "\n", public)
    return files


def plain(kind, records, title, enum):
    """The one file of a kind with few records."""
    module = MODULES[kind]
    body = put_match(records, module, enum) + "".join(put_fn(r, module) for r in records)
    return rust.file(title, uses(body, module), body)


def older(derived):
    """What older readers look for, in fields that newer ones have replaced."""
    body = (
        "/// The value of a property where it is a string, as older readers know it.\n"
        "pub(super) fn string_or_undefined(value: TypedValue) -> u32 {\n"
        "    if value.value_type == Type::String { value.bits as u32 } else { u32::MAX }\n}\n\n"
    )
    for d in derived:
        body += older_fn(d)
    head = (
        "use streamfold_model::definitions::{Group, Region};\nuse streamfold_model::enums::{GroupFlag, GroupTypePre12, RegionFlag, RegionType, Type};\n"
        "use streamfold_model::values::TypedValue;\n\n"
    )
    return rust.file("Values of fields that newer ones have replaced, for older readers, section 19 of the format.", head, body)


def older_fn(d):
    record, flags = {"RegionType": ("Region", "region_flags"), "GroupTypePre12": ("Group", "group_flags")}[d["name"]]
    inputs = [snake(name) for name in d["inputs"]]
    parts = {
        "paradigm": "u8::from(record.paradigm)",
        "region_role": "u8::from(record.region_role)",
        "group_type": "u8::from(record.group_type)",
        "dynamic": "record.region_flags.contains(RegionFlag::DYNAMIC)",
        "phase": "record.region_flags.contains(RegionFlag::PHASE)",
    }
    arms = ""
    for *key, result in d["rows"]:
        arms += f"        ({', '.join(key_text(k) for k in key)}) => {result},\n"
    guard = "" if record == "Region" else "    if record.group_flags != GroupFlag::NONE {\n        return GroupTypePre12::from(0);\n    }\n"
    key = ", ".join(parts[name] for name in inputs)
    return (
        f"/// The `{d['name']}` of a {record.lower()}; 0 where none fits.\n"
        f"pub(super) fn older_{snake(d['name'])}(record: &{record}) -> {d['name']} {{\n{guard}"
        f"    {d['name']}::from(match ({key}) {{\n{arms}        _ => 0,\n    }})\n}}\n\n"
    )


def key_text(key):
    return "_" if key == "any" else str(key).lower()
