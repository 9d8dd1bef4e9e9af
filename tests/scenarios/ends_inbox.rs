//! What each inbox story leaves behind.
//!
//! A serial number is taken at the insert and not given back: where the first insert was undone, the case has number 2.

use crate::end::{End, Named, check};

const NOTED: Named = ("insurer.inbox", &["claims n-9921"]);
const NO_CASE: Named = ("insurer.cases", &[]);
const ONE_CASE: Named = ("insurer.cases", &["1 4711"]);
const ONE_CASE_LATER: Named = ("insurer.cases", &["2 4711"]);
const TWO_CASES: Named = ("insurer.cases", &["1 4711", "2 4711"]);
const DONE: &[Named] = &[("claims", &[])];

#[test]
fn an_inbox_recognises_the_copy_if_it_commits_with_the_work() {
    check(&[
        End {
            id: "I1",
            rows: &[TWO_CASES],
            queues: DONE,
        },
        End {
            id: "I2",
            rows: &[NOTED, ONE_CASE],
            queues: DONE,
        },
        // The first case went down with the crash, and its number with it.
        End {
            id: "I3",
            rows: &[NOTED, ONE_CASE_LATER],
            queues: DONE,
        },
        End {
            id: "I5",
            rows: &[NOTED, NO_CASE],
            queues: DONE,
        },
        End {
            id: "I5-other",
            rows: &[NOTED, TWO_CASES],
            queues: DONE,
        },
    ]);
}

/// Claims stands first at the topic and in the text, so it is first at the inbox.
#[test]
fn two_consumers_share_one_inbox() {
    check(&[
        End {
            id: "I4",
            rows: &[
                ("insurer.inbox", &["claims n-9921", "report-worker E-42"]),
                ONE_CASE,
                ("insurer.counter", &["7"]),
            ],
            queues: &[("claims", &[]), ("reports", &[])],
        },
        End {
            id: "I7",
            rows: &[("insurer.inbox", &["n-9921"]), ONE_CASE, ("insurer.counter", &["6"])],
            queues: &[("claims", &[]), ("reports", &[])],
        },
        End {
            id: "I7-ok",
            rows: &[
                ("insurer.inbox", &["claims n-9921", "report-worker n-9921"]),
                ONE_CASE,
                ("insurer.counter", &["7"]),
            ],
            queues: &[("claims", &[]), ("reports", &[])],
        },
    ]);
}

#[test]
fn a_check_before_the_write_does_not_keep_a_rival_out() {
    check(&[
        End {
            id: "I6",
            rows: &[
                ("insurer.inbox", &["report-worker E-42", "report-worker E-42"]),
                ("insurer.counter", &["8"]),
            ],
            queues: &[("reports", &[])],
        },
        End {
            id: "I6-index",
            rows: &[("insurer.inbox", &["report-worker E-42"]), ("insurer.counter", &["7"])],
            queues: &[("reports", &[])],
        },
    ]);
}

#[test]
fn ids_are_kept_for_a_time() {
    check(&[
        // The second row is of 30 s and older than 15 s at 60 s.
        End {
            id: "I8",
            rows: &[("insurer.inbox", &[]), TWO_CASES],
            queues: DONE,
        },
        // The row is of 3 ms: not yet older than 60 s at 60.001 s, deleted at 80 s.
        End {
            id: "I8-long",
            rows: &[("insurer.inbox", &[]), ONE_CASE],
            queues: DONE,
        },
        End {
            id: "I8-keep",
            rows: &[
                (
                    "insurer.inbox",
                    &["claims n-9921", "claims n-9922", "claims n-9923", "claims n-9924"],
                ),
                ("insurer.cases", &["1 4711", "2 4712", "3 4713", "4 4714"]),
            ],
            queues: DONE,
        },
    ]);
}

#[test]
fn the_sender_tries_again() {
    check(&[
        End {
            id: "I9",
            rows: &[
                ("portal.claims", &["4711"]),
                ("insurer.inbox", &["claims n-9921", "claims n-9922"]),
                TWO_CASES,
            ],
            queues: DONE,
        },
        End {
            id: "I9-id",
            rows: &[("portal.claims", &["4711"]), NOTED, ONE_CASE],
            queues: DONE,
        },
        End {
            id: "I9-key",
            rows: &[
                ("portal.claims", &["4711"]),
                ("insurer.inbox", &["claims 4711"]),
                ONE_CASE,
            ],
            queues: DONE,
        },
    ]);
}

