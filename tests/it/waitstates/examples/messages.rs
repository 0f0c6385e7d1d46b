//! Messages.

use super::Example;
use crate::waitstates::events::{cancelled, got, isend, over, post, recv, send, sent, tag, tested};
use crate::waitstates::trace::{Trace, BETWEEN};

const LATE: &str = "mpi_latesender";
const WRONG: &str = "mpi_latesender_wo";
const SAME: &str = "mpi_lswo_same";
const DIFFERENT: &str = "mpi_lswo_different";
const RECEIVER: &str = "mpi_latereceiver";

pub fn examples() -> Vec<Example> {
    let mut all = late_senders();
    all.extend(several_at_once());
    all.extend(wrong_order());
    all.extend(late_receivers());
    all.extend(nothing());
    all.extend(other_regions());
    all
}

/// A sender in [`MPI_Send`, begin, end], and a receiver in MPI_Recv.
fn pair(sender: (u64, u64, u64), receiver: (u64, u64, u64)) -> Trace {
    let mut t = Trace::of(2);
    let (begin, end, at) = sender;
    t.on(0).call("MPI_Send", begin, end, &[(at, send(1))]);
    let (begin, end, at) = receiver;
    t.on(10).call("MPI_Recv", begin, end, &[(at, recv(0))]);
    t
}

fn late_senders() -> Vec<Example> {
    let mut w3 = Trace::of(2);
    w3.on(10).call("MPI_Irecv", 5, 6, &[(5, post(1))]).call("MPI_Wait", 20, 60, &[(59, got(0, 1))]);
    w3.on(0).call("MPI_Send", 45, 55, &[(46, send(1))]);

    // The earlier of both waits for the other to enter: 40 − 10.
    let mut sendrecv = Trace::of(2);
    sendrecv.on(0).call("MPI_Sendrecv", 10, 60, &[(11, send(1)), (59, recv(1))]);
    sendrecv.on(10).call("MPI_Sendrecv", 40, 62, &[(41, send(0)), (61, recv(0))]);

    // What counts is the call that posted: MPI_Isend at 45, MPI_Start at 70.
    let mut posted = Trace::of(3);
    let on = posted.on(0).call("MPI_Isend", 45, 46, &[(46, isend(2, 1))]);
    on.call("MPI_Wait", 80, 81, &[(81, sent(1))]);
    let on = posted.on(10).call("MPI_Start", 70, 71, &[(71, isend(2, 1))]);
    on.call("MPI_Wait", 80, 81, &[(81, sent(1))]);
    let on = posted.on(20).call("MPI_Recv", 5, 50, &[(50, recv(0))]);
    on.call("MPI_Recv", 60, 75, &[(75, recv(1))]);

    // Between processes 0, 2 and 1, 3: rank 1 of the other group is process 3.
    let mut inter = Trace::of(4);
    inter.on(0).call("MPI_Send", 50, 60, &[(51, over(BETWEEN, send(1)))]);
    inter.on(30).call("MPI_Recv", 10, 65, &[(64, over(BETWEEN, recv(0)))]);

    // Posted on one thread, completed on the other, which waits from 20 to 45.
    let mut threads = Trace::new(&[1, 2]);
    threads.on(0).call("MPI_Send", 45, 55, &[(46, send(1))]);
    threads.on(10).call("MPI_Irecv", 5, 6, &[(5, post(1))]);
    threads.on(11).call("MPI_Wait", 20, 60, &[(59, got(0, 1))]);

    // A receive of one thread is complete in a call of the other; its post says when the sender goes on.
    let mut posted_there = Trace::new(&[1, 2]);
    posted_there.on(0).call("MPI_Send", 10, 60, &[(11, send(1))]);
    posted_there.on(10).call("MPI_Irecv", 50, 51, &[(50, post(1))]);
    posted_there.on(11).call("MPI_Wait", 55, 62, &[(61, got(0, 1))]);

    vec![
        Example::new("W1", pair((50, 60, 51), (10, 65, 64))).waits(LATE, "MPI_Recv", 10, 40),
        Example::new("W3", w3).waits(LATE, "MPI_Wait", 10, 25),
        Example::new("W8", pair((70, 75, 72), (10, 65, 64)))
            .waits(LATE, "MPI_Recv", 10, 55)
            .violates("p2p", 1, 8),
        Example::new("sendrecv", sendrecv).waits(LATE, "MPI_Sendrecv", 0, 30),
        Example::new("posting calls", posted).waits(LATE, "MPI_Recv", 20, 40 + 10),
        Example::new("inter-communicator", inter).waits(LATE, "MPI_Recv", 30, 40),
        Example::new("completed on another thread", threads).waits(LATE, "MPI_Wait", 11, 25),
        Example::new("posted on another thread", posted_there).waits(RECEIVER, "MPI_Send", 0, 40),
    ]
}

