//! Where a crash breaks what was reported, and what remains of the correct designs.

use crate::crashes::{Breaks, breaks, check_breaks, check_unbroken};
use crashpoint::program::Kind;
use crashpoint::scenarios;

#[test]
fn reported_failures_break_in_the_reported_gap() {
    check_breaks(&[
        Breaks {
            id: "C31",
            kind: Kind::Lost,
            points: &["after Consumer.insert-processed_events.1", "after Consumer.work.1"],
        },
        Breaks {
            id: "C33",
            kind: Kind::Stuck,
            points: &[
                "after Function.claim.1",
                "after Function.work.1",
                "after Function.begin.1",
                "after Function.insert-effects.1",
                "after Function.update-idempotency.1",
            ],
        },
        Breaks {
            id: "C40",
            kind: Kind::Duplicate,
            points: &["after Processor.commit.1"],
        },
        // Two messages: each is lost from its acknowledgement until the commit of its invoice.
        Breaks {
            id: "C50",
            kind: Kind::Lost,
            points: &[
                "after Billing.ack.1",
                "after Billing.work.1",
                "after Billing.begin.1",
                "after Billing.insert-invoices.1",
                "after Billing.ack.2",
                "after Billing.work.2",
                "after Billing.begin.2",
                "after Billing.insert-invoices.2",
            ],
        },
        // From the first position that is stored past change 1 until the retry has arrived.
        Breaks {
            id: "C62",
            kind: Kind::Lost,
            points: &[
                "after Connector.flush.1",
                "before Connector.publish-payments.2",
                "after Connector.publish-payments.2",
                "after Connector.flush.2",
                "before Connector.confirm.1",
                "after Connector.confirm.1",
            ],
        },
    ]);
    // A crash between the two mails keeps the second, of the order that was undone, from leaving.
    assert_eq!(
        breaks("C03"),
        [
            ("after Shop.commit.1".to_owned(), Kind::Lost),
            ("after Shop.publish-mails.2".to_owned(), Kind::Phantom),
        ]
    );
}

#[test]
fn no_correct_design_loses_or_invents_anything() {
    let mut designs = 0;
    for preset in scenarios::all() {
        if preset.folder != "reported" || !preset.id.ends_with("-ok") {
            continue;
        }
        designs += 1;
        let found = breaks(preset.id);
        let grave = found.iter().any(|(_, kind)| matches!(kind, Kind::Lost | Kind::Phantom));
        assert!(!grave, "{}: {found:?}", preset.id);
    }
    assert!(designs >= 33, "{designs}");
}

#[test]
fn correct_designs_whose_receiver_recognises_copies_break_nowhere() {
    check_unbroken(&[
        "C01-ok", "C06-ok", "C08-ok", "C09-ok", "C13-ok", "C15-ok", "C28-ok", "C31-ok", "C32-ok", "C33-ok", "C35-ok",
        "C37-ok", "C40-ok", "C41-ok", "C42-ok", "C47-ok", "C49-ok", "C50-ok", "C55-ok", "C56-ok", "C61-ok", "C62-ok",
    ]);
}

/// At least once: what remains is a copy, sent or worked on again after a crash before it was noted.
#[test]
fn what_remains_of_a_correct_design_is_a_copy() {
    check_breaks(&[
        Breaks {
            id: "C02-ok",
            kind: Kind::Duplicate,
            points: &["after Worker.call-mail.1"],
        },
        Breaks {
            id: "C03-ok",
            kind: Kind::Duplicate,
            points: &["after Relay.publish-mails.1"],
        },
        Breaks {
            id: "C04-ok",
            kind: Kind::Duplicate,
            points: &["after Relay.publish-paid.1"],
        },
        Breaks {
            id: "C22-ok",
            kind: Kind::Duplicate,
            points: &["after Delivery.publish-replies.1"],
        },
        Breaks {
            id: "C25-ok",
            kind: Kind::Duplicate,
            points: &["after Sales.publish-downstream.1", "after Sales.publish-downstream.2"],
        },
        Breaks {
            id: "C29-ok",
            kind: Kind::Duplicate,
            points: &["after Relay.call-mail.1"],
        },
        // The list of ids is in memory: until the second delivery is acknowledged, a crash forgets it.
        Breaks {
            id: "C39-ok",
            kind: Kind::Duplicate,
            points: &[
                "after Warehouse.insert-parcels.1",
                "after Warehouse.ack.1",
                "before Warehouse.ack.2",
            ],
        },
        Breaks {
            id: "C45-ok",
            kind: Kind::Duplicate,
            points: &["after Worker.insert-previews.1"],
        },
        Breaks {
            id: "C60-ok",
            kind: Kind::Duplicate,
            points: &["after Relay.publish-events.1"],
        },
    ]);
}
