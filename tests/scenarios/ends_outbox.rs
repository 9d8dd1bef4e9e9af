//! What each outbox story leaves behind.
//!
//! A relay's first round finds nothing and ends at 2 ms; 10 s later the next one reads at 10.003 s, publishes at 10.005 s and
//! marks at 10.007 s. Each further row takes 4 ms more, and the round after it begins 10 s after the end of this one.

use crate::end::{End, check};

#[test]
fn without_an_outbox_one_of_the_two_is_missing() {
    check(&[
        End {
            id: "O1",
            rows: &[("shop.orders", &["1001 120"])],
            queues: &[("events", &[])],
        },
        End {
            id: "O2",
            rows: &[("shop.orders", &[])],
            queues: &[("events", &["evt-1002"])],
        },
        End {
            id: "O13",
            rows: &[("shop.orders", &["1003 120"])],
            queues: &[("events", &[])],
        },
    ]);
}

#[test]
fn with_an_outbox_the_event_waits_and_leaves() {
    const SENT: &[(&str, &[&str])] = &[
        ("shop.orders", &["1003 120"]),
        ("shop.outbox", &["evt-1003 OrderPlaced 1003 true 10007ms"]),
    ];
    check(&[
        End {
            id: "O3",
            rows: SENT,
            queues: &[("events", &["evt-1003"])],
        },
        End {
            id: "O3-crash",
            rows: SENT,
            queues: &[("events", &["evt-1003"])],
        },
        End {
            id: "O4",
            rows: &[("shop.orders", &[]), ("shop.outbox", &[])],
            queues: &[("events", &[])],
        },
    ]);
}

/// The relay dies at 10.006 s, after the answer to its first change, and is back at 15.006 s.
#[test]
fn a_relay_that_dies_sends_twice_or_not_at_all() {
    check(&[
        End {
            id: "O5",
            rows: &[("shop.outbox", &["evt-1003 OrderPlaced 1003 true 15011ms"])],
            queues: &[("events", &["evt-1003", "evt-1003"])],
        },
        End {
            id: "O6",
            rows: &[("shop.outbox", &["evt-1003 OrderPlaced 1003 true 10005ms"])],
            queues: &[("events", &[])],
        },
        End {
            id: "O10",
            rows: &[
                ("shop.orders", &["1003 120"]),
                ("shop.outbox", &["evt-1003 OrderPlaced 1003 true 15011ms"]),
                ("warehouse.inbox", &["warehouse evt-1003"]),
                ("warehouse.parcels", &["1 1003"]),
            ],
            queues: &[("events", &[]), ("events_dead", &[])],
        },
    ]);
}

#[test]
fn batches_cancelling_and_cleaning_up() {
    check(&[
        End {
            id: "O7",
            rows: &[(
                "shop.outbox",
                &[
                    "evt-1005 OrderPlaced 1005 true 10007ms",
                    "evt-1006 OrderPlaced 1006 true 10011ms",
                    "evt-1007 OrderPlaced 1007 true 20017ms",
                ],
            )],
            queues: &[("events", &["evt-1005", "evt-1006", "evt-1007"])],
        },
        End {
            id: "O8",
            rows: &[("shop.orders", &["1003 120"]), ("shop.outbox", &[])],
            queues: &[("events", &[])],
        },
        // The broker is down from 24 s to 54 s, so the last two leave at 60 s; rows go at 30 s, 40 s and the last two at 80 s.
        End {
            id: "O9",
            rows: &[("shop.outbox", &[])],
            queues: &[("events", &["evt-1003", "evt-1004", "evt-1005", "evt-1006"])],
        },
        End {
            id: "O9-keep",
            rows: &[(
                "shop.outbox",
                &[
                    "evt-1003 OrderPlaced 1003 true 10007ms",
                    "evt-1004 OrderPlaced 1004 true 20013ms",
                    "evt-1005 OrderPlaced 1005 true 60031ms",
                    "evt-1006 OrderPlaced 1006 true 60035ms",
                ],
            )],
            queues: &[("events", &["evt-1003", "evt-1004", "evt-1005", "evt-1006"])],
        },
    ]);
}

/// The paused relay ends its first round 5 s later than the other, so even without a lock they do not meet at 3 and 4.
#[test]
fn two_relays() {
    const ALL_SENT: &[(&str, &[&str])] = &[(
        "shop.outbox",
        &["1 created true", "2 paid true", "3 packed true", "4 shipped true"],
    )];
    check(&[
        End {
            id: "O11",
            rows: ALL_SENT,
            queues: &[("events", &["1", "2", "1", "2", "3", "4"])],
        },
        End {
            id: "O11-wait",
            rows: ALL_SENT,
            queues: &[("events", &["1", "2", "3", "4"])],
        },
        End {
            id: "O11-skip",
            rows: ALL_SENT,
            queues: &[("events", &["3", "4", "1", "2"])],
        },
    ]);
}

#[test]
fn other_ways_than_polling() {
    check(&[
        End {
            id: "O12",
            rows: &[
                ("shop.orders", &["1003 120"]),
                ("shop.outbox", &["evt-1003 OrderPlaced 1003"]),
                ("shop.position", &["relay 1"]),
            ],
            queues: &[("events", &["evt-1003"])],
        },
        End {
            id: "O12-crash",
            rows: &[("shop.position", &["relay 1"])],
            queues: &[("events", &["evt-1003", "evt-1003"])],
        },
        End {
            id: "O15",
            rows: &[("shop.orders", &["1003 120"]), ("shop.parcels", &["1 1003"])],
            queues: &[],
        },
        // created_at, sent, sent_at, delay: the order placed at 10.1 s has just missed a round and waits for the next.
        End {
            id: "O16",
            rows: &[(
                "shop.outbox",
                &[
                    "evt-1003 OrderPlaced 1003 1001ms true 10007ms 9006ms",
                    "evt-1004 OrderPlaced 1004 5001ms true 10011ms 5010ms",
                    "evt-1005 OrderPlaced 1005 9001ms true 10015ms 1014ms",
                    "evt-1006 OrderPlaced 1006 10101ms true 20021ms 9920ms",
                ],
            )],
            queues: &[("events", &["evt-1003", "evt-1004", "evt-1005", "evt-1006"])],
        },
    ]);
}