/// Two receives from processes 0 and 1, which enter MPI_Send at 50 and 80.
fn two_receives(call: &str) -> Trace {
    let mut t = Trace::of(3);
    t.on(0).call("MPI_Send", 50, 55, &[(51, send(2))]);
    t.on(10).call("MPI_Send", 80, 85, &[(81, send(2))]);
    let on = t.on(20).call("MPI_Irecv", 5, 6, &[(5, post(1))]);
    let on = on.call("MPI_Irecv", 7, 8, &[(7, post(2))]);
    on.call(call, 20, 100, &[(98, got(0, 1)), (99, got(1, 2))]);
    t
}

fn several_at_once() -> Vec<Example> {
    // One after the other: 50 − 20 in the first call, 80 − 60 in the second.
    let mut some = Trace::of(3);
    some.on(0).call("MPI_Send", 50, 55, &[(51, send(2))]);
    some.on(10).call("MPI_Send", 80, 85, &[(81, send(2))]);
    let on = some.on(20).call("MPI_Irecv", 5, 6, &[(5, post(1))]);
    let on = on.call("MPI_Irecv", 7, 8, &[(7, post(2))]);
    let on = on.call("MPI_Waitsome", 20, 59, &[(58, got(0, 1))]);
    on.call("MPI_Waitany", 60, 100, &[(99, got(1, 2))]);

    // A send completes in the same call, for which the receiver is late by 40 − 10: as a sender is late,
    // too, by 15 − 10, only that counts.
    let mut both = Trace::of(2);
    let on = both.on(0).call("MPI_Isend", 0, 1, &[(1, isend(1, 1))]);
    let on = on.call("MPI_Irecv", 2, 3, &[(2, post(2))]);
    on.call("MPI_Waitall", 10, 70, &[(68, sent(1)), (69, got(1, 2))]);
    let on = both.on(10).call("MPI_Send", 15, 16, &[(15, send(0))]);
    on.call("MPI_Recv", 40, 60, &[(60, recv(0))]);

    vec![
        Example::new("W4", two_receives("MPI_Waitall")).waits(LATE, "MPI_Waitall", 20, 60),
        Example::new("Waitsome with two", two_receives("MPI_Waitsome")).waits(
            LATE,
            "MPI_Waitsome",
            20,
            60,
        ),
        Example::new("Waitsome, then Waitany", some).waits(LATE, "MPI_Waitsome", 20, 30).waits(
            LATE,
            "MPI_Waitany",
            20,
            20,
        ),
        Example::new("late sender and late receiver in one Waitall", both).waits(
            LATE,
            "MPI_Waitall",
            0,
            5,
        ),
    ]
}

