//! The container: a tar archive, of which all is known before any value is.
//!
//! Cube pads a member whose length is a multiple of 512 otherwise than tar does. So no member here
//! has such a length: readers pass over a byte at the end.

/// The unit of tar.
pub(super) const BLOCK: u64 = 512;

/// Longer members have their length in a header of their own.
const LONGEST: u64 = (1 << 33) - 1;

/// A file in the container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub name: String,
    /// Offset of its header.
    at: u64,
    /// Its contents' length, with the byte that avoids a multiple of a block.
    length: u64,
}

/// Members in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Container {
    pub members: Vec<Member>,
    end: u64,
}

impl Container {
    /// Makes room for a member with contents of this length. Returns where they go.
    pub(super) fn add(&mut self, name: String, length: u64) -> u64 {
        let length = if length.is_multiple_of(BLOCK) { length + 1 } else { length };
        let member = Member { name, at: self.end, length };
        let contents = self.end + member.head().len() as u64;
        self.end = contents + length.next_multiple_of(BLOCK);
        self.members.push(member);
        contents
    }

    /// The length of the file, with the two blocks of zeros that end it.
    pub(super) fn length(&self) -> u64 {
        self.end + 2 * BLOCK
    }

    /// Returns the header of each member, with its offset.
    pub(super) fn heads(&self) -> impl Iterator<Item = (u64, Vec<u8>)> + '_ {
        self.members.iter().map(|member| (member.at, member.head()))
    }
}

impl Member {
    fn head(&self) -> Vec<u8> {
        if self.length <= LONGEST {
            return header(&self.name, self.length, b'0').to_vec();
        }
        // The reader takes two digits for the length of the line, itself included.
        let size = format!(" size={}\n", self.length);
        let line = format!("{}{size}", size.len() + 2);
        let mut head =
            header(&format!("PaxHeader/{}", self.name), line.len() as u64, b'x').to_vec();
        head.extend(line.as_bytes());
        head.resize(2 * BLOCK as usize, 0);
        // Readers of the line pass over the length in here.
        head.extend(header(&self.name, 0, b'0'));
        head
    }
}

/// A block that says what follows. Times and owners are fixed, so that files are the same.
fn header(name: &str, length: u64, kind: u8) -> [u8; BLOCK as usize] {
    let mut block = [0; BLOCK as usize];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    let name = name.as_bytes();
    put(0, &name[..name.len().min(99)]);
    put(100, b"0000600");
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{length:011o}").as_bytes());
    put(136, b"00000000000");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\0");
    put(263, b"00");
    put(265, b"nouser");
    put(297, b"users");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_member_has_a_whole_number_of_blocks() {
        let mut container = Container::default();
        let at = [0, 511, 512, 513].map(|length| container.add(format!("{length}"), length));
        assert_eq!(at, [512, 1536, 2560, 4096]);
        assert_eq!(container.length(), 4096 + 1024 + 1024);
        assert!(container.members.iter().all(|member| !member.length.is_multiple_of(BLOCK)));
    }

    #[test]
    fn long_members_have_their_length_in_a_line() {
        let member = Member { name: "7.data".to_owned(), at: 0, length: 1 << 33 };
        let head = member.head();
        assert_eq!(head.len(), 1536);
        assert_eq!(head[156], b'x');
        assert!(head[512..].starts_with(b"19 size=8589934592\n\0"));
        assert_eq!(&head[124..135], b"00000000023");
        assert!(head[1024..].starts_with(b"7.data\0"));
    }

    #[test]
    fn headers_are_those_of_tar() {
        let block = header("0.data", 42, b'0');
        let sum: u32 = block.iter().enumerate().fold(0, |sum, (at, byte)| {
            sum + if (148..156).contains(&at) { 32 } else { u32::from(*byte) }
        });
        assert_eq!(&block[148..156], format!("{sum:06o}\0 ").as_bytes());
        assert_eq!(&block[124..136], b"00000000052\0");
    }
}
