"""Any record as a list of named fields: kernels/model/src/fields."""

from . import rust
from .table import RUST_TYPE, WIDTH_64


def field_value(r, f, repr_of):
    """The expression for one field of a record `r` as a FieldValue."""
    arrays = {g.count: g for g in r.fields if g.count}
    names = {g.wire_name for g in r.fields if not g.legacy}
    many = bool(f.count)
    if f.is_count:
        of = arrays[f.wire_name]
        member = {"MetricValue": "values", "AttributeValue": "properties"}.get(of.type, of.name)
        return f"Unsigned(r.{member}.len() as u64)"
    if f.type == "Type" and ({"value", "values", "metricValues"} & names):
        if not many:
            return "Unsigned(u8::from(r.value.value_type).into())"
        if "properties" in names:
            return "List(&mut r.properties.iter().map(|(_, v)| u8::from(v.value_type).into()))"
        return "List(&mut r.values.iter().map(|v| u8::from(v.value_type).into()))"
    if f.type == "IoParadigmProperty":
        return "List(&mut r.properties.iter().map(|(p, _)| u8::from(*p).into()))"
    if f.type == "AttributeValue":
        return "List(&mut r.properties.iter().map(|(_, v)| v.bits))" if many else "Unsigned(r.value.bits)"
    if f.type == "MetricValue":
        return "List(&mut r.values.iter().map(|v| v.bits))"
    member = f"r.{f.name}"
    if many:
        if f.type == "u64":
            return f"List(&mut {member}.iter().copied())"
        one = "x.0.into()" if f.is_ref() else "(*x).into()"
        return f"List(&mut {member}.iter().map(|x| {one}))"
    if f.type in ("i64", "f64", "string", "IdMap"):
        return {"i64": f"Signed({member})", "f64": f"Double({member})", "string": f"Text({member}.as_ref())", "IdMap": f"Map(&{member})"}[f.type]
    if f.time or f.is_ref():
        number = f"{member}.0"
    elif f.type in RUST_TYPE:
        number = member
    else:
        number = f"{repr_of[f.type]}::from({member})"
    wide = f.time or f.type == "u64" or f.type in WIDTH_64
    return f"Unsigned({number if wide else number + '.into()'})"


def files(kinds, enums):
    """A file for each (records, module, enum), by their names in the folder."""
    repr_of = {e["name"]: "u32" if e.get("flags") else e.get("repr", "u8") for e in enums}
    return {f"{module}.rs": fields_of_kind(records, module, enum, repr_of) for records, module, enum in kinds}


def fields_of_kind(records, module, enum, repr_of):
    body = [f"impl Record for {enum}{life_of(records)} {{\n    fn record_name(&self) -> &'static str {{\n"]
    body.append(record_name(enum, records))
    body.append("    }\n\n    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {\n        match self {\n")
    for r in records:
        fields = [f for f in r.fields if not f.legacy]
        calls = "".join(f'each("{f.wire_name}", {field_value(r, f, repr_of)});\n' for f in fields)
        body.append(f"            {enum}::{r.name}({'r' if fields else '_'}) => {{\n{calls}}}\n")
    body = "".join(body) + "        }\n    }\n}\n"
    values = [v for v in ("Double", "List", "Map", "Signed", "Text", "Unsigned") if f" {v}(" in body]
    uses = (
        f"use crate::fields::FieldValue::{{{', '.join(values)}}};\nuse crate::fields::{{FieldValue, Record}};\n"
        f"use crate::{module}::{enum};\n\n"
    )
    return rust.file(f"The fields of {module}, in the order in which they are stored.", uses, body)


def life_of(records):
    return "<'_>" if any(r.borrows for r in records) else ""


def record_name(enum, records):
    """The body of a method; where the model knows the names, it is asked."""
    known = {"Definition": "self.name()", "Event": "self.kind().name()"}
    if enum in known:
        return f"        {known[enum]}\n"
    return f"        match self {{\n{rust.name_of_each(enum, records)}        }}\n"
