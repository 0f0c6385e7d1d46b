"""The decoders: src/formats/otf2/records."""

import re

from . import rust
from .table import RUST_TYPE, WIDTH_64, WIDTH_8, about, by_subject, camel, snake

INNER = "pub(crate)"
OTF2 = "crate"



def read_scalar(f, snapshot=False):
    """The expression that reads one value of the field's type."""
    if f.time:
        return "Ticks(c.u64()?)" if snapshot else "stamps.correct(Ticks(c.u64()?))"
    if f.is_ref():
        width = "u8" if f.type in WIDTH_8 else "cu64" if f.type in WIDTH_64 else "cu32"
        if f.map and not snapshot:
            bits = "64" if width == "cu64" else "32"
            return f"{f.type}(maps.map{bits}(MappingType::{camel(f.map)}, c.{width}()?))"
        return f"{f.type}(c.{width}()?)"
    if f.type in RUST_TYPE and f.type not in ("string", "IdMap"):
        plain = {"u8": "u8", "u32": "cu32", "u64": "cu64", "i64": "ci64", "f64": "f64"}[f.type]
        return f"c.{'u64' if f.wire == 'u64' else plain}()?"
    if f.type == "string":
        return "c.string()?.into()"
    if f.type == "IdMap":
        return "c.id_map()?"
    if f.type == "AttributeValue":
        return "c.attribute_value(value_type)?"
    width = "cu32" if f.type.endswith(("Flag", "SyncLevel")) else "u8"
    return f"{f.type}::from(c.{width}()?)"


def absent_value(f, record):
    rule = f.absent
    if rule == "undefined":
        if f.is_ref():
            return f"{f.type}::UNDEFINED"
        return "u64::MAX" if f.type == "u64" else "u32::MAX"
    if rule.startswith("field:"):
        source = next(x for x in record.fields if x.wire_name == rule[6:])
        if f.type == "AttributeValue":
            return f"u64::from({source.name}.0)"
        return source.name
    if rule.startswith("convert:"):
        _, table, column = rule.split(":")
        legacy = next(x for x in record.fields if x.type == table)
        return f"{snake(table)}_{snake(column)}({legacy.name})"
    if f.type in ("AttributeValue",):
        return rule
    if f.is_ref() or f.type in RUST_TYPE:
        return rule
    return f"{f.type}::from({rule})"


def decode_fn(r, noun):
    """One function that reads the payload of one kind of record."""
    snapshot = r.kind == "snapshot"
    event = r.kind == "event"
    life = "<'s>" if r.borrows else ""
    args = [f"{'c' if r.fields else '_c'}: &Cursor<'_, O>"]
    if event:
        if any(f.map for f in r.fields):
            args.append("maps: &Mappings")
        if any(f.time for f in r.fields):
            args.append("stamps: &mut Stamps")
    if r.borrows:
        args.append("scratch: &'s mut Scratch")
    gen = "<'s, O: ByteOrder>" if r.borrows else "<O: ByteOrder>"
    lines = [f"#[inline]\npub(super) fn {r.snake}{gen}({', '.join(args)}) -> Result<{noun}::{r.name}{life}, WireError> {{\n"]
    if r.fields:
        # A copy of its own stays in registers.
        lines.append("let mut c = *c;\n")
    i, fields = 0, r.fields
    # Fields in front of a version group's first one are read as they stand.
    while i < len(fields):
        f = fields[i]
        if f.count:
            group = [x for x in fields if x.count == f.count]
            lines.append(decode_array(r, group, f.count))
            i += len(group)
        elif f.since:
            group = []
            while i < len(fields) and fields[i].since == f.since:
                group.append(fields[i])
                i += 1
            # A writer between two versions may end a record after some of them.
            for g in group:
                lines.append(f"let {g.name} = if c.at_end() {{ {absent_value(g, r)} }} else {{ {read_scalar(g, snapshot)} }};\n")
        else:
            used = not f.legacy or any(x.absent and (x.absent.startswith("convert:" + f.type) or x.absent == "field:" + f.wire_name) for x in fields)
            lines.append(f"let {'' if used else '_'}{f.name} = {read_scalar(f, snapshot)};\n")
            i += 1
    inits = []
    for name, _, f in r.members():
        if f.type == "AttributeValue" and not f.count:
            inits.append("value: TypedValue { value_type, bits: value }")
        else:
            inits.append(name)
    body = f"{noun}::{r.name} {{ {', '.join(inits)} }}" if inits else f"{noun}::{r.name}"
    lines.append(f"Ok({body})\n}}\n\n")
    return "".join(lines)


