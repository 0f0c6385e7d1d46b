//! Ranks of a real MPI job: this program starts itself under `mpirun`, with 1, 2, 3, 5 and 8 ranks,
//! lets them talk, and lets one of them fail in every way that it can.
//!
//! It has no harness: MPI wants the main thread, and each rank's exit code is the result. Without
//! `mpirun`, or built without MPI, it says what it skipped.

#[cfg(feature = "ranks")]
#[allow(dead_code)] // it uses a part
#[path = "../it/common/launcher.rs"]
mod common;

#[cfg(feature = "ranks")]
fn main() {
    match std::env::var(rank::CASE) {
        Ok(case) => rank::run(&case),
        Err(_) => launcher::run(),
    }
}

#[cfg(not(feature = "ranks"))]
fn main() {
    println!("skipped: collective_world, built without the features `mpi` and `mpi-load`");
}

/// The side that starts the jobs and looks at how they end.
#[cfg(feature = "ranks")]
mod launcher {
    use super::common::{finish, text, Launcher};
    use super::rank::CASE;
    use std::process::{Command, Output};
    use std::time::Duration;

    /// No job of this test takes longer, even on a busy machine (they take well below a second where
    /// there is a core for each rank); one that does has hung.
    const LONGEST: Duration = Duration::from_secs(60);

    pub fn run() {
        let mut tally = Tally::default();
        tally.check("panic in one process", || {
            let ended = job(None, &[(CASE, "panic-worker")]);
            ended.expect_failure(5, "streamfold: internal error: worker trouble (")
        });
        tally.check("MPI in one process without mpirun", || {
            job(None, &[(CASE, "alone")]).expect_success()
        });

        tally.check("ranks of a launcher that MPI does not know", || {
            let environment = [(CASE, "strangers"), ("OMPI_COMM_WORLD_SIZE", "3")];
            job(None, &environment).expect_success()
        });
        #[cfg(not(feature = "mpi"))]
        for case in ["no-library", "no-mpi", "refused", "not-found"] {
            tally.check(&format!("two ranks without a library: {case}"), || {
                let library = match case {
                    "no-library" => file!().to_owned(),
                    "no-mpi" => "libc.so.6".to_owned(),
                    _ => "none".to_owned(),
                };
                let launched = [(CASE, case), ("PMI_RANK", "0"), ("PMI_SIZE", "2")];
                let named = [("STREAMFOLD_MPI", &*library)];
                let named = if case == "not-found" { &[][..] } else { &named[..] };
                job(None, &[&launched[..], named].concat()).expect_success()
            });
        }

        #[cfg(not(feature = "mpi"))]
        tally.check("a library that the process has loaded", || {
            job(None, &[(CASE, "loaded"), ("PMI_RANK", "0"), ("PMI_SIZE", "2")]).expect_success()
        });

        let Some(mpirun) = Launcher::find() else {
            tally.skipped += 1;
            println!("skipped: jobs of several ranks, no mpirun found");
            return tally.finish();
        };
        for ranks in [1, 2, 3, 5, 8] {
            for limit in ["7", "1000", "67108864"] {
                tally.check(&format!("talk, {ranks} ranks, pieces of {limit} bytes"), || {
                    job(Some((&mpirun, ranks)), &[(CASE, "talk"), ("LIMIT", limit)])
                        .expect_success()
                });
            }
        }
        #[cfg(not(feature = "mpi"))]
        tally.check("communicators of a host program, 3 ranks", || {
            job(Some((&mpirun, 3)), &[(CASE, "host")]).expect_success()
        });
        for (case, code, message) in [
            ("panic-main", 5, "streamfold: rank 2: internal error: main trouble ("),
            ("panic-worker", 5, "streamfold: rank 2: internal error: worker trouble ("),
            ("abort", 4, "streamfold: rank 2: disk full"),
        ] {
            tally.check(&format!("{case} on one of 4 ranks"), || {
                job(Some((&mpirun, 4)), &[(CASE, case)]).expect_failure(code, message)
            });
        }
        tally.check("a failure on demand, as an error", || {
            let order = [(CASE, "inject"), ("STREAMFOLD_TEST_FAIL", "scan:1")];
            job(Some((&mpirun, 3)), &order)
                .expect_failure(3, "streamfold: rank 1: STREAMFOLD_TEST_FAIL")
        });
        tally.check("a failure on demand, as a panic", || {
            let order = [(CASE, "inject"), ("STREAMFOLD_TEST_FAIL", "scan:1:panic")];
            job(Some((&mpirun, 3)), &order)
                .expect_failure(5, "streamfold: rank 1: internal error: ")
        });
        tally.finish()
    }

