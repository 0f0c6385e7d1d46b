"""The table of the records of OTF, version 1, from src/formats/otf/records.toml."""

import tomllib

HEADER = "// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.\n\n"

SECTIONS = {"def": "Definitions", "event": "Events", "snap": "Snapshots", "stat": "Statistics", "marker": "Markers"}
TYPES = {"u32": "U32", "u64": "U64", "string": "Text", "u32list": "List", "version": "Version"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def field(f):
    needs = "Always" if not f.get("optional") else {"always": "OptionalButWritten", "never": "OnlyRead"}.get(f.get("write"), "Optional")
    alt = ", ".join(quoted(word) for word in f.get("alt", []))
    return (
        f"Field {{ name: {quoted(f['name'])}, field_type: FieldType::{TYPES[f['type']]}, "
        f"short: {quoted(f.get('short', ''))}, long: {quoted(f.get('long', ''))}, older: &[{alt}], presence: Presence::{needs} }}"
    )


def spelling(record):
    """How a record looks in a file, in both forms."""
    def keywords(which):
        parts = [record[f"kw_{which}"]]
        for f in record["fields"]:
            parts.append((f" {f[which]}" if which in f else "") + f" {f['name']}")
        return "".join(parts)
    return f"`{keywords('short')}`, long `{keywords('long')}`"


def variant(record):
    lines = [f"/// {spelling(record)}."]
    if "note" in record:
        lines.append(f"///\n/// {record['note'][0].upper()}{record['note'][1:].rstrip('.')}.")
    return "\n".join(lines) + f"\n{record['name']},\n"


def kinds(section, records):
    """The file of a section: what is known of its records."""
    rows = "".join(
        f"RecordKind {{ name: {quoted(r['name'])}, id: {r['id']}, section: Section::{SECTIONS[r['section']]}, "
        f"short: {quoted(r['kw_short'])}, long: {quoted(r['kw_long'])}, is_written: {str(r.get('write', True)).lower()}, "
        f"fields: &[{', '.join(field(f) for f in r['fields'])}] }},\n"
        for r in records
    )
    uses = "Field, FieldType, Presence, RecordKind, Section"
    return HEADER + f"""//! {SECTIONS[section]}: keywords and fields of their records.

use crate::formats::otf::record::{{{uses}}};

pub(super) static KINDS: [RecordKind; {len(records)}] = [
{rows}];
"""


def files(path):
    """The generated files, by their names: the kinds of records, and a file for each section."""
    records = tomllib.loads(path.read_text())["record"]
    by_section = {s: [r for r in records if r["section"] == s] for s in SECTIONS}
    assert records == [r for rows in by_section.values() for r in rows], "records stand section by section"
    variants = "".join(variant(r) for r in records)
    arms = "".join(
        f"(Section::{SECTIONS[s]}, b{quoted(word)}) => Record::{r['name']},\n"
        for s, rows in by_section.items()
        for r in rows
        for word in dict.fromkeys([r["kw_short"], r["kw_long"]])
    )
    first, lookup = 0, ""
    for s, rows in by_section.items():
        module, end = SECTIONS[s].lower(), first + len(rows)
        bound = f"{first}..{end}" if end < len(records) else "_"
        lookup += f"{bound} => &{module}::KINDS[self as usize - {first}],\n" if first else f"{bound} => &{module}::KINDS[self as usize],\n"
        first = end
    modules = "".join(f"mod {name.lower()};\n" for name in sorted(SECTIONS.values()))
    written = {f"{SECTIONS[s].lower()}.rs": kinds(s, rows) for s, rows in by_section.items()}
    written["mod.rs"] = HEADER + f"""//! The records of OTF, version 1: their keywords and fields.

{modules}
use super::record::{{RecordKind, Section}};

/// The kinds of records, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Record {{
{variants}}}

impl Record {{
    /// All of them.
    pub const ALL: [Record; {len(records)}] = [{", ".join("Record::" + r["name"] for r in records)}];

    /// What is known of it.
    pub fn kind(self) -> &'static RecordKind {{
        match self as usize {{
            {lookup}
        }}
    }}

    /// The record of a keyword, in either spelling, without the prefix of the section.
    pub fn of_keyword(section: Section, keyword: &[u8]) -> Option<Record> {{
        Some(match (section, keyword) {{
            {arms}
            _ => return None,
        }})
    }}
}}
"""
    return written
