//! Where a crash breaks outbox and inbox software, by its default settings and by others.

use crate::crashes::{Breaks, check_breaks, check_unbroken, check_under_faults};
use crashpoint::program::Kind;

/// Those whose text says that every single crash is survived, and the last: within five minutes it knows the copy.
#[test]
fn outbox_and_inbox_software_that_survives_every_crash() {
    check_unbroken(&[
        "debezium-inbox",
        "spring-modulith-republish",
        "masstransit",
        "nservicebus",
        "wolverine",
        "eventuate-tram",
        "wolverine-late",
    ]);
}

#[test]
fn software_without_an_inbox_doubles_after_sending_and_before_acknowledging() {
    check_breaks(&[
        // The position is stored once a minute, and both events are sent within the first.
        Breaks {
            id: "debezium",
            kind: Kind::Duplicate,
            points: &[
                "after Debezium.publish-orders.1",
                "before Debezium.publish-orders.2",
                "after Debezium.publish-orders.2",
            ],
        },
        Breaks {
            id: "masstransit-bus",
            kind: Kind::Duplicate,
            points: &[
                "after Delivery.publish-orders.1",
                "after Delivery.delete-outbox_message.1",
                "after Warehouse.insert-parcels.1",
            ],
        },
        Breaks {
            id: "nservicebus-plain",
            kind: Kind::Duplicate,
            points: &["after Sales.publish-events.1", "after Shipping.insert-parcels.1"],
        },
        Breaks {
            id: "eventuate-tram-noop",
            kind: Kind::Duplicate,
            points: &["after Cdc.publish-orders.1", "after Warehouse.insert-parcels.1"],
        },
        Breaks {
            id: "nservicebus-session",
            kind: Kind::Lost,
            points: &["after Web.commit.1"],
        },
    ]);
}

#[test]
fn software_that_notes_the_message_apart_from_the_work() {
    check_breaks(&[
        Breaks {
            id: "spring-modulith",
            kind: Kind::Stuck,
            points: &[
                "after App.commit.1",
                "after App.begin-listener.1",
                "after App.insert-parcels.1",
                "after App.complete.1",
            ],
        },
        Breaks {
            id: "spring-modulith-2-1",
            kind: Kind::Duplicate,
            points: &["after App.commit-listener.1"],
        },
        Breaks {
            id: "camel",
            kind: Kind::Duplicate,
            points: &["after Intake.open.1"],
        },
        // The id is noted and the case is not yet open; meanwhile the second consumer of the same process drops the copy.
        Breaks {
            id: "camel-database",
            kind: Kind::Lost,
            points: &[
                "after Intake.add-key.1",
                "before Intake.add-key.2",
                "after Intake.add-key.2",
                "after Intake.ack-copy.1",
                "after Intake.work.1",
            ],
        },
    ]);
}

#[test]
fn the_crash_of_one_setting_in_another() {
    check_under_faults(&[
        ("debezium-inbox", "debezium", &[]),
        ("spring-modulith-republish", "spring-modulith", &[]),
        ("spring-modulith-republish", "spring-modulith-2-1", &[]),
        ("masstransit", "masstransit-bus", &[]),
        ("nservicebus", "nservicebus-plain", &[]),
        ("eventuate-tram", "eventuate-tram-noop", &[]),
        ("camel-database", "camel", &[]),
        ("camel", "camel-database", &[]),
    ]);
}