    #[derive(Default)]
    struct Tally {
        passed: usize,
        failed: usize,
        skipped: usize,
    }

    impl Tally {
        fn check(&mut self, name: &str, case: impl FnOnce() -> Result<(), String>) {
            match case() {
                Ok(()) => {
                    self.passed += 1;
                    println!("ok: {name}");
                }
                Err(why) => {
                    self.failed += 1;
                    println!("FAILED: {name}: {why}");
                }
            }
        }

        fn finish(self) {
            let Tally { passed, failed, skipped } = self;
            println!("collective_world: {passed} passed, {failed} failed, {skipped} skipped");
            if failed > 0 {
                std::process::exit(1);
            }
        }
    }

    /// How a job ended, or that it hung.
    struct Ended(Result<Output, String>);

    /// Runs this program as one process or as several ranks, and ends it if it hangs.
    fn job(ranks: Option<(&Launcher, usize)>, environment: &[(&str, &str)]) -> Ended {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = match ranks {
            None => Command::new(&program),
            Some((launcher, ranks)) => launcher.command(ranks, &program),
        };
        Ended(finish(command.envs(environment.iter().copied()), LONGEST))
    }

    impl Ended {
        /// The exit code, and all that was said.
        fn told(self) -> Result<(i32, String), String> {
            let output = self.0?;
            let told = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
            let code = output.status.code();
            Ok((code.ok_or(format!("{}; output:\n{told}", output.status))?, told))
        }

        fn expect_success(self) -> Result<(), String> {
            match self.told()? {
                (0, _) => Ok(()),
                (code, told) => Err(format!("exit code {code}; its output:\n{told}")),
            }
        }

        /// The exit code, and our message once, as a line of its own; launchers may add theirs.
        fn expect_failure(self, expected: i32, message: &str) -> Result<(), String> {
            let (code, told) = self.told()?;
            let ours: Vec<&str> =
                told.lines().filter(|line| line.starts_with("streamfold: ")).collect();
            match ours[..] {
                [line] if line.starts_with(message) && code == expected => Ok(()),
                _ => Err(format!(
                    "expected code {expected} and `{message}`, found {code} and {ours:?}; its output:\n{told}"
                )),
            }
        }
    }
}

/// The side that runs as a rank of a job.
#[cfg(feature = "ranks")]
mod rank {
    use rayon::prelude::*;
    use std::num::NonZeroUsize;
    use streamfold::collective::{
        inject, install_panic_hook, start, threads, Communicator, Error, MpiMode, PieceLimit,
    };

    /// The variable that says what a rank should do.
    pub const CASE: &str = "STREAMFOLD_WORLD_CASE";

    /// One past the ranks that fail, where there are so many.
    const FAILING: usize = 2;