/// The first attempt took number 1 for its case and was undone, except where the crash comes after the commit.
#[test]
fn a_mail_cannot_be_rolled_back() {
    check(&[
        End {
            id: "I10",
            rows: &[NOTED, ONE_CASE_LATER, ("mail", &["n-9921 4711", "n-9921 4711"])],
            queues: DONE,
        },
        End {
            id: "I10-key",
            rows: &[NOTED, ONE_CASE_LATER, ("mail", &["n-9921 4711"])],
            queues: DONE,
        },
        End {
            id: "I10-outbox",
            rows: &[
                NOTED,
                ONE_CASE,
                ("insurer.outbox", &["n-9921 4711 true"]),
                ("mail", &["n-9921 4711", "n-9921 4711"]),
            ],
            queues: DONE,
        },
    ]);
}

/// A round that finds nothing takes 2 ms, so the second, which takes the row, begins at 5.002 s; its change is at 5.003 s and the
/// lease of 60 s is counted from there.
#[test]
fn a_worker_takes_the_stored_message() {
    check(&[
        End {
            id: "I11",
            rows: &[("insurer.inbox", &["claims n-9921 4711 done 1 65003ms"]), ONE_CASE],
            queues: DONE,
        },
        End {
            id: "I12",
            rows: &[("insurer.inbox", &["claims n-9921 4711 done 1 65003ms"]), NO_CASE],
            queues: DONE,
        },
        End {
            id: "I13",
            rows: &[("insurer.inbox", &["claims n-9921 4711 in progress"]), NO_CASE],
            queues: DONE,
        },
        // The worker is back at 40.004 s. Its rounds are 5.002 s apart, so the sixth is the first after the lease and takes at 65.015 s.
        // It had died before it inserted a case.
        End {
            id: "I13-lease",
            rows: &[("insurer.inbox", &["claims n-9921 4711 done 2 125015ms"]), ONE_CASE],
            queues: DONE,
        },
        // The other worker's thirteenth round takes at 65.027 s. The frozen one inserts first, at 95 s, and undoes its case.
        End {
            id: "I13-fence",
            rows: &[
                ("insurer.inbox", &["claims n-9921 4711 done 2 125027ms"]),
                ONE_CASE_LATER,
            ],
            queues: DONE,
        },
    ]);
}

/// No attempt gets as far as a case, so none takes a number.
#[test]
fn a_message_that_always_fails_is_set_aside_and_sent_back() {
    check(&[
        End {
            id: "I14",
            rows: &[("insurer.inbox", &[]), ("insurer.policies", &[]), NO_CASE],
            queues: &[("claims", &["n-9921"])],
        },
        End {
            id: "I14-limit",
            rows: &[("insurer.inbox", &[]), ("insurer.policies", &[]), NO_CASE],
            queues: &[("claims", &[]), ("claims_dead", &["n-9921"])],
        },
        End {
            id: "I14-redrive",
            rows: &[NOTED, ("insurer.policies", &["K-77"]), ONE_CASE],
            queues: &[("claims", &[]), ("claims_dead", &[])],
        },
    ]);
}

#[test]
fn outbox_and_inbox_serve_the_whole_way() {
    check(&[End {
        id: "I15",
        rows: &[
            ("portal.claims", &["4711"]),
            ("portal.outbox", &["n-9921 4711 true"]),
            NOTED,
            ONE_CASE,
        ],
        queues: DONE,
    }]);
}

#[test]
fn other_ways_than_an_inbox() {
    check(&[
        End {
            id: "I1-idempotent",
            rows: &[("insurer.cases", &["4711 closed"])],
            queues: DONE,
        },
        End {
            id: "I1-business",
            rows: &[ONE_CASE],
            queues: DONE,
        },
        End {
            id: "I1-files",
            rows: &[("files", &["case-4711 4711"])],
            queues: DONE,
        },
        End {
            id: "I1-handed-on",
            rows: &[("partner", &["n-9921 4711"])],
            queues: DONE,
        },
    ]);
}