def decode_array(r, group, count):
    snapshot = r.kind == "snapshot"
    count = snake(count)
    types = [f.type for f in group]
    if types == ["Type", "MetricValue"]:
        item = "TypedValue { value_type: Type::from(c.u8()?), bits: c.cu64()? }"
        name, smallest, scratch = "values", 2, "values"
    elif types == ["IoParadigmProperty", "Type", "AttributeValue"]:
        item = "{ let property = IoParadigmProperty::from(c.u8()?); let value_type = Type::from(c.u8()?); (property, TypedValue { value_type, bits: c.attribute_value(value_type)? }) }"
        name, smallest, scratch = "properties", 3, None
    else:
        (f,) = group
        item, name, smallest = read_scalar(f, snapshot), f.name, 1
        scratch = {"StringRef": "strings"}.get(f.type)
    head = f"let {count} = c.count({count}, {smallest})?;\n"
    if r.borrows:
        return head + f"scratch.{scratch}.clear();\nfor _ in 0..{count} {{\nlet item = {item};\nscratch.{scratch}.push(item);\n}}\nlet {name} = scratch.{scratch}.as_slice();\n"
    return head + f"let mut {name} = Vec::with_capacity({count});\nfor _ in 0..{count} {{\n{name}.push({item});\n}}\n"


def uses(body, model_module):
    """The imports of what stands in a body."""
    names = set(re.findall(r"\b([A-Z]\w+)(?=\(|::|\s*\{)", body))
    ids = sorted(n for n in names if n.endswith("Ref"))
    # What the bodies name; the macro tables of the model know the rest.
    out = [f"use streamfold_model::{model_module};\n"]
    enums = sorted(n for n in names if re.search(rf"\b{n}::from\(", body) or n == "MappingType" and "MappingType::" in body)
    if enums:
        out.append(f"use streamfold_model::enums::{{{', '.join(enums)}}};\n")
    if ids:
        out.append(f"use streamfold_model::ids::{{{', '.join(ids)}}};\n")
    values = [v for v in ("Ticks", "TypedValue") if re.search(rf"\b{v}\b", body)]
    if values:
        out.append(f"use streamfold_model::values::{{{', '.join(values)}}};\n")
    out += [f"use {path};\n" for word, path in SHARED if re.search(rf"\b{word}\b", body)]
    return "".join(out) + f"use {OTF2}::wire::{{ByteOrder, Cursor, WireError}};\n\n"


# What bodies may name, and where it is.
SHARED = (
    ("Stamps", f"{OTF2}::clock::Stamps"),
    ("Mappings", f"{OTF2}::mapping::Mappings"),
    ("Scratch", f"{OTF2}::generated::Scratch"),
)


def record_files(kind, records, module, converters=()):
    """A file of decoders for each subject, and the subject of each record."""
    files, place = {}, {}
    for subject, group in by_subject(kind, records, lambda r: r.wire_name).items():
        body = "".join(decode_fn(r, module) for r in group)
        files[f"{subject}.rs"] = rust.file(f"Decoders of {kind}s of {about(kind, subject)}.", uses_of(converters, body), uses(body, module), body)
        place |= {r.name: subject for r in group}
    return files, place


def uses_of(converters, body):
    used = [name for name in converters if f"{name}(" in body]
    return f"use super::conversions::{{{', '.join(used)}}};\n" if used else ""


def folder(title, modules, public):
    """The first file of a folder: its modules, and what others may use."""
    return rust.file(title, "".join(f"mod {m};\n" for m in sorted(modules)), "\n", public)