    pub fn run(case: &str) {
        let limit = std::env::var("LIMIT").map_or(PieceLimit::DEFAULT, |text| {
            PieceLimit::new(text.parse().expect("LIMIT is a number")).expect("a possible limit")
        });
        if case == "strangers" {
            let refused = start(MpiMode::Auto, limit).err();
            assert!(matches!(refused, Some(Error::RanksDoNotMeet { count: 3, .. })), "{refused:?}");
            return;
        }
        #[cfg(not(feature = "mpi"))]
        if super::loaded::run(case, limit) {
            return;
        }
        let mode = if case == "alone" { MpiMode::On } else { MpiMode::Auto };
        let ranks = start(mode, limit).expect("communication starts");
        install_panic_hook(&*ranks);
        let failing = ranks.rank() == FAILING.min(ranks.size() - 1);
        match case {
            "alone" => {
                assert_eq!((ranks.rank(), ranks.size()), (0, 1));
                assert!(ranks.uses_mpi());
                talk(&*ranks);
            }
            "talk" => {
                assert!(ranks.uses_mpi(), "MPI was started under mpirun");
                talk(&*ranks);
            }
            "panic-main" => {
                assert!(!failing, "main\ntrouble");
                wait_for_all(&*ranks);
            }
            "panic-worker" => {
                threads::start_pool(&*ranks, NonZeroUsize::new(3).unwrap()).expect("threads");
                if failing {
                    // The main thread is not there to help, so this is a worker's panic.
                    rayon::spawn(|| {
                        (0..1000).into_par_iter().for_each(|i| assert!(i != 500, "worker trouble"))
                    });
                }
                wait_for_all(&*ranks);
            }
            "abort" => {
                if failing {
                    ranks.abort(4, "disk full");
                }
                wait_for_all(&*ranks);
            }
            "inject" => {
                if let Err(failure) = inject::fail_point("scan", ranks.rank()) {
                    ranks.abort(3, &failure.to_string());
                }
                wait_for_all(&*ranks);
            }
            other => panic!("no case {other}"),
        }
    }

    /// Waits for what never comes, as ranks do when another fails: some for all, some for one.
    fn wait_for_all(ranks: &dyn Communicator) {
        match ranks.size() {
            1 => {}
            _ if ranks.rank().is_multiple_of(2) => ranks.barrier().expect("never"),
            _ => drop(ranks.receive_bytes(0).expect("never")),
        }
        std::thread::sleep(std::time::Duration::from_secs(1000));
    }

    pub fn talk(ranks: &dyn Communicator) {
        let (rank, size) = (ranks.rank(), ranks.size());
        assert!((1..=size).contains(&ranks.ranks_on_node()));
        let long: Vec<u32> = (0..5000).collect();

        for root in 0..size {
            let here = rank == root;
            let text = ranks.broadcast(root, here.then(|| "x".repeat(1000 + root))).unwrap();
            assert_eq!(text, "x".repeat(1000 + root));
            let empty: String = ranks.broadcast(root, here.then(String::new)).unwrap();
            assert_eq!(empty, "");
            let outcome: Result<u8, String> =
                ranks.broadcast_result(root, here.then(|| Err("unreadable".to_string()))).unwrap();
            assert_eq!(outcome, Err("unreadable".to_string()));

            let gathered = ranks.gather(root, (rank, long[rank..].to_vec())).unwrap();
            let expected = (0..size).map(|r| (r, long[r..].to_vec())).collect::<Vec<_>>();
            assert_eq!(gathered, here.then_some(expected));

            let tree = ranks.reduce(root, rank.to_string(), |a, b| format!("({a} {b})")).unwrap();
            assert_eq!(tree, here.then(|| expected_tree(size)));
        }

        assert_eq!(ranks.all_gather(rank).unwrap(), (0..size).collect::<Vec<_>>());
        let tree = ranks.all_reduce(rank.to_string(), |a, b| format!("({a} {b})")).unwrap();
        assert_eq!(tree, expected_tree(size));
        let joined = ranks.all_reduce(long[rank * 10..rank * 10 + 10].to_vec(), |mut a, b| {
            a.extend(b);
            a
        });
        assert_eq!(joined.unwrap(), long[..size * 10]);

        exchange(ranks, 0);
        exchange(ranks, 300);
        ranks.barrier().unwrap();

        let unequal = ranks.exchange_bytes((0..size).map(|to| letter(rank, to)).collect()).unwrap();
        assert_eq!(unequal, (0..size).map(|from| letter(from, rank)).collect::<Vec<_>>());

        assert!(threads::choose(ranks, None).unwrap().count.get() >= 1);
        assert!(ranks.send_bytes(rank, b"me").is_err());
        assert!(ranks.send_bytes(size, b"nobody").is_err());
    }

