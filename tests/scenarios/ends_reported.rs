//! What the reported failures of the write side and of relays leave behind, each as it was and as it should be.

use crate::end::{End, check};

#[test]
fn reported_failures_on_the_writing_side() {
    check(&[
        End {
            id: "C01",
            rows: &[("app.orders", &["1"]), ("reader.known_orders", &[])],
            queues: &[("events", &[])],
        },
        End {
            id: "C01-ok",
            rows: &[("app.outbox", &["order-1 1 true"]), ("reader.known_orders", &["1"])],
            queues: &[("events", &[])],
        },
        // The worker read version 1 although the change ends as version 2.
        End {
            id: "C02",
            rows: &[("app.items", &["1 2"]), ("mail", &["1 1"])],
            queues: &[("jobs", &[])],
        },
        End {
            id: "C02-ok",
            rows: &[("app.items", &["1 2"]), ("app.jobs", &["1 1 true"]), ("mail", &["1 2"])],
            queues: &[],
        },
    ]);
}

#[test]
fn reported_failures_of_one_relay() {
    check(&[
        End {
            id: "C08",
            rows: &[
                ("app.outbox", &["1 OrderPlaced true"]),
                ("receiver.handled", &["1 1", "2 1"]),
            ],
            queues: &[("messages", &[])],
        },
        End {
            id: "C08-ok",
            rows: &[("receiver.inbox", &["1"]), ("receiver.handled", &["1 1"])],
            queues: &[("messages", &[])],
        },
        End {
            id: "C09",
            rows: &[("app.outbox", &[]), ("site.handled", &[])],
            queues: &[],
        },
        End {
            id: "C09-ok",
            rows: &[("app.outbox", &[]), ("site.handled", &["1 ImageUploaded"])],
            queues: &[],
        },
        End {
            id: "C13",
            rows: &[
                ("receiver.inbox", &["msg-1", "msg-2"]),
                ("receiver.effects", &["1 1", "2 1"]),
            ],
            queues: &[("feed", &[])],
        },
        End {
            id: "C13-ok",
            rows: &[("receiver.inbox", &["msg-1"]), ("receiver.effects", &["1 1"])],
            queues: &[("feed", &[])],
        },
        // Event 4 got its id first and was committed last.
        End {
            id: "C16",
            rows: &[
                ("app.events", &["1 X", "2 Y", "3 Z", "4 A", "5 B"]),
                ("app.position", &["relay 5"]),
            ],
            queues: &[("feed", &["5"])],
        },
        End {
            id: "C16-ok",
            rows: &[(
                "app.events",
                &["1 X true", "2 Y true", "3 Z true", "4 A true", "5 B true"],
            )],
            queues: &[("feed", &["5", "4"])],
        },
    ]);
}

#[test]
fn reported_failures_of_two_relays() {
    check(&[
        End {
            id: "C14",
            rows: &[("app.outbox", &["1 created true", "2 paid true"])],
            queues: &[("messages", &["1", "1", "2", "2"])],
        },
        End {
            id: "C14-ok",
            rows: &[(
                "app.outbox",
                &["1 created true Relay#1 30001ms", "2 paid true Relay#1 30001ms"],
            )],
            queues: &[("messages", &["1", "2"])],
        },
        End {
            id: "C15",
            rows: &[(
                "reader.seen",
                &[
                    "6 7 updated",
                    "7 7 shipped",
                    "8 7 updated",
                    "9 7 delivered",
                    "10 7 closed",
                    "1 7 created",
                    "2 7 updated",
                    "3 7 paid",
                    "4 7 updated",
                    "5 7 packed",
                ],
            )],
            queues: &[("events", &[])],
        },
        // Order 8 flows on while the relay that holds order 7 is slow.
        End {
            id: "C15-ok",
            rows: &[(
                "reader.seen",
                &[
                    "11 8 created",
                    "12 8 updated",
                    "1 7 created",
                    "2 7 updated",
                    "3 7 paid",
                    "4 7 updated",
                    "5 7 packed",
                    "6 7 updated",
                    "7 7 shipped",
                    "8 7 updated",
                    "9 7 delivered",
                    "10 7 closed",
                ],
            )],
            queues: &[("events", &[])],
        },
    ]);
}

