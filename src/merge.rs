//! Several ordered streams as one: the next item is always the least of those that stand first.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

/// Merges streams by the keys of their next items.
///
/// A stream whose keys go back is taken as it comes: its next item waits for no earlier one.
#[derive(Debug)]
pub struct Merge<S, K> {
    streams: Vec<S>,
    /// The key of each stream's next item, least first, and the number of the stream.
    first: BinaryHeap<Reverse<(K, usize)>>,
    /// Whether the stream at the top was handed out, so that its key is no longer right.
    handed_out: bool,
}

impl<S, K: Ord + Copy> Merge<S, K> {
    /// Looks at the first item of each stream with `peek`; streams without any are dropped when
    /// their turn comes.
    ///
    /// # Errors
    ///
    /// The first one of `peek`.
    pub fn new<E>(
        mut streams: Vec<S>,
        mut peek: impl FnMut(&mut S) -> Result<Option<K>, E>,
    ) -> Result<Self, E> {
        let mut first = BinaryHeap::with_capacity(streams.len());
        for (index, stream) in streams.iter_mut().enumerate() {
            if let Some(key) = peek(stream)? {
                first.push(Reverse((key, index)));
            }
        }
        Ok(Merge { streams, first, handed_out: false })
    }

    /// The stream whose next item is the least; the caller takes that one item. `None` when all
    /// streams have ended.
    ///
    /// # Errors
    ///
    /// That of `peek` for the stream that was handed out before, which is then left out.
    #[inline]
    pub fn next<E>(
        &mut self,
        peek: impl FnOnce(&mut S) -> Result<Option<K>, E>,
    ) -> Result<Option<&mut S>, E> {
        if std::mem::take(&mut self.handed_out) {
            if let Some(mut top) = self.first.peek_mut() {
                let Reverse((key, index)) = &mut *top;
                match peek(&mut self.streams[*index]) {
                    Ok(Some(next)) => *key = next,
                    Ok(None) => drop(PeekMut::pop(top)),
                    Err(error) => {
                        PeekMut::pop(top);
                        return Err(error);
                    }
                }
            }
        }
        let Some(&Reverse((_, index))) = self.first.peek() else { return Ok(None) };
        self.handed_out = true;
        Ok(Some(&mut self.streams[index]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn merged(streams: &[&[u32]]) -> Vec<u32> {
        let peek = |stream: &mut &[u32]| Ok::<_, Infallible>(stream.first().copied());
        let mut merge = Merge::new(streams.to_vec(), peek).unwrap();
        let mut items = Vec::new();
        while let Some(stream) = merge.next(peek).unwrap() {
            items.push(stream[0]);
            *stream = &stream[1..];
        }
        items
    }

    #[test]
    fn ordered_streams_become_one() {
        assert_eq!(merged(&[&[1, 4, 9], &[], &[2, 3, 10]]), [1, 2, 3, 4, 9, 10]);
        assert_eq!(merged(&[]), []);
    }

    #[test]
    fn a_stream_may_go_back() {
        assert_eq!(merged(&[&[5, 1, 7], &[2, 6]]), [2, 5, 1, 6, 7]);
    }

    #[test]
    fn a_stream_that_fails_is_left_out() {
        let mut streams = Merge::new(vec![0, 1], |s| Ok::<_, ()>(Some(*s))).unwrap();
        assert_eq!(streams.next(|_| Err(())), Ok(Some(&mut 0)));
        assert_eq!(streams.next(|_| Err(())), Err(()));
        assert_eq!(streams.next(|_| Err(())), Ok(Some(&mut 1)));
    }
}
