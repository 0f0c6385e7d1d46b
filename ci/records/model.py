"""The types of the model: kernels/model/src."""

import re

from . import rust
from .table import about, by_subject, camel

BORROWED = "Clone, Copy, Debug, PartialEq, Eq"
STORED = "Clone, Debug, PartialEq, Serialize, Deserialize"
SERDE = "use serde::{Deserialize, Serialize};\n"


def enums(entries):
    """The files of all enumerations, by their names in the folder."""
    subjects = by_subject("enum", entries, lambda e: e["name"])
    title = "Enumerations and sets of flags, with the names that the format gives them."
    files = {"mod.rs": rust.file(title, rust.modules(sorted(subjects)))}
    for subject, group in subjects.items():
        macros = sorted({"flags" if e.get("flags") else "enumeration" for e in group})
        uses = f"use crate::macros::{{{', '.join(macros)}}};\n\n"
        title = f"Enumerations and flags of {about('enum', subject)}."
        files[f"{subject}.rs"] = rust.file(title, uses, *map(enumeration, group))
    return files


def enumeration(e):
    entries = [x.split(" ", 1) for x in e["entries"]]
    if e.get("flags"):
        body = "".join(f"    {name} = {value};\n" for value, name in entries)
        return f"flags! {{\n    /// Set of `{e['name']}` bits.\n    {e['name']};\n{body}}}\n\n"
    body = "".join(f'    {camel(name)} = {value} "{name}",\n' for value, name in entries)
    repr_ = e.get("repr", "u8")
    return f"enumeration! {{\n    /// `{e['name']}` of the format.\n    {e['name']}: {repr_} {{\n{body}}} }}\n\n"


def doc_of(r, noun):
    text = r.doc or f"The {noun} `{r.wire_name}`"
    text = text.rstrip(".") + f" (since {r.since}"
    text += f", deprecated since {r.deprecated})." if r.deprecated else ")."
    return text


def struct(r, noun, derive):
    members = r.members()
    life = "<'a>" if r.borrows else ""
    lines = [f"/// {doc_of(r, noun)}\n", f"#[derive({derive})]\n"]
    if not members:
        lines.append(f"pub struct {r.name};\n\n")
        return "".join(lines)
    lines.append(f"pub struct {r.name}{life} {{\n")
    for name, rust, f in members:
        what = f"`{f.wire_name}`"
        if f.map:
            what += ", global"
        lines.append(f"    /// {what}\n    pub {name}: {rust},\n")
    lines.append("}\n\n")
    return "".join(lines)


def uses(records, extra=()):
    types = {t for r in records for _, rust, _ in r.members() for t in re.findall(r"[A-Z]\w+", rust)}
    types -= {"Vec"}
    ids = sorted(t for t in types if t.endswith("Ref"))
    values = sorted(types & {"TypedValue", "Ticks", "IdMap"})
    enums = sorted(types - set(ids) - set(values) - {"BString"})
    out = []
    if "BString" in types:
        out.append("use bstr::BString;\n")
    if enums:
        out.append(f"use crate::enums::{{{', '.join(enums)}}};\n")
    if ids:
        out.append(f"use crate::ids::{{{', '.join(ids)}}};\n")
    if values:
        out.append(f"use crate::values::{{{', '.join(values)}}};\n")
    return "".join(out) + "".join(extra) + "\n"


def any_record(enum, records, doc, derive):
    """The enumeration of all kinds of records."""
    life = "<'a>" if any(r.borrows for r in records) else ""
    out = f"/// {doc}\n#[derive({derive})]\npub enum {enum}{life} {{\n"
    for r in records:
        out += f"    /// [`{r.name}`]\n    {r.name}({r.name}{life if r.borrows else ''}),\n"
    return out + "}\n\n"


def record_files(kind, noun, records, derive, extra=()):
    """A file of types for each subject."""
    files = {}
    for subject, group in by_subject(kind, records, lambda r: r.wire_name).items():
        types = [struct(r, noun, derive) for r in group]
        files[f"{subject}.rs"] = rust.file(f"{noun.capitalize()}s of {about(kind, subject)}.", uses(group, extra), *types)
    return files


def events(records):
    """The files of all events, by their names in the folder."""
    files = record_files("event", "event", records, BORROWED)
    files["kind.rs"] = rust.file("The kinds of events.", event_kind(records))
    files["event.rs"] = rust.file("Any event.", event(records))
    files["visitor.rs"] = rust.file("The visitor that receives events.", visitor(records))
    modules = rust.modules(sorted(name.removesuffix(".rs") for name in files))
    files["mod.rs"] = rust.file("The events of a location, and the visitor that receives them.", modules)
    return files


