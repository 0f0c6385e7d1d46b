//! Defects of definitions, in words: all counted, the first ones kept.

/// Most that are kept.
const TOLD: usize = 1000;

/// Defects, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints {
    /// The first of them.
    pub first: Vec<String>,
    /// Number of all.
    pub count: u64,
}

impl Complaints {
    /// Adds one.
    pub fn push(&mut self, text: String) {
        if self.first.len() < TOLD {
            self.first.push(text);
        }
        self.count += 1;
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