#[test]
fn reported_failures_of_a_transaction() {
    check(&[
        End {
            id: "C03",
            rows: &[("shop.orders", &["1"]), ("shop.used_vouchers", &["SPRING"])],
            queues: &[("mails", &["1", "2"])],
        },
        End {
            id: "C03-ok",
            rows: &[("shop.orders", &["1"]), ("shop.outbox", &["1 true"])],
            queues: &[("mails", &["1"])],
        },
        End {
            id: "C04",
            rows: &[
                ("books.payments", &["pay-1 17", "pay-2 17"]),
                ("books.outbox", &["pay-1 17 true", "pay-2 17 true"]),
            ],
            queues: &[("paid", &["pay-1", "pay-2"])],
        },
        End {
            id: "C04-ok",
            rows: &[("books.payments", &["pay-1 17"]), ("books.outbox", &["pay-1 17 true"])],
            queues: &[("paid", &["pay-1"])],
        },
    ]);
}

#[test]
fn reported_failures_of_rows_that_nobody_sends() {
    check(&[
        End {
            id: "C20",
            rows: &[("app.outbox", &["1 invoice false", "2 orders false", "3 orders false"])],
            queues: &[("orders", &[])],
        },
        // The third refusal parks the first row; the operator gives it another destination.
        End {
            id: "C20-ok",
            rows: &[(
                "app.outbox(id, destination, sent, attempts, parked)",
                &[
                    "1 orders true 3 false",
                    "2 orders true 0 false",
                    "3 orders true 0 false",
                ],
            )],
            queues: &[("orders", &["2", "3", "1"])],
        },
        End {
            id: "C21",
            rows: &[
                ("app.outbox", &["1 OrderPlaced null false", "2 OrderPaid null false"]),
                ("app.roles", &["recovery Stager"]),
            ],
            queues: &[("events", &[])],
        },
        End {
            id: "C21-ok",
            rows: &[("app.outbox", &["1 OrderPlaced Node#2 true", "2 OrderPaid Node#2 true"])],
            queues: &[("events", &["1", "2"])],
        },
    ]);
}

#[test]
fn reported_failures_of_cleaning_up_and_of_sending_again() {
    check(&[
        End {
            id: "C22",
            rows: &[("app.requests", &["1 true"]), ("app.outbox", &[])],
            queues: &[("replies", &[])],
        },
        // Sent at 20 s and deleted at 30 s.
        End {
            id: "C22-ok",
            rows: &[("app.requests", &["1 true"]), ("app.outbox", &[])],
            queues: &[("replies", &["1"])],
        },
        End {
            id: "C25",
            rows: &[
                ("sales.inbox", &["1"]),
                ("sales.outbox", &["bill-1 1 true", "parcel-1 1 true"]),
            ],
            queues: &[
                ("orders", &[]),
                ("downstream", &["bill-1", "parcel-1", "bill-1", "parcel-1"]),
            ],
        },
        End {
            id: "C25-ok",
            rows: &[
                ("sales.inbox", &["1"]),
                ("sales.outbox", &["bill-1 1 true", "parcel-1 1 true"]),
            ],
            queues: &[("orders", &[]), ("downstream", &["bill-1", "parcel-1"])],
        },
    ]);
}

#[test]
fn a_reported_failure_of_a_call_inside_a_transaction() {
    check(&[
        End {
            id: "C41",
            rows: &[("app.mails", &["1 true"]), ("provider", &["1 text-1", "1 text-2"])],
            queues: &[],
        },
        End {
            id: "C41-ok",
            rows: &[
                ("app.mails", &["1 mail-1 text-1 true"]),
                ("provider", &["mail-1 1 text-1"]),
            ],
            queues: &[],
        },
    ]);
}

/// C60: three rounds until 35 s. C62-ok: the connector goes back to the stored position, so the payments come twice.
#[test]
fn the_reports_of_the_guide() {
    check(&[
        End {
            id: "C60",
            rows: &[("shop.outbox", &["evt-1 Sold 1"]), ("archive", &[])],
            queues: &[("events", &["evt-1", "evt-1", "evt-1"])],
        },
        End {
            id: "C60-ok",
            rows: &[("shop.outbox", &[]), ("archive", &[])],
            queues: &[("events", &["evt-1"])],
        },
        End {
            id: "C61",
            rows: &[("app.subscriptions", &["c-1 free"]), ("app.processed", &["evt-1"])],
            queues: &[("webhooks", &[])],
        },
        End {
            id: "C61-ok",
            rows: &[("app.subscriptions", &["c-1 paid"]), ("app.processed", &["evt-1"])],
            queues: &[("webhooks", &[])],
        },
        End {
            id: "C62",
            rows: &[("yugabyte.slot", &["3"])],
            queues: &[("orders", &[]), ("payments", &["2", "3"])],
        },
        End {
            id: "C62-ok",
            rows: &[("yugabyte.slot", &["3"])],
            queues: &[("orders", &["1"]), ("payments", &["2", "3", "2", "3"])],
        },
    ]);
}