    /// Bytes from one rank to another, of very different lengths, some of them none.
    fn letter(from: usize, to: usize) -> Vec<u8> {
        let length = if (from + to).is_multiple_of(3) { 0 } else { 1 + 2000 * from + 77 * to };
        vec![(from * 16 + to) as u8; length]
    }

    /// Every rank sends `count` items; their owners follow from their numbers.
    fn exchange(ranks: &dyn Communicator, count: usize) {
        let (rank, size) = (ranks.rank(), ranks.size());
        let items = |from: usize| {
            (0..count).map(move |at| ((at * at + from) % size, format!("{from}:{at}")))
        };
        let received = ranks.exchange(items(rank).collect()).unwrap();
        let expected: Vec<String> = (0..size)
            .flat_map(items)
            .filter_map(|(owner, item)| (owner == rank).then_some(item))
            .collect();
        assert_eq!(received, expected);
    }

    /// The reduction tree by its other description: neighbours pair up until one is left.
    fn expected_tree(size: usize) -> String {
        let mut level: Vec<String> = (0..size).map(|rank| rank.to_string()).collect();
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
}

/// The cases of a program that finds its MPI library when it runs.
#[cfg(all(feature = "mpi-load", not(feature = "mpi")))]
mod loaded {
    use std::ffi::{c_int, c_void, CStr};
    use streamfold::collective::{
        mpi_library, start, Absent, Communicator, Error, MpiMode, PieceLimit, World,
    };

    /// Runs a case; false if it is none of these.
    pub fn run(case: &str, limit: PieceLimit) -> bool {
        match case {
            "no-library" | "no-mpi" => {
                let error = start(MpiMode::Auto, limit).err();
                let Some(Error::MpiLibrary { path, reason }) = &error else {
                    panic!("{error:?}");
                };
                let names_it = |text: &str| text.contains(path) && text.contains("STREAMFOLD_MPI");
                assert!(names_it(&error.as_ref().expect("one").to_string()), "{error:?}");
                assert_eq!(case == "no-mpi", reason.contains("no MPI library"), "{reason}");
                assert!(mpi_library().starts_with("none: cannot use"), "{}", mpi_library());
            }
            "refused" => {
                let error = start(MpiMode::Auto, limit).err();
                let refused = Absent::Refused;
                assert!(
                    matches!(&error, Some(Error::RanksWithoutMpi { count: Some(2), absent, .. }) if *absent == refused),
                    "{error:?}"
                );
            }
            // With a library there are two ranks that do not meet, without one there are two copies.
            "not-found" => match start(MpiMode::Auto, limit).err() {
                Some(Error::RanksDoNotMeet { count: 2, library, .. }) => {
                    assert!(library.contains("libmpi"), "{library}");
                }
                Some(Error::RanksWithoutMpi { absent: Absent::NotFound { names, .. }, .. }) => {
                    assert!(names.contains("libmpi.so.12"), "{names}");
                }
                other => panic!("{other:?}"),
            },
            "loaded" => loaded(limit),
            "host" => host(limit),
            _ => return false,
        }
        true
    }