def event_kind(records):
    out = [
        "/// The kinds of events.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n"
        "#[repr(u8)]\npub enum EventKind {\n"
    ]
    out += [f"    /// [`{r.name}`](super::{r.name})\n    {r.name},\n" for r in records]
    out.append("}\n\nimpl EventKind {\n    /// All kinds, in the order of their declaration.\n")
    out.append(f"    pub const ALL: [EventKind; {len(records)}] = [\n")
    out += [f"        EventKind::{r.name},\n" for r in records]
    out.append("    ];\n\n    /// The name of the kind, as the format writes it.\n")
    out.append("    pub const fn name(self) -> &'static str {\n        match self {\n")
    out += [f'            EventKind::{r.name} => "{r.wire_name}",\n' for r in records]
    out.append("        }\n    }\n}\n")
    return "".join(out)


def event(records):
    out = ["use crate::stream::EventHead;\n\n", imports(records, "EventKind", "EventVisitor"), any_record("Event", records, "Any event.", BORROWED)]
    out.append("impl Event<'_> {\n    /// The kind of this event.\n    pub fn kind(&self) -> EventKind {\n        match self {\n")
    out += [f"            Event::{r.name}(_) => EventKind::{r.name},\n" for r in records]
    out.append("        }\n    }\n\n    /// Calls the method of the visitor that is for this event.\n")
    out.append("    pub fn hand_to<V: EventVisitor>(self, head: &EventHead<'_>, visitor: &mut V) {\n        match self {\n")
    out += [f"            Event::{r.name}(event) => visitor.{r.method}(head, event),\n" for r in records]
    out.append("        }\n    }\n}\n")
    return "".join(out)


def imports(records, *more):
    """What a file of the same folder takes from the others."""
    return f"use super::{{{', '.join(sorted([*more, *(r.name for r in records)]))}}};\n\n"


def visitor(records):
    out = ["use crate::calls::Calls;\nuse crate::ids::RegionRef;\nuse crate::stream::{EventHead, EventSet};\n\n", imports(records, "Event")]
    out.append(
        "/// Receives the events of one location, or of several in a common order.\n///\n"
        "/// A reader calls one method for each event of a kind in [`EventVisitor::WANTS`] and skips all\n"
        "/// others undecoded. Methods that a visitor does not write itself hand their event to\n"
        "/// [`EventVisitor::event`], which by default does nothing. An event that a visitor takes in\n"
        "/// [`EventVisitor::calls`] is not handed to a method besides.\n"
        "pub trait EventVisitor {\n"
        "    /// The kinds that are decoded and delivered.\n    const WANTS: EventSet = EventSet::ALL;\n"
        "    /// Set if attribute lists are decoded and delivered with their events.\n    const ATTRIBUTES: bool = false;\n\n"
        "    /// Any event without a method of its own in the visitor.\n"
        "    #[inline(always)]\n    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {\n        let _ = (head, event);\n    }\n\n"
        "    /// Enters and leaves that follow each other, and messages between them for those who ask for\n    /// them there; by default each enter and leave is handed to its method.\n"
        "    #[inline(always)]\n    fn calls<C: Calls>(&mut self, calls: &mut C) {\n        crate::calls::deliver(self, calls);\n    }\n\n"
        "    /// An enter or leave by a calling context of this region. A visitor that does not want these by calling\n    /// context gets those of the region.\n"
        "    #[inline]\n    fn context_visit(&mut self, head: &EventHead<'_>, event: Event<'_>, region: RegionRef) {\n        crate::calls::deliver_context(self, head, event, region);\n    }\n\n"
        "    /// A record of a kind that this version does not know; `id` is its number on disk.\n"
        "    #[inline(always)]\n    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {\n        let _ = (head, id);\n    }\n\n"
    )
    for r in records:
        life = "<'_>" if r.borrows else ""
        out.append(
            f"    /// [`{r.name}`]\n    #[inline(always)]\n    fn {r.method}(&mut self, head: &EventHead<'_>, event: {r.name}{life}) {{\n"
            f"        self.event(head, Event::{r.name}(event));\n    }}\n\n"
        )
    out.append("}\n")
    return "".join(out)


def definitions(records):
    """The files of all definitions, by their names in the folder."""
    files = record_files("definition", "definition", records, STORED, [SERDE])
    files["definition.rs"] = rust.file("Any definition.", definition(records))
    modules = rust.modules(sorted(name.removesuffix(".rs") for name in files))
    files["mod.rs"] = rust.file("The definitions that events refer to.", modules)
    return files


def definition(records):
    out = [SERDE, "\n", imports(records), any_record("Definition", records, "Any definition.", STORED)]
    return "".join(out)


def plain(records, title, noun, enum):
    """The one file of a kind with few records."""
    borrows = any(r.borrows for r in records)
    derive = BORROWED if borrows else STORED + ", Eq"
    types = [struct(r, noun, derive) for r in records]
    return rust.file(title, "" if borrows else SERDE, uses(records), *types, any_record(enum, records, f"Any {noun} record.", derive))
