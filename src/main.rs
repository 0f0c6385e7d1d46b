//! The program: runs the command and ends with its exit code.

fn main() -> std::process::ExitCode {
    let code = streamfold::cli::run(std::env::args_os());
    std::process::ExitCode::from(code as u8)
}
