//! Cases that are chosen by what their names say.

use serde::{Deserialize, Serialize};

use streamfold_formats::strace::CaseName;

/// A subset of the cases: `cid=a`, `host=n1,rid=7`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subset {
    text: String,
    conditions: Vec<(Field, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Field {
    Cid,
    Host,
    Rid,
}

impl Subset {
    /// Reads a subset.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn new(text: &str) -> Result<Subset, String> {
        let conditions = text.split(',').map(|condition| {
            let (field, value) = condition.split_once('=').ok_or("expected FIELD=VALUE")?;
            let field = match field.trim() {
                "cid" => Field::Cid,
                "host" => Field::Host,
                "rid" => Field::Rid,
                other => return Err(format!("{other} is none of cid, host, rid")),
            };
            Ok((field, value.trim().to_owned()))
        });
        let conditions = conditions.collect::<Result<_, String>>()?;
        Ok(Subset { text: text.to_owned(), conditions })
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether a case belongs to it.
    pub fn has(&self, case: &CaseName) -> bool {
        self.conditions.iter().all(|(field, value)| match field {
            Field::Cid => case.cid == *value,
            Field::Host => case.host == *value,
            Field::Rid => case.rid.to_string() == *value,
        })
    }
}

/// The cases that are read, and those of them that are compared.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Those that are read; none: all.
    pub cases: Vec<Subset>,
    /// Two subsets that are compared.
    pub compared: Option<[Subset; 2]>,
}

impl Chosen {
    /// Tells whether a case is read.
    pub fn has(&self, case: &CaseName) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|subset| subset.has(case))
    }

    /// Returns the part that a case belongs to: 0 and 1 are those that are compared, 2 is neither.
    pub fn part(&self, case: &CaseName) -> usize {
        let parts = self.compared.iter().flatten();
        parts.enumerate().find(|(_, subset)| subset.has(case)).map_or(2, |(part, _)| part)
    }
}