fn wrong_order() -> Vec<Example> {
    let mut w5 = Trace::of(3);
    let on = w5.on(20).call("MPI_Recv", 0, 60, &[(59, recv(0))]);
    on.call("MPI_Recv", 61, 65, &[(64, recv(1))]);
    w5.on(0).call("MPI_Send", 50, 55, &[(51, send(2))]);
    w5.on(10).call("MPI_Send", 10, 12, &[(11, send(2))]);

    let mut w6 = Trace::of(2);
    let on = w6.on(0).call("MPI_Send", 40, 42, &[(41, tag(1, send(1)))]);
    on.call("MPI_Send", 50, 55, &[(51, tag(2, send(1)))]);
    let on = w6.on(10).call("MPI_Recv", 0, 58, &[(57, tag(2, recv(0)))]);
    on.call("MPI_Recv", 59, 60, &[(60, tag(1, recv(0)))]);

    let mut w6_later = Trace::of(2);
    let on = w6_later.on(0).call("MPI_Send", 50, 55, &[(51, tag(2, send(1)))]);
    on.call("MPI_Send", 60, 62, &[(61, tag(1, send(1)))]);
    let on = w6_later.on(10).call("MPI_Recv", 0, 58, &[(57, tag(2, recv(0)))]);
    on.call("MPI_Recv", 62, 64, &[(63, tag(1, recv(0)))]);

    let mut w6_three = Trace::of(3);
    let on = w6_three.on(0).call("MPI_Send", 29, 31, &[(30, tag(1, send(2)))]);
    on.call("MPI_Send", 50, 55, &[(51, send(2))]);
    w6_three.on(10).call("MPI_Send", 39, 41, &[(40, send(2))]);
    let on = w6_three.on(20).call("MPI_Recv", 0, 58, &[(57, recv(0))]);
    let on = on.call("MPI_Recv", 59, 60, &[(60, recv(1))]);
    on.call("MPI_Recv", 61, 62, &[(62, tag(1, recv(0)))]);

    // Receives of one call do not disturb each other: the one that was sent earlier is in it.
    let together = two_receives("MPI_Waitall");
    // A third one, sent at 60 and received by a test, was sent before that of 81.
    let mut tested_after = two_receives("MPI_Waitall");
    let on = tested_after.on(0).call("MPI_Isend", 60, 61, &[(60, tag(1, isend(2, 7)))]);
    on.call("MPI_Wait", 120, 121, &[(121, sent(7))]);
    let on = tested_after.on(20).call("MPI_Irecv", 101, 102, &[(101, post(3))]);
    on.call("MPI_Test", 103, 104, &[(104, tag(1, got(0, 3)))]);

    vec![
        Example::new("W5", w5)
            .waits(LATE, "MPI_Recv", 20, 50)
            .waits(WRONG, "MPI_Recv", 20, 50)
            .waits(DIFFERENT, "MPI_Recv", 20, 50),
        Example::new("W6", w6)
            .waits(LATE, "MPI_Recv", 10, 50)
            .waits(WRONG, "MPI_Recv", 10, 50)
            .waits(SAME, "MPI_Recv", 10, 50),
        Example::new("W6, sent later", w6_later).waits(LATE, "MPI_Recv", 10, 50),
        Example::new("W6, three receives", w6_three)
            .waits(LATE, "MPI_Recv", 20, 50)
            .waits(WRONG, "MPI_Recv", 20, 50)
            .waits(DIFFERENT, "MPI_Recv", 20, 50),
        Example::new("in one Waitall", together).waits(LATE, "MPI_Waitall", 20, 60),
        Example::new("seen by a test", tested_after)
            .waits(LATE, "MPI_Waitall", 20, 60)
            .waits(WRONG, "MPI_Waitall", 20, 60)
            .waits(DIFFERENT, "MPI_Waitall", 20, 60),
    ]
}

fn late_receivers() -> Vec<Example> {
    let w2 = |end| pair((10, end, 11), (50, 75, 74));
    let with = |call: &str| {
        let mut t = Trace::of(2);
        t.on(0).call(call, 10, 70, &[(11, send(1))]);
        t.on(10).call("MPI_Recv", 50, 75, &[(74, recv(0))]);
        t
    };
    // The sender waits in MPI_Wait from 10 until the receive is posted at 30.
    let waits = |call: &str| {
        let mut t = Trace::of(2);
        let on = t.on(0).call("MPI_Isend", 0, 1, &[(1, isend(1, 1))]);
        on.call(call, 10, 40, &[(40, sent(1))]);
        t.on(10).call("MPI_Irecv", 30, 31, &[(31, post(1))]).call(
            "MPI_Wait",
            35,
            41,
            &[(41, got(0, 1))],
        );
        t
    };
    // To two receivers, who post at 30 and 35: the largest counts.
    let mut multi = Trace::of(3);
    let on = multi.on(0).call("MPI_Isend", 0, 1, &[(1, isend(1, 1))]);
    let on = on.call("MPI_Isend", 2, 3, &[(3, isend(2, 2))]);
    on.call("MPI_Waitall", 10, 40, &[(39, sent(1)), (40, sent(2))]);
    multi.on(10).call("MPI_Recv", 30, 41, &[(41, recv(0))]);
    multi.on(20).call("MPI_Recv", 35, 41, &[(41, recv(0))]);

    vec![
        Example::new("W2", w2(70)).waits(RECEIVER, "MPI_Send", 0, 40),
        Example::new("W2, ended before", w2(15)),
        Example::new("W2, touching", w2(50)),
        Example::new("Ssend", with("MPI_Ssend")).waits(RECEIVER, "MPI_Ssend", 0, 40),
        Example::new("Bsend", with("MPI_Bsend")),
        Example::new("Rsend", with("MPI_Rsend")),
        Example::new("a send waits", waits("MPI_Wait")).waits(RECEIVER, "MPI_Wait", 0, 20),
        Example::new("a send is tested", waits("MPI_Test")),
        Example::new("a send is released", waits("MPI_Request_free")),
        Example::new("two sends wait", multi).waits(RECEIVER, "MPI_Waitall", 0, 25),
    ]
}

