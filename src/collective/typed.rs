//! Values of any serde type between ranks, on top of a communicator's bytes.
//!
//! With one rank, and for the part that a rank has for itself, values are moved, not encoded.

use serde::de::DeserializeOwned;
use serde::Serialize;

use super::codec::{decode, encode};
use super::communicator::check_rank;
use super::{Communicator, Error};

/// The typed functions. All of them but `send` and `receive` are collective; see [`Communicator`] for their errors.
impl dyn Communicator + '_ {
    /// Gives `root`'s value to every rank. `value` is `Some` on `root`, ignored elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::NoValueAtRoot`] when it is `None` on `root`.
    pub fn broadcast<T>(&self, root: usize, value: Option<T>) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        check_rank(root, self.size())?;
        if self.rank() != root {
            let mut bytes = Vec::new();
            self.broadcast_bytes(root, &mut bytes)?;
            return Ok(decode(&bytes)?);
        }
        let value = value.ok_or(Error::NoValueAtRoot { root })?;
        if self.size() > 1 {
            self.broadcast_bytes(root, &mut encode(&value)?)?;
        }
        Ok(value)
    }

    /// Gives the outcome of a phase that only `root` works in to every rank: its failure reaches all
    /// of them as a value, so that they can end together, and none waits for the next phase.
    ///
    /// The outer error is one of communication, the inner one is `root`'s.
    pub fn broadcast_result<T, E>(
        &self,
        root: usize,
        outcome: Option<Result<T, E>>,
    ) -> Result<Result<T, E>, Error>
    where
        T: Serialize + DeserializeOwned,
        E: Serialize + DeserializeOwned,
    {
        self.broadcast(root, outcome)
    }

    /// Brings every rank's value to `root`: `Some`, in the order of ranks, there; `None` elsewhere.
    pub fn gather<T>(&self, root: usize, value: T) -> Result<Option<Vec<T>>, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        check_rank(root, self.size())?;
        if self.rank() != root {
            self.gather_bytes(root, encode(&value)?)?;
            return Ok(None);
        }
        if self.size() == 1 {
            return Ok(Some(vec![value]));
        }
        // The root's own value stays where it is: its place in the bytes is empty.
        let mut own = Some(value);
        let messages = self.gather_bytes(root, Vec::new())?.unwrap_or_default();
        let values = messages.into_iter().enumerate().map(|(rank, bytes)| {
            match own.take_if(|_| rank == root) {
                Some(value) => Ok(value),
                None => Ok(decode(&bytes)?),
            }
        });
        values.collect::<Result<Vec<T>, Error>>().map(Some)
    }

    /// Brings every rank's value to every rank, in the order of ranks: over a tree, as they should be short.
    pub fn all_gather<T>(&self, value: T) -> Result<Vec<T>, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        self.all_reduce(vec![value], |mut lower, mut higher| {
            lower.append(&mut higher);
            lower
        })
    }

    /// Sends each item to the rank that owns it. Each pair is (owner's rank, item).
    ///
    /// Returns the items that this rank owns, ordered by the rank they come from and then as they
    /// were sent. So the order never depends on the speed of ranks.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRank`] when an owner is not one of the ranks.
    pub fn exchange<T>(&self, items: Vec<(usize, T)>) -> Result<Vec<T>, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        let size = self.size();
        let mut by_owner: Vec<Vec<T>> = Vec::new();
        by_owner.resize_with(size, Vec::new);
        for (owner, item) in items {
            check_rank(owner, size)?;
            by_owner[owner].push(item);
        }

        let own = std::mem::take(&mut by_owner[self.rank()]);
        let mut outgoing = Vec::with_capacity(size);
        for items in by_owner {
            // Nothing to say needs no bytes, not even a version: most pairs of ranks in a large job.
            outgoing.push(if items.is_empty() { Vec::new() } else { encode(&items)? });
        }

        let mut own = Some(own);
        let mut received = Vec::new();
        for (rank, bytes) in self.exchange_bytes(outgoing)?.into_iter().enumerate() {
            if rank == self.rank() {
                received.append(&mut own.take().unwrap_or_default());
            } else if !bytes.is_empty() {
                received.append(&mut decode::<Vec<T>>(&bytes)?);
            }
        }
        Ok(received)
    }

    /// Sends a value to one other rank, which has to `receive` it; may wait until
    /// it does. Not collective.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRank`] or [`Error::MessageToSelf`] when it is not one of the others.
    pub fn send<T: Serialize>(&self, to: usize, value: &T) -> Result<(), Error> {
        self.send_bytes(to, &encode(value)?)
    }

    /// Waits for the value that another rank sends to this one. Not collective.
    ///
    /// # Errors
    ///
    /// Those of `send`.
    pub fn receive<T: DeserializeOwned>(&self, from: usize) -> Result<T, Error> {
        Ok(decode(&self.receive_bytes(from)?)?)
    }

    /// Combines the values of all ranks on `root`: `Some` there, `None` elsewhere.
    ///
    /// The order is fixed by the numbers of the ranks alone, for any speed and any `root`. It is a binomial tree, in
    /// which the left operand always comes from lower ranks: `(((0 1) (2 3)) ((4 5) (6 7)))`. Each rank holds at most
    /// two values at a time.
    pub fn reduce<T>(
        &self,
        root: usize,
        value: T,
        combine: impl Fn(T, T) -> T,
    ) -> Result<Option<T>, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        let (rank, size) = (self.rank(), self.size());
        check_rank(root, size)?;

        let mut value = Some(value);
        let mut distance = 1;
        while distance < size {
            if rank % (2 * distance) != 0 {
                if let Some(value) = value.take() {
                    self.send_bytes(rank - distance, &encode(&value)?)?;
                }
                break;
            }
            if rank + distance < size {
                let higher = decode(&self.receive_bytes(rank + distance)?)?;
                value = value.map(|lower| combine(lower, higher));
            }
            distance *= 2;
        }

        // The tree ends on rank 0. Another root gets the result from there: a tree that grew from
        // the root would have its operands in another order.
        if root != 0 {
            if rank == 0 {
                if let Some(value) = value.take() {
                    self.send_bytes(root, &encode(&value)?)?;
                }
            } else if rank == root {
                value = Some(decode(&self.receive_bytes(0)?)?);
            }
        }
        Ok(value)
    }

    /// Combines the values of all ranks, in the order of `reduce`, and gives the
    /// result to every rank.
    pub fn all_reduce<T>(&self, value: T, combine: impl Fn(T, T) -> T) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned,
    {
        let value = self.reduce(0, value, combine)?;
        self.broadcast(0, value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{team, PieceLimit, Solo};
    use super::*;
    use proptest::prelude::*;

    fn tiny() -> PieceLimit {
        PieceLimit::new(7).unwrap()
    }

    /// The tree by its other description: neighbours pair up until one is left.
    fn expected_tree(size: usize) -> String {
        let mut level: Vec<String> = (0..size).map(|rank| format!("{rank}")).collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => format!("({left} {right})"),
                    alone => alone[0].clone(),
                })
                .collect();
        }
        level.remove(0)
    }

    #[test]
    fn reduce_is_the_same_tree_for_every_root() {
        for size in [1, 2, 3, 5, 8, 13] {
            for root in 0..size {
                let results = team::run(size, tiny(), |ranks| {
                    ranks.reduce(root, ranks.rank().to_string(), |a, b| format!("({a} {b})"))
                });
                for (rank, result) in results.into_iter().enumerate() {
                    let expected = (rank == root).then(|| expected_tree(size));
                    assert_eq!(result.unwrap(), expected, "rank {rank} of {size}, root {root}");
                }
            }
        }
    }

    #[test]
    fn broadcast_and_its_failures_reach_every_rank() {
        for root in 0..3 {
            let results = team::run(3, tiny(), |ranks| {
                let here = ranks.rank() == root;
                let text = ranks.broadcast(root, here.then(|| "x".repeat(100)))?;
                let outcome: Result<u8, String> =
                    ranks.broadcast_result(root, here.then(|| Err("no such file".to_string())))?;
                Ok::<_, Error>((text, outcome))
            });
            for result in results {
                let (text, outcome) = result.unwrap();
                assert_eq!(text, "x".repeat(100));
                assert_eq!(outcome, Err("no such file".to_string()));
            }
        }
    }

    #[test]
    fn a_root_without_a_value_is_an_error() {
        let solo: &dyn Communicator = &Solo;
        assert!(matches!(solo.broadcast::<u8>(0, None), Err(Error::NoValueAtRoot { root: 0 })));
        assert!(matches!(solo.reduce(1, 0, |a, _| a), Err(Error::NoSuchRank { .. })));
    }

    #[test]
    fn gather_is_in_the_order_of_ranks() {
        for root in [0, 2, 4] {
            let results = team::run(5, tiny(), |ranks| {
                let here = ranks.gather(root, ranks.rank() * 10)?;
                Ok::<_, Error>((here, ranks.all_gather(ranks.rank().to_string())?))
            });
            for (rank, result) in results.into_iter().enumerate() {
                let (here, everywhere) = result.unwrap();
                assert_eq!(here, (rank == root).then(|| vec![0, 10, 20, 30, 40]));
                assert_eq!(everywhere, ["0", "1", "2", "3", "4"]);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn exchanged_items_come_ordered_by_source_and_sending(
            size in 1usize..10,
            owners in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..20), 10),
        ) {
            let items = |rank: usize| -> Vec<(usize, (usize, usize))> {
                let owners = owners[rank].iter().enumerate();
                owners.map(|(at, &owner)| (usize::from(owner) % size, (rank, at))).collect()
            };
            let results = team::run(size, tiny(), |ranks| ranks.exchange(items(ranks.rank())));
            for (rank, received) in results.into_iter().enumerate() {
                let expected: Vec<(usize, usize)> = (0..size)
                    .flat_map(items)
                    .filter_map(|(owner, item)| (owner == rank).then_some(item))
                    .collect();
                prop_assert_eq!(received.unwrap(), expected);
            }
        }
    }

    #[test]
    fn an_item_of_a_rank_that_is_not_there_is_an_error() {
        let solo: &dyn Communicator = &Solo;
        assert!(matches!(solo.exchange(vec![(0, 'a'), (1, 'b')]), Err(Error::NoSuchRank { .. })));
        assert_eq!(solo.exchange(vec![(0, 'a'), (0, 'b')]).unwrap(), ['a', 'b']);
    }

    #[test]
    fn all_reduce_gives_every_rank_the_same() {
        let results = team::run(6, PieceLimit::DEFAULT, |ranks| {
            ranks.all_reduce(vec![ranks.rank()], |mut a, b| {
                a.extend(b);
                a
            })
        });
        for result in results {
            assert_eq!(result.unwrap(), [0, 1, 2, 3, 4, 5]);
        }
    }
}
