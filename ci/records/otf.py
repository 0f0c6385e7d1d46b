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


def file(path):
    table = tomllib.loads(path.read_text())
    records = table["record"]
    variants = "".join(variant(r) for r in records)
    rows = "".join(
        f"RecordKind {{ name: {quoted(r['name'])}, id: {r['id']}, section: Section::{SECTIONS[r['section']]}, "
        f"short: {quoted(r['kw_short'])}, long: {quoted(r['kw_long'])}, is_written: {str(r.get('write', True)).lower()}, "
        f"fields: &[{', '.join(field(f) for f in r['fields'])}] }},\n"
        for r in records
    )
    by_section = {}
    for r in records:
        for word in dict.fromkeys([r["kw_short"], r["kw_long"]]):
            by_section.setdefault(r["section"], []).append((word, r["name"]))
    arms = "".join(
        f"(Section::{SECTIONS[s]}, b{quoted(word)}) => Record::{name},\n" for s, words in by_section.items() for word, name in words
    )
    return HEADER + f"""//! The records of OTF, version 1: their keywords and fields.

use super::record::{{Field, FieldType, Presence, RecordKind, Section}};

/// The kinds of records, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Record {{
{variants}}}

impl Record {{
    /// All of them.
    pub const ALL: [Record; {len(records)}] = [{", ".join("Record::" + r["name"] for r in records)}];

    /// What is known of it.
    pub fn kind(self) -> &'static RecordKind {{
        &RECORDS[self as usize]
    }}

    /// The record of a keyword, in either spelling, without the prefix of the section.
    pub fn of_keyword(section: Section, keyword: &[u8]) -> Option<Record> {{
        Some(match (section, keyword) {{
            {arms}
            _ => return None,
        }})
    }}
}}

static RECORDS: [RecordKind; {len(records)}] = [
{rows}];
"""