    /// The library that a part of the process has loaded for itself comes before that of the launcher, which is another
    /// one here.
    fn loaded(limit: PieceLimit) {
        // SAFETY: the library is an MPI library by its name.
        let own =
            unsafe { libc::dlopen(c"libmpi.so.40".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if own.is_null() {
            return println!("skipped: no libmpi.so.40");
        }
        // SAFETY: the library refuses it: MPI was not started.
        let refused = unsafe { World::of_handle(0x4400_0000, limit) }.err();
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.ends_with("MPI does not run in this process"), "{refused}");
        assert!(mpi_library().contains("libmpi.so.40"), "{}", mpi_library());
    }

    /// An address in a library that everybody sees; 0 where there is none.
    fn symbol(name: &CStr) -> usize {
        // SAFETY: the name ends with a zero.
        (unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }) as usize
    }

    /// Communicators of the library: all ranks, and none.
    fn handles() -> [usize; 2] {
        if symbol(c"ompi_mpi_comm_world") != 0 {
            return [c"ompi_mpi_comm_world", c"ompi_mpi_comm_null"].map(symbol);
        }
        let mut version: c_int = -1;
        let ask = symbol(c"MPI_Abi_get_version");
        if ask != 0 {
            let mut minor: c_int = 0;
            // SAFETY: the standard says that the call has this type.
            unsafe {
                let ask: extern "C" fn(*mut c_int, *mut c_int) -> c_int = std::mem::transmute(ask);
                ask(&mut version, &mut minor);
            }
        }
        if version < 0 {
            [0x4400_0000, 0x0400_0000]
        } else {
            [0x101, 0x100]
        }
    }

    /// The program as its own host: another part of it starts MPI.
    fn host(limit: PieceLimit) {
        // SAFETY: 0 is the value of no handle.
        let early = unsafe { World::of_handle(0, limit) }.err();
        assert!(matches!(early, Some(Error::HostComm { .. })), "{early:?}");
        let own = start(MpiMode::Auto, limit).expect("communication starts");
        let [world, null] = handles();
        for no_comm in [0, 1, null] {
            // SAFETY: it is refused before the library sees it.
            let refused = unsafe { World::of_handle(no_comm, limit) }.err();
            assert!(matches!(refused, Some(Error::HostComm { .. })), "{no_comm:x}: {refused:?}");
        }
        // SAFETY: it is the communicator of all ranks.
        let ranks = unsafe { World::of_handle(world, limit) }.expect("a communicator");
        assert_eq!((ranks.rank(), ranks.size()), (own.rank(), own.size()));
        super::rank::talk(&ranks);
        let again = start(MpiMode::On, limit).err();
        assert!(matches!(again, Some(Error::AlreadyStarted)), "{again:?}");

        // Two groups of ranks, and what connects them. Handles are passed as words, which all calls take.
        type Split = unsafe extern "C" fn(usize, c_int, c_int, *mut usize) -> c_int;
        type Connect = unsafe extern "C" fn(usize, c_int, usize, c_int, c_int, *mut usize) -> c_int;
        if cfg!(target_arch = "x86_64") {
            let (mut half, mut both) = (0usize, 0usize);
            let lower = own.rank() == 0;
            // SAFETY: the calls have these types, and the words are initialised beyond what a handle takes.
            unsafe {
                let split: Split = std::mem::transmute::<*mut c_void, Split>(symbol(
                    c"MPI_Comm_split",
                )
                    as *mut c_void);
                assert_eq!(split(world, lower.into(), 0, &mut half), 0);
                let connect = symbol(c"MPI_Intercomm_create") as *mut c_void;
                let connect: Connect = std::mem::transmute::<*mut c_void, Connect>(connect);
                assert_eq!(connect(half, 0, world, lower.into(), 7, &mut both), 0);
                let refused = World::of_handle(both, limit).err().map(|error| error.to_string());
                assert!(
                    refused.as_ref().is_some_and(|it| it.contains("inter-communicator")),
                    "{refused:?}"
                );
                assert_eq!(
                    World::of_handle(half, limit).expect("a group").size(),
                    if lower { 1 } else { 2 }
                );
            }
        }
    }
}
