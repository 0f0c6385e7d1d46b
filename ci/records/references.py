"""Which fields of a record lead to which kind of definition: kernels/model/src/references."""

from . import rust
from .table import WIDTH_8, WIDTH_64


def files(kinds):
    """A file for each (records, module, enum) with references, and one of what they lead to."""
    found = {"kind.rs": kind_of(kinds)}
    for records, module, enum in kinds:
        if any(led_to(r) for r in records):
            found[f"{module}.rs"] = references_of_kind(records, module, enum)
    return found


def short(f):
    return f.type.removesuffix("Ref")


def led_to(r):
    return [f for f in r.fields if f.is_ref() and not f.legacy and f.wire_name != "self"]


def kind_of(kinds):
    refs = sorted({f.type for records, _, _ in kinds for r in records for f in r.fields if f.is_ref()})
    names = [ref.removesuffix("Ref") for ref in refs]
    widths = ["u64" if ref in WIDTH_64 else "u8" if ref in WIDTH_8 else "u32" for ref in refs]
    variants = "".join(f"    /// `{ref}`\n    {name},\n" for ref, name in zip(refs, names))
    every = ", ".join(f"ReferenceKind::{name}" for name in names)
    texts = "".join(f'ReferenceKind::{name} => "{name}",\n' for name in names)
    largest = lambda width: "u64::MAX" if width == "u64" else f"{width}::MAX as u64"
    ones = "".join(f"ReferenceKind::{name} => {largest(width)},\n" for name, width in zip(names, widths))
    body = f"""/// Kind of definition that a reference identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum ReferenceKind {{
{variants}}}

impl ReferenceKind {{
    /// All of them.
    pub const ALL: &'static [ReferenceKind] = &[{every}];

    /// The name that the format gives to it.
    pub const fn name(self) -> &'static str {{
        match self {{
{texts}}}
    }}

    /// The number that stands for "no definition".
    pub const fn undefined(self) -> u64 {{
        match self {{
{ones}}}
    }}
}}
"""
    return rust.file("Kinds of definitions that references lead to.", body)


def references_of_kind(records, module, enum):
    life = "<'_>" if any(r.borrows for r in records) else ""
    body = [
        f"impl References for {enum}{life} {{\n    #[inline]\n"
        "    fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {\n        match self {\n"
    ]
    for r in records:
        if led_to(r):
            body.append(f"            {enum}::{r.name}(r) => {{\n{''.join(map(call, led_to(r)))}}}\n")
    none = [f"{enum}::{r.name}({'..' if r.members() else '_'})" for r in records if not led_to(r)]
    if none:
        body.append(" | ".join(none) + " => {}\n")
    body.append("        }\n    }\n}\n")
    if enum == "Definition":
        body.append(defines(records))
        body.append(renumber(records))
    uses = f"use crate::references::{{ReferenceKind, References}};\nuse crate::{module}::{enum};\n\n"
    return rust.file(f"References in the fields of {module}.", uses, "".join(body))


def renumber(records):
    """Other numbers for all that the fields of a definition lead to."""
    out = [
        "\nimpl Definition {\n    /// Gives other numbers to what the fields lead to, in the order of the fields: `number` is told what a\n"
        "    /// field leads to and its number, and returns the new one. The number of the record itself stays,\n"
        "    /// and so do fields whose kind another field tells.\n"
        "    pub(crate) fn renumber_fields(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {\n        match self {\n"
    ]
    for r in records:
        if led_to(r):
            out.append(f"            Definition::{r.name}(r) => {{\n{''.join(map(change, led_to(r)))}}}\n")
    none = [f"Definition::{r.name}({'..' if r.members() else '_'})" for r in records if not led_to(r)]
    out.append(" | ".join(none) + " => {}\n        }\n    }\n\n")
    out.append("    /// Gives another number to what the record defines, if anything.\n    pub fn set_number(&mut self, number: u64) {\n        match self {\n")
    for r in records:
        for f in r.fields:
            if f.wire_name == "self" and f.is_ref():
                out.append(f"            Definition::{r.name}(r) => r.id.0 = number{cast(f)},\n")
    out.append("            _ => {}\n        }\n    }\n}\n")
    return "".join(out)


def cast(f):
    return "" if f.type in WIDTH_64 else " as u8" if f.type in WIDTH_8 else " as u32"


def change(f):
    place = "x" if f.count else f"r.{f.name}"
    old = f"{place}.0" if f.type in WIDTH_64 else f"u64::from({place}.0)"
    new = f"{place}.0 = number(ReferenceKind::{short(f)}, {old}){cast(f)};\n"
    return f"for x in r.{f.name}.iter_mut() {{ {new} }}\n" if f.count else new


def call(f):
    number = (lambda x: f"{x}.0") if f.type in WIDTH_64 else (lambda x: f"u64::from({x}.0)")
    each = f'each("{f.wire_name}", ReferenceKind::{short(f)}, {number("x" if f.count else "r." + f.name)});\n'
    return f"for x in r.{f.name}.iter() {{ {each} }}\n" if f.count else each


def defines(records):
    out = [
        "\nimpl Definition {\n    /// Kind of definition, and its number.\n"
        "    pub fn defines(&self) -> Option<(ReferenceKind, u64)> {\n        Some(match self {\n"
    ]
    for r in records:
        for f in r.fields:
            if f.wire_name == "self" and f.is_ref():
                number = "r.id.0" if f.type in WIDTH_64 else "u64::from(r.id.0)"
                out.append(f"            Definition::{r.name}(r) => (ReferenceKind::{short(f)}, {number}),\n")
    out.append("            _ => return None,\n        })\n    }\n}\n")
    return "".join(out)