def events(records):
    """The files of the decoders of events, by their names in the folder."""
    files, place = record_files("event", records, "events")
    files["numbers.rs"] = rust.file("The numbers on disk of events, and what follows from them.", event_numbers(records))
    files["deliver.rs"] = rust.file("From the number of a record to its decoder and its visitor.", deliver(records, place))
    modules = [name.removesuffix(".rs") for name in files]
    public = f"{INNER} use deliver::{{decode, deliver}};\npub use numbers::{{bare_width, EVENT_IDS}};\n"
    files["mod.rs"] = folder("Decoders of the event records, section 14 of the format.", modules, public)
    return files


def event_numbers(records):
    ids = ", ".join(f"({r.id}, EventKind::{r.name})" for r in records)
    out = ["use streamfold_model::events::EventKind;\n\n/// The number on disk of each kind, section 14.\n"]
    out.append(f"pub const EVENT_IDS: [(u8, EventKind); {len(records)}] = [{ids}];\n\n")
    out.append("/// The width in bytes of the one compressed integer that a record without a length holds, section\n/// 5.2; `None`: the record has a length.\n")
    out.append("pub const fn bare_width(id: u8) -> Option<u8> {\n    match id {\n")
    for width in (4, 8):
        ids = [r.id for r in records if r.bare and (8 if r.fields[0].type == "u64" else 4) == width]
        out.append(f"        {ranges(ids)} => Some({width}),\n")
    out.append("        _ => None,\n    }\n}\n")
    return "".join(out)


def deliver(records, place):
    arguments = (
        "    id: u8,\n    c: &Cursor<'_, O>,\n    maps: &Mappings,\n    stamps: &mut Stamps,\n    scratch: &{life}mut Scratch,\n"
    )
    out = [
        f"use super::{{{', '.join(sorted(set(place.values())))}}};\n"
        "use streamfold_model::events::{Event, EventKind, EventVisitor};\nuse streamfold_model::stream::EventHead;\n"
        f"use {OTF2}::clock::Stamps;\nuse {OTF2}::mapping::Mappings;\n"
        f"use {OTF2}::generated::Scratch;\nuse {OTF2}::wire::{{ByteOrder, Cursor, WireError}};\n\n"
        "/// Decodes the payload of the record `id` and hands the event to the visitor. Kinds that the\n"
        "/// visitor does not want are not decoded. `false`: the id is not known.\n"
        f"#[inline(always)]\n{INNER} fn deliver<V: EventVisitor, O: ByteOrder>(\n"
        + arguments.format(life="")
        + "    head: &EventHead<'_>,\n    visitor: &mut V,\n) -> Result<bool, WireError> {\n    match id {\n"
    ]
    calls = []
    for r in records:
        args = ["c"]
        if any(f.map for f in r.fields):
            args.append("maps")
        if any(f.time for f in r.fields):
            args.append("stamps")
        if r.borrows:
            args.append("scratch")
        call = f"{place[r.name]}::{r.snake}({', '.join(args)})?"
        calls.append((r, call))
        out.append(f"        {r.id} => if V::WANTS.contains(EventKind::{r.name}) {{ visitor.{r.method}(head, {call}); }},\n")
    out.append("        _ => return Ok(false),\n    }\n    Ok(true)\n}\n\n")
    out.append(
        "/// Decodes the payload of the record `id`; `None`: the id is not known.\n"
        f"{INNER} fn decode<'s, O: ByteOrder>(\n"
        + arguments.format(life="'s ")
        + ") -> Result<Option<Event<'s>>, WireError> {\n    Ok(Some(match id {\n"
    )
    out += [f"        {r.id} => Event::{r.name}({call}),\n" for r, call in calls]
    out.append("        _ => return Ok(None),\n    }))\n}\n")
    return "".join(out)


def definitions(records, conversions):
    """The files of the decoders of definitions, by their names in the folder."""
    converters = conversion_functions(conversions)
    files, place = record_files("definition", records, "definitions", converters)
    title = "Values for fields that older writers did not know, section 19 of the format."
    files["conversions.rs"] = conversions_file(title, converters)
    files["decode.rs"] = rust.file("From the number of a record to its decoder.", decode_definitions(records, place))
    modules = [name.removesuffix(".rs") for name in files]
    public = f"{INNER} use decode::{{global_decode, local_decode}};\n"
    files["mod.rs"] = folder("Decoders of the definition records, section 13 of the format.", modules, public)
    return files


