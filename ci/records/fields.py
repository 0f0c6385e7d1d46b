"""The members of the Rust type of every record, and the fields that each stands for: kernels/model/src/generated/tables.rs."""

import re
import textwrap

from . import rust
from .table import snake


def key(field):
    """msgTag -> msg_tag; what a record defines itself is its id."""
    return {"self": "id"}.get(field.wire_name, snake(field.wire_name))


def fields_of(r, f):
    """The fields that the member of a field stands for: an array with its number of elements, a value with its type."""
    if f.count:
        return [x for x in r.fields if f.count in (x.wire_name, x.count)]
    if f.type == "AttributeValue":
        return [x for x in r.fields if x.type == "Type"] + [f]
    return [f]


def member(name, fields):
    """A member, and the names of its fields: `_` where the name is the same, each with its key where there are several."""
    if [key(f) for f in fields] != [name]:
        return name + ": [" + ", ".join(f'"{f.wire_name}" "{key(f)}"' for f in fields) + "]"
    return f"{name}: _" if fields[0].wire_name == name else f'{name}: "{fields[0].wire_name}"'


def row(r):
    members = [(name, fields_of(r, f)) for name, _, f in r.members()]
    # Members stand in the order in which their fields are stored.
    assert [f for _, fields in members for f in fields] == [f for f in r.fields if not f.legacy], r.name
    own = any(f.wire_name == "self" for f in r.fields)
    listed = ", ".join(re.sub("(?<!,) ", "~", member(name, fields)) for name, fields in members[own:])
    head = r.name + (f' "{r.wire_name}"' if r.name != r.wire_name else "") + ("(id)" if own else "")
    lines = textwrap.wrap(f"{head} {{ {listed}~}}" if listed else head + " {}", 92, subsequent_indent="    ", break_long_words=False)
    return "".join(f"        {line}\n" for line in lines).replace("~", " ")


def file(kinds):
    body = ""
    for records, module, enum in kinds:
        life = "<'_>" if any(r.borrows for r in records) else ""
        rows = "".join(map(row, records))
        body += f"/// Calls a macro with all {module}.\nmacro_rules! {module} {{\n    ($with:ident) => {{ $with! {{ {enum}{life}:\n{rows}    }} }};\n}}\n\n"
    names = ", ".join(sorted(module for _, module, _ in kinds))
    return rust.file("Members of all records, each with the names of the fields that it stands for.", body, f"pub(crate) use {{{names}}};\n")
