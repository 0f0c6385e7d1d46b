//! Ranks for a thread that may not talk to them itself: the thread that may does it.
//!
//! Programs that call commands may have started MPI for one thread, and commands work on threads of a pool.

use std::sync::mpsc::{channel, Sender};
use std::thread;

use super::{Communicator, Error};

/// A call of a communicator, to be made on the thread that has it.
type Request = Box<dyn FnOnce(&dyn Communicator) + Send>;

/// The panic where the other thread has ended, which it does with a panic of its own.
const GONE: &str = "the thread that communicates has ended";

/// Runs `work` on another thread, with the same ranks. This thread communicates for it until it is done. A panic there
/// goes on here.
pub fn run<R: Send>(
    ranks: &dyn Communicator,
    work: impl FnOnce(Box<dyn Communicator + Send>) -> R + Send,
) -> R {
    let (to, requests) = channel::<Request>();
    let seen = |ranks: &dyn Communicator, to, node| Forward {
        rank: ranks.rank(),
        size: ranks.size(),
        uses_mpi: ranks.uses_mpi(),
        shares_process: ranks.shares_process(),
        to,
        node,
    };
    let node = seen(ranks.node(), to.clone(), None);
    let here = seen(ranks, to, Some(Box::new(node)));
    thread::scope(|scope| {
        let thread = scope.spawn(move || work(Box::new(here)));
        // The loop ends when `work` has dropped its ranks.
        for request in requests {
            request(ranks);
        }
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The ranks, or those of the node, by way of another thread.
struct Forward {
    rank: usize,
    size: usize,
    uses_mpi: bool,
    shares_process: bool,
    to: Sender<Request>,
    /// `None` for those of the node.
    node: Option<Box<Forward>>,
}

impl Forward {
    /// Makes a call on the other thread, and waits for its result.
    fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn Communicator) -> T + Send + 'static,
    ) -> T {
        let (answer, answered) = channel();
        let of_node = self.node.is_none();
        let request: Request = Box::new(move |ranks| {
            let ranks = if of_node { ranks.node() } else { ranks };
            // The thread that asks waits for it.
            let _ = answer.send(call(ranks));
        });
        self.to.send(request).expect(GONE);
        answered.recv().expect(GONE)
    }
}

impl Communicator for Forward {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn node(&self) -> &dyn Communicator {
        self.node.as_deref().unwrap_or(self)
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let mut own = std::mem::take(bytes);
        let (done, got) = self.ask(move |ranks| (ranks.broadcast_bytes(root, &mut own), own));
        *bytes = got;
        done
    }

    fn gather_bytes(&self, root: usize, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error> {
        self.ask(move |ranks| ranks.gather_bytes(root, bytes))
    }

    fn exchange_bytes(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        self.ask(move |ranks| ranks.exchange_bytes(outgoing))
    }

    fn send_bytes(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        let bytes = bytes.to_vec();
        self.ask(move |ranks| ranks.send_bytes(to, &bytes))
    }

    fn receive_bytes(&self, from: usize) -> Result<Vec<u8>, Error> {
        self.ask(move |ranks| ranks.receive_bytes(from))
    }

    fn barrier(&self) -> Result<(), Error> {
        self.ask(|ranks| ranks.barrier())
    }

    fn uses_mpi(&self) -> bool {
        self.uses_mpi
    }

    fn shares_process(&self) -> bool {
        self.shares_process
    }
}

#[cfg(test)]
mod tests {
    use super::super::{team, PieceLimit};
    use super::*;

    #[test]
    fn the_thread_that_has_the_ranks_communicates() {
        let done = team::run(3, PieceLimit::DEFAULT, |ranks| {
            run(ranks, |there| {
                let there: &dyn Communicator = &*there;
                let word = there.broadcast(1, (there.rank() == 1).then(|| "word".to_owned()));
                let sum = there.all_reduce(there.rank(), |a, b| a + b);
                let nodes = there.node().all_gather(there.node().rank());
                there.barrier().expect("all come");
                if there.rank() > 0 {
                    there.send_bytes(0, &[there.rank() as u8]).expect("it is received");
                }
                let sent: Vec<u8> = match there.rank() {
                    0 => (1..3).flat_map(|from| there.receive_bytes(from).expect("sent")).collect(),
                    _ => Vec::new(),
                };
                (word.expect("sent"), sum.expect("added"), nodes.expect("gathered"), sent)
            })
        });
        for (rank, (word, sum, nodes, sent)) in done.into_iter().enumerate() {
            assert_eq!((&*word, sum, nodes), ("word", 3, vec![0, 1, 2]));
            assert_eq!(sent, if rank == 0 { vec![1, 2] } else { vec![] });
        }
    }

    #[test]
    fn a_panic_there_goes_on_here() {
        let ended =
            std::panic::catch_unwind(|| run::<()>(&super::super::Solo, |_| panic!("there")));
        assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"there"));
    }
}
