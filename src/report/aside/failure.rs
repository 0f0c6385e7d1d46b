//! Why a library failed, for people.

use std::fmt::Display;
use std::io;

/// Returns the message of the system if the text of the library contains the error number, else that text. The text of
/// the library is long, and names the unfinished file.
pub(crate) fn reason(error: &impl Display) -> String {
    let text = error.to_string();
    let number = text.split_once("errno = ").and_then(|(_, number)| {
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        number[..end].parse().ok()
    });
    number.map_or(text, |number| io::Error::from_raw_os_error(number).to_string())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_system_is_heard() {
        let said =
            "H5FD__sec2_truncate(): unable to extend file properly, errno = 27, error message = \
                    'File too large': filename = '/a/.streamfold-A6jlur', errno = 27";
        assert_eq!(reason(&said), std::io::Error::from_raw_os_error(27).to_string());
        assert_eq!(reason(&"this rank does not see it"), "this rank does not see it");
        assert_eq!(reason(&"errno = none"), "errno = none");
    }
}
