//! The fields of records that are tokens, by kind of definition; and records with other tokens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::keyvalues::KeyValue;
use super::record::{Record, Value};

/// A kind of definition that has tokens of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Names {
    /// Keys of key-values.
    Key,
    /// Lists of attributes.
    AttributeList,
    /// Groups of functions.
    FunctionGroup,
    /// Groups of counters.
    CounterGroup,
    /// Groups of files.
    FileGroup,
    /// Files of the source.
    SourceFile,
    /// Places in the source.
    Source,
    /// Processes, and groups of them.
    Process,
    /// Functions.
    Function,
    /// Collective operations.
    Collective,
    /// Counters.
    Counter,
    /// Files.
    File,
    /// Kinds of markers.
    Marker,
}

impl Names {
    /// All of them, in topological order: a kind comes before those that refer to it.
    pub const ALL: [Names; 13] = [
        Names::Key,
        Names::AttributeList,
        Names::FunctionGroup,
        Names::CounterGroup,
        Names::FileGroup,
        Names::SourceFile,
        Names::Source,
        Names::Process,
        Names::Function,
        Names::Collective,
        Names::Counter,
        Names::File,
        Names::Marker,
    ];
}

/// Returns the kind of definition that a field is a token of; `None`: it is none.
pub fn names_of(record: Record, field: &str) -> Option<Names> {
    use Record as R;
    Some(match (record, field) {
        (R::DefProcessGroup, "group" | "members")
        | (R::DefCounterAssignments | R::DefProcessSubstitutes, "members")
        | (R::DefProcessOrGroupAttributes, "process_or_group")
        | (R::DefProcessSubstitutes, "representative") => Names::Process,
        (R::DefAttributeList | R::DefProcessOrGroupAttributes, "attr_token") => {
            Names::AttributeList
        }
        (R::DefFunction | R::DefFunctionGroup | R::FunctionGroupSummary, "group") => {
            Names::FunctionGroup
        }
        (R::DefCounter | R::DefCounterGroup, "group" | "group_again") => Names::CounterGroup,
        (R::DefFile | R::DefFileGroup | R::FileGroupOperationSummary, "group") => Names::FileGroup,
        (R::DefScl | R::DefSclFile, "file") => Names::SourceFile,
        (R::DefKeyValue, "key") => Names::Key,
        (R::DefMarker | R::MarkerSpot, "marker") => Names::Marker,
        (_, "function") => Names::Function,
        (_, "source") => Names::Source,
        (_, "collective") => Names::Collective,
        (_, "counter") => Names::Counter,
        (_, "file") => Names::File,
        (
            _,
            "process" | "parent" | "receiver" | "sender" | "communicator" | "root" | "origin"
            | "target" | "remote" | "peer",
        ) => Names::Process,
        _ => return None,
    })
}

/// Returns the kind of definition of a record: its token is its first field. `None`: it defines
/// nothing.
pub fn defines(record: Record) -> Option<Names> {
    Some(match record {
        Record::DefProcess | Record::DefProcessGroup => Names::Process,
        Record::DefAttributeList => Names::AttributeList,
        Record::DefFunction => Names::Function,
        Record::DefFunctionGroup => Names::FunctionGroup,
        Record::DefCollectiveOperation => Names::Collective,
        Record::DefCounter => Names::Counter,
        Record::DefCounterGroup => Names::CounterGroup,
        Record::DefScl => Names::Source,
        Record::DefSclFile => Names::SourceFile,
        Record::DefFile => Names::File,
        Record::DefFileGroup => Names::FileGroup,
        Record::DefKeyValue => Names::Key,
        Record::DefMarker => Names::Marker,
        _ => return None,
    })
}

/// Tokens that have become others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renaming {
    tokens: BTreeMap<(Names, u32), u32>,
}

impl Renaming {
    /// Tells whether all tokens stay.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many do not stay.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The new tokens of a kind.
    pub fn new_tokens(&self, names: Names) -> impl Iterator<Item = u32> + '_ {
        self.tokens.iter().filter(move |((of, _), _)| *of == names).map(|(_, token)| *token)
    }

    /// A token is another one from now on. 0 stands for none, and stays.
    pub fn insert(&mut self, names: Names, token: u32, other: u32) {
        if token != other && token != 0 {
            self.tokens.insert((names, token), other);
        }
    }

    /// The new token of a token.
    pub fn token(&self, names: Names, token: u32) -> u32 {
        self.tokens.get(&(names, token)).copied().unwrap_or(token)
    }

    /// The new number of a process.
    pub fn process(&self, process: u32) -> u32 {
        self.token(Names::Process, process)
    }

    /// Gives a record its other tokens.
    pub fn rename(&self, record: Record, values: &mut [Value<'_>]) {
        for (field, value) in record.kind().fields.iter().zip(values) {
            let Some(names) = names_of(record, field.name) else { continue };
            match value {
                Value::Number(number) => {
                    *number = self.token(names, *number as u32).into();
                }
                Value::List(list) => {
                    list.iter_mut().for_each(|token| *token = self.token(names, *token));
                }
                _ => {}
            }
        }
    }

    /// Gives key-values their other tokens.
    pub fn rename_keys(&self, keyvalues: &[KeyValue]) -> Vec<KeyValue> {
        let rename = |keyvalue: &KeyValue| KeyValue {
            key: self.token(Names::Key, keyvalue.key),
            ..keyvalue.clone()
        };
        keyvalues.iter().map(rename).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field of 32 bits is a token, or known to be something else.
    #[test]
    fn no_token_is_forgotten() {
        let others = [
            "length",
            "tag",
            "type",
            "properties",
            "line",
            "operation",
            "sent",
            "received",
            "attributes",
            "value",
            "time",
        ];
        for record in Record::ALL {
            for field in record.kind().fields {
                use super::super::record::FieldType;
                if !matches!(field.field_type, FieldType::U32 | FieldType::List) {
                    continue;
                }
                let is_known = names_of(record, field.name).is_some();
                assert!(is_known || others.contains(&field.name), "{record:?} {}", field.name);
            }
        }
    }
}
