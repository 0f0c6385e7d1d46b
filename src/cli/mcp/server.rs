//! The server: what it says of itself, its tools, and calls of them.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::sync::{mpsc, oneshot};

use super::answer::Answer;
use super::folders::Folders;
use super::tools::{tool, Tool, TOOLS};
use super::wire::Wire;
use super::worker::{Job, Worker};
use crate::sink::Watch;
use streamfold_system::exit::{ExitCode, Failure};

/// Answers until standard input ends.
///
/// # Errors
///
/// When the protocol cannot begin.
pub(super) fn serve(folders: Folders, options: Vec<String>) -> Result<ExitCode, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(ExitCode::Io, format!("cannot answer an assistant: {error}"))
    };
    let folders = Arc::new(folders);
    let worker = Worker::start(folders.clone(), options);
    let server = Server { folders, jobs: worker.jobs() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let served = runtime.block_on(async {
        match server.serve(Wire::open()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| failed(&error)),
            // Standard input has ended before anything was asked.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    });
    // Tasks that still wait have senders of jobs.
    runtime.shutdown_background();
    worker.end();
    served.map(|()| ExitCode::Done)
}

struct Server {
    folders: Arc<Folders>,
    jobs: Sender<Job>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let about = Implementation::new("streamfold", env!("CARGO_PKG_VERSION"));
        let text = format!(
            "Answers where the time of parallel programs goes, from traces below {}. \
             Begin with overview, without a trace for the list of traces, then with one. \
             Each answer begins with the verdict and ends with the next question worth asking.",
            self.folders.names()
        );
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(text)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        tool(name).map(described)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tool(&request.name) else {
            let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
            let text = format!("there is no such tool: there are {}", known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (done, mut answer) = oneshot::channel();
        let token = context.meta.get_progress_token();
        let (told, mut lines) = mpsc::unbounded_channel::<String>();
        let watch = token.is_some().then(|| {
            Arc::new(move |line: &str| {
                // Nobody listens any more once there is an answer.
                let _ = told.send(line.to_owned());
            }) as Arc<Watch>
        });
        let arguments = request.arguments.unwrap_or_default();
        let job = Job { tool, arguments, stop: stop.clone(), watch, done };
        let gone = || ErrorData::internal_error("the thread that reads traces has ended", None);
        self.jobs.send(job).map_err(|_| gone())?;
        let begin = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    stop.store(true, Ordering::Relaxed);
                    return Err(ErrorData::internal_error("cancelled", None));
                }
                answered = &mut answer => {
                    let answered = answered.map_err(|_| gone())?;
                    return Ok(result(answered).into());
                }
                Some(line) = lines.recv() => {
                    let Some(token) = token.clone() else { continue };
                    let seconds = begin.elapsed().as_secs_f64();
                    let told = ProgressNotificationParam::new(token, seconds).with_message(line);
                    // A client that does not read it learns of the answer.
                    let _ = context.peer.notify_progress(told).await;
                }
            }
        }
    }
}

/// A tool as the protocol describes it.
fn described(tool: &Tool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    rmcp::model::Tool::new(tool.name, Cow::Borrowed(tool.about), Arc::new(tool.schema()))
        .with_title(tool.title)
        .with_annotations(annotations)
}

/// An answer, or the error of a tool, as the protocol has it.
fn result(answered: Result<Answer, String>) -> CallToolResult {
    match answered {
        Ok(Answer { text, structured }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(structured);
            result
        }
        Err(message) => CallToolResult::error(vec![ContentBlock::text(message)]),
    }
}
