//! What is wrong with definitions, in words: all of it counted, the first told.

/// So many are told.
const TOLD: usize = 1000;

/// What is wrong, as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints {
    /// The first of them.
    pub first: Vec<String>,
    /// How many there are.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
