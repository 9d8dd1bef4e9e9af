//! What the reported failures of inboxes leave behind, each as it was and as it should be.

use crate::end::{End, check};

#[test]
fn the_id_is_noted_by_a_rival_or_another_module() {
    check(&[
        End {
            id: "C06",
            rows: &[("insurer.inbox", &["1 Claims#1"]), ("insurer.cases", &["1 4711"])],
            queues: &[("claims", &["1"])],
        },
        End {
            id: "C06-ok",
            rows: &[("insurer.inbox", &["1 Claims#1"]), ("insurer.cases", &["1 4711"])],
            queues: &[("claims", &[])],
        },
        End {
            id: "C28",
            rows: &[
                ("app.inbox", &["billing 1"]),
                ("app.bills", &["1 1"]),
                ("app.parcels", &[]),
            ],
            queues: &[("billing", &[]), ("shipping", &[])],
        },
        End {
            id: "C28-ok",
            rows: &[
                ("app.inbox", &["billing 1", "shipping 1"]),
                ("app.bills", &["1 1"]),
                ("app.parcels", &["1 1"]),
            ],
            queues: &[("billing", &[]), ("shipping", &[])],
        },
        End {
            id: "C29",
            rows: &[
                ("insurer.inbox", &["1"]),
                ("insurer.cases", &["1 4711"]),
                ("mail", &["4711", "4711"]),
            ],
            queues: &[("claims", &[])],
        },
        End {
            id: "C29-ok",
            rows: &[
                ("insurer.inbox", &["1"]),
                ("insurer.cases", &["1 4711"]),
                ("insurer.outbox", &["4711 true"]),
                ("mail", &["4711"]),
            ],
            queues: &[("claims", &[])],
        },
    ]);
}

#[test]
fn the_id_is_noted_and_the_work_is_not_done() {
    check(&[
        End {
            id: "C31",
            rows: &[("app.processed_events", &["5"]), ("app.effects", &[])],
            queues: &[("events", &[])],
        },
        End {
            id: "C31-ok",
            rows: &[("app.processed_events", &["5"]), ("app.effects", &["1 5"])],
            queues: &[("events", &[])],
        },
        // The first attempt has released its row, and the copy is gone.
        End {
            id: "C32",
            rows: &[("app.inbox", &[]), ("app.effects", &[])],
            queues: &[("events", &[])],
        },
        // A refused statement takes no number.
        End {
            id: "C32-ok",
            rows: &[
                ("app.inbox(event_id, state, owner)", &["1 done Consumer#2"]),
                ("app.effects", &["1 1"]),
            ],
            queues: &[("events", &[])],
        },
        End {
            id: "C33",
            rows: &[
                (
                    "app.idempotency(message_id, state, owner)",
                    &["1 in progress Function#1"],
                ),
                ("app.effects", &[]),
            ],
            queues: &[("jobs", &[])],
        },
        End {
            id: "C33-ok",
            rows: &[
                ("app.idempotency(message_id, state, owner)", &["1 done Function#2"]),
                ("app.effects", &["1 1"]),
            ],
            queues: &[("jobs", &[])],
        },
    ]);
}

#[test]
fn the_work_or_the_way_of_a_message_takes_longer_than_its_mark_is_valid() {
    check(&[
        End {
            id: "C35",
            rows: &[
                ("oban.jobs(id, state)", &["1 completed"]),
                ("oban.results", &["1 1", "2 1"]),
            ],
            queues: &[],
        },
        End {
            id: "C35-ok",
            rows: &[
                ("oban.jobs(id, state, attempt)", &["1 completed 1"]),
                ("oban.results", &["1 1"]),
            ],
            queues: &[],
        },
        // Noted on days 0 and 9, deleted after 7 days each; the story ends on day 40.
        End {
            id: "C37",
            rows: &[("billing.inbox", &[]), ("billing.invoices", &["1 M1", "2 M1"])],
            queues: &[("orders", &[]), ("errors", &[])],
        },
        End {
            id: "C37-ok",
            rows: &[("billing.inbox", &[]), ("billing.invoices", &["1 M1"])],
            queues: &[("orders", &[]), ("errors", &[])],
        },
        End {
            id: "C40",
            rows: &[("store.token", &["5"]), ("views.bookings", &["1 5 120", "2 5 120"])],
            queues: &[],
        },
        // The first booking was undone and keeps its number.
        End {
            id: "C40-ok",
            rows: &[("views.token", &["5"]), ("views.bookings", &["2 5 120"])],
            queues: &[],
        },
    ]);
}
