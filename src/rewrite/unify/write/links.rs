//! Files that should be second names of those of the input.

use serde::{Deserialize, Serialize};

/// Counts of files that should get a second name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Those that have one.
    pub linked: u64,
    /// Those that were copied.
    pub copied: u64,
    /// Why; the least of all reasons.
    pub why: Option<String>,
}

impl Links {
    /// Takes in a file, if there is one.
    pub(crate) fn take(&mut self, name: Option<&Result<(), String>>) {
        match name {
            None => {}
            Some(Ok(())) => self.linked += 1,
            Some(Err(why)) => {
                self.copied += 1;
                self.because(why.clone());
            }
        }
    }

    fn because(&mut self, why: String) {
        self.why = Some(self.why.take().map_or(why.clone(), |known| known.min(why)));
    }

    /// With those of others.
    pub(crate) fn fold(&mut self, other: Links) {
        self.linked += other.linked;
        self.copied += other.copied;
        other.why.into_iter().for_each(|why| self.because(why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the reports does not matter.
    #[test]
    fn the_least_of_all_reasons_is_told() {
        let reasons = ["b", "a", "c"].map(|why| Err(why.to_owned()));
        let mut all = Links::default();
        all.take(Some(&Ok(())));
        all.take(None);
        for name in &reasons {
            let mut one = Links::default();
            one.take(Some(name));
            all.fold(one);
        }
        assert_eq!(all, Links { linked: 1, copied: 3, why: Some("a".to_owned()) });
    }
}
