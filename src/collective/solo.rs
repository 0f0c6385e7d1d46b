//! One process: the communicator of a program that was started without a launcher.

use super::communicator::{check_buffers, check_peer, check_rank};
use super::{Communicator, Error};

/// The only rank of its job. Values come back as they went in; nothing is encoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

impl Communicator for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn node(&self) -> &dyn Communicator {
        self
    }

    fn broadcast_bytes(&self, root: usize, _bytes: &mut Vec<u8>) -> Result<(), Error> {
        check_rank(root, 1)
    }

    fn gather_bytes(&self, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error> {
        check_rank(root, 1)?;
        Ok(Some(vec![bytes]))
    }

    fn exchange_bytes(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        check_buffers(outgoing.len(), 1)?;
        Ok(outgoing)
    }

    fn send_bytes(&self, to: usize, _bytes: &[u8]) -> Result<(), Error> {
        check_peer(to, 0, 1)
    }

    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error> {
        check_peer(from, 0, 1)?;
        unreachable!("a rank that is alone has no peer")
    }

    fn barrier(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_went_in() {
        let mut bytes = vec![1, 2, 3];
        Solo.broadcast_bytes(0, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3]);
        assert_eq!(Solo.gather_bytes(0, vec![4]).unwrap(), Some(vec![vec![4]]));
        assert_eq!(Solo.exchange_bytes(vec![vec![5]]).unwrap(), [[5]]);
        assert_eq!((Solo.rank(), Solo.size(), Solo.ranks_on_node()), (0, 1, 1));
    }

    #[test]
    fn nobody_else_can_be_addressed() {
        assert!(matches!(Solo.send_bytes(0, &[]), Err(Error::MessageToSelf { rank: 0 })));
        assert!(matches!(Solo.receive_bytes(1), Err(Error::NoSuchRank { rank: 1, size: 1 })));
        assert!(matches!(Solo.broadcast_bytes(1, &mut vec![]), Err(Error::NoSuchRank { .. })));
        assert!(matches!(Solo.exchange_bytes(vec![]), Err(Error::BufferCount { .. })));
    }
}