fn nothing() -> Vec<Example> {
    let tests = |call: &str| {
        let mut t = Trace::of(2);
        let on = t.on(10).call("MPI_Irecv", 0, 1, &[(0, post(1))]);
        let on = on.call("MPI_Test", 5, 8, &[(6, tested(1))]);
        on.call(call, 10, 20, &[(19, got(0, 1))]);
        let on = t.on(0).call("MPI_Isend", 15, 16, &[(15, isend(1, 1))]);
        on.call("MPI_Wait", 17, 18, &[(18, sent(1))]);
        t
    };
    let mut alone = pair((50, 60, 51), (70, 75, 74));
    alone.on(0).call("MPI_Send", 80, 90, &[(81, tag(1, send(1)))]);
    alone.on(10).call("MPI_Recv", 80, 85, &[(84, tag(2, recv(0)))]);
    // To itself: the send was entered before.
    let mut itself = Trace::of(1);
    let on = itself.on(0).call("MPI_Isend", 0, 5, &[(1, isend(0, 1))]);
    on.call("MPI_Recv", 10, 20, &[(19, recv(0))]).call("MPI_Wait", 30, 40, &[(39, sent(1))]);
    // No region is open: it takes part in matching, so that the second send belongs to the second receive.
    let mut outside = Trace::of(2);
    outside.on(0).at(1, send(1)).call("MPI_Send", 50, 60, &[(51, send(1))]);
    let on = outside.on(10).call("MPI_Recv", 0, 3, &[(2, recv(0))]);
    on.call("MPI_Recv", 10, 65, &[(64, recv(0))]);
    // The first request is cancelled: the message is that of the receive.
    let mut cancel = Trace::of(2);
    cancel.on(0).call("MPI_Send", 45, 55, &[(46, send(1))]);
    let on = cancel.on(10).call("MPI_Irecv", 5, 6, &[(5, post(1))]);
    let on = on.call("MPI_Wait", 10, 12, &[(11, cancelled(1))]);
    on.call("MPI_Recv", 20, 60, &[(59, recv(0))]);
    // Likewise a send.
    let mut unsent = Trace::of(2);
    let on = unsent.on(0).call("MPI_Isend", 1, 2, &[(1, isend(1, 1))]);
    let on = on.call("MPI_Wait", 10, 12, &[(11, cancelled(1))]);
    on.call("MPI_Send", 45, 55, &[(46, send(1))]);
    unsent.on(10).call("MPI_Recv", 20, 60, &[(59, recv(0))]);

    vec![
        Example::new("W7", tests("MPI_Test")),
        Example::new("Testall", tests("MPI_Testall")),
        Example::new("missing partners", alone),
        Example::new("to itself", itself),
        Example::new("outside of any region", outside).waits(LATE, "MPI_Recv", 10, 40),
        Example::new("a cancelled receive", cancel).waits(LATE, "MPI_Recv", 10, 25),
        Example::new("a cancelled send", unsent).waits(LATE, "MPI_Recv", 10, 25),
    ]
}

/// Regions whose names do not say it, and names as Fortran has them.
fn other_regions() -> Vec<Example> {
    // A region of the program inside of MPI_Recv: the innermost region of MPI counts, of whose time 45 of
    // the 55 ticks are its own, which is enough for the wait.
    let mut inside = Trace::of(2);
    inside.on(0).call("MPI_Send", 50, 60, &[(51, send(1))]);
    let on = inside.on(10).enter(0, "main").enter(10, "MPI_Recv").enter(54, "foo");
    on.at(64, recv(0)).leave(64).leave(65).leave(70);
    // Likewise, but only 2 are its own.
    let mut full = Trace::of(2);
    full.on(0).call("MPI_Send", 50, 60, &[(51, send(1))]);
    let on = full.on(10).enter(0, "main").enter(10, "MPI_Recv").enter(11, "foo");
    on.at(64, recv(0)).leave(64).leave(65).leave(70);
    // In a region nobody knows, two completions are a multi wait; one is a single wait.
    let one = |call: &str| {
        let mut t = Trace::of(2);
        t.on(0).call("mpi_send_", 45, 55, &[(46, send(1))]);
        t.on(10).call("mpi_irecv_", 5, 6, &[(5, post(1))]).call(call, 20, 60, &[(59, got(0, 1))]);
        t
    };
    vec![
        Example::new("a region inside", inside).waits(LATE, "MPI_Recv", 10, 40),
        Example::new("a region inside all of it", full).waits(LATE, "MPI_Recv", 10, 2),
        Example::new("unknown with two", two_receives("MPI_My_exchange")).waits(
            LATE,
            "MPI_My_exchange",
            20,
            60,
        ),
        Example::new("unknown with one", one("MPI_My_exchange")).waits(
            LATE,
            "MPI_My_exchange",
            10,
            25,
        ),
        Example::new("Fortran", one("mpi_waitall_")).waits(LATE, "mpi_waitall_", 10, 25),
        Example::new("Fortran, test", one("mpi_testall_")),
    ]
}
