//! What the reported failures of queues leave behind, each as it was and as it should be.

use crate::end::{End, check};

/// C47: the second holder dies; only as it should be is there a third.
#[test]
fn the_lease_ends_while_the_receiver_works() {
    check(&[
        End {
            id: "C42",
            rows: &[("mail_server", &["M1", "M1"])],
            queues: &[("jobs", &[])],
        },
        End {
            id: "C42-ok",
            rows: &[("mail_server", &["M1"])],
            queues: &[("jobs", &[])],
        },
        End {
            id: "C45",
            rows: &[("album.previews", &["1 M1", "2 M1"])],
            queues: &[("photos", &[])],
        },
        End {
            id: "C45-ok",
            rows: &[("album.previews", &["1 M1"])],
            queues: &[("photos", &[])],
        },
        End {
            id: "C47",
            rows: &[
                ("app.jobs", &["M1 2 open"]),
                ("app.reports", &[]),
                ("mail", &["M1", "M1"]),
            ],
            queues: &[("work", &[])],
        },
        End {
            id: "C47-ok",
            rows: &[
                ("app.jobs", &["M1 3 done"]),
                ("app.reports", &["1 M1"]),
                ("mail", &["M1"]),
            ],
            queues: &[("work", &[])],
        },
    ]);
}

#[test]
fn an_acknowledgement_comes_too_early_or_never() {
    check(&[
        End {
            id: "C39",
            rows: &[("shop.parcels", &["1 M1"])],
            queues: &[("orders", &[]), ("dead_orders", &["M1"])],
        },
        End {
            id: "C39-ok",
            rows: &[("shop.parcels", &["1 M1"])],
            queues: &[("orders", &[]), ("dead_orders", &[])],
        },
        End {
            id: "C49",
            rows: &[(
                "warehouse.parcels",
                &[
                    "1 order-1",
                    "2 order-2",
                    "3 order-3",
                    "4 order-4",
                    "5 order-5",
                    "6 order-6",
                    "7 order-7",
                    "8 order-1",
                    "9 order-2",
                    "10 order-3",
                    "11 order-4",
                    "12 order-5",
                    "13 order-6",
                    "14 order-7",
                ],
            )],
            queues: &[("orders", &[])],
        },
        End {
            id: "C49-ok",
            rows: &[
                (
                    "warehouse.parcels",
                    &[
                        "1 order-1",
                        "2 order-2",
                        "3 order-3",
                        "4 order-4",
                        "5 order-5",
                        "6 order-6",
                        "7 order-7",
                    ],
                ),
                (
                    "warehouse.inbox",
                    &[
                        "order-1", "order-2", "order-3", "order-4", "order-5", "order-6", "order-7",
                    ],
                ),
            ],
            queues: &[("orders", &[])],
        },
        End {
            id: "C50",
            rows: &[("billing.invoices", &["1 M2"])],
            queues: &[("orders", &[])],
        },
        End {
            id: "C50-ok",
            rows: &[
                ("billing.inbox", &["M1", "M2"]),
                ("billing.invoices", &["1 M1", "2 M2"]),
            ],
            queues: &[("orders", &[])],
        },
    ]);
}

#[test]
fn the_broker_gives_up_overtakes_or_forgets() {
    check(&[
        End {
            id: "C53",
            rows: &[("warehouse.parcels", &[])],
            queues: &[("orders", &[])],
        },
        End {
            id: "C53-ok",
            rows: &[("warehouse.parcels", &["M1"])],
            queues: &[("orders", &[]), ("failed_orders", &[])],
        },
        End {
            id: "C55",
            rows: &[("app.subscriptions", &["7 incomplete 1"])],
            queues: &[("events", &[])],
        },
        End {
            id: "C55-ok",
            rows: &[("app.subscriptions", &["7 active 2"])],
            queues: &[("events", &[])],
        },
        End {
            id: "C56",
            rows: &[("mailer.mails", &[])],
            queues: &[("reminders", &[])],
        },
        // Written at 1 ms, due 60 s later.
        End {
            id: "C56-ok",
            rows: &[("mailer.mails", &["M1"]), ("shop.outbox", &["M1 60001ms true"])],
            queues: &[("reminders", &[])],
        },
    ]);
}
