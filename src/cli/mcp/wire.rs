//! Messages on standard input and output: a line each.
//!
//! A line that is no message gets an error as its answer. The library would pass over it.

use std::io::{self, BufRead, Read, Write};

use rmcp::model::{
    ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::RoleServer;
use serde_json::Value;
use tokio::sync::mpsc::{self, Receiver};

/// Bytes of a message.
const LONGEST: usize = 1 << 20;

/// Messages that are read before those before them are understood.
const AHEAD: usize = 16;

/// Standard input and output.
pub(super) struct Wire {
    lines: Receiver<Line>,
    /// Set once there was a request: what comes before it is nothing that anybody waits for.
    has_begun: bool,
}

/// A line of standard input.
enum Line {
    Text(Vec<u8>),
    TooLong,
}

impl Wire {
    /// Reads standard input on a thread of its own, until it ends.
    pub(super) fn open() -> Wire {
        let (to, lines) = mpsc::channel(AHEAD);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Ok(Some(line)) = read_line(&mut input) {
                if to.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Wire { lines, has_begun: false }
    }
}

/// The next line; `None`: there is no more. A long one is passed over.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || line.len() <= LONGEST {
        return Ok(Some(Line::Text(line)));
    }
    loop {
        let part = input.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let (read, is_end) =
            (end.map_or(part.len(), |end| end + 1), end.is_some() || part.is_empty());
        input.consume(read);
        if is_end {
            return Ok(Some(Line::TooLong));
        }
    }
}

/// A line as a message; the error that answers it if it is none; `None`: nobody waits for an answer.
fn understood(line: &Line) -> Option<Result<ClientJsonRpcMessage, ServerJsonRpcMessage>> {
    let error = |error: ErrorData, id| Some(Err(ServerJsonRpcMessage::error(error, id)));
    let Line::Text(text) = line else {
        let text = format!("a message has {LONGEST} bytes at most");
        return error(ErrorData::invalid_request(text, None), None);
    };
    if text.trim_ascii().is_empty() {
        return None;
    }
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(wrong) => {
            return error(ErrorData::parse_error(format!("this is no JSON: {wrong}"), None), None)
        }
    };
    match serde_json::from_slice(text) {
        Ok(message) => Some(Ok(message)),
        Err(_) => {
            let id = match value.get("id") {
                Some(Value::Number(number)) => number.as_i64().map(RequestId::Number),
                Some(Value::String(text)) => Some(RequestId::String(text.as_str().into())),
                _ => None,
            };
            // A notification has no answer.
            if id.is_none() && value.get("method").is_some() {
                return None;
            }
            error(ErrorData::invalid_request("this is no request of the protocol", None), id)
        }
    }
}

/// Writes a message.
fn write(message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl std::future::Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(write(&message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let line = self.lines.recv().await?;
            match understood(&line) {
                Some(Ok(message)) => {
                    self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
                    if self.has_begun {
                        return Some(message);
                    }
                }
                // A client that does not read answers is gone.
                Some(Err(error)) => write(&error).ok()?,
                None => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(line: &str) -> String {
        match understood(&Line::Text(line.as_bytes().to_vec())) {
            Some(Ok(message)) => {
                format!("message {}", serde_json::to_string(&message).expect("JSON"))
            }
            Some(Err(error)) => serde_json::to_string(&error).expect("JSON"),
            None => String::new(),
        }
    }

    #[test]
    fn what_is_no_message_has_an_error_for_an_answer() {
        assert!(answered("{\"jsonrpc\":").contains("-32700"));
        assert!(answered("\u{7f}\u{0}").contains("-32700"));
        assert!(answered(&"[".repeat(100_000)).contains("-32700"));
        for line in ["7", "[]", "{}", "null", "{\"jsonrpc\":\"2.0\"}"] {
            assert!(answered(line).contains("-32600"), "{line}");
        }
        assert!(answered("{\"id\":5,\"method\":\"tools/call\"}").contains("\"id\":5"));
        assert_eq!(answered("{\"method\":\"x\"}"), "");
        assert_eq!(answered("  \n"), "");
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";
        assert!(answered(ping).starts_with("message "), "{}", answered(ping));
    }

    #[test]
    fn long_lines_are_passed_over() {
        let text = [vec![b'x'; LONGEST + 5], b"\nnext\n".to_vec(), b"last".to_vec()].concat();
        let mut input = io::Cursor::new(text);
        assert!(matches!(read_line(&mut input), Ok(Some(Line::TooLong))));
        assert!(matches!(read_line(&mut input), Ok(Some(Line::Text(text))) if text == b"next\n"));
        assert!(matches!(read_line(&mut input), Ok(Some(Line::Text(text))) if text == b"last"));
        assert!(matches!(read_line(&mut input), Ok(None)));
    }
}
