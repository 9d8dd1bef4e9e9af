//! Where a crash breaks an inbox or channel story and where it does not, worked out from the story: which effects have happened
//! at that point, and who remembers them.

use crate::crashes::{Breaks, check_breaks, check_unbroken, check_under_faults, with_fault};
use crashpoint::program::Kind;

#[test]
fn an_inbox_in_the_transaction_of_the_work_breaks_nowhere() {
    check_unbroken(&["I2", "I3", "I6-index", "I7-ok", "I8-long", "I10-key", "I15"]);
}

#[test]
fn a_stored_message_with_lease_and_epoch_survives_every_crash() {
    check_unbroken(&["I11", "I13-lease", "I13-fence"]);
}

#[test]
fn effects_that_bear_repetition_break_nowhere() {
    check_unbroken(&["I1-business", "I1-files", "I1-handed-on", "I1-idempotent", "P4-key"]);
    check_unbroken(&["P10", "P10-two", "P10-four", "P12-topic", "P13-repeat", "P13-queue"]);
}

/// From the first of two commits to the second.
#[test]
fn without_one_transaction_there_is_a_gap() {
    check_breaks(&[
        Breaks {
            id: "I1",
            kind: Kind::Duplicate,
            points: &["after Claims.commit.1"],
        },
        Breaks {
            id: "I5",
            kind: Kind::Lost,
            points: &[
                "after Claims.commit.1",
                "after Claims.begin.2",
                "after Claims.insert-cases.1",
            ],
        },
        Breaks {
            id: "I5-other",
            kind: Kind::Duplicate,
            points: &[
                "after Claims.commit.1",
                "after Claims.begin.2",
                "after Claims.insert-inbox.1",
            ],
        },
        Breaks {
            id: "I9-id",
            kind: Kind::Lost,
            points: &["after Portal.insert-claims.1"],
        },
        Breaks {
            id: "I9-key",
            kind: Kind::Lost,
            points: &["after Portal.insert-claims.1"],
        },
        Breaks {
            id: "I10",
            kind: Kind::Duplicate,
            points: &["after Claims.call-mail.1"],
        },
        Breaks {
            id: "I10-outbox",
            kind: Kind::Duplicate,
            points: &["after Relay.call-mail.1"],
        },
    ]);
}

/// From taking the row until the commit of the case. In I12 the copy closes the row meanwhile; in I13 it stays in progress.
#[test]
fn a_worker_that_dies_at_work_leaves_a_row_nobody_takes() {
    const AT_WORK: &[&str] = &[
        "after Worker.take.1",
        "after Worker.work.1",
        "after Worker.begin.1",
        "after Worker.insert-cases.1",
        "after Worker.finish.1",
    ];
    check_breaks(&[
        Breaks {
            id: "I12",
            kind: Kind::Lost,
            points: AT_WORK,
        },
        Breaks {
            id: "I13",
            kind: Kind::Stuck,
            points: AT_WORK,
        },
    ]);
}

/// The bank has paid and the register does not know it yet: no register, lease or renewal closes this gap.
#[test]
fn asking_the_register_leaves_the_gap_after_the_bank() {
    for id in ["P1", "P3", "P4", "P6", "P7-ok", "P11", "P14", "P14-accepted"] {
        check_breaks(&[Breaks {
            id,
            kind: Kind::Duplicate,
            points: &["after Payment.call-bank.1"],
        }]);
    }
    check_breaks(&[
        Breaks {
            id: "P2",
            kind: Kind::Duplicate,
            points: &["after Payment.call-bank.1", "after Payment.insert-paid.1"],
        },
        Breaks {
            id: "P7",
            kind: Kind::Lost,
            points: &["after Payment.ack.1", "after Payment.select-paid.1"],
        },
        Breaks {
            id: "P13",
            kind: Kind::Lost,
            points: &["after Claims.insert-orders.1", "after Claims.call-Payment-pay.1"],
        },
    ]);
}

/// The orphaned transfer happens at 40 s although its caller is dead; before the call there is nothing to happen.
#[test]
fn a_crash_during_the_transfer_is_another_than_one_before_it() {
    for (fault, kinds) in [
        ("crash during Payment.call-bank.1 never", &[Kind::Duplicate][..]),
        ("crash before Payment.call-bank.1", &[]),
    ] {
        let finished = with_fault("P6", fault);
        assert!(finished.trace.struck.iter().all(Option::is_some), "{fault}: reached");
        assert_eq!(finished.kinds(), kinds, "{fault}");
    }
}

#[test]
fn the_crash_of_one_design_in_another() {
    check_under_faults(&[
        ("I2", "I1", &[]),
        ("I1-business", "I1", &[]),
        ("I1-idempotent", "I1", &[]),
        ("I5", "I1", &[Kind::Lost]),
        ("I5-other", "I1", &[Kind::Duplicate]),
        ("I10-key", "I10", &[]),
        ("I11", "I12", &[]),
        ("I11", "I13", &[]),
        ("I13-lease", "I13", &[]),
        ("P3", "P2", &[]),
        ("P3", "P4", &[Kind::Duplicate]),
        ("P6", "P4", &[Kind::Duplicate]),
        ("P4-key", "P4", &[]),
        ("P7-ok", "P7", &[]),
    ]);
}
