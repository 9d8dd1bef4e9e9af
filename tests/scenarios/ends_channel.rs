//! What each story of the point-to-point channel leaves behind.

use crate::end::{End, Named, check};

const TRANSFER: &str = "pay-4711-01 88123 1200";
const UNPAID: Named = ("bank", &[]);
const PAID_ONCE: Named = ("bank", &[TRANSFER]);
const PAID_TWICE: Named = ("bank", &[TRANSFER, TRANSFER]);
const UNRECORDED: Named = ("register.paid", &[]);
const RECORDED: Named = ("register.paid", &["pay-4711-01 1200"]);
const DONE: &[Named] = &[("payments", &[])];

/// Where the bank is asked twice, the register still has one entry: the second is dropped as known.
#[test]
fn a_receiver_dies_and_another_takes_the_order() {
    check(&[
        End {
            id: "P1",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
        End {
            id: "P2",
            rows: &[RECORDED, PAID_TWICE],
            queues: DONE,
        },
        End {
            id: "P3",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
        End {
            id: "P4",
            rows: &[RECORDED, PAID_TWICE],
            queues: DONE,
        },
        End {
            id: "P4-key",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
        End {
            id: "P7",
            rows: &[UNRECORDED, UNPAID],
            queues: DONE,
        },
        End {
            id: "P7-ok",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
        End {
            id: "P11",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
    ]);
}

#[test]
fn the_bank_takes_longer_than_the_lease() {
    check(&[
        End {
            id: "P5",
            rows: &[RECORDED, PAID_TWICE],
            queues: DONE,
        },
        End {
            id: "P6",
            rows: &[RECORDED, PAID_ONCE],
            queues: DONE,
        },
        End {
            id: "P6-dies",
            rows: &[RECORDED, PAID_TWICE],
            queues: DONE,
        },
        End {
            id: "P6-never",
            rows: &[UNRECORDED, UNPAID],
            queues: &[("payments", &["pay-4711-01"])],
        },
    ]);
}

#[test]
fn a_cancellation_overtakes() {
    check(&[End {
        id: "P8",
        rows: &[
            (
                "register.handled",
                &["cancel-4711-01 4711 2 no payment found", "pay-4711-01 4711 1 paid"],
            ),
            PAID_ONCE,
        ],
        queues: DONE,
    }]);
}

/// The orders are 2 ms apart, so the instances take them in turn, and the first to be free again is the one that began first.
#[test]
fn instances_share_the_work() {
    check(&[
        End {
            id: "P10",
            rows: &[
                (
                    "register.paid(order_id, paid_by)",
                    &[
                        "pay-1 Payment#1",
                        "pay-2 Payment#1",
                        "pay-3 Payment#1",
                        "pay-4 Payment#1",
                        "pay-5 Payment#1",
                        "pay-6 Payment#1",
                        "pay-7 Payment#1",
                        "pay-8 Payment#1",
                    ],
                ),
                (
                    "bank",
                    &[
                        "pay-1 88123 1200",
                        "pay-2 88123 1200",
                        "pay-3 88123 1200",
                        "pay-4 88123 1200",
                        "pay-5 88123 1200",
                        "pay-6 88123 1200",
                        "pay-7 88123 1200",
                        "pay-8 88123 1200",
                    ],
                ),
            ],
            queues: DONE,
        },
        End {
            id: "P10-two",
            rows: &[
                (
                    "register.paid(order_id, paid_by)",
                    &[
                        "pay-1 Payment#1",
                        "pay-2 Payment#2",
                        "pay-3 Payment#1",
                        "pay-4 Payment#2",
                        "pay-5 Payment#1",
                        "pay-6 Payment#2",
                        "pay-7 Payment#1",
                        "pay-8 Payment#2",
                    ],
                ),
                (
                    "bank",
                    &[
                        "pay-1 88123 1200",
                        "pay-2 88123 1200",
                        "pay-3 88123 1200",
                        "pay-4 88123 1200",
                        "pay-5 88123 1200",
                        "pay-6 88123 1200",
                        "pay-7 88123 1200",
                        "pay-8 88123 1200",
                    ],
                ),
            ],
            queues: DONE,
        },
        End {
            id: "P10-four",
            rows: &[
                (
                    "register.paid(order_id, paid_by)",
                    &[
                        "pay-1 Payment#1",
                        "pay-2 Payment#2",
                        "pay-3 Payment#3",
                        "pay-4 Payment#4",
                        "pay-5 Payment#1",
                        "pay-6 Payment#2",
                        "pay-7 Payment#3",
                        "pay-8 Payment#4",
                    ],
                ),
                (
                    "bank",
                    &[
                        "pay-1 88123 1200",
                        "pay-2 88123 1200",
                        "pay-3 88123 1200",
                        "pay-4 88123 1200",
                        "pay-5 88123 1200",
                        "pay-6 88123 1200",
                        "pay-7 88123 1200",
                        "pay-8 88123 1200",
                    ],
                ),
            ],
            queues: DONE,
        },
    ]);
}

#[test]
fn a_queue_gives_the_message_to_one_and_a_topic_to_each() {
    check(&[
        End {
            id: "P12",
            rows: &[
                ("insurer.bookings", &["pay-4711-01"]),
                ("insurer.notices", &[]),
                ("insurer.figures", &[]),
            ],
            queues: DONE,
        },
        End {
            id: "P12-topic",
            rows: &[
                ("insurer.bookings", &["pay-4711-01"]),
                ("insurer.notices", &["pay-4711-01"]),
                ("insurer.figures", &["pay-4711-01"]),
            ],
            queues: &[("for_accounting", &[]), ("for_portal", &[]), ("for_statistics", &[])],
        },
    ]);
}

/// `orders` ends with `paid`; with the queue, `sent` stands before it.
#[test]
fn a_call_needs_the_receiver_and_a_queue_keeps_the_order() {
    check(&[
        End {
            id: "P13",
            rows: &[("claims.orders", &["pay-4711-01 88123 1200 false"]), UNPAID],
            queues: &[],
        },
        End {
            id: "P13-repeat",
            rows: &[("claims.orders", &["pay-4711-01 88123 1200 true"]), PAID_ONCE],
            queues: &[],
        },
        End {
            id: "P13-queue",
            rows: &[("claims.orders", &["pay-4711-01 88123 1200 true true"]), PAID_ONCE],
            queues: &[("payments", &[]), ("answers", &[])],
        },
    ]);
}

/// The first delivery is leased from 1 ms on, the second from 30.001 s; each is received 1 ms later and claimed after 4 ms.
#[test]
fn a_late_acknowledgement_is_refused_or_counts() {
    check(&[
        // The lease of the third delivery begins at 60.001 s; claimed at 60.005 s, checked until 75.006 s, renewed at 75.007 s for 29 s.
        End {
            id: "P14",
            rows: &[
                ("register.payments", &["pay-4711-01 Payment#1 3 104007ms true"]),
                PAID_ONCE,
            ],
            queues: DONE,
        },
        // Claimed at 30.005 s for 29 s and never again: the first holder has acknowledged the order.
        End {
            id: "P14-accepted",
            rows: &[
                ("register.payments", &["pay-4711-01 Payment#2 2 59005ms false"]),
                UNPAID,
            ],
            queues: DONE,
        },
    ]);
}
