"""The table of the records of OTF, version 1, from src/formats/otf/records.toml."""

import re
import tomllib

HEADER = "// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.\n\n"

SECTIONS = {"def": "Definitions", "event": "Events", "snap": "Snapshots", "stat": "Statistics", "marker": "Markers"}
# The files of sections with many records, by subject.
SUBJECTS = {
    "def": {
        "trace": ["DefinitionComment", "DefTimerResolution", "DefVersion", "DefUniqueId", "DefCreator", "DefKeyValue",
                  "DefTimeRange", "DefAuxSamplePoint"],
        "processes": ["DefProcess", "DefProcessGroup", "DefAttributeList", "DefProcessOrGroupAttributes", "DefProcessSubstitutes"],
        "functions": ["DefFunction", "DefFunctionGroup", "DefScl", "DefSclFile", "DefCollectiveOperation"],
        "counters": ["DefCounter", "DefCounterGroup", "DefCounterAssignments"],
        "files": ["DefFile", "DefFileGroup"],
    },
    "event": {
        "program": ["NoOp", "Enter", "Leave", "Counter", "EventComment", "BeginProcess", "EndProcess"],
        "messages": ["SendMsg", "RecvMsg", "CollectiveOperation", "BeginCollectiveOperation", "EndCollectiveOperation"],
        "files": ["FileOperation", "BeginFileOperation", "BeginFileOperationOld", "EndFileOperation", "EndFileOperationOld"],
        "rma": ["RMAPut", "RMAPutRemoteEnd", "RMAGet", "RMAEnd"],
    },
}
TYPES = {"u32": "U32", "u64": "U64", "string": "Text", "u32list": "List", "version": "Version"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def field(f):
    needs = "" if not f.get("optional") else {"always": ".optional_but_written()", "never": ".only_read()"}.get(f.get("write"), ".optional()")
    alt = ", ".join(quoted(word) for word in f.get("alt", []))
    older = f".older(&[{alt}])" if alt else ""
    keywords = f"{quoted(f.get('short', ''))}, {quoted(f.get('long', ''))}"
    return f"field({quoted(f['name'])}, {TYPES[f['type']]}, {keywords}){older}{needs}"


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


def kind(r):
    return (
        f"RecordKind {{ name: {quoted(r['name'])}, id: {r['id']}, section: Section::{SECTIONS[r['section']]}, "
        f"short: {quoted(r['kw_short'])}, long: {quoted(r['kw_long'])}, is_written: {str(r.get('write', True)).lower()}, "
        f"fields: &[{', '.join(field(f) for f in r['fields'])}] }}"
    )


def static(record):
    """The name of what is known of a record: `SEND_MSG`, `RMA_PUT`."""
    return re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", record["name"]).upper()


def uses(rows):
    types = sorted({TYPES[f["type"]] for r in rows for f in r["fields"]})
    needed = (["field"] if types else []) + [f"FieldType::{{{', '.join(types)}}}" for _ in types[:1]] + ["RecordKind", "Section"]
    return f"use crate::otf::record::{{{', '.join(needed)}}};\n\n"


def section_files(section, records):
    """The files of a section, by their names: what is known of its records."""
    name, subjects = SECTIONS[section].lower(), SUBJECTS.get(section)
    title = f"{SECTIONS[section]}: keywords and fields of their records."
    if subjects is None:
        rows = "".join(f"{kind(r)},\n" for r in records)
        text = f"//! {title}\n\n{uses(records)}pub(super) static KINDS: [RecordKind; {len(records)}] = [\n{rows}];\n"
        return {f"{name}.rs": HEADER + text}
    place = {record: subject for subject, names in subjects.items() for record in names}
    assert sorted(place) == sorted(r["name"] for r in records), f"each record of {name} has one subject"
    written = {}
    for subject in subjects:
        rows = [r for r in records if place[r["name"]] == subject]
        body = "\n".join(f"pub(super) static {static(r)}: RecordKind = {kind(r)};\n" for r in rows)
        written[f"{name}/{subject}.rs"] = HEADER + f"//! {SECTIONS[section]}, {subject}: keywords and fields.\n\n{uses(rows)}{body}"
    modules = "".join(f"mod {subject};\n" for subject in sorted(subjects))
    rows = "".join(f"&{place[r['name']]}::{static(r)},\n" for r in records)
    written[f"{name}/mod.rs"] = HEADER + (
        f"//! {title}\n\n{modules}\nuse crate::otf::record::RecordKind;\n\n"
        f"/// In the order of the table.\npub(super) static KINDS: [&RecordKind; {len(records)}] = [\n{rows}];\n"
    )
    return written


def bytes_of(word):
    """A pattern by bytes: the compiler tells those apart without comparing whole words."""
    return ", ".join(f"b'{letter}'" for letter in word)


def files(path):
    """The generated files, by their names: the kinds of records, and a file or folder for each section."""
    records = tomllib.loads(path.read_text())["record"]
    by_section = {s: [r for r in records if r["section"] == s] for s in SECTIONS}
    assert records == [r for rows in by_section.values() for r in rows], "records stand section by section"
    variants = "".join(variant(r) for r in records)
    arms = "".join(
        f"(Section::{SECTIONS[s]}, [{bytes_of(word)}]) => Record::{r['name']},\n"
        for s, rows in by_section.items()
        for r in rows
        for word in dict.fromkeys([r["kw_short"], r["kw_long"]])
    )
    first, lookup = 0, ""
    for s, rows in by_section.items():
        module, end = SECTIONS[s].lower(), first + len(rows)
        bound = f"{first}..{end}" if end < len(records) else "_"
        reference, number = "" if s in SUBJECTS else "&", f"self as usize - {first}" if first else "self as usize"
        lookup += f"{bound} => {reference}{module}::KINDS[{number}],\n"
        first = end
    modules = "".join(f"mod {name.lower()};\n" for name in sorted(SECTIONS.values()))
    written = {name: text for s, rows in by_section.items() for name, text in section_files(s, rows).items()}
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

    /// Facts about the kind of record.
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