def decode_definitions(records, place):
    """Definitions of global files, of local files and of both, whose numbers are the same there."""
    both = [r for r in records if not r.where]
    body = ""
    for where in ("global", "local"):
        only = [r for r in records if r.where == where]
        assert not {r.id for r in only} & {r.id for r in both}
        body += decode_function(only, "definitions", "Definition", place, f"{where}_", f"{where} definition `id`", "shared_")
    body += decode_function(both, "definitions", "Definition", place, "shared_", "definition `id`, in files of either kind", visibility="")
    subjects = ", ".join(sorted(set(place.values())))
    return f"use super::{{{subjects}}};\n" + uses(body, "definitions") + body


def plain(records, title, module, enum):
    """The one file of a kind with few records."""
    body = "".join(decode_fn(r, module) for r in records) + decode_function(records, module, enum)
    return rust.file(title, uses(body, module), body)


def decode_function(records, module, enum, place=None, prefix="", noun="record `id`", others=None, visibility=INNER + " "):
    """The function that decodes the payload of a record by its number. Records that are not among these
    are left to the one with the prefix `others`."""
    borrows = any(r.borrows for r in records)
    life = "<'s>" if borrows else ""
    generics = "<'s, O: ByteOrder>" if borrows else "<O: ByteOrder>"
    scratch = ", scratch: &'s mut Scratch" if borrows else ""
    out = (
        f"/// Decodes the payload of the {noun}; `None`: the id is not known.\n"
        f"{visibility}fn {prefix}decode{generics}(id: u8, c: &Cursor<'_, O>{scratch}) -> Result<Option<{module}::{enum}{life}>, WireError> {{\n"
        "    Ok(Some(match id {\n"
    )
    for r in records:
        subject = f"{place[r.name]}::" if place else ""
        out += f"        {r.id} => {module}::{enum}::{r.name}({subject}{r.snake}(c{', scratch' if r.borrows else ''})?),\n"
    out += f"        _ => return {others}decode(id, c),\n" if others else "        _ => return Ok(None),\n"
    return out + "    }))\n}\n\n"


def ranges(numbers):
    """4, 5, 6, 9 -> 4..=6 | 9"""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " | ".join(f"{run[0]}..={run[-1]}" if len(run) > 2 else " | ".join(map(str, run)) for run in runs)


def conversions_file(title, converters):
    body = "".join(converters.values())
    enums = sorted(set(re.findall(r"\b[A-Z]\w+(?=::from\(|\))", body)))
    return rust.file(title, f"use streamfold_model::enums::{{{', '.join(enums)}}};\n\n", body)


def conversion_functions(conversions):
    """{name: function}"""
    types = {"regionRole": "RegionRole", "paradigm": "Paradigm", "regionFlags": "RegionFlag", "groupType": "GroupType", "groupFlags": "GroupFlag"}
    out = {}
    for c in conversions:
        for i, column in enumerate(c["columns"], start=1):
            by_value = {}
            for row in c["rows"]:
                if row[i]:
                    by_value.setdefault(row[i], []).append(row[0])
            name = f"{snake(c['name'])}_{snake(column)}"
            doc = f"/// `{column}` of a record that has only the older `{c['name']}`, section 19.\n"
            out[name] = doc + conversion_function(name, c["name"], types[column], by_value)
    return out


def conversion_function(name, older, newer, by_value):
    if not by_value:
        return f"pub(super) fn {name}(_: {older}) -> {newer} {{\n    {newer}::from(0)\n}}\n\n"
    arms = "".join(f"        {ranges(keys)} => {value},\n" for value, keys in sorted(by_value.items()))
    return (
        f"pub(super) fn {name}(older: {older}) -> {newer} {{\n    {newer}::from(match u8::from(older) {{\n"
        f"{arms}        _ => 0,\n    }})\n}}\n\n"
    )
