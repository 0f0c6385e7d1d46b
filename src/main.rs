//! The program: runs the command and ends with its exit code.

/// Without it a program that has no memory left ends with a signal and a backtrace.
#[global_allocator]
static ALLOCATOR: streamfold::system::allocator::Allocator =
    streamfold::system::allocator::Allocator;

fn main() -> std::process::ExitCode {
    let code = streamfold::cli::run(std::env::args_os());
    std::process::ExitCode::from(code as u8)
}
