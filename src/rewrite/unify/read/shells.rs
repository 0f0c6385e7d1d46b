//! Interns shells, the parts of definitions without references, so that repeated ones share memory.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;

/// In so many places a thread looks for shells.
const PLACES: usize = 1 << 15;
/// Longer ones are not looked for.
const LONGEST: usize = 512;

/// Shells that were made lately, each in the one place where it may be.
#[derive(Default)]
pub(crate) struct Shells {
    /// None where each is made anew.
    places: Vec<Option<Arc<[u8]>>>,
    /// One that is being made, and a part of it.
    shell: Vec<u8>,
    part: Vec<u8>,
}

impl Shells {
    /// For one who makes many.
    pub(crate) fn of_many() -> Shells {
        Shells { places: vec![None; PLACES], ..Shells::default() }
    }

    /// The shell that `make` puts into the first of two empty buffers; the second one is at its disposal.
    pub(crate) fn get(&mut self, make: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>)) -> Arc<[u8]> {
        let Shells { places, shell, part } = self;
        shell.clear();
        part.clear();
        make(shell, part);
        if places.is_empty() || shell.len() > LONGEST {
            return shell[..].into();
        }
        let mut hasher = FixedState::with_seed(0).build_hasher();
        hasher.write(shell);
        match &mut places[hasher.finish() as usize % PLACES] {
            Some(known) if **known == shell[..] => Arc::clone(known),
            other => Arc::clone(other.insert(shell[..].into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_the_same_are_one_in_memory() {
        let get = |shells: &mut Shells, text: &[u8]| shells.get(|to, _| to.extend(text));
        let mut shells = Shells::of_many();
        let (one, same) = (get(&mut shells, b"main"), get(&mut shells, b"main"));
        assert!(Arc::ptr_eq(&one, &same));
        assert_eq!(&*get(&mut shells, b"man"), b"man");
        let long = [7; LONGEST + 1];
        assert!(!Arc::ptr_eq(&get(&mut shells, &long), &get(&mut shells, &long)));
        let mut none = Shells::default();
        assert!(!Arc::ptr_eq(&get(&mut none, b"main"), &get(&mut none, b"main")));
    }
}
