//! What the stories leave behind that turn on what brokers do: fetching ahead, groups, partitions, known ids, transactions,
//! publishes in the background.

use crate::end::{End, Named, check};

const HANDLED: Named = (
    "register.handled",
    &[
        "pay-4711-01 4711 1 paid",
        "pay-4712-01 4712 1 paid",
        "cancel-4711-01 4711 2 called back",
    ],
);
const BOTH_PAID: Named = ("bank", &["pay-4711-01 88123 1200", "pay-4712-01 99001 300"]);

/// The two claims go side by side; the cancellation waits for its payment.
#[test]
fn orders_of_one_claim_stay_in_sequence() {
    for id in ["P9", "P9-partitions"] {
        check(&[End {
            id,
            rows: &[HANDLED, BOTH_PAID],
            queues: &[("payments", &[])],
        }]);
    }
}

/// Row 1 of C11 is unroutable: as it should be it is corrected later and comes behind row 2.
#[test]
fn what_nobody_confirmed_is_deleted_or_stays() {
    check(&[
        End {
            id: "C10",
            rows: &[("app.outbox", &[])],
            queues: &[("events", &[])],
        },
        End {
            id: "C10-ok",
            rows: &[("app.outbox", &[])],
            queues: &[("events", &["1", "2", "3"])],
        },
        End {
            id: "C11",
            rows: &[("app.outbox", &[])],
            queues: &[("orders", &["2"])],
        },
        End {
            id: "C11-ok",
            rows: &[("app.outbox", &[])],
            queues: &[("orders", &["2", "1"])],
        },
    ]);
}

#[test]
fn an_id_is_known_for_as_long_as_the_rule_says() {
    check(&[
        End {
            id: "C27",
            rows: &[
                ("shop.outbox", &["1 7 100 true", "2 7 120 true"]),
                ("search.applied", &["1 7 100"]),
            ],
            queues: &[("changes", &[])],
        },
        End {
            id: "C27-ok",
            rows: &[
                ("shop.outbox", &["1 7 100 true", "2 7 120 true"]),
                ("search.applied", &["1 7 100", "2 7 120"]),
            ],
            queues: &[("changes", &[])],
        },
        End {
            id: "C59",
            rows: &[("app.outbox", &["M1 true"]), ("warehouse.parcels", &["1 M1", "2 M1"])],
            queues: &[("orders", &[])],
        },
        End {
            id: "C59-ok",
            rows: &[("app.outbox", &["M1 true"]), ("warehouse.parcels", &["1 M1"])],
            queues: &[("orders", &[])],
        },
    ]);
}

/// Bookings as number and account: number 0 of account 7 is refused at first.
#[test]
fn what_is_fetched_ahead_overtakes_what_comes_back() {
    check(&[
        End {
            id: "C44-ok",
            rows: &[("album.previews", &["1 M1", "2 M2"])],
            queues: &[("photos", &[])],
        },
        End {
            id: "C51",
            rows: &[("bank.bookings", &["1 7", "2 7", "3 7", "4 7", "0 8", "0 7"])],
            queues: &[("events", &[])],
        },
        End {
            id: "C51-ok",
            rows: &[("bank.bookings", &["0 8", "0 7", "1 7", "2 7", "3 7", "4 7"])],
            queues: &[("events", &[])],
        },
    ]);
}

#[test]
fn two_transactions_end_one_after_the_other() {
    check(&[
        End {
            id: "C58",
            rows: &[("app.orders", &["1"]), ("reader.known_orders", &[])],
            queues: &[("events", &[])],
        },
        End {
            id: "C58-swap",
            rows: &[("app.orders", &[]), ("reader.known_orders", &["1"])],
            queues: &[("events", &[])],
        },
        End {
            id: "C58-ok",
            rows: &[
                ("app.orders", &["1"]),
                ("app.outbox", &["1 true"]),
                ("reader.inbox", &["1"]),
                ("reader.known_orders", &["1 1"]),
            ],
            queues: &[("events", &[])],
        },
    ]);
}

/// In the broker's transaction the new message and the position are one; the database outside it is not.
#[test]
fn exactly_once_ends_at_the_edge_of_the_broker() {
    check(&[
        End {
            id: "I1-broker",
            rows: &[],
            queues: &[("cases", &["n-9921"])],
        },
        End {
            id: "I1-broker-edge",
            rows: &[("insurer.cases", &["1 4711", "2 4711"])],
            queues: &[("opened", &["n-9921"])],
        },
    ]);
}
